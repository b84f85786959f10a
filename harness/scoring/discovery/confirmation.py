"""Confirmation of possible faults (candidates) on new cases, with names and sentences not used in the search.

The search uses one half of the names and sentences of the run. Exploratory cases with other names and
sentences show which candidates are promising and which of their conditions matter. The final test of a
candidate uses further names and sentences, each in one case only. These cases are therefore independent, and
a few difficult names or sentences cannot be mistaken for a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..arrays import Flags
from ..search_options import ConfirmOptions, DiscoverOptions
from ..statistics.corrections import benjamini_hochberg
from ..statistics.intervals import wilson_interval
from .conditions import build_axes
from .discover import COLUMNS
from .near_misses import (
    MIN_CASES,
    MIN_EXPLORED_MENTIONS,
    Arm,
    Candidate,
    CandidateResult,
    CaseSource,
    JudgedMentions,
    fisher_p,
    make_arms,
    make_threshold_arms,
)
from .phrases import RANGE_PATTERN, describe_finding, find_main_error, format_share
from .search import (
    MIN_JACCARD,
    Combination,
    SearchSpace,
    choose_combinations,
    compute_surprise,
    search_combinations,
)
from .split_halves import jaccard_index, join_conditions, make_groups, split_halves

MIN_NEW_MENTIONS = 3
"""Minimum number of mentions in exploratory cases; classes with fewer are not considered further."""
MAX_EXPLORATORY_P = 0.25
"""Maximum p value in the comparison with each near miss for a class to be considered further."""
MAX_ROUNDS = 8
"""Maximum number of rounds of exploratory cases."""
FINAL_TEST_DIVISOR = 6
"""Divisor of the maximum number of new cases; the quotient is reserved for the final tests."""
CONFIRMED_COLUMNS = (*COLUMNS, "near_misses", "tests")
"""Columns of the table of confirmed classes; `tests` is the total number of tests."""
CandidatePlan = tuple[Candidate, list[Arm]]
"""Candidate, and the specifications of new cases (arms) for its class and for each of its near misses."""


def select_searched_half(run: JudgedMentions, seed: int) -> Flags:
    """Mark the mentions in the searched half of a run.

    The names and sentences of these mentions are not used for new cases.
    """
    groups = make_groups(len(run.is_right), entity=run.names, context=run.sentences)
    searched = np.zeros(len(run.is_right), dtype=bool)
    searched[split_halves(groups.ways, seed)[0]] = True
    return searched


def confirm_candidates(
    searched: JudgedMentions,
    case_source: CaseSource,
    search_options: DiscoverOptions,
    options: ConfirmOptions,
) -> list[CandidateResult]:
    """Search mentions for candidates, and test the candidates on new cases.

    Parameters
    ----------
    searched : JudgedMentions
        Mentions of the searched half of a run.
    case_source : callable
        Function that makes new cases and runs the tagger on them; see `CaseSource`.
    search_options : DiscoverOptions
        Options of the search.
    options : ConfirmOptions
        Limits on the number of new cases.

    Returns
    -------
    list of CandidateResult
        Results of all final tests, followed by the candidates that have too few new cases for a test.
    """
    confirmation = _Confirmation(searched, case_source, search_options, options)
    tested = confirmation.test(confirmation.explore())
    return [*tested, *confirmation.list_untested()]


class _Confirmation:
    """State of the confirmation: the candidates, and the number of new cases that may still be run."""

    def __init__(
        self, searched: JudgedMentions, ask: CaseSource, search: DiscoverOptions, options: ConfirmOptions
    ) -> None:
        self.ask, self.search, self.options = ask, search, options
        self.left = options.cases
        self.base = float((~searched.is_right).mean()) if len(searched.is_right) else 0.0
        self.rare: dict[frozenset[str], CandidateResult] = {}
        self._search_candidates(searched)

    def _search_candidates(self, pool: JudgedMentions) -> None:
        """Search `pool` for candidates; sort those with errors in many names and sentences to the front."""
        self.pool = pool
        axes = build_axes(pool.table, self.search.features or None)
        self.labels = [label for axis in axes for label in axis.queries]
        space = SearchSpace(axes, ~pool.is_right)
        options = replace(self.search, least=MIN_EXPLORED_MENTIONS)

        def independent_surprise(combination: Combination) -> float:
            members = space.match_conditions(combination.conditions)
            rows = pool.select_independent(np.flatnonzero(members))
            cases, wrong = np.array(len(rows), dtype=float), (~pool.is_right[rows]).sum(dtype=float)
            return float(compute_surprise(cases, wrong, space.size, space.errors))

        ranked = sorted(
            choose_combinations(space, search_combinations(space, options), options),
            key=independent_surprise,
            reverse=True,
        )
        self.found = [
            Candidate(
                space.list_queries(combination.conditions),
                tuple(join_conditions(space.list_queries(other)) for other in combination.also),
            )
            for combination in ranked
        ]

    def explore(self) -> list[Candidate]:
        """Return the promising candidates, reduced to their necessary conditions and sorted by p value.

        Each round runs a few cases for new candidates, and more cases for promising candidates and for
        candidates from which a condition was removed.
        """
        many, few = max(self.options.confirm // 2, 4), max(self.options.confirm // 4, 4)
        screened: set[frozenset[str]] = set()
        known: set[frozenset[str]] = set()
        shortened: list[Candidate] = []
        kept: list[tuple[float, Candidate]] = []
        fresh: JudgedMentions | None = None
        for _ in range(MAX_ROUNDS):
            left = self.left - self.options.cases // FINAL_TEST_DIVISOR
            promising = [c for c in self.found if fresh and self._is_promising(c, fresh)]
            plans = self._make_plans([*shortened, *promising], known, many, left)
            left -= sum(arm.size for _, arms in plans for arm in arms)
            screening = self._make_plans(self.found, screened, few, left // 2, thresholds=False)
            answers = self._run_cases([*plans, *screening])
            if answers is None:
                break
            shortened = []
            results = self._make_results([*plans, *screening], answers)
            for result in results[len(plans) :]:
                if result.cases < MIN_CASES:
                    self.rare[frozenset(result.conditions)] = result
            for result in results[: len(plans)]:
                simpler = result.simplify_conditions(self.search)
                # no simpler class is tried if the class is not worse than all mentions
                if simpler is not None and result.miss_rate - self.base >= self.search.effect:
                    shortened.append(replace(result.candidate, conditions=simpler))
                elif result.is_large(self.search.effect) and result.p <= MAX_EXPLORATORY_P:
                    kept.append((result.p, result.candidate))
            fresh = fresh + answers if fresh else answers
            self._search_candidates(self.pool + answers)
        return [candidate for _, candidate in sorted(kept, key=lambda pair: pair[0])]

    def test(self, candidates: Sequence[Candidate]) -> list[CandidateResult]:
        """Run the final tests, which use each name and each sentence only once, and return the results."""
        plans = self._make_plans(candidates, set(), self.options.confirm, self.left)
        answers = self._run_cases(plans, final=True)
        return [] if answers is None else self._make_results(plans, answers)

    def list_untested(self) -> list[CandidateResult]:
        """Return candidates that have too few unused names or sentences for a test."""
        keys = (frozenset(candidate.conditions) for candidate in self.found)
        return [self.rare[key] for key in keys if key in self.rare]

    def _make_plans(
        self,
        candidates: Sequence[Candidate],
        known: set[frozenset[str]],
        size: int,
        most: int,
        *,
        thresholds: bool = True,
    ) -> list[CandidatePlan]:
        """Return plans for the first candidates not in `known`, with at most `most` cases in total."""
        plans: list[CandidatePlan] = []
        for candidate in candidates:
            key = frozenset(candidate.conditions)
            if key in known or len(plans) == self.options.candidates:
                continue
            arms = make_arms(candidate.conditions, size)
            arms += make_threshold_arms(candidate.conditions, size, self.labels) if thresholds else []
            most -= sum(arm.size for arm in arms)
            if most < 0:
                break
            known.add(key)
            plans.append((candidate, arms))
        return plans

    def _run_cases(self, plans: Sequence[CandidatePlan], *, final: bool = False) -> JudgedMentions | None:
        arms = [arm for _, plan_arms in plans for arm in plan_arms]
        answers = self.ask(arms, final) if arms else None
        if answers is not None:
            self.left -= answers.spent
        return answers

    def _is_promising(self, candidate: Candidate, fresh: JudgedMentions) -> bool:
        """Return True if there are enough exploratory cases for a candidate and they do not contradict it."""
        arms = make_arms(candidate.conditions, 1)
        rows = [
            fresh.select_independent(np.flatnonzero(fresh.match_conditions(arm.conditions))) for arm in arms
        ]
        members, *near_misses = (~fresh.is_right[r] for r in rows)
        if len(members) < MIN_NEW_MENTIONS:
            return False
        for near in near_misses:
            if len(near) and (
                members.mean() - near.mean() < self.search.effect
                or fisher_p(members, near) > MAX_EXPLORATORY_P
            ):
                return False
        return True

    def _make_results(self, plans: Sequence[CandidatePlan], answers: JudgedMentions) -> list[CandidateResult]:
        """Return the result of each candidate on the new cases that were planned for it.

        A case is not counted if it also meets the conditions of an earlier candidate whose result is
        convincing.
        """
        results: list[CandidateResult] = []
        number = 0
        earlier = np.zeros(len(answers.table), dtype=bool)
        for candidate, arms in plans:
            rows = [answers.find_arm_mentions(number + i, arm) for i, arm in enumerate(arms)]
            number += len(arms)
            right = [answers.is_right[answers.select_independent(r[~earlier[r]])] for r in rows]
            results.append(CandidateResult.from_arms(candidate, arms, right))
            if results[-1].is_convincing(self.search):
                earlier |= answers.match_conditions(candidate.conditions)
        return results


def build_confirmed_table(
    results: Sequence[CandidateResult],
    mentions: JudgedMentions,
    options: DiscoverOptions,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return a table of the classes that new cases confirm, sorted by p value.

    Parameters
    ----------
    results : sequence of CandidateResult
        Results of all tests. The false discovery rate is controlled for the classes that have enough cases.
    mentions : JudgedMentions
        All mentions of the run. If several queries select the same mentions, only the first query is used.
    options : DiscoverOptions
    confidence : float
        Confidence level of the intervals.
    """
    results = [t for t in results if t.cases >= MIN_CASES]
    adjusted = benjamini_hochberg([t.p for t in results]).tolist()
    kept = [
        (p, t)
        for p, t in zip(adjusted, results, strict=True)
        if p <= options.false_discoveries and t.is_large(options.effect)
    ]
    kept.sort(key=lambda pair: (pair[0], len(pair[1].conditions), pair[1].conditions))
    rows: list[dict[str, object]] = []
    earlier: list[Flags] = []
    for p, result in kept:
        inside = mentions.match_conditions(result.conditions)
        if any(jaccard_index(inside, other) >= MIN_JACCARD for other in earlier):
            continue
        earlier.append(inside)
        rest = float(mentions.is_right[~inside].mean())
        errors = inside & ~mentions.is_right
        error = "" if mentions.error_kinds is None else find_main_error(mentions.error_kinds[errors])
        row = _build_row(result, confidence, error)
        rows.append(row | {"rest": rest, "p_bh": p, "tests": len(results)})
    return pd.DataFrame(rows, columns=list(CONFIRMED_COLUMNS))


