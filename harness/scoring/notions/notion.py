"""Base class of notions of correctness, and the tally (counts for each mention) that a notion returns."""

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
"""Array with one number per mention: 0 or 1, a number of tokens, or a share, in any numeric type."""

CreditMap = Callable[[Credit], Credit]
"""Function that selects, reorders or converts the elements of an array with one number per mention."""


@dataclass(frozen=True, kw_only=True)
class NotionDeclaration:
    """Name and description of a notion of correctness, as shown in tables and documentation.

    Attributes
    ----------
    name : str
        Name on the command line and in the score table.
    definition, source : str
        Meaning of the notion, and the publication that defined it.
    disagreement : str
        Differences from other definitions or programs that use the same name.
    unit : str
        Unit of counting: ``mention``, ``token`` or ``case``.
    pairing : str
        Name, in signatures, of the pairing that the notion prescribes; empty if ``--pairing`` determines it.
    phrase : str
        Adverbial that completes "found …" in a report, such as *exactly*.
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
    """Notion of correctness that can count matched mentions.

    Attributes
    ----------
    no_alternatives_reason : str
        Why ``--alternatives optimal`` is impossible under this notion; empty if it is possible.
    admits : callable
        Function that returns a Boolean array: True for each candidate pair that may match under the notion,
        regardless of types. By default, all pairs may match.
    """

    no_alternatives_reason: str = ""
    admits: Callable[[Candidates], Flags] = _admit_all

    @abstractmethod
    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:
        """Return the tally of all gold and predicted mentions.

        Parameters
        ----------
        pairs : Candidates
            All candidate pairs of a gold and a predicted mention.
        pairing : {"any", "one-to-one", "greedy"}
            Pairing chosen by the options; notions that prescribe a pairing ignore it.
        ignore_types : bool
            Whether mentions of different types may match.
        """


@dataclass(frozen=True)
class Tally:
    """Units and matched units of each mention under one notion.

    All other figures (for classes, types, texts and resamples) are computed from sums of these numbers.

    Attributes
    ----------
    notion : Notion
        Notion under which the units are counted.
    gold_units, predicted_units : array
        Units of each mention: 1, or under pnp the number of its tokens.
    gold_matched, predicted_matched : array
        Matched units of each mention.
    published_units, published_matched : array or None
        Units and matched units per *predicted* mention that are added to the *gold* counts. They are needed
        only for published evaluations that classify true positives by the predicted form (see
        `recount_as_published`).
    gold_verdict, predicted_verdict : array or None
        Value of each mention in the table of verdicts, if it differs from the number of matched units divided
        by the number of units. NaN marks a mention that counts neither as right nor as wrong.
    extra : dict of array
        Further arrays to sum, such as numbers of pairs; names start with ``gold_`` or ``predicted_``.
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
        """Return the verdict on each gold or predicted mention: its share of matched units (0 to 1)."""
        shown: Credit | None = getattr(self, f"{side}_verdict")
        if shown is not None:
            return shown.astype(np.float64)
        units: Credit = getattr(self, f"{side}_units")
        matched: Credit = getattr(self, f"{side}_matched")
        return ratio(matched, units)

    def get_right_mask(self, side: str) -> Flags:
        """Return a Boolean array: True for mentions of this side that are not errors."""
        return np.nan_to_num(self.get_verdicts(side), nan=1.0) >= 1.0

    @cached_property
    def has_only_whole_units(self) -> bool:
        """True if all counts are integers and the tally has no additional arrays."""
        numbers = (self.gold_units, self.gold_matched, self.predicted_units, self.predicted_matched)
        if self.extra or self.published_units is not None:
            return False
        return all(n.dtype.kind in "bi" for n in numbers)

    def map_arrays(self, gold: CreditMap, predicted: CreditMap) -> Tally:
        """Return a copy with `gold` applied to all gold arrays and `predicted` to all predicted arrays."""

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
