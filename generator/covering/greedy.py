"""The greedy choice: again and again the case that covers most of what is still to be covered.

What a case can add never grows (the sum is submodular), so what was once computed for a context stays an
upper bound and only the contexts at the top are computed again. Within a context the slots are filled one
after the other, each with the entity that adds most. At the end, cases are taken out again that the later
ones have made superfluous.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..fill import stream
from .need import Cross, Inner, Side
from .problem import Problem

PURPOSE = 21
AT_ONCE = 24
"""Places whose bounds are computed in one product."""


@dataclass(frozen=True)
class Chosen:
    """A case: a context (its number among the usable) and a kind of entity for each slot."""

    context: int
    kinds: tuple[int, ...]


class Greedy:
    """Chooses cases for a problem.

    Parameters
    ----------
    problem : Problem
        What is to be covered.
    t : int
        How many items make a combination.
    times : int
        How often each is to occur at least.
    seed : int
        What ties are broken by.
    """

    def __init__(self, problem: Problem, t: int, times: int, seed: int) -> None:
        self.problem = problem
        self.t = t
        self.times = times
        self._noise = stream(seed, PURPOSE).random(len(problem.members)).astype(np.float32) * 0.5
        self._forbidden = np.where(problem.allowed, 0.0, -np.inf).astype(np.float32)
        self._entities = Side(problem.entities.has, problem.entities.feature, t)
        self._places = Side(problem.places.has, problem.places.feature, t)
        self.reset()

    def reset(self) -> None:
        """Make everything needed again."""
        problem = self.problem
        self.entity_inner = Inner(self._entities, self.times, problem.usable)
        self.place_inner = Inner(self._places, self.times, problem.chosen)
        kinds = np.where(problem.chosen, problem.kind, -1)
        self.cross = [
            Cross(self._entities, self._places, take, kinds, problem.allowed, self.times)
            for take in range(1, self.t)
        ]
        self.attested = self.open

    @property
    def open(self) -> int:
        """How many combinations do not occur often enough yet."""
        return self.entity_inner.open + self.place_inner.open + sum(c.open for c in self.cross)

    def choose(
        self, limit: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> list[Chosen]:
        """Choose cases until everything is covered, or `limit` of them."""
        problem = self.problem
        bound = np.full(len(problem.kind), np.inf)
        fresh = np.zeros(len(problem.kind), dtype=bool)
        bare = problem.kind < 0
        chosen: list[Chosen] = []
        while self.open and (limit is None or len(chosen) < limit):
            bound[bare] = 0.0
            fresh[bare] = True
            total = np.add.reduceat(bound + self.place_inner.gain, problem.first[:-1])
            while True:
                best = int(np.argmax(total))
                span = slice(int(problem.first[best]), int(problem.first[best + 1]))
                if fresh[span].all():
                    break
                top = np.argsort(-total, kind="stable")[:AT_ONCE]
                wanted = np.concatenate(
                    [np.arange(problem.first[c], problem.first[c + 1]) for c in top.tolist()]
                )
                wanted = wanted[~fresh[wanted]]
                bound[wanted] = self._gains(wanted).max(axis=0)
                fresh[wanted] = True
                total = np.add.reduceat(bound + self.place_inner.gain, problem.first[:-1])
            if total[best] < 1:
                break
            before = self.open
            kinds = self._fill(span, bound)
            if self.open == before and self.times == 1:
                raise RuntimeError("a case was chosen that covers nothing")
            chosen.append(Chosen(best, kinds))
            fresh[:] = False
            if progress is not None:
                progress(self.attested - self.open, self.attested)
        return chosen

    def _gains(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """What every kind of entity would add in some places, -inf where it may not stand."""
        gains = np.repeat(self.entity_inner.gain[:, None], len(places), axis=1)
        for cross in self.cross:
            if cross.open:
                gains += cross.gains(places)
        gains += self._forbidden[self.problem.kind[places]].T
        return gains

    def _fill(self, span: slice, bound: NDArray[np.float64]) -> tuple[int, ...]:
        """Fill the slots of a context, each with what adds most, and count the case.

        The most promising slot comes first: otherwise an earlier one could take the one entity that it
        needs.
        """
        places = np.arange(span.start, span.stop)
        kinds = np.full(len(places), -1)
        spare = np.array([len(m) for m in self.problem.members])
        for offset in np.argsort(-bound[places], kind="stable").tolist():
            place = int(places[offset])
            if self.problem.kind[place] < 0:
                self.place_inner.cover(place)
                return ()
            gains = self._gains(np.array([place]))[:, 0] + self._noise
            gains[spare == 0] = -np.inf
            kind = int(np.argmax(gains))
            spare[kind] -= 1
            kinds[offset] = kind
            self.cover(kind, place)
        return tuple(kinds.tolist())

    def cover(self, kind: int, place: int) -> None:
        """Count a mention."""
        self.entity_inner.cover(kind)
        self.place_inner.cover(place)
        for cross in self.cross:
            cross.cover(kind, place)

    def prune(self, chosen: list[Chosen]) -> list[Chosen]:
        """Take out cases without which everything still occurs often enough, the latest first."""
        tables: list[Inner | Cross] = [self.entity_inner, self.place_inner, *self.cross]
        counts = [np.zeros(m.need.shape, dtype=np.int32) for m in tables]
        attested = [m.attested for m in tables]
        goals = [np.where(a, self.times, 0) for a in attested]

        def windows(case: Chosen) -> list[tuple[int, tuple[NDArray[np.int64], ...]]]:
            first = int(self.problem.first[case.context])
            if not case.kinds:
                return [(1, self.place_inner.window(first))]
            found = []
            for offset, kind in enumerate(case.kinds):
                found.append((0, self.entity_inner.window(kind)))
                found.append((1, self.place_inner.window(first + offset)))
                found += [(2 + n, c.window(kind, first + offset)) for n, c in enumerate(self.cross)]
            return found

        for case in chosen:
            for table, window in windows(case):
                counts[table][window] += 1
        short = [np.minimum(g, c) for g, c in zip(goals, counts, strict=True)]
        kept: list[Chosen] = []
        for case in reversed(chosen):
            held = windows(case)
            for table, window in held:
                counts[table][window] -= 1
            if all((counts[table][window] >= short[table][window]).all() for table, window in held):
                continue
            for table, window in held:
                counts[table][window] += 1
            kept.append(case)
        return kept[::-1]
