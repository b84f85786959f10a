"""Tests of a class against its near misses on new cases.

A near miss is a class of mentions that meet all conditions of the tested class except one. They either do not
meet this condition at all, or meet it only if its threshold is widened. An *arm* specifies the new cases to
make for the tested class or for one of its near misses.
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
from ..search_options import DiscoverOptions

MIN_EXPLORED_MENTIONS = 5
"""Minimum number of mentions in a run that the query of a candidate must select."""
MIN_CASES = 3
"""Minimum number of new cases, all with different names and sentences, for the final test of a class."""
THRESHOLD_PATTERN = re.compile(r"(.+) (>=|<=) (\d+)")


@dataclass(frozen=True)
class Candidate:
    """Query that may describe a fault.

    Attributes
    ----------
    conditions : tuple of str
        Conditions of the query.
    also : tuple of str
        Other queries that select nearly the same mentions.
    """

    conditions: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arm:
    """Specification of new cases for a class, or for one of its near misses.

    Attributes
    ----------
    conditions : tuple of str
        Queries that a mention of each case must meet.
    size : int
        Number of cases.
    dropped_condition : str
        For a near miss, the condition of the class that the mentions do not meet.
    wider_condition : str
        For a near miss with a wider threshold, the condition that the mentions meet instead.
    """

    conditions: tuple[str, ...]
    size: int
    dropped_condition: str = ""
    wider_condition: str = ""

    @classmethod
    def from_near_miss(cls, conditions: tuple[str, ...], dropped: str, size: int, instead: str = "") -> Arm:
        """Create the arm of a near miss, which fails condition `dropped` and meets `instead`, if given."""
        kept = (*(c for c in conditions if c != dropped), *([instead] if instead else []))
        return cls((*kept, f"not ({dropped})"), size, dropped, instead)


def make_arms(conditions: tuple[str, ...], size: int) -> list[Arm]:
    """Return the arm of a class, followed by the arms of near misses that each fail one of its conditions."""
    return [Arm(conditions, size), *(Arm.from_near_miss(conditions, c, size) for c in conditions)]


def make_threshold_arms(conditions: tuple[str, ...], size: int, known_conditions: Iterable[str]) -> list[Arm]:
    """Return the arms of near misses that each widen one threshold to the next one in `known_conditions`."""
    wider = [(c, _widen_threshold(c, known_conditions)) for c in conditions]
    return [Arm.from_near_miss(conditions, c, max(size // 2, 2), instead) for c, instead in wider if instead]


def _widen_threshold(condition: str, known: Iterable[str]) -> str:
    """Return the condition with the next wider threshold in `known`, or an empty text if there is none."""
    match = THRESHOLD_PATTERN.fullmatch(condition)
    if match is None:
        return ""
    name, operator, number = match[1], match[2], int(match[3])
    known_thresholds = [
        m
        for label in known
        if (m := THRESHOLD_PATTERN.fullmatch(label)) and m[1] == name and m[2] == operator
    ]
    step = -1 if operator == ">=" else 1
    cuts = [int(m[3]) for m in known_thresholds if (int(m[3]) - number) * step > 0]
    return f"{name} {operator} {min(cuts, key=lambda cut: abs(cut - number))}" if cuts else ""


@dataclass(frozen=True)
class JudgedMentions:
    """Mentions with their features and verdicts.

    Attributes
    ----------
    table : DataFrame
        One row per mention, one column per feature.
    is_right : array of bool
        True for mentions that were found.
    names, sentences : array of str
        Surface form of each mention in lower case, and template of its sentence.
    cases : array of int
        Case of each mention.
    arm : array of int
        Number of the arm for which the case of each mention was made.
    spent : int
        Number of new cases that were run.
    error_kinds : array of str
        Kind of error of each mention; see `find_error_kinds`. Only set for the mentions of the run.
    """

    table: pd.DataFrame
    is_right: Flags
    names: NDArray[np.object_]
    sentences: NDArray[np.object_]
    cases: Ints
    arm: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    spent: int = 0
    error_kinds: NDArray[np.str_] | None = None

    def match_conditions(self, conditions: Sequence[str]) -> Flags:
        """Return a mask of the mentions that meet all conditions."""
        chosen = np.ones(len(self.table), dtype=bool)
        for condition in conditions:
            chosen &= np.asarray(Query.parse(condition, SCOPES).evaluate(self.table))
        return chosen

    def take(self, rows: Flags) -> JudgedMentions:
        """Return a copy with only the selected mentions and the same value of `spent`."""
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
        """Return the positions of the mentions that were made for an arm, at most one per case."""
        rows = np.flatnonzero((self.arm == number) & self.match_conditions(arm.conditions))
        _, first = np.unique(self.cases[rows], return_index=True)
        return rows[np.sort(first)]

    def select_independent(self, rows: Ints) -> Ints:
        """Return the largest possible subset of mentions in which no two share a name or a sentence."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        names, sentences = (pd.factorize(way[rows])[0] for way in (self.names, self.sentences))
        shape = (int(names.max(initial=-1)) + 1, int(sentences.max(initial=-1)) + 1)
        graph = csr_array((np.ones(len(rows)), (names, sentences)), shape)
        # sentence that each name is matched with, [name]
        partner = maximum_bipartite_matching(graph, perm_type="column")
        pairs = names * (shape[1] + 1) + sentences
        _, first = np.unique(pairs, return_index=True)
        first.sort()
        return np.asarray(rows[first[partner[names[first]] == sentences[first]]])

    def __add__(self, other: JudgedMentions) -> JudgedMentions:
        """Return the mentions of both operands. Case numbers are made distinct; arm numbers are dropped."""
        columns = [c for c in self.table.columns if c in other.table.columns]
        table = pd.DataFrame({c: join_columns([self.table[c], other.table[c]]).array for c in columns})
        offset = int(self.cases.max(initial=-1)) + 1
        return JudgedMentions(
            table,
            np.concatenate((self.is_right, other.is_right)),
            np.concatenate((self.names, other.names)),
            np.concatenate((self.sentences, other.sentences)),
            np.concatenate((self.cases, other.cases + offset)),
            spent=self.spent + other.spent,
        )


