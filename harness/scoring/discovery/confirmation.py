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
from ..statistics.intervals import wilson
from .conditions import table_axes
from .discover import COLUMNS
from .halves import conjunction, grouped, halves, jaccard
from .near_misses import (
    EXPLORED,
    FEWEST_CASES,
    Arm,
    Ask,
    Candidate,
    Mentions,
    Result,
    between_thresholds,
    class_and_near_misses,
    fisher,
)
from .phrases import RANGE, figure, sentence
from .search import ALIKE, Combination, Space, choose, search, surprise

FEWEST_FRESH = 3
"""Number of new exploratory mentions that a class needs to be considered further."""
UNLIKELY = 0.25
"""Largest exploratory p value, against any near miss, with which a class is considered further."""
MOST_ROUNDS = 8
"""Maximum number of rounds of exploratory cases."""
FINAL_PART = 6
"""The part of the new cases kept for the final tests: one sixth."""
CONFIRMED = (*COLUMNS, "near_misses", "tests")
"""Columns of confirmed classes: those of findings, the number of near misses, and of all tests made."""
Plan = tuple[Candidate, list[Arm]]
"""A candidate and the cases that it is tested on: its own, then those of near misses."""


def searched_half(run: Mentions, seed: int) -> Flags:
    """Return which mentions of a run are searched; their names and sentences are in no new case."""
    groups = grouped(len(run.right), entity=run.name, context=run.sentence)
    searched = np.zeros(len(run.right), dtype=bool)
    searched[halves(groups.ways, seed)[0]] = True
    return searched


def confirm(seen: Mentions, ask: Ask, wanted: DiscoverOptions, options: ConfirmOptions) -> list[Result]:
    """Search mentions, and test the candidates on new cases.

    Parameters
    ----------
    seen : Mentions
        The searched half of a run.
    ask : callable
        Gives new cases.
    wanted : DiscoverOptions
        What is searched.
    options : ConfirmOptions
        Limits on the number of new cases.

    Returns
    -------
    list of Result
        All final tests, convincing or not, and candidates with too few cases to be tested.
    """
    confirmation = _Confirmation(seen, ask, wanted, options)
    tested = confirmation.test(confirmation.explore())
    return [*tested, *confirmation.too_rare()]


