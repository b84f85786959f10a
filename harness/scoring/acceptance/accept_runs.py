"""Acceptance tests of run folders against a criteria file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from ....catalogues.core.errors import InputError
from ....sentences.corpus import Corpus
from ...running.folder.runs import Run, is_run, read_run
from ..options import ScoringOptions
from ..repeat_tables import RepeatedScores
from ..score_runs import read_costs, score_runs
from ..scores import Scores
from .accept import AcceptanceResult, accept
from .criteria import Criterion, read_criteria


def accept_runs(
    criteria: str | PathLike[str] | Sequence[Criterion],
    runs: Sequence[Path],
    options: ScoringOptions,
    *,
    gold: str | Corpus = "",
    max_cases: int = 5,
    seed: int = 0,
) -> AcceptanceResult:
    """Score the runs in the given folders, and check the criteria on each run; see `accept`.

    In a criterion, ``no_worse_than`` is the name of one of `runs`, or the path of a run folder, relative to
    the criteria file or to the working directory.
    """
    if isinstance(criteria, (str, PathLike)):
        criterion_list, place = read_criteria(criteria), Path(criteria).parent
    else:
        criterion_list, place = list(criteria), Path()
    folders = _find_reference_folders(criterion_list, runs, place)
    options = replace(options, notions=tuple(dict.fromkeys(c.notion for c in criterion_list)))
    scored = score_runs(
        [*runs, *folders.values()], options, classes=[c.class_ for c in criterion_list], gold=gold
    )
    judged, others = scored[: len(runs)], scored[len(runs) :]
    names = {folder: scores.run for folder, scores in zip(folders, others, strict=True)}
    criterion_list = [c.with_reference_name(names) for c in criterion_list]
    costs_by_run = {
        scores.run: costs for costs, scores in zip(read_costs(runs), judged, strict=True) if costs is not None
    }
    flips = collect_flips(criterion_list, [(s, read_run(r)) for s, r in zip(judged, runs, strict=True)])
    return accept(
        criterion_list,
        judged,
        references=others,
        costs=costs_by_run,
        flips=flips,
        max_cases=max_cases,
        seed=seed,
    )


def collect_flips(
    criteria: Sequence[Criterion], runs: Sequence[tuple[Scores, Run]]
) -> dict[str, RepeatedScores]:
    """Score the repetitions of all runs that have repetitions, if a criterion uses ``max_flips``."""
    if all(c.limits.max_flips is None for c in criteria):
        return {}
    return {s.run: RepeatedScores.from_run(s, run, criteria[0].notion) for s, run in runs if run.times > 1}


def _find_reference_folders(
    criteria: Sequence[Criterion], runs: Sequence[Path], base: Path
) -> dict[str, Path]:
    names = {r.resolve().name for r in runs}
    folders: dict[str, Path] = {}
    for criterion in criteria:
        name = criterion.limits.no_worse_than
        if not name or name in names:
            continue
        folder = next((p for p in (base / name, Path(name)) if is_run(p)), None)
        if folder is None:
            raise InputError(
                f"class {criterion.class_.name}: unknown run",
                found=name,
                allowed=f"{', '.join(sorted(names))}, or a run folder",
            )
        folders[name] = folder
    return folders
