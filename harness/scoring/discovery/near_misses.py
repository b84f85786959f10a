"""A class on new cases against its near misses: the cases that are needed, and what they show.

A near miss is the class with one condition dropped, or one threshold moved: its mentions meet all of the
conditions but one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....catalogues.query import Query
from ..arrays import Flags, Ints
from ..division import SCOPES
from ..features import join_columns
from ..options import DiscoverOptions

MIN_EXPLORED_MENTIONS = 5
"""Mentions that a candidate needs in the run: enough to suspect it, because new ones decide."""
MIN_CASES = 3
"""Minimum number of new cases of a class: in its final test each has a name and a sentence of its own."""
THRESHOLD_PATTERN = re.compile(r"(.+) (>=|<=) (\d+)")


@dataclass(frozen=True)
class Candidate:
    """A query that may describe a fault.

    Attributes
    ----------
    conditions : tuple of str
    also : tuple of str
        Other queries of nearly the same mentions of the run.
    """

    conditions: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arm:
    """New cases that are needed: those of a class, or of one of its near misses.

    Attributes
    ----------
    conditions : tuple of str
        Queries that a mention of each case meets.
    size : int
        Number of cases.
    dropped_condition : str
        Of a near miss, the condition of the class that its mentions do not meet.
    wider_condition : str
        The wider condition that they do meet, if a threshold was moved.
    """

    conditions: tuple[str, ...]
    size: int
    dropped_condition: str = ""
    wider_condition: str = ""

    @classmethod
    def from_near_miss(cls, conditions: tuple[str, ...], dropped: str, size: int, instead: str = "") -> Arm:
        """Return the arm of a near miss."""
        kept = (*(c for c in conditions if c != dropped), *([instead] if instead else []))
        return cls((*kept, f"not ({dropped})"), size, dropped, instead)


def make_arms(conditions: tuple[str, ...], size: int) -> list[Arm]:
    """Return the arms of a class, and of it with each condition dropped alone."""
    return [Arm(conditions, size), *(Arm.from_near_miss(conditions, c, size) for c in conditions)]


def make_threshold_arms(conditions: tuple[str, ...], size: int, known_conditions: Iterable[str]) -> list[Arm]:
    """Return the arms of a class with each threshold moved alone to the next wider one of those known."""
    wider = [(c, _widen_threshold(c, known_conditions)) for c in conditions]
    return [Arm.from_near_miss(conditions, c, max(size // 2, 2), instead) for c, instead in wider if instead]


def _widen_threshold(condition: str, known: Iterable[str]) -> str:
    """Return the next wider threshold of the same number; empty for a condition that is no threshold."""
    match = THRESHOLD_PATTERN.fullmatch(condition)
    if match is None:
        return ""
    name, operator, number = match[1], match[2], int(match[3])
    others = [
        m
        for label in known
        if (m := THRESHOLD_PATTERN.fullmatch(label)) and m[1] == name and m[2] == operator
    ]
    step = -1 if operator == ">=" else 1
    cuts = [int(m[3]) for m in others if (int(m[3]) - number) * step > 0]
    return f"{name} {operator} {min(cuts, key=lambda cut: abs(cut - number))}" if cuts else ""


@dataclass(frozen=True)
class JudgedMentions:
    """Mentions with their features and verdicts.

    Attributes
    ----------
    table : DataFrame
        One row per mention, one column per feature.
    is_right : array of bool
        Which were found.
    names, sentences : array of str
        The case-insensitive form of each mention, and the template of its sentence.
    cases : array of int
        The case that each mention belongs to.
    arm : array of int
        The number of the arm for which its case was made.
    spent : int
        Number of cases that were run for them.
    """

    table: pd.DataFrame
    is_right: Flags
    names: NDArray[np.object_]
    sentences: NDArray[np.object_]
    cases: Ints
    arm: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    spent: int = 0

    def match_conditions(self, conditions: Sequence[str]) -> Flags:
        """Return which mentions meet all of some conditions."""
        chosen = np.ones(len(self.table), dtype=bool)
        for condition in conditions:
            chosen &= np.asarray(Query.parse(condition, SCOPES).evaluate(self.table))
        return chosen

    def take(self, rows: Flags) -> JudgedMentions:
        """Return some of the mentions; `spent` stays the same."""
        return JudgedMentions(
            self.table[rows].reset_index(drop=True),
            self.is_right[rows],
            self.names[rows],
            self.sentences[rows],
            self.cases[rows],
            self.arm[rows] if len(self.arm) else self.arm,
            self.spent,
        )

    def find_arm_mentions(self, number: int, arm: Arm) -> Ints:
        """Return the mentions that an arm was to give, at most one per case."""
        rows = np.flatnonzero((self.arm == number) & self.match_conditions(arm.conditions))
        _, first = np.unique(self.cases[rows], return_index=True)
        return rows[np.sort(first)]

    def select_independent(self, rows: Ints) -> Ints:
        """Return as many of some mentions as possible of which no two share a name or a sentence."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        names, sentences = (pd.factorize(way[rows])[0] for way in (self.names, self.sentences))
        shape = (int(names.max(initial=-1)) + 1, int(sentences.max(initial=-1)) + 1)
        graph = csr_array((np.ones(len(rows)), (names, sentences)), shape)
        # the sentence that each name is used with, [name]
        partner = maximum_bipartite_matching(graph, perm_type="column")
        pairs = names * (shape[1] + 1) + sentences
        _, first = np.unique(pairs, return_index=True)
        first.sort()
        return np.asarray(rows[first[partner[names[first]] == sentences[first]]])

    def __add__(self, other: JudgedMentions) -> JudgedMentions:
        """Return the mentions of both; those of the second are in other cases, and arms are forgotten."""
        columns = [c for c in self.table.columns if c in other.table.columns]
        table = pd.DataFrame({c: join_columns([self.table[c], other.table[c]]).array for c in columns})
        apart = int(self.cases.max(initial=-1)) + 1
        return JudgedMentions(
            table,
            np.concatenate((self.is_right, other.is_right)),
            np.concatenate((self.names, other.names)),
            np.concatenate((self.sentences, other.sentences)),
            np.concatenate((self.cases, other.cases + apart)),
            spent=self.spent + other.spent,
        )