class _Confirmation:
    """State of a confirmation: the searched mentions, their candidates, and the new cases left."""

    def __init__(self, seen: Mentions, ask: Ask, wanted: DiscoverOptions, options: ConfirmOptions) -> None:
        self.ask, self.search, self.options = ask, wanted, options
        self.left = options.cases
        self.base = float((~seen.right).mean()) if len(seen.right) else 0.0
        self.rare: dict[frozenset[str], Result] = {}
        self._look_at(seen)

    def _look_at(self, pool: Mentions) -> None:
        """Search mentions; candidates that fail with many names in many sentences come first."""
        self.pool = pool
        axes = table_axes(pool.table, self.search.features or None)
        self.labels = [label for axis in axes for label in axis.labels]
        space = Space(axes, ~pool.right)
        options = replace(self.search, least=EXPLORED)

        def independent_surprise(one: Combination) -> float:
            rows = pool.independent(np.flatnonzero(space.select(one.conditions)))
            cases, wrong = np.array(len(rows), dtype=float), (~pool.right[rows]).sum(dtype=float)
            return float(surprise(cases, wrong, space.size, space.errors))

        ranked = sorted(
            choose(space, search(space, options), options), key=independent_surprise, reverse=True
        )
        self.found = [
            Candidate(space.labels(one.conditions), tuple(conjunction(space.labels(o)) for o in one.also))
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
        fresh: Mentions | None = None
        for _ in range(MOST_ROUNDS):
            left = self.left - self.options.cases // FINAL_PART
            promising = [c for c in self.found if fresh and self._is_promising(c, fresh)]
            plans = self._plans([*following, *promising], known, many, left)
            left -= sum(arm.size for _, arms in plans for arm in arms)
            screening = self._plans(self.found, screened, few, left // 2, thresholds=False)
            answers = self._answers([*plans, *screening])
            if answers is None:
                break
            following = []
            results = self._results([*plans, *screening], answers)
            for result in results[len(plans) :]:
                if result.cases < FEWEST_CASES:
                    self.rare[frozenset(result.conditions)] = result
            for result in results[: len(plans)]:
                simpler = result.simpler(self.search)
                # nothing simpler is looked for when the class is no worse than all mentions
                if simpler is not None and result.share - self.base >= self.search.effect:
                    following.append(replace(result.candidate, conditions=simpler))
                elif result.is_large(self.search.effect) and result.p <= UNLIKELY:
                    kept.append((result.p, result.candidate))
            fresh = fresh + answers if fresh else answers
            self._look_at(self.pool + answers)
        return [one for _, one in sorted(kept, key=lambda one: one[0])]

    def test(self, candidates: Sequence[Candidate]) -> list[Result]:
        """Test candidates on names and sentences of their own, each used once."""
        plans = self._plans(candidates, set(), self.options.confirm, self.left)
        answers = self._answers(plans, final=True)
        return [] if answers is None else self._results(plans, answers)

    def too_rare(self) -> list[Result]:
        """Return candidates that have too few other names or sentences to be tested."""
        keys = (frozenset(candidate.conditions) for candidate in self.found)
        return [self.rare[key] for key in keys if key in self.rare]

    def _plans(
        self,
        candidates: Sequence[Candidate],
        known: set[frozenset[str]],
        size: int,
        most: int,
        *,
        thresholds: bool = True,
    ) -> list[Plan]:
        """Return plans for the first candidates that are not known, at most `most` cases together."""
        plans: list[Plan] = []
        for one in candidates:
            key = frozenset(one.conditions)
            if key in known or len(plans) == self.options.candidates:
                continue
            arms = class_and_near_misses(one.conditions, size)
            arms += between_thresholds(one.conditions, size, self.labels) if thresholds else []
            most -= sum(arm.size for arm in arms)
            if most < 0:
                break
            known.add(key)
            plans.append((one, arms))
        return plans

    def _answers(self, plans: Sequence[Plan], *, final: bool = False) -> Mentions | None:
        arms = [arm for _, own in plans for arm in own]
        answers = self.ask(arms, final) if arms else None
        if answers is not None:
            self.left -= answers.spent
        return answers

    def _is_promising(self, candidate: Candidate, fresh: Mentions) -> bool:
        """Return True if exploratory cases do not speak against the candidate; this is not its test."""
        arms = class_and_near_misses(candidate.conditions, 1)
        rows = [fresh.independent(np.flatnonzero(fresh.selected(arm.conditions))) for arm in arms]
        own, *others = (~fresh.right[r] for r in rows)
        if len(own) < FEWEST_FRESH:
            return False
        for near in others:
            if len(near) and (own.mean() - near.mean() < self.search.effect or fisher(own, near) > UNLIKELY):
                return False
        return True

    def _results(self, plans: Sequence[Plan], answers: Mentions) -> list[Result]:
        """Return the results of planned candidates, each without cases that an earlier one explains."""
        results: list[Result] = []
        number = 0
        earlier = np.zeros(len(answers.table), dtype=bool)
        for candidate, arms in plans:
            rows = [answers.of_arm(number + i, arm) for i, arm in enumerate(arms)]
            number += len(arms)
            right = [answers.right[answers.independent(r[~earlier[r]])] for r in rows]
            results.append(Result.of(candidate, arms, right))
            if results[-1].holds(self.search):
                earlier |= answers.selected(candidate.conditions)
        return results


def confirmed_table(
    tested: Sequence[Result], seen: Mentions, options: DiscoverOptions, confidence: float = 0.95
) -> pd.DataFrame:
    """Return the classes that new cases confirm, the most convincing first.

    Parameters
    ----------
    tested : sequence of Result
        All tests, among which false discoveries are controlled; those with too few cases do not count.
    seen : Mentions
        All mentions of the run, by which queries of the same meaning are recognised.
    options : DiscoverOptions
    confidence : float
        Confidence level of the intervals.
    """
    tested = [t for t in tested if t.cases >= FEWEST_CASES]
    adjusted = benjamini_hochberg([t.p for t in tested]).tolist()
    kept = [
        (p, t)
        for p, t in zip(adjusted, tested, strict=True)
        if p <= options.false_discoveries and t.is_large(options.effect)
    ]
    kept.sort(key=lambda one: (one[0], len(one[1].conditions), one[1].conditions))
    rows: list[dict[str, object]] = []
    earlier: list[Flags] = []
    for p, one in kept:
        inside = seen.selected(one.conditions)
        if any(jaccard(inside, other) >= ALIKE for other in earlier):
            continue
        earlier.append(inside)
        rest = float(seen.right[~inside].mean())
        rows.append(_row(one, confidence) | {"rest": rest, "p_bh": p, "tests": len(tested)})
    return pd.DataFrame(rows, columns=list(CONFIRMED))


def describe_tests(tested: Sequence[Result], table: pd.DataFrame, cases: str) -> tuple[str, ...]:
    """Return remarks on the number of tests, and on classes with too few cases to be tested."""
    rare = [t for t in tested if t.cases < FEWEST_CASES]
    notes = [f"{len(tested) - len(rare)} queries were tested on {cases}; {len(table)} confirmed"]
    if rare:
        listed = "; ".join(f"{conjunction(t.conditions)} ({t.cases})" for t in rare)
        notes.append(
            f"too few names or sentences that were not searched to test (number of new cases, at least "
            f"{FEWEST_CASES} needed): {listed}"
        )
    return tuple(notes)


def _row(one: Result, confidence: float) -> dict[str, object]:
    worst = one.worst
    right = np.array([one.cases - one.wrong, worst.cases - worst.wrong])
    (low, near_low), (high, near_high) = wilson(right, [one.cases, worst.cases], confidence)
    value, nearest = 1.0 - one.share, 1.0 - worst.share
    # Newcombe's interval of a difference, from those of both shares
    below = float(np.hypot(value - low, near_high - nearest))
    above = float(np.hypot(high - value, nearest - near_low))
    # the near miss as a query; a range needs brackets after "not"
    dropped = worst.arm.dropped
    *kept, _ = worst.arm.conditions
    query = conjunction([*kept, f"not ({dropped})" if RANGE.match(dropped) else f"not {dropped}"])
    other = f"{figure(nearest)} of near misses"
    return {
        "measure": "recall",
        "query": conjunction(one.conditions),
        "words": sentence("recall", one.conditions, value, other, one.cases, "fresh "),
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
        "near_misses": len(one.near),
    }
