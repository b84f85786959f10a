"""Confirmation of candidates on new cases, with names and sentences that the search has not used.

One half of the run's names and sentences is searched, and further cases with other names and sentences show
which candidates look promising and which of their conditions matter. The final test of each candidate uses
yet other names and sentences, each of them once: its cases are independent, so that neither a few difficult
names nor a few difficult sentences can be taken for a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..arrays import Flags
from ..options import ConfirmOptions, DiscoverOptions
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
from .phrases import RANGE_PATTERN, describe_finding, format_share
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
"""Number of new exploratory mentions that a class needs to be considered further."""
MAX_EXPLORATORY_P = 0.25
"""Largest exploratory p value, against any near miss, with which a class is considered further."""
MAX_ROUNDS = 8
"""Maximum number of rounds of exploratory cases."""
FINAL_TEST_DIVISOR = 6
"""The part of the new cases kept for the final tests: one sixth."""
CONFIRMED_COLUMNS = (*COLUMNS, "near_misses", "tests")
"""Columns of confirmed classes: those of findings, the number of near misses, and of all tests made."""
CandidatePlan = tuple[Candidate, list[Arm]]
"""A candidate and the cases that it is tested on: its own, then those of near misses."""


def select_searched_half(run: JudgedMentions, seed: int) -> Flags:
    """Return which mentions of a run are searched; their names and sentences are in no new case."""
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
    """Search mentions, and test the candidates on new cases.

    Parameters
    ----------
    searched : Mentions
        The searched half of a run.
    case_source : callable
        Gives new cases.
    search_options : DiscoverOptions
        What is searched.
    options : ConfirmOptions
        Limits on the number of new cases.

    Returns
    -------
    list of Result
        All final tests, convincing or not, and candidates with too few cases to be tested.
    """
    confirmation = _Confirmation(searched, case_source, search_options, options)
    tested = confirmation.test(confirmation.explore())
    return [*tested, *confirmation.list_untested()]


class _Confirmation:
    """State of a confirmation: the searched mentions, their candidates, and the new cases left."""

    def __init__(
        self, seen: JudgedMentions, ask: CaseSource, wanted: DiscoverOptions, options: ConfirmOptions
    ) -> None:
        self.ask, self.search, self.options = ask, wanted, options
        self.left = options.cases
        self.base = float((~seen.is_right).mean()) if len(seen.is_right) else 0.0
        self.rare: dict[frozenset[str], CandidateResult] = {}
        self._search_candidates(seen)

    def _search_candidates(self, pool: JudgedMentions) -> None:
        """Search mentions; candidates that fail with many names in many sentences come first."""
        self.pool = pool
        axes = build_axes(pool.table, self.search.features or None)
        self.labels = [label for axis in axes for label in axis.queries]
        space = SearchSpace(axes, ~pool.is_right)
        options = replace(self.search, least=MIN_EXPLORED_MENTIONS)

        def independent_surprise(one: Combination) -> float:
            rows = pool.select_independent(np.flatnonzero(space.match_conditions(one.conditions)))
            cases, wrong = np.array(len(rows), dtype=float), (~pool.is_right[rows]).sum(dtype=float)
            return float(compute_surprise(cases, wrong, space.size, space.errors))

        ranked = sorted(
            choose_combinations(space, search_combinations(space, options), options),
            key=independent_surprise,
            reverse=True,
        )
        self.found = [
            Candidate(
                space.list_queries(one.conditions),
                tuple(join_conditions(space.list_queries(o)) for o in one.also),
            )
            for one in ranked
        ]

    def explore(self) -> list[Candidate]:
        """Return promising candidates without conditions that do not matter, the most convincing first.

        Each round runs a few cases for candidates that were not looked at before, and more for those that
        look promising or are to be shortened.
        """
        many, few = max(self.options.confirm // 2, 4), max(self.options.confirm // 4, 4)
        screened: set[frozenset[str]] = set()
        known: set[frozenset[str]] = set()
        following: list[Candidate] = []
        kept: list[tuple[float, Candidate]] = []
        fresh: JudgedMentions | None = None
        for _ in range(MAX_ROUNDS):
            left = self.left - self.options.cases // FINAL_TEST_DIVISOR
            promising = [c for c in self.found if fresh and self._is_promising(c, fresh)]
            plans = self._make_plans([*following, *promising], known, many, left)
            left -= sum(arm.size for _, arms in plans for arm in arms)
            screening = self._make_plans(self.found, screened, few, left // 2, thresholds=False)
            answers = self._run_cases([*plans, *screening])
            if answers is None:
                break
            following = []
            results = self._make_results([*plans, *screening], answers)
            for result in results[len(plans) :]:
                if result.cases < MIN_CASES:
                    self.rare[frozenset(result.conditions)] = result
            for result in results[: len(plans)]:
                simpler = result.simplify_conditions(self.search)
                # nothing simpler is looked for when the class is no worse than all mentions
                if simpler is not None and result.miss_rate - self.base >= self.search.effect:
                    following.append(replace(result.candidate, conditions=simpler))
                elif result.is_large(self.search.effect) and result.p <= MAX_EXPLORATORY_P:
                    kept.append((result.p, result.candidate))
            fresh = fresh + answers if fresh else answers
            self._search_candidates(self.pool + answers)
        return [one for _, one in sorted(kept, key=lambda one: one[0])]

    def test(self, candidates: Sequence[Candidate]) -> list[CandidateResult]:
        """Test candidates on names and sentences of their own, each used once."""
        plans = self._make_plans(candidates, set(), self.options.confirm, self.left)
        answers = self._run_cases(plans, final=True)
        return [] if answers is None else self._make_results(plans, answers)

    def list_untested(self) -> list[CandidateResult]:
        """Return candidates that have too few other names or sentences to be tested."""
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
        """Return plans for the first candidates that are not known, at most `most` cases together."""
        plans: list[CandidatePlan] = []
        for one in candidates:
            key = frozenset(one.conditions)
            if key in known or len(plans) == self.options.candidates:
                continue
            arms = make_arms(one.conditions, size)
            arms += make_threshold_arms(one.conditions, size, self.labels) if thresholds else []
            most -= sum(arm.size for arm in arms)
            if most < 0:
                break
            known.add(key)
            plans.append((one, arms))
        return plans

    def _run_cases(self, plans: Sequence[CandidatePlan], *, final: bool = False) -> JudgedMentions | None:
        arms = [arm for _, own in plans for arm in own]
        answers = self.ask(arms, final) if arms else None
        if answers is not None:
            self.left -= answers.spent
        return answers

    def _is_promising(self, candidate: Candidate, fresh: JudgedMentions) -> bool:
        """Return True if exploratory cases do not speak against the candidate; this is not its test."""
        arms = make_arms(candidate.conditions, 1)
        rows = [
            fresh.select_independent(np.flatnonzero(fresh.match_conditions(arm.conditions))) for arm in arms
        ]
        own, *others = (~fresh.is_right[r] for r in rows)
        if len(own) < MIN_NEW_MENTIONS:
            return False
        for near in others:
            if len(near) and (
                own.mean() - near.mean() < self.search.effect or fisher_p(own, near) > MAX_EXPLORATORY_P
            ):
                return False
        return True

    def _make_results(self, plans: Sequence[CandidatePlan], answers: JudgedMentions) -> list[CandidateResult]:
        """Return the results of planned candidates, each without cases that an earlier one explains."""
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
    """Return the classes that new cases confirm, the most convincing first.

    Parameters
    ----------
    results : sequence of Result
        All tests, among which false discoveries are controlled; those with too few cases do not count.
    mentions : Mentions
        All mentions of the run, by which queries of the same meaning are recognised.
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
    kept.sort(key=lambda one: (one[0], len(one[1].conditions), one[1].conditions))
    rows: list[dict[str, object]] = []
    earlier: list[Flags] = []
    for p, one in kept:
        inside = mentions.match_conditions(one.conditions)
        if any(jaccard_index(inside, other) >= MIN_JACCARD for other in earlier):
            continue
        earlier.append(inside)
        rest = float(mentions.is_right[~inside].mean())
        rows.append(_build_row(one, confidence) | {"rest": rest, "p_bh": p, "tests": len(results)})
    return pd.DataFrame(rows, columns=list(CONFIRMED_COLUMNS))