CaseSource = Callable[[Sequence[Arm], bool], JudgedMentions | None]
"""Function that makes the new cases specified by arms and runs the tagger on them.

The second argument is True for final tests and False for exploratory cases, which use different names and
sentences. The result is None if no case can be made.
"""


@dataclass(frozen=True)
class NearMissResult:
    """Result of a near miss on new cases.

    Attributes
    ----------
    arm : Arm
    cases, wrong : int
        Number of new cases, and number of these cases in which the tagger missed the mention.
    p : float
        One-sided p value of Fisher's test, with the null hypothesis that the tagger does not miss mentions of
        the class more often than those of the near miss.
    """

    arm: Arm
    cases: int
    wrong: int
    p: float

    @property
    def miss_rate(self) -> float:
        """Share of the new cases in which the tagger missed the mention."""
        return self.wrong / self.cases if self.cases else 0.0


@dataclass(frozen=True)
class CandidateResult:
    """Result of a class on new cases.

    Attributes
    ----------
    candidate : Candidate
    cases, wrong : int
        Number of new cases of the class, and number of these cases in which the tagger missed the mention.
    near_misses : tuple of NearMissResult
        Results of its near misses.
    """

    candidate: Candidate
    cases: int
    wrong: int
    near_misses: tuple[NearMissResult, ...]

    @classmethod
    def from_arms(cls, candidate: Candidate, arms: Sequence[Arm], right: Sequence[Flags]) -> CandidateResult:
        """Create the result of a candidate from the verdicts on the cases of each arm.

        The first arm belongs to the candidate itself, the others to its near misses.
        """
        missed = ~right[0]
        near = [
            NearMissResult(arm, len(other), int((~other).sum()), fisher_p(missed, ~other))
            for arm, other in zip(arms[1:], right[1:], strict=True)
            # a moved threshold with too few cases between both thresholds is ignored
            if not arm.wider_condition or len(other) >= MIN_EXPLORED_MENTIONS
        ]
        return cls(candidate, len(missed), int(missed.sum()), tuple(near))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions of the candidate, each of them a query."""
        return self.candidate.conditions

    @property
    def p(self) -> float:
        """Largest p value in the tests against the near misses; 1 if there are no near misses."""
        return max((n.p for n in self.near_misses), default=1.0)

    @property
    def closest_near_miss(self) -> NearMissResult:
        """Near miss with the least evidence of a difference from the class."""
        return max(self.near_misses, key=lambda n: (n.p, n.miss_rate))

    @property
    def miss_rate(self) -> float:
        """Share of the new cases in which the tagger missed the mention."""
        return self.wrong / self.cases if self.cases else 0.0

    def is_large(self, effect: float) -> bool:
        """Return True if there are enough cases and the class is missed more often than each near miss.

        Each miss rate must be lower than that of the class by at least `effect`.
        """
        return self.cases >= MIN_CASES and all(
            self.miss_rate - n.miss_rate >= effect for n in self.near_misses
        )

    def is_convincing(self, options: DiscoverOptions) -> bool:
        """Return True if the class passes `is_large` and its uncorrected p value is significant."""
        return self.p <= options.false_discoveries and self.is_large(options.effect)

    def simplify_conditions(self, options: DiscoverOptions) -> tuple[str, ...] | None:
        """Drop or widen the least important condition; return None if all conditions are needed."""
        unneeded = [
            n
            for n in self.near_misses
            if (n.arm.wider_condition or len(self.conditions) > 1)
            and (
                not n.cases
                or (n.p > options.false_discoveries and self.miss_rate - n.miss_rate < options.effect)
            )
        ]
        if not unneeded or not self.cases:
            return None
        # dropping a condition is preferred to moving a threshold
        least = min(
            unneeded,
            key=lambda n: (
                bool(n.arm.wider_condition),
                n.cases > 0,
                -n.p,
                self.conditions.index(n.arm.dropped_condition),
            ),
        ).arm
        kept = tuple(c for c in self.conditions if c != least.dropped_condition)
        return (*kept, least.wider_condition) if least.wider_condition else kept


def fisher_p(class_missed: Flags, near_missed: Flags) -> float:
    """Return the p value of Fisher's one-sided test that a class is missed more often than a near miss.

    The p value is 1 if the class or the near miss has no mentions.
    """
    from scipy.stats import fisher_exact

    if not len(class_missed) or not len(near_missed):
        return 1.0
    counts = np.array([[int(flags.sum()), int((~flags).sum())] for flags in (class_missed, near_missed)])
    return float(fisher_exact(counts, alternative="greater")[1])
