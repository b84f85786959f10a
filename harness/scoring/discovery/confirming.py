"""Confirming: candidates of a run, tested on fresh cases against near misses, and made as short as can be.

All cases of the run are searched: no half is kept to judge by, since what is found is judged by cases that
are made for it. A first few of these, for many candidates, only help to choose; they join the cases that are
searched again. What is left is tested, on cases that nothing was chosen by: the class against each near miss,
mentions that meet all of its conditions but one. A condition whose near miss fails as often is dropped, a
threshold whose neighbour does is moved, and the new query is tested on new cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Flags, Ints
from ..options import ConfirmOptions, DiscoverOptions
from .axes import Axis, table_axes
from .choosing import Chosen, choose
from .fresh import Arm, Ask, Mentions, together
from .judging import joined, labels
from .search import search
from .space import Space

Progress = Callable[[str, int], None]
"""Told what is done, and how many fresh cases were run so far."""

EXPLORED = 5
"""Mentions that a candidate needs in the run: enough to suspect it, as fresh ones decide."""
FEWEST_GROUPS = 2
"""Entities, and contexts, that a class has to be tested with."""
FEWEST_FRESH = 3
"""Of the first fresh mentions, those that a class needs to be tested at all."""
UNLIKELY = 0.25
"""The largest p value of first fresh mentions, against a near miss, with which a class is tested."""
SCREENINGS = 2
"""How often candidates are chosen by first fresh cases."""
MOST_TURNS = 4
"""How often a query is changed and tested anew, at most."""


@dataclass(frozen=True)
class Tested:
    """A class, tested on fresh cases.

    Attributes
    ----------
    conditions : tuple of str
    also : tuple of str
        Other queries of nearly the same mentions of the run.
    cases, wrong : int
        Fresh cases of the class, and those missed.
    near : tuple of Near
        Its near misses.
    groups : int
        Entities, or contexts, that these cases have; the smaller number.
    stands : bool
        Whether every condition matters; a shorter or wider query is tested in place of one that does not.
    """

    conditions: tuple[str, ...]
    also: tuple[str, ...]
    cases: int
    wrong: int
    near: tuple[Near, ...]
    groups: int
    stands: bool = True

    @property
    def p(self) -> float:
        """The largest p value of its near misses, 1 where it has none or does not stand."""
        return max((n.p for n in self.near), default=1.0) if self.stands else 1.0

    @property
    def worst(self) -> Near:
        """The near miss that is least unlike the class; there is one."""
        return max(self.near, key=lambda n: (n.p, n.share))

    @property
    def share(self) -> float:
        """The share that was missed."""
        return self.wrong / self.cases if self.cases else 0.0

    def large(self, effect: float) -> bool:
        """Whether it is worse than every near miss by the effect asked for, in enough groups."""
        if not self.stands or not self.near or self.groups < FEWEST_GROUPS:
            return False
        return all(self.share - n.share >= effect for n in self.near)


@dataclass(frozen=True)
class Near:
    """A near miss: the class with one condition dropped or changed.

    Attributes
    ----------
    dropped : str
        The condition that its mentions do not meet.
    instead : str
        The wider condition that they do meet, where it was changed.
    cases, wrong : int
    p : float
        Fisher's, one-sided: that the class is not missed more often.
    """

    dropped: str
    instead: str
    cases: int
    wrong: int
    p: float

    @property
    def share(self) -> float:
        """The share that was missed."""
        return self.wrong / self.cases if self.cases else 0.0


def confirm(
    seen: Mentions,
    ask: Ask,
    search_options: DiscoverOptions,
    options: ConfirmOptions,
    progress: Progress = lambda _, __: None,
) -> list[Tested]:
    """Search what was seen, and test what is found on fresh cases.

    Parameters
    ----------
    seen : Mentions
        Those of the run.
    ask : callable
        Gives fresh cases.
    search_options : DiscoverOptions
        What is searched, and how far.
    options : ConfirmOptions
        How many fresh cases there may be.
    progress : callable, optional

    Returns
    -------
    list of Tested
        Every test that was made and counts, convincing or not.
    """
    explored = replace(search_options, least=EXPLORED)
    budget = _Budget(options.cases)
    pool = seen
    base = float((~seen.right).mean()) if len(seen.right) else 0.0
    # a few cases for many candidates, to choose by
    few = max(options.confirm // 4, 4)
    fresh: Mentions | None = None
    looked: set[frozenset[str]] = set()
    found, axes = _candidates(pool, explored)
    for _ in range(SCREENINGS):
        new = [c for c in found if frozenset(c.conditions) not in looked][: options.candidates]
        looked |= {frozenset(c.conditions) for c in new}
        arms = [arm for c in new for arm in _arms(c.conditions, few)]
        answers = budget.ask(ask, arms, options.cases // (2 * SCREENINGS))
        if answers is None:
            break
        fresh = answers if fresh is None else together(fresh, answers)
        pool = together(pool, answers)
        progress("chosen", budget.spent)
        found, axes = _candidates(pool, explored)
    tested: list[Tested] = []
    known: set[frozenset[str]] = set()
    following: list[_Candidate] = []
    standing: list[tuple[str, ...]] = []
    for _ in range(MOST_TURNS):
        turn = following + [c for c in found if fresh is None or _promising(fresh, c, search_options.effect)]
        turn = [c for c in turn if frozenset(c.conditions) not in known][: options.candidates]
        answers, results, following = _turn(
            turn, ask, budget, options.confirm, axes, search_options, known, standing, base
        )
        if answers is None:
            break
        progress("tested", budget.spent)
        tested += results
        # what was judged is searched from now on; what comes of it is judged by other cases
        fresh = answers if fresh is None else together(fresh, answers)
        pool = together(pool, answers)
        found, axes = _candidates(pool, explored)
    return tested


@dataclass(frozen=True)
class _Candidate:
    conditions: tuple[str, ...]
    also: tuple[str, ...] = ()


class _Budget:
    """Fresh cases that may still be run."""

    def __init__(self, cases: int) -> None:
        self.left = cases
        self.spent = 0

    def ask(self, ask: Ask, arms: Sequence[Arm], most: int | None = None) -> Mentions | None:
        """Fresh cases for as many of the arms, from the first on, as there is budget for."""
        limit = self.left if most is None else min(most, self.left)
        sizes = np.cumsum([arm.size for arm in arms])
        asked = list(arms[: int(np.searchsorted(sizes, limit, side="right"))])
        if not asked:
            return None
        answers = ask(asked)
        if answers is None:
            return None
        self.left -= answers.spent
        self.spent += answers.spent
        return answers


def _candidates(pool: Mentions, options: DiscoverOptions) -> tuple[list[_Candidate], list[Axis]]:
    axes = table_axes(pool.table, options.features or None)
    space = Space(axes, ~pool.right)
    chosen: list[Chosen] = choose(space, search(space, options), options)
    return [
        _Candidate(labels(axes, c.found), tuple(joined(labels(axes, f)) for f in c.also)) for c in chosen
    ], axes


def _promising(fresh: Mentions, candidate: _Candidate, effect: float) -> bool:
    """Whether the first fresh cases rather show the effect against every near miss; no test of it."""
    own = ~fresh.right[fresh.selected(candidate.conditions)]
    if len(own) < FEWEST_FRESH:
        return False
    for arm in _arms(candidate.conditions, 1)[1:]:
        near = ~fresh.right[fresh.selected(arm.conditions)]
        if len(near) and (own.mean() - near.mean() < effect or _fisher(own, near) > UNLIKELY):
            return False
    return True


def _fisher(own: Flags, near: Flags) -> float:
    """One-sided, that no more of the first are true than of the second; 1 where either has none."""
    from scipy.stats import fisher_exact

    if not len(own) or not len(near):
        return 1.0
    counts = np.array([[int(flags.sum()), int((~flags).sum())] for flags in (own, near)])
    return float(fisher_exact(counts, alternative="greater")[1])


def _arms(conditions: tuple[str, ...], size: int) -> list[Arm]:
    """The class, and it with each condition dropped alone."""
    return [
        Arm(conditions, size=size),
        *(Arm(tuple(o for o in conditions if o != c), (c,), size) for c in conditions),
    ]


def _wider(condition: str, axes: Sequence[Axis]) -> str | None:
    """The next wider threshold of the same number; None for a condition that is no threshold."""
    for operator, step in ((" >= ", -1), (" <= ", 1)):
        name, found, number = condition.partition(operator)
        if not found or not number.isdigit():
            continue
        cuts = sorted(
            int(label.partition(operator)[2])
            for axis in axes
            for label in axis.labels
            if label.startswith(name + operator) and label.partition(operator)[2].isdigit()
        )
        place = cuts.index(int(number)) + step if int(number) in cuts else -1
        return f"{name}{operator}{cuts[place]}" if 0 <= place < len(cuts) else None
    return None


def _turn(
    turn: Sequence[_Candidate],
    ask: Ask,
    budget: _Budget,
    size: int,
    axes: Sequence[Axis],
    options: DiscoverOptions,
    known: set[frozenset[str]],
    standing: list[tuple[str, ...]],
    base: float,
) -> tuple[Mentions | None, list[Tested], list[_Candidate]]:
    """Test some classes on fresh cases; these, the tests, and the queries that are to be tested next."""
    plans: list[tuple[_Candidate, list[Arm], list[str]]] = []
    planned = 0
    for one in turn:
        arms = _arms(one.conditions, size)
        wider = [(c, w) for c in one.conditions if (w := _wider(c, axes)) is not None]
        arms += [Arm((*(o for o in one.conditions if o != c), w), (c,), max(size // 2, 2)) for c, w in wider]
        cost = sum(arm.size for arm in arms)
        if planned + cost > budget.left:
            break
        planned += cost
        known.add(frozenset(one.conditions))
        plans.append((one, arms, [w for _, w in wider]))
    answers = budget.ask(ask, [arm for _, arms, _ in plans for arm in arms])
    if answers is None:
        return None, [], []
    tested: list[Tested] = []
    following: list[_Candidate] = []
    number = 0
    earlier = np.zeros(len(answers.table), dtype=bool)
    for conditions in standing:
        earlier |= answers.selected(conditions)
    for one, arms, instead in plans:
        rows = [answers.of_arm(number + i, arm) for i, arm in enumerate(arms)]
        number += len(arms)
        # what an earlier finding explains says nothing of this one
        rows = [r[~earlier[r]] for r in rows]
        result = _tested(one, arms, instead, rows, answers)
        shorter = _changed(result, options)
        # of a class that is no worse than all the run nothing shorter is looked for
        if shorter is None or result.share - base < options.effect:
            tested.append(result)
            if result.large(options.effect) and result.p <= options.false_discoveries:
                standing.append(one.conditions)
                earlier |= answers.selected(one.conditions)
        else:
            following.append(replace(one, conditions=shorter))
            tested.append(replace(result, stands=False))
    return answers, tested, following


def _tested(
    one: _Candidate, arms: Sequence[Arm], wider: Sequence[str], rows: Sequence[Ints], answers: Mentions
) -> Tested:
    own = rows[0]
    wrong = int((~answers.right[own]).sum())
    near = []
    instead = ["" for _ in one.conditions] + list(wider)
    for arm, other, said in zip(arms[1:], rows[1:], instead, strict=True):
        if said and len(other) < EXPLORED:
            # hardly anything lies between two thresholds: that they differ is of no account
            continue
        missed = ~answers.right[other]
        p = _fisher(~answers.right[own], missed)
        near.append(Near(arm.fails[0], said, len(other), int(missed.sum()), p))
    groups = min((len(np.unique(way[own])) for way in (answers.entity, answers.context)), default=0)
    return Tested(one.conditions, one.also, len(own), wrong, tuple(near), groups)


def _changed(result: Tested, options: DiscoverOptions) -> tuple[str, ...] | None:
    """The query with the condition that matters least dropped or widened; None where all of them matter."""
    idle = [
        n
        for n in result.near
        if (n.instead or len(result.conditions) > 1)
        and (not n.cases or (n.p > options.false_discoveries and result.share - n.share < options.effect))
    ]
    if not idle or not result.cases:
        return None
    # a condition that can go goes before a threshold that can move; of these the one that matters least
    least = min(idle, key=lambda n: (bool(n.instead), n.cases > 0, -n.p, result.conditions.index(n.dropped)))
    kept = tuple(c for c in result.conditions if c != least.dropped)
    return (*kept, least.instead) if least.instead else kept
