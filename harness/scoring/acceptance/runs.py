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
from ..runs import costs_of, score_runs
from ..scores import Scores
from .accept import Accepted, accept
from .checks import Flips
from .criteria import Criterion, read_criteria


def accept_runs(
    criteria: str | PathLike[str],
    runs: Sequence[Path],
    options: ScoringOptions,
    *,
    gold: str | Corpus = "",
    cases: int = 5,
    seed: int = 0,
) -> Accepted:
    """Score run folders and judge the criteria of a file on them; see `accept`.

    A run named by ``no_worse_than`` is looked for among the runs by name, then as a folder, beside the file
    and from the working folder.
    """
    asked = read_criteria(criteria)
    folders = _reference_runs(asked, runs, Path(criteria).parent)
    options = replace(options, notions=tuple(dict.fromkeys(c.notion for c in asked)))
    found = score_runs([*runs, *folders.values()], options, classes=[c.one for c in asked], gold=gold)
    judged, others = found[: len(runs)], found[len(runs) :]
    names = {folder: scores.run for folder, scores in zip(folders, others, strict=True)}
    asked = [c.renamed(names) for c in asked]
    costs = {
        scores.run: known for known, scores in zip(costs_of(runs), judged, strict=True) if known is not None
    }
    flips = flips_of(asked, [(s, read_run(r)) for s, r in zip(judged, runs, strict=True)])
    return accept(asked, judged, references=others, costs=costs, flips=flips, cases=cases, seed=seed)


def flips_of(asked: Sequence[Criterion], runs: Sequence[tuple[Scores, Run]]) -> dict[str, Flips]:
    """What ``max_flips`` is held against, by name of run with repetitions; nothing where none asks it."""
    if all(c.limits.max_flips is None for c in asked):
        return {}
    found = {s.run: RepeatedScores.of(s, run, asked[0].notion) for s, run in runs if run.times > 1}
    return {name: Flips(r.flips, r.flipping, r.answers.shape[1]) for name, r in found.items()}


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
                f"class {criterion.one.name}: no such run",
                found=name,
                allowed=f"{', '.join(sorted(names))}, or a run folder",
            )
        found[name] = folder
    return found
