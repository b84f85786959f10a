"""``--combine tway``: cases that cover every combination of t feature values that can occur."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

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

    @cached_property
    def cases(self) -> list[tuple[int, tuple[int, ...]]]:
        """The cases, best first, as a context and its fillers: each kind of entity by its members in turn."""
        problem, space = self.problem, self.problem.space
        rng = stream(space.filling.seed, space.filling.part, PURPOSE)
        orders = [m[rng.permutation(len(m))].tolist() for m in problem.members]
        turn = [0] * len(orders)
        made: list[tuple[int, tuple[int, ...]]] = []
        seen: set[tuple[int, tuple[int, ...]]] = set()
        for case in self.chosen:
            context = int(problem.contexts[case.context])
            ways = [
                orders[k][turn[k] % len(orders[k]) :] + orders[k][: turn[k] % len(orders[k])]
                for k in case.kinds
            ]
            row = self._fillers(context, ways, seen)
            for kind, filler in zip(case.kinds, row, strict=True):
                turn[kind] = orders[kind].index(filler) + 1
            made.append((context, row))
            seen.add(made[-1])
        return made

    def _fillers(
        self, context: int, ways: list[list[int]], seen: set[tuple[int, tuple[int, ...]]]
    ) -> tuple[int, ...]:
        """Fill a context with those whose turn it is; if that is a case already, with another in a slot."""
        row: list[int] = []
        for way in ways:
            row.append(next((f for f in way if self._differs(f, row)), way[-1]))
        if (context, tuple(row)) not in seen:
            return tuple(row)
        for slot in reversed(range(len(row))):
            others = row[:slot] + row[slot + 1 :]
            for filler in ways[slot]:
                other = (*row[:slot], filler, *row[slot + 1 :])
                if self._differs(filler, others) and (context, other) not in seen:
                    return other
        return tuple(row)

    def _differs(self, filler: int, others: list[int]) -> bool:
        """Whether a form may stand beside others."""
        filling = self.problem.space.filling
        return not filling.distinct or filling.codes[filler] not in filling.codes[others]

    @property
    def repeated(self) -> int:
        """Cases that are another word for word: nothing else has what they are there to repeat."""
        return len(self.cases) - len(set(self.cases))

    def blocks(self) -> Iterator[Cases]:
        """The cases, one at a time."""
        part = self.problem.space.filling.part
        for context, row in self.cases:
            yield Cases(np.array([context], dtype=np.int32), np.array(row, dtype=np.int32), part)


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