CaseSource = Callable[[Sequence[Arm], bool], JudgedMentions | None]
"""Make new cases of some arms and run the tagger on them.

The second argument is True for the names and sentences of final tests, False for those of exploratory cases;
neither were searched. The result is None if no case can be made.
"""


@dataclass(frozen=True)
class NearMissResult:
    """Result of a near miss.

    Attributes
    ----------
    arm : Arm
    cases, wrong : int
        Number of new cases, and of those missed.
    p : float
        Fisher's p value, one-sided, that the class is not missed more often.
    """

    arm: Arm
    cases: int
    wrong: int
    p: float

    @property
    def miss_rate(self) -> float:
        """The share that was missed."""
        return self.wrong / self.cases if self.cases else 0.0


@dataclass(frozen=True)
class CandidateResult:
    """Result of a class on new cases.

    Attributes
    ----------
    candidate : Candidate
    cases, wrong : int
        Number of new cases of the class, and of those missed.
    near_misses : tuple of Near
        Its near misses.
    """

    candidate: Candidate
    cases: int
    wrong: int
    near_misses: tuple[NearMissResult, ...]

    @classmethod
    def from_arms(cls, candidate: Candidate, arms: Sequence[Arm], right: Sequence[Flags]) -> CandidateResult:
        """Return what the verdicts of each arm's mentions show; the class's own come first."""
        own = ~right[0]
        near = [
            NearMissResult(arm, len(other), int((~other).sum()), fisher_p(own, ~other))
            for arm, other in zip(arms[1:], right[1:], strict=True)
            # if hardly anything lies between two thresholds, it does not matter whether they differ
            if not arm.wider_condition or len(other) >= MIN_EXPLORED_MENTIONS
        ]
        return cls(candidate, len(own), int(own.sum()), tuple(near))

    @property
    def conditions(self) -> tuple[str, ...]:
        """The class, each condition a query."""
        return self.candidate.conditions

    @property
    def p(self) -> float:
        """Largest p value against any of its near misses."""
        return max((n.p for n in self.near_misses), default=1.0)

    @property
    def closest_near_miss(self) -> NearMissResult:
        """The near miss that is least unlike the class; there is one."""
        return max(self.near_misses, key=lambda n: (n.p, n.miss_rate))

    @property
    def miss_rate(self) -> float:
        """The share that was missed."""
        return self.wrong / self.cases if self.cases else 0.0

    def is_large(self, effect: float) -> bool:
        """Return True if the class is worse than every near miss by the effect, in enough cases."""
        return self.cases >= MIN_CASES and all(
            self.miss_rate - n.miss_rate >= effect for n in self.near_misses
        )

    def is_convincing(self, options: DiscoverOptions) -> bool:
        """Return True if the class is convincing by itself, before the correction for all tests."""
        return self.p <= options.false_discoveries and self.is_large(options.effect)

    def simplify_conditions(self, options: DiscoverOptions) -> tuple[str, ...] | None:
        """Return the class with the condition that matters least dropped or widened; None if all matter."""
        idle = [
            n
            for n in self.near_misses
            if (n.arm.wider_condition or len(self.conditions) > 1)
            and (
                not n.cases
                or (n.p > options.false_discoveries and self.miss_rate - n.miss_rate < options.effect)
            )
        ]
        if not idle or not self.cases:
            return None
        # a condition that can go goes before a threshold that can move
        least = min(
            idle,
            key=lambda n: (
                bool(n.arm.wider_condition),
                n.cases > 0,
                -n.p,
                self.conditions.index(n.arm.dropped_condition),
            ),
        ).arm
        kept = tuple(c for c in self.conditions if c != least.dropped_condition)
        return (*kept, least.wider_condition) if least.wider_condition else kept


def fisher_p(class_right: Flags, near_right: Flags) -> float:
    """Return Fisher's one-sided p value that no more of the first are true; 1 if either is empty."""
    from scipy.stats import fisher_exact

    if not len(class_right) or not len(near_right):
        return 1.0
    counts = np.array([[int(flags.sum()), int((~flags).sum())] for flags in (class_right, near_right)])
    return float(fisher_exact(counts, alternative="greater")[1])
