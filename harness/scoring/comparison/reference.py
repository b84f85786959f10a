"""A reference tagger's scores over the same suite and corpora: from its runs, or run at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ....catalogues.core.errors import InputError
from ....catalogues.core.messages import say
from ....sentences.corpus import Corpus
from ...running.folder.runs import Run, is_run, read_run
from ...running.lookup import find_specification
from ...running.run import run as run_tagger
from ..classes import Class
from ..score_runs import GoldCorpus, score_run
from ..scores import Scores

StrPath = str | os.PathLike[str]
ReferenceSource = Run | StrPath


@dataclass(frozen=True)
class ReferenceTarget:
    """A scoring that the reference is to have a counterpart of.

    Attributes
    ----------
    scores : Scores
    input_path : str
        What its tagger was run over; empty where that is no file.
    gold_part : str
        Its part of a run's signature.
    classes : tuple of Class
    """

    scores: Scores
    input_path: str
    gold_part: str
    classes: tuple[Class, ...]

    @classmethod
    def from_source(
        cls, scores: Scores, source: Run | str | Corpus, classes: Sequence[Class] | None = None
    ) -> ReferenceTarget:
        """The target of a run, or of predictions over a place; its classes are those of the scoring."""
        own = scores.classes if classes is None else tuple(classes)
        if isinstance(source, Run):
            return cls(scores, source.input, source.gold_part, own)
        return cls(scores, source if isinstance(source, str) else "", scores.gold_part, own)


def score_reference(
    sources: Sequence[ReferenceSource], targets: Sequence[ReferenceTarget]
) -> tuple[str, list[Scores]]:
    """The reference's scores for each target: the same gold, classes and options.

    Parameters
    ----------
    sources : sequence of Run or path
        Runs of one tagger over what the targets are of; or one name of a bundled tagger, or specification,
        which is run here and now.
    targets : sequence of Target

    Returns
    -------
    name : str
        The tagger's.
    scores : list of Scores
        One for each target.

    Raises
    ------
    InputError
        When it is neither runs nor a tagger, the runs are of several taggers, or one is missing.
    """
    runs = [r for r in map(_open_run, sources) if r is not None]
    if runs and len(runs) == len(sources):
        return _score_given_runs(runs, targets)
    names = [str(g) for g in sources if _open_run(g) is None]
    if len(sources) > 1:
        raise InputError(
            "a reference is run folders or one tagger",
            found=", ".join(names),
            allowed="run folders alone, or one tagger's name alone",
        )
    try:
        find_specification(names[0])
    except InputError:
        raise InputError(
            "no such reference",
            found=names[0],
            allowed="run folders of a reference tagger, or a bundled tagger's name such as kex",
        ) from None
    return _run_tagger(names[0], targets)


def _open_run(given: ReferenceSource) -> Run | None:
    if isinstance(given, Run):
        return given
    return read_run(given) if is_run(given) else None


def _score_given_runs(runs: Sequence[Run], targets: Sequence[ReferenceTarget]) -> tuple[str, list[Scores]]:
    taggers = {r.tagger: r for r in runs}
    if len(taggers) > 1:
        found = ", ".join(f"{r.tagger} ({r.name})" for r in taggers.values())
        raise InputError("the reference runs are of several taggers", found=found, allowed="one tagger")
    if len({r.tagger_part for r in runs}) > 1:
        parts = ", ".join(sorted({r.tagger_part.removeprefix("tagger:") for r in runs}))
        say(f"the reference runs are of one name, but of several programs or specifications: {parts}")
    scores = []
    for target in targets:
        run = next((r for r in runs if r.gold_part == target.gold_part), None)
        if run is None:
            raise InputError(
                f"no reference run over {target.scores.corpus.name}",
                found=", ".join(f"{r.name} over {r.meta['run']['corpus']}" for r in runs),
                allowed=f"--reference with a run over the input of {target.scores.run}",
            )
        scores.append(_score_target(run, target))
    return runs[0].tagger, scores


def _run_tagger(name: str, targets: Sequence[ReferenceTarget]) -> tuple[str, list[Scores]]:
    done: dict[str, Run] = {}
    scores = []
    with TemporaryDirectory(prefix="tagsuite-reference-") as folder:
        for target in targets:
            if not target.input_path:
                raise InputError(
                    "a reference can be run only over what stands in a file",
                    found=target.scores.corpus.name,
                    allowed="run folders as reference, or a gold given as FORMAT:PATH",
                )
            if target.input_path not in done:
                done[target.input_path] = run_tagger(target.input_path, name, Path(folder) / str(len(done)))
            # read while the folder is there
            scores.append(_score_target(done[target.input_path], target))
        return done[targets[0].input_path].tagger, scores


def _score_target(run: Run, target: ReferenceTarget) -> Scores:
    own = target.scores
    for line in run.describe_failures():
        say(f"{run.tagger} (reference): {line}")
    gold = GoldCorpus.from_corpus(own.corpus, own.gold_part)
    return score_run(run, gold, own.options, classes=target.classes, name=run.tagger)
