"""``--combine tway``: cases that cover every combination of t feature values that can occur."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..assemble import Cases
from ..fill import stream
from ..spaces import Space
from .greedy import Chosen, Greedy
from .problem import Problem, make_problem

PURPOSE = 22


@dataclass(frozen=True)
class Covering:
    """A covering suite before it is written.

    Attributes
    ----------
    problem : Problem
        What was to be covered.
    chosen : list of Chosen
        The cases.
    attested, open : int
        Combinations that can occur, and those that the cases do not have often enough.
    """

    problem: Problem
    chosen: list[Chosen]
    attested: int
    open: int

    def blocks(self) -> Iterator[Cases]:
        """The cases, best first, each kind of entity taken by its members in turn."""
        problem, space = self.problem, self.problem.space
        codes = space.filling.codes
        rng = stream(space.filling.seed, space.filling.part, PURPOSE)
        orders = [m[rng.permutation(len(m))] for m in problem.members]
        turn = [0] * len(orders)
        for case in self.chosen:
            context = int(problem.contexts[case.context])
            row: list[int] = []
            for kind in case.kinds:
                order = orders[kind]
                for step in range(len(order)):
                    filler = int(order[(turn[kind] + step) % len(order)])
                    if not space.filling.distinct or codes[filler] not in codes[row]:
                        break
                turn[kind] += step + 1
                row.append(filler)
            yield Cases(
                np.array([context], dtype=np.int32), np.array(row, dtype=np.int32), space.filling.part
            )


def cover(
    space: Space,
    t: int,
    *,
    times: int = 1,
    limit: int | None = None,
    features: tuple[str, ...] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Covering:
    """Choose cases that cover every attested combination of t values.

    Parameters
    ----------
    space : Space
        What may be combined.
    t : int
        How many features are combined.
    times : int
        How often each combination occurs at least.
    limit : int, optional
        No more than the best so many cases.
    features : tuple of str
        Which features; all closed ones when empty.
    progress : callable, optional
        Told, case by case, how many combinations are covered, of how many.
    """
    problem = make_problem(space, features)
    greedy = Greedy(problem, t, times, space.filling.seed)
    chosen = greedy.choose(limit, progress)
    left = greedy.open
    if limit is None:
        chosen = greedy.prune(chosen)
    return Covering(problem, chosen, greedy.attested, left)
