"""What a notion of correctness is, and what counting under it gives: the tally."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Numbers
from ..measures import ratio
from ..options import Pairing
from ..pairing.candidates import Candidates

Credit = NDArray[Any]
"""One number a mention, of the narrowest type that holds it: flags, whole numbers of tokens, or shares."""

CreditMap = Callable[[Credit], Credit]
"""Rearranges the numbers of one side's mentions, or takes some of them."""


@dataclass(frozen=True, kw_only=True)
class NotionDeclaration:
    """What rows of the score table count.

    Attributes
    ----------
    name : str
        As it is written on the command line and in the score table.
    definition, source : str
        What it means, and who defined it.
    disagreement : str
        Where the literature, or another program, counts otherwise under the same name.
    unit : str
        What is counted: ``mention``, ``token`` or ``case``.
    pairing : str
        The pairing that it brings with it, as signatures name it; empty where ``--pairing`` chooses.
    phrase : str
        The words for a mention that was found, in a report: *exactly*.
    """

    name: str
    definition: str
    source: str
    disagreement: str = ""
    unit: str = "mention"
    pairing: str = ""
    phrase: str = ""

    def __str__(self) -> str:
        return self.name


def _admit_all(pairs: Candidates) -> Flags:
    return np.ones(len(pairs), dtype=bool)


@dataclass(frozen=True, kw_only=True)
class Notion(NotionDeclaration, ABC):
    """A notion of correctness: a declared value that counts itself.

    Attributes
    ----------
    no_alternatives_reason : str
        Why it cannot be counted under ``--alternatives optimal``; empty where it can.
    admits : callable
        Which candidates may be matched under the notion, types aside: all, unless it is a condition.
    """

    no_alternatives_reason: str = ""
    admits: Callable[[Candidates], Flags] = _admit_all

    @abstractmethod
    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:
        """Count every mention of both sides.

        Parameters
        ----------
        pairs : Candidates
            All candidates of the two sides.
        pairing : {"any", "one-to-one", "greedy"}
            The pairing asked for; a notion that brings its own has no use for it.
        ignore_types : bool
            Let mentions of different types match.
        """


@dataclass(frozen=True)
class Tally:
    """What each mention counts under one notion: how many units it has, and how many of them are matched.

    Everything else — totals, classes, types, texts, resampling — is a sum over some of these numbers.

    Attributes
    ----------
    notion : Notion
        The notion.
    gold_units, predicted_units : array
        1 for each mention; under pnp the number of tokens that are the mention's.
    gold_matched, predicted_matched : array
        The part of the units that is matched.
    published_units, published_matched : array or None
        Units, and matched units, of the *gold's* count that stand at predicted mentions: only where a
        published way of counting puts true positives by the system's form (see `published`).
    gold_verdict, predicted_verdict : array or None
        What the table of verdicts shows for each mention, where it is not the matched part of its units;
        NaN where a mention counts neither as right nor as wrong.
    extra : dict of array
        Further quantities that are summed like the others; names start with ``gold_`` or ``predicted_``.
    """

    notion: Notion
    gold_units: Credit
    gold_matched: Credit
    predicted_units: Credit
    predicted_matched: Credit
    published_units: Credit | None = None
    published_matched: Credit | None = None
    gold_verdict: Credit | None = None
    predicted_verdict: Credit | None = None
    extra: dict[str, Credit] = field(default_factory=dict)

    def get_verdicts(self, side: str) -> Numbers:
        """What each mention of a side is worth: the matched part of its units."""
        shown: Credit | None = getattr(self, f"{side}_verdict")
        if shown is not None:
            return shown.astype(np.float64)
        units: Credit = getattr(self, f"{side}_units")
        matched: Credit = getattr(self, f"{side}_matched")
        return ratio(matched, units)

    def get_right_mask(self, side: str) -> Flags:
        """Which mentions of a side are right: wholly matched, or not counted at all."""
        return np.nan_to_num(self.get_verdicts(side), nan=1.0) >= 1.0

    @cached_property
    def has_only_whole_units(self) -> bool:
        """Return True if whole numbers of units, and nothing else, are summed."""
        numbers = (self.gold_units, self.gold_matched, self.predicted_units, self.predicted_matched)
        if self.extra or self.published_units is not None:
            return False
        return all(n.dtype.kind in "bi" for n in numbers)

    def map_arrays(self, gold: CreditMap, predicted: CreditMap) -> Tally:
        """The tally with every array of either side put through a function."""

        def perhaps(values: Credit | None, side: CreditMap) -> Credit | None:
            return None if values is None else side(values)

        def each(named: dict[str, Credit]) -> dict[str, Credit]:
            return {n: (gold if n.startswith("gold_") else predicted)(values) for n, values in named.items()}

        return replace(
            self,
            gold_units=gold(self.gold_units),
            gold_matched=gold(self.gold_matched),
            predicted_units=predicted(self.predicted_units),
            predicted_matched=predicted(self.predicted_matched),
            published_units=perhaps(self.published_units, predicted),
            published_matched=perhaps(self.published_matched, predicted),
            gold_verdict=perhaps(self.gold_verdict, gold),
            predicted_verdict=perhaps(self.predicted_verdict, predicted),
            extra=each(self.extra),
        )
