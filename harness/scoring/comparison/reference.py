"""Scores of a reference tagger on the same suite and corpora, from existing or new runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ....catalogues.core.errors import InputError
from ....catalogues.core.messages import say
from ...running.folder.runs import Run, is_run, read_run
from ...running.lookup import find_specification
from ...running.run import run as run_tagger
from ..score_runs import GoldCorpus, score_run
from ..scores import Scores
from .specificity import ReferenceTarget

StrPath = str | os.PathLike[str]
ReferenceSource = Run | StrPath


def score_reference(
    sources: Sequence[ReferenceSource], targets: Sequence[ReferenceTarget]
) -> tuple[str, list[Scores]]:
    """Score the reference tagger with the same gold standard, classes and options as each target.

    Parameters
    ----------
    sources : sequence of Run or path
        Runs of one tagger on the suites and corpora of the targets, or a tagger to run: the name of a
        bundled tagger or the path of a specification.
    targets : sequence of ReferenceTarget

    Returns
    -------
    name : str
        Name of the tagger.
    scores : list of Scores
        One element per target.

    Raises
    ------
    InputError
        If the sources are neither runs nor a tagger, the runs come from several taggers, or a target has no
        run.
    """
    runs = [r for r in map(_open_run, sources) if r is not None]
    if runs and len(runs) == len(sources):
        return _score_given_runs(runs, targets)
    names = [str(g) for g in sources if _open_run(g) is None]
    if len(sources) > 1:
        raise InputError(
            "the reference must consist of run folders only, or of one tagger",
            found=", ".join(names),
        )
    try:
        find_specification(names[0])
    except InputError:
        raise InputError(
            "unknown reference",
            found=names[0],
            allowed="run folders of a reference tagger, or the name of a bundled tagger such as kex",
        ) from None
    return _run_tagger(names[0], targets)


def _open_run(source: ReferenceSource) -> Run | None:
    if isinstance(source, Run):
        return source
    return read_run(source) if is_run(source) else None


def _score_given_runs(runs: Sequence[Run], targets: Sequence[ReferenceTarget]) -> tuple[str, list[Scores]]:
    taggers = {r.tagger: r for r in runs}
    if len(taggers) > 1:
        names = ", ".join(f"{r.tagger} ({r.name})" for r in taggers.values())
        raise InputError("all reference runs must come from the same tagger", found=names)
    if len({r.tagger_part for r in runs}) > 1:
        parts = ", ".join(sorted({r.tagger_part.removeprefix("tagger:") for r in runs}))
        say(f"the reference runs come from different versions of the tagger: {parts}")
    scores = []
    for target in targets:
        run = next((r for r in runs if r.gold_part == target.gold_part), None)
        if run is None:
            raise InputError(
                f"{target.scores.run} needs a reference run on the same input, {target.scores.corpus.name}",
                found=", ".join(f"{r.name} on {r.meta['run']['corpus']}" for r in runs),
            )
        scores.append(_score_target(run, target))
    return runs[0].tagger, scores


def _run_tagger(name: str, targets: Sequence[ReferenceTarget]) -> tuple[str, list[Scores]]:
    runs: dict[str, Run] = {}
    scores = []
    with TemporaryDirectory(prefix="tagsuite-reference-") as folder:
        for target in targets:
            if not target.input_path:
                raise InputError(
                    "the reference tagger can be run only on a suite or corpus in a file; give the gold "
                    "standard as FORMAT:PATH, or finished runs of the reference tagger",
                    found=target.scores.corpus.name,
                )
            if target.input_path not in runs:
                runs[target.input_path] = run_tagger(target.input_path, name, Path(folder) / str(len(runs)))
            # score before the temporary folder is deleted
            scores.append(_score_target(runs[target.input_path], target))
        return runs[targets[0].input_path].tagger, scores


def _score_target(run: Run, target: ReferenceTarget) -> Scores:
    scores = target.scores
    for line in run.describe_failures():
        say(f"{run.tagger} (reference): {line}")
    gold = GoldCorpus.from_corpus(scores.corpus, scores.gold_part)
    return score_run(run, gold, scores.options, classes=target.classes, name=run.tagger)
