"""Confirmation of candidates on new cases, with names and sentences that the search has not used.

One half of the run's names and sentences is searched, and further cases with these names and sentences show
which candidates look promising and which of their conditions matter. The final test of each candidate uses
other names and sentences, each of them once: its cases are independent, so that neither a few difficult names
nor a few difficult sentences can be taken for a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Flags
from ..options import ConfirmOptions, DiscoverOptions
from .axes import Axis, table_axes
from .choosing import Chosen, choose
from .fresh_cases import Ask, Mentions, together
from .halves import grouped, halves
from .judging import conjunction, labels
from .near_misses import EXPLORED, FEWEST_CASES, Candidate, Plan, Tested, class_and_near_misses, fisher
from .search import search
from .space import Space, selected

FEWEST_FRESH = 3
"""Number of new exploratory mentions that a class needs to be considered further."""
UNLIKELY = 0.25
"""Largest exploratory p value, against any near miss, with which a class is considered further."""
MOST_ROUNDS = 8
"""Maximum number of rounds of exploratory cases."""
FINAL_PART = 6
"""The part of the new cases kept for the final tests: one sixth."""


def searched_half(run: Mentions, seed: int) -> Flags:
    """Return which mentions of a run are searched; their names and sentences are in no new case."""
    groups = grouped(len(run.right), entity=run.name, context=run.sentence)
    searched = np.zeros(len(run.right), dtype=bool)
    searched[halves(groups.ways, seed)[0]] = True
    return searched


def confirm(
    seen: Mentions,
    ask: Ask,
    wanted: DiscoverOptions,
    options: ConfirmOptions,
) -> list[Tested]:
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
    list of Tested
        All final tests, convincing or not, and candidates with too few cases to be tested.
    """
    confirmation = _Confirmation(seen, ask, wanted, options)
    tested = confirmation.test(confirmation.explore())
    return [*tested, *confirmation.too_rare()]


class _Confirmation:
    """State of a confirmation: the searched mentions, their candidates, and the new cases left.

    Parameters
    ----------
    seen : Mentions
        The searched half of a run.
    ask : callable
    search : DiscoverOptions
    options : ConfirmOptions
    """

    def __init__(self, seen: Mentions, ask: Ask, search: DiscoverOptions, options: ConfirmOptions) -> None:
        self.ask, self.search, self.options = ask, search, options
        self.left = options.cases
        self.base = float((~seen.right).mean()) if len(seen.right) else 0.0
        self.rare: dict[frozenset[str], Tested] = {}
        self._look_at(seen)

    def _look_at(self, pool: Mentions) -> None:
        self.pool = pool
        self.found, self.axes = _candidates(pool, replace(self.search, least=EXPLORED))

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
            left -= sum(plan.cost for plan in plans)
            screening = self._plans(self.found, screened, few, left // 2, thresholds=False)
            answers = self._answers([*plans, *screening])
            if answers is None:
                break
            following = []
            results = self._results([*plans, *screening], answers)
            for result in results[len(plans) :]:
                if result.cases < FEWEST_CASES:
                    self.rare[frozenset(result.conditions)] = result
            for plan, result in zip(plans, results, strict=False):
                simpler = result.simpler(self.search)
                # nothing simpler is looked for when the class is no worse than all mentions
                if simpler is not None and result.share - self.base >= self.search.effect:
                    following.append(replace(plan.candidate, conditions=simpler))
                elif result.is_large(self.search.effect) and result.p <= UNLIKELY:
                    kept.append((result.p, plan.candidate))
            fresh = together(fresh, answers) if fresh else answers
            self._look_at(together(self.pool, answers))
        return [one for _, one in sorted(kept, key=lambda one: one[0])]

    def test(self, candidates: Sequence[Candidate]) -> list[Tested]:
        """Test candidates on names and sentences of their own, each used once."""
        plans = self._plans(candidates, set(), self.options.confirm, self.left)
        answers = self._answers(plans, final=True)
        return [] if answers is None else self._results(plans, answers)

    def too_rare(self) -> list[Tested]:
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
            plan = Plan.of(one, size, self.axes if thresholds else ())
            most -= plan.cost
            if most < 0:
                break
            known.add(key)
            plans.append(plan)
        return plans

    def _answers(self, plans: Sequence[Plan], *, final: bool = False) -> Mentions | None:
        arms = [arm for plan in plans for arm in plan.arms]
        answers = self.ask(arms, final) if arms else None
        if answers is not None:
            self.left -= answers.spent
        return answers

    def _is_promising(self, candidate: Candidate, fresh: Mentions) -> bool:
        """Return True if exploratory cases do not speak against the candidate; this is not its test."""
        arms = class_and_near_misses(candidate.conditions, 1)
        rows = [np.flatnonzero(fresh.selected(arm.conditions)) for arm in arms]
        own, *others = (~fresh.right[fresh.independent(r)] for r in rows)
        if len(own) < FEWEST_FRESH:
            return False
        for near in others:
            if len(near) and (own.mean() - near.mean() < self.search.effect or fisher(own, near) > UNLIKELY):
                return False
        return True

    def _results(self, plans: Sequence[Plan], answers: Mentions) -> list[Tested]:
        """Return the results of planned candidates, each without cases that an earlier one explains."""
        results: list[Tested] = []
        number = 0
        earlier = np.zeros(len(answers.table), dtype=bool)
        for plan in plans:
            rows = [answers.of_arm(number + i, arm) for i, arm in enumerate(plan.arms)]
            number += len(plan.arms)
            rows = [answers.independent(r[~earlier[r]]) for r in rows]
            results.append(plan.tested(rows, answers))
            if results[-1].holds(self.search):
                earlier |= answers.selected(plan.candidate.conditions)
        return results


def _candidates(pool: Mentions, options: DiscoverOptions) -> tuple[list[Candidate], list[Axis]]:
    """Search mentions; candidates that fail with many names in many sentences come first."""
    axes = table_axes(pool.table, options.features or None)
    space = Space(axes, ~pool.right)
    codes = [axis.codes for axis in axes]
    ranked: list[tuple[float, Chosen]] = []
    for one in choose(space, search(space, options), options):
        rows = pool.independent(np.flatnonzero(selected(codes, one.found)))
        wrong = np.array(float((~pool.right[rows]).sum()))
        ranked.append((float(space.surprise(np.array(float(len(rows))), wrong)), one))
    ranked.sort(key=lambda one: -one[0])
    return [
        Candidate(labels(axes, c.found), tuple(conjunction(labels(axes, f)) for f in c.also))
        for _, c in ranked
    ], axes
