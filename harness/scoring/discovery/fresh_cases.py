"""Fresh cases: what is asked for to test a class and its near misses, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
    name, sentence : array of str
        The form of each mention, without regard to case, and the template of its sentence.
    case : array of int
        The case that each mention belongs to.
    arm : array of int
        For which arm its case was made.
    spent : int
        Cases that were run for them.
    """

    table: pd.DataFrame
    right: Flags
    name: NDArray[np.object_]
    sentence: NDArray[np.object_]
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
            self.name[rows],
            self.sentence[rows],
            self.case[rows],
            self.arm[rows] if len(self.arm) else self.arm,
            self.spent,
        )

    def of_arm(self, number: int, arm: Arm) -> Ints:
        """The mentions that an arm was to give, one a case at most."""
        rows = np.flatnonzero((self.arm == number) & self.selected(arm.conditions))
        _, first = np.unique(self.case[rows], return_index=True)
        return rows[np.sort(first)]

    def independent(self, rows: Ints) -> Ints:
        """Return as many of some mentions as possible of which no two share a name or a sentence."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        names, sentences = (pd.factorize(way[rows])[0] for way in (self.name, self.sentence))
        shape = (int(names.max(initial=-1)) + 1, int(sentences.max(initial=-1)) + 1)
        graph = csr_array((np.ones(len(rows)), (names, sentences)), shape)
        # the sentence that each name is used with, [name]
        partner = maximum_bipartite_matching(graph, perm_type="column")
        pairs = names * (shape[1] + 1) + sentences
        _, first = np.unique(pairs, return_index=True)
        first.sort()
        return np.asarray(rows[first[partner[names[first]] == sentences[first]]])


Ask = Callable[[Sequence[Arm], bool], Mentions | None]
"""Make new cases of some arms and run the tagger on them.

The second argument is True for names and sentences that were not searched, False for those that were. The
result is None if no case can be made.
"""


def together(one: Mentions, other: Mentions) -> Mentions:
    """The mentions of both; those of the second stand in cases of their own."""
    columns = [c for c in one.table.columns if c in other.table.columns]
    table = pd.DataFrame({c: joined_column([one.table[c], other.table[c]]).array for c in columns})
    apart = int(one.case.max(initial=-1)) + 1
    return Mentions(
        table,
        np.concatenate((one.right, other.right)),
        np.concatenate((one.name, other.name)),
        np.concatenate((one.sentence, other.sentence)),
        np.concatenate((one.case, other.case + apart)),
        spent=one.spent + other.spent,
    )