def describe_tests(results: Sequence[CandidateResult], table: pd.DataFrame, cases: str) -> tuple[str, ...]:
    """Return remarks on the number of tests, and on classes with too few cases to be tested."""
    rare = [t for t in results if t.cases < MIN_CASES]
    notes = [f"{len(results) - len(rare)} queries were tested on {cases}; {len(table)} confirmed"]
    if rare:
        listed = "; ".join(f"{join_conditions(t.conditions)} ({t.cases})" for t in rare)
        notes.append(
            f"too few names or sentences that were not searched to test (number of new cases, at least "
            f"{MIN_CASES} needed): {listed}"
        )
    return tuple(notes)


def _build_row(one: CandidateResult, confidence: float) -> dict[str, object]:
    worst = one.closest_near_miss
    right = np.array([one.cases - one.wrong, worst.cases - worst.wrong])
    (low, near_low), (high, near_high) = wilson_interval(right, [one.cases, worst.cases], confidence)
    value, nearest = 1.0 - one.miss_rate, 1.0 - worst.miss_rate
    # Newcombe's interval of a difference, from those of both shares
    below = float(np.hypot(value - low, near_high - nearest))
    above = float(np.hypot(high - value, nearest - near_low))
    # the near miss as a query; a range needs brackets after "not"
    dropped = worst.arm.dropped_condition
    *kept, _ = worst.arm.conditions
    query = join_conditions([*kept, f"not ({dropped})" if RANGE_PATTERN.match(dropped) else f"not {dropped}"])
    other = f"similar names {format_share(nearest)}"
    return {
        "measure": "recall",
        "query": join_conditions(one.conditions),
        "words": describe_finding("recall", one.conditions, value, other, one.cases, "new "),
        "cases": one.cases,
        "value": value,
        "value_low": float(low),
        "value_high": float(high),
        "nearest": nearest,
        "nearest_query": query,
        "difference": value - nearest,
        "difference_low": value - nearest - below,
        "difference_high": value - nearest + above,
        "p": one.p,
        "conditions": len(one.conditions),
        "also": "; ".join(one.candidate.also),
        "interval": "wilson",
        "near_misses": len(one.near_misses),
    }
