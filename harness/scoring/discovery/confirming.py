"""Confirming: candidates of a run, tested on fresh cases against near misses, and made as short as can be.

All cases of the run are searched: no half is kept to judge by, since what is found is judged by cases that
are made for it. A first few of these, for many candidates, only help to choose; they join the cases that are
searched again. What is left is tested, on cases that nothing was chosen by: the class against each near miss,
mentions that meet all of its conditions but one. A condition whose near miss fails as often is dropped, a
threshold whose neighbour does is moved, and the new query is tested on new cases.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ..options import ConfirmOptions, DiscoverOptions
from .axes import Axis, table_axes
from .choosing import Chosen, choose
from .fresh_cases import Arm, Ask, Mentions, together
from .judging import conjunction, labels
from .near_misses import EXPLORED, Candidate, Plan, Tested, class_and_near_misses, fisher
from .search import search
from .space import Space

FEWEST_FRESH = 3
"""Of the first fresh mentions, those that a class needs to be tested at all."""
UNLIKELY = 0.25
"""The largest p value of first fresh mentions, against a near miss, with which a class is tested."""
SCREENINGS = 2
"""How often candidates are chosen by first fresh cases."""
MOST_TURNS = 4
"""How often a query is changed and tested anew, at most."""


def confirm(
    seen: Mentions,
    ask: Ask,
    wanted: DiscoverOptions,
    options: ConfirmOptions,
) -> list[Tested]:
    """Search what was seen, and test what is found on fresh cases.

    Parameters
    ----------
    seen : Mentions
        Those of the run.
    ask : callable
        Gives fresh cases.
    wanted : DiscoverOptions
        What is searched, and how far.
    options : ConfirmOptions
        How many fresh cases there may be.

    Returns
    -------
    list of Tested
        Every test that was made and counts, convincing or not.
    """
    confirmation = _Confirmation(seen, _Budget(ask, options.cases), wanted, options)
    confirmation.screen()
    return confirmation.test()


class _Budget:
    """Fresh cases that may still be run."""

    def __init__(self, run: Ask, cases: int) -> None:
        self.run = run
        self.left = cases

    def ask(self, arms: Sequence[Arm], most: int | None = None) -> Mentions | None:
        """Fresh cases for as many of the arms, from the first on, as there is budget for."""
        limit = self.left if most is None else min(most, self.left)
        sizes = np.cumsum([arm.size for arm in arms])
        asked = list(arms[: int(np.searchsorted(sizes, limit, side="right"))])
        answers = self.run(asked) if asked else None
        if answers is not None:
            self.left -= answers.spent
        return answers


class _Confirmation:
    """A confirmation on its way: what was seen so far, the candidates that it shows, and what was tested.

    Parameters
    ----------
    seen : Mentions
        Those of the run.
    budget : _Budget
    search : DiscoverOptions
    options : ConfirmOptions
    """

    def __init__(
        self, seen: Mentions, budget: _Budget, search: DiscoverOptions, options: ConfirmOptions
    ) -> None:
        self.budget, self.search, self.options = budget, search, options
        self.base = float((~seen.right).mean()) if len(seen.right) else 0.0
        self.fresh: Mentions | None = None
        self.tested: set[frozenset[str]] = set()
        self.standing: list[tuple[str, ...]] = []
        self._look_at(seen)

    def _look_at(self, pool: Mentions) -> None:
        """Search all that was seen so far."""
        self.pool = pool
        self.found, self.axes = _candidates(pool, replace(self.search, least=EXPLORED))

    def _learn(self, answers: Mentions) -> None:
        """Search fresh cases with all others from now on."""
        self.fresh = answers if self.fresh is None else together(self.fresh, answers)
        self._look_at(together(self.pool, answers))

    def screen(self) -> None:
        """Run a few cases for many candidates, to choose by."""
        few = max(self.options.confirm // 4, 4)
        looked: set[frozenset[str]] = set()
        for _ in range(SCREENINGS):
            new = self._first(self.found, looked)
            looked |= {frozenset(c.conditions) for c in new}
            arms = [arm for c in new for arm in class_and_near_misses(c.conditions, few)]
            answers = self.budget.ask(arms, self.options.cases // (2 * SCREENINGS))
            if answers is None:
                return
            self._learn(answers)

    def test(self) -> list[Tested]:
        """Test what looks promising, and what comes of it, each on cases of its own."""
        results: list[Tested] = []
        following: list[Candidate] = []
        for _ in range(MOST_TURNS):
            plans = self._planned([*following, *filter(self._promising, self.found)])
            answers = self.budget.ask([arm for plan in plans for arm in plan.arms])
            if answers is None:
                break
            judged, following = self._judged(plans, answers)
            results += judged
            # what was judged is searched from now on; what comes of it is judged by other cases
            self._learn(answers)
        return results

    def _first(self, found: Sequence[Candidate], known: Collection[frozenset[str]]) -> list[Candidate]:
        """The first candidates that are not known, as many as are looked at."""
        new = [c for c in found if frozenset(c.conditions) not in known]
        return new[: self.options.candidates]

    def _promising(self, candidate: Candidate) -> bool:
        """Whether the first fresh cases rather show the effect against every near miss; no test of it."""
        if self.fresh is None:
            return True
        own = ~self.fresh.right[self.fresh.selected(candidate.conditions)]
        if len(own) < FEWEST_FRESH:
            return False
        for arm in class_and_near_misses(candidate.conditions, 1)[1:]:
            near = ~self.fresh.right[self.fresh.selected(arm.conditions)]
            if len(near) and (own.mean() - near.mean() < self.search.effect or fisher(own, near) > UNLIKELY):
                return False
        return True

    def _planned(self, candidates: Sequence[Candidate]) -> list[Plan]:
        """The cases for candidates that were not tested yet, as far as there is budget for all of one."""
        plans: list[Plan] = []
        left = self.budget.left
        for one in self._first(candidates, self.tested):
            plan = Plan.of(one, self.options.confirm, self.axes)
            if plan.cost > left:
                break
            left -= plan.cost
            self.tested.add(frozenset(one.conditions))
            plans.append(plan)
        return plans

    def _judged(self, plans: Sequence[Plan], answers: Mentions) -> tuple[list[Tested], list[Candidate]]:
        """The tests of planned candidates, and the queries that are to be tested next."""
        tested: list[Tested] = []
        following: list[Candidate] = []
        number = 0
        earlier = np.zeros(len(answers.table), dtype=bool)
        for conditions in self.standing:
            earlier |= answers.selected(conditions)
        for plan in plans:
            rows = [answers.of_arm(number + i, arm) for i, arm in enumerate(plan.arms)]
            number += len(plan.arms)
            # what an earlier finding explains says nothing of this one
            result = plan.tested([r[~earlier[r]] for r in rows], answers)
            simpler = result.simpler(self.search)
            # of a class that is no worse than all the run nothing simpler is looked for
            if simpler is None or result.share - self.base < self.search.effect:
                tested.append(result)
                if result.large(self.search.effect) and result.p <= self.search.false_discoveries:
                    self.standing.append(result.conditions)
                    earlier |= answers.selected(result.conditions)
            else:
                following.append(replace(plan.candidate, conditions=simpler))
                tested.append(replace(result, stands=False))
        return tested, following


def _candidates(pool: Mentions, options: DiscoverOptions) -> tuple[list[Candidate], list[Axis]]:
    axes = table_axes(pool.table, options.features or None)
    space = Space(axes, ~pool.right)
    chosen: list[Chosen] = choose(space, search(space, options), options)
    return [
        Candidate(labels(axes, c.found), tuple(conjunction(labels(axes, f)) for f in c.also)) for c in chosen
    ], axes
