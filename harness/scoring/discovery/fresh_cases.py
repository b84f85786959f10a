"""Fresh cases: what is asked for to test a class and its near misses, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ....catalogues.query import Query
from ..arrays import Flags, Ints
from ..division import SCOPES
from ..features import joined_column


@dataclass(frozen=True)
class Arm:
    """Fresh cases that are wanted.

    Attributes
    ----------
    holds : tuple of str
        Conditions that a mention of each case meets.
    fails : tuple of str
        Conditions of which that mention meets none.
    size : int
        How many cases.
    """

    holds: tuple[str, ...]
    fails: tuple[str, ...] = ()
    size: int = 0

    @property
    def conditions(self) -> tuple[str, ...]:
        """All that a mention has to meet, each a query."""
        return (*self.holds, *(f"not ({c})" for c in self.fails))


@dataclass(frozen=True)
class Mentions:
    """Mentions with their features and verdicts.

    Attributes
    ----------
    table : DataFrame
        A row a mention, a column a feature.
    right : array of bool
        Which were found.
    entity, context, case : array
        What each mention shares with others: its entity, the sentence that it stands in, its case.
    arm : array of int
        For which arm its case was made.
    spent : int
        Cases that were run for them.
    """

    table: pd.DataFrame
    right: Flags
    entity: Ints
    context: Ints
    case: Ints
    arm: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    spent: int = 0

    def selected(self, conditions: Sequence[str]) -> Flags:
        """Which mentions meet all of some conditions."""
        chosen = np.ones(len(self.table), dtype=bool)
        for condition in conditions:
            chosen &= np.asarray(Query.parse(condition, SCOPES).evaluate(self.table))
        return chosen

    def only(self, rows: Flags) -> Mentions:
        """Some of the mentions; what they cost is the same."""
        return Mentions(
            self.table[rows].reset_index(drop=True),
            self.right[rows],
            self.entity[rows],
            self.context[rows],
            self.case[rows],
            self.arm[rows],
            self.spent,
        )

    def of_arm(self, number: int, arm: Arm) -> Ints:
        """The mentions that an arm was to give, one a case at most."""
        rows = np.flatnonzero((self.arm == number) & self.selected(arm.conditions))
        _, first = np.unique(self.case[rows], return_index=True)
        return rows[np.sort(first)]


Ask = Callable[[Sequence[Arm]], Mentions | None]
"""Has fresh cases made, none of them seen before, and the tagger run over them; None: there are none."""


def together(one: Mentions, other: Mentions) -> Mentions:
    """The mentions of both; those of the second stand in cases of their own."""
    columns = [c for c in one.table.columns if c in other.table.columns]
    table = pd.DataFrame({c: joined_column([one.table[c], other.table[c]]).array for c in columns})
    apart = int(one.case.max(initial=-1)) + 1
    return Mentions(
        table,
        np.concatenate((one.right, other.right)),
        np.concatenate((one.entity, other.entity)),
        np.concatenate((one.context, other.context)),
        np.concatenate((one.case, other.case + apart)),
        spent=one.spent + other.spent,
    )