def describe_tests(results: Sequence[CandidateResult], table: pd.DataFrame, cases: str) -> tuple[str, ...]:
    """Return notes on the number of tests, and on the classes that have too few cases for a test."""
    rare = [t for t in results if t.cases < MIN_CASES]
    notes = [f"queries tested on {cases}: {len(results) - len(rare)}; confirmed: {len(table)}"]
    if rare:
        listed = "; ".join(f"{join_conditions(t.conditions)} ({t.cases})" for t in rare)
        notes.append(
            f"not tested, because fewer than {MIN_CASES} new cases could be made (number of cases): {listed}"
        )
    return tuple(notes)


def _build_row(result: CandidateResult, confidence: float, error: str) -> dict[str, object]:
    worst = result.closest_near_miss
    right = np.array([result.cases - result.wrong, worst.cases - worst.wrong])
    (low, near_low), (high, near_high) = wilson_interval(right, [result.cases, worst.cases], confidence)
    value, nearest = 1.0 - result.miss_rate, 1.0 - worst.miss_rate
    # Newcombe's interval for a difference, from the intervals of both shares
    below = float(np.hypot(value - low, near_high - nearest))
    above = float(np.hypot(high - value, nearest - near_low))
    # query of the near miss; after "not" a range needs brackets
    dropped = worst.arm.dropped_condition
    *kept, _ = worst.arm.conditions
    query = join_conditions([*kept, f"not ({dropped})" if RANGE_PATTERN.match(dropped) else f"not {dropped}"])
    other = f"similar names {format_share(nearest)}"
    return {
        "measure": "recall",
        "query": join_conditions(result.conditions),
        "words": describe_finding(
            "recall", result.conditions, value, other, result.cases, "new ", error=error
        ),
        "cases": result.cases,
        "value": value,
        "value_low": float(low),
        "value_high": float(high),
        "nearest": nearest,
        "nearest_query": query,
        "difference": value - nearest,
        "difference_low": value - nearest - below,
        "difference_high": value - nearest + above,
        "p": result.p,
        "conditions": len(result.conditions),
        "also": "; ".join(result.candidate.also),
        "interval": "wilson",
        "near_misses": len(result.near_misses),
    }
