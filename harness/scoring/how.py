"""How to score: all choices but notions and classes, said alike by commands, studies and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .axes import Axes
from .classes import Class
from .engine import Alternatives, Counting, check_numbers, check_words, score
from .pairing import Pairing
from .scores import Scores

if TYPE_CHECKING:
    import pandas as pd

    from ...sentences.corpus import Corpus


@dataclass(frozen=True)
class How:
    """How to score. Words that mean nothing are refused by name, whether or not a corpus has use for them.

    Attributes
    ----------
    pairing, alternatives, counting, ignore_types
        See ``docs/scoring.md``.
    confidence : float
        Of the intervals.
    lists : mapping of str to frozenset
        Word lists for the features ``in_list.NAME``, as `catalogues.word_lists.read_lists` gives them.
    type_map : mapping of str to str
        Types of either side that are counted as another.
    beta : float
        Weight of recall in F.
    intervals : str
        ``resampled``, or ``wilson``: as if all mentions were independent.
    """

    pairing: Pairing = "any"
    alternatives: Alternatives = "none"
    counting: Counting = "text"
    ignore_types: bool = False
    confidence: float = 0.95
    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)
    type_map: Mapping[str, str] = field(default_factory=dict)
    beta: float = 1.0
    intervals: str = "resampled"

    def __post_init__(self) -> None:
        check_words(self.pairing, self.alternatives, self.counting, self.intervals)
        check_numbers(self.confidence, self.beta)

    def score(
        self,
        gold: Corpus,
        predictions: Corpus | pd.DataFrame,
        *,
        notions: Sequence[str] | None = None,
        classes: Sequence[Class] = (),
        by: Sequence[str] = (),
        run: str = "",
        tagger: str = "",
        gold_part: str = "",
        axes: Axes | None = None,
    ) -> Scores:
        """Score in this way; see `harness.scoring.engine.score`."""
        return score(
            gold,
            predictions,
            notions=notions,
            classes=classes,
            by=by,
            pairing=self.pairing,
            alternatives=self.alternatives,
            counting=self.counting,
            ignore_types=self.ignore_types,
            type_map=self.type_map,
            lists=self.lists,
            beta=self.beta,
            confidence=self.confidence,
            intervals=self.intervals,
            run=run,
            tagger=tagger,
            gold_part=gold_part,
            axes=axes,
        )
