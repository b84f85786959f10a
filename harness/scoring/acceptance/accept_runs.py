"""Run folders judged by the criteria of a file."""

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
from .checks import FlipStatistics
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
    """Score run folders and judge criteria, or those of a file, on them; see `accept`.

    A run named by ``no_worse_than`` is looked for among the runs by name, then as a folder, beside the file
    and from the working folder.
    """
    if isinstance(criteria, (str, PathLike)):
        asked, place = read_criteria(criteria), Path(criteria).parent
    else:
        asked, place = list(criteria), Path()
    folders = _reference_runs(asked, runs, place)
    options = replace(options, notions=tuple(dict.fromkeys(c.notion for c in asked)))
    found = score_runs([*runs, *folders.values()], options, classes=[c.class_ for c in asked], gold=gold)
    judged, others = found[: len(runs)], found[len(runs) :]
    names = {folder: scores.run for folder, scores in zip(folders, others, strict=True)}
    asked = [c.with_reference_name(names) for c in asked]
    costs = {
        scores.run: known for known, scores in zip(read_costs(runs), judged, strict=True) if known is not None
    }
    flips = collect_flips(asked, [(s, read_run(r)) for s, r in zip(judged, runs, strict=True)])
    return accept(asked, judged, references=others, costs=costs, flips=flips, max_cases=max_cases, seed=seed)


def collect_flips(
    criteria: Sequence[Criterion], runs: Sequence[tuple[Scores, Run]]
) -> dict[str, FlipStatistics]:
    """What ``max_flips`` is held against, by name of run with repetitions; nothing where none asks it."""
    if all(c.limits.max_flips is None for c in criteria):
        return {}
    found = {s.run: RepeatedScores.from_run(s, run, criteria[0].notion) for s, run in runs if run.times > 1}
    return {
        name: FlipStatistics(r.estimate_flips, r.find_flipping_cases, r.answers.shape[1])
        for name, r in found.items()
    }


def _reference_runs(asked: Sequence[Criterion], runs: Sequence[Path], beside: Path) -> dict[str, Path]:
    names = {r.resolve().name for r in runs}
    found: dict[str, Path] = {}
    for criterion in asked:
        name = criterion.limits.no_worse_than
        if not name or name in names:
            continue
        folder = next((p for p in (beside / name, Path(name)) if is_run(p)), None)
        if folder is None:
            raise InputError(
                f"class {criterion.class_.name}: no such run",
                found=name,
                allowed=f"{', '.join(sorted(names))}, or a run folder",
            )
        found[name] = folder
    return found
