"""A corpus that runs are scored against, and one run scored against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..sentences.corpus import Corpus
from ..sentences.formats.registry import parse_spec, read_corpus
from ..sentences.suite_file import read_suite_meta
from .running.folder.runs import Run
from .scoring.classes import Class
from .scoring.engine import score
from .scoring.options import ScoringOptions
from .scoring.pairing.axes import Axes
from .scoring.scores import Scores


@dataclass(frozen=True)
class Gold:
    """A corpus that is scored against, laid out once for all runs over it.

    Attributes
    ----------
    corpus : Corpus
    axes : Axes
        Its texts.
    part : str or None
        Its part of signatures: made from its digest when empty, as the run has it when None.
    """

    corpus: Corpus
    axes: Axes
    part: str | None = None

    @classmethod
    def of(cls, corpus: Corpus, part: str | None = None) -> Gold:
        """Lay a corpus out."""
        return cls(corpus, Axes.of(corpus.texts), part)

    @classmethod
    def read(cls, place: str | Corpus) -> Gold:
        """Read ``FORMAT:PATH`` or a suite folder; a corpus is taken as it is."""
        if isinstance(place, Corpus):
            return cls.of(place, "")
        name, path, _ = parse_spec(place)
        # a suite has its own signature; other corpora are named by their digest
        part = str(read_suite_meta(path).get("suite", {}).get("signature", "")) if name == "suite" else ""
        return cls.of(read_corpus(place), part)


def score_run(
    run: Run,
    gold: Gold,
    options: ScoringOptions,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
    name: str = "",
) -> Scores:
    """Score one run; `name` stands in the tables in place of its folder's."""
    return score(
        gold.corpus,
        run.predicted(gold.corpus),
        options,
        classes=classes,
        by=by,
        run=name or run.name,
        tagger=run.tagger_part,
        gold_part=run.gold_part if gold.part is None else gold.part,
        axes=gold.axes,
    )
