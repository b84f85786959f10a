"""``--combine tway``: cases that cover every combination of t feature values that can occur."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..attestation import rate_naturalness
from ..cases import Cases
from ..combination_space import CombinationSpace
from ..slot_filling import make_stream
from .greedy import ChosenCase, GreedySearch
from .problem import CoveringProblem, make_problem

STREAM_KEY = 22


@dataclass(frozen=True)
class CoveringCases:
    """A covering suite before it is written.

    Attributes
    ----------
    problem : Problem
        What was to be covered.
    chosen : list of Chosen
        The cases.
    attested, open_count : int
        Combinations that can occur, and those that the cases do not have often enough.
    """

    problem: CoveringProblem
    chosen: list[ChosenCase]
    attested: int
    open_count: int

    @cached_property
    def cases(self) -> list[tuple[int, tuple[int, ...]]]:
        """The cases, best first, as a context and its fillers: each kind of entity by its members in turn."""
        problem, space = self.problem, self.problem.space
        rng = make_stream(space.filling.seed, space.filling.part, STREAM_KEY)
        known = rate_naturalness(space.material.fillers)
        mixed = (m[rng.permutation(len(m))] for m in problem.members)
        # the natural ones first, each as often as any
        orders = [m[np.argsort(-known[m], kind="stable")].tolist() for m in mixed]
        turn = [0] * len(orders)
        made: list[tuple[int, tuple[int, ...]]] = []
        seen: set[tuple[int, tuple[int, ...]]] = set()
        for case in self.chosen:
            context = int(problem.contexts[case.context])
            at = [turn[kind] % len(orders[kind]) for kind in case.kinds]
            ways = [orders[k][a:] + orders[k][:a] for k, a in zip(case.kinds, at, strict=True)]
            row = self._fillers(context, ways, seen, case.fillers)
            for kind, filler in zip(case.kinds, row, strict=True):
                turn[kind] = orders[kind].index(filler) + 1
            made.append((context, row))
            seen.add(made[-1])
        return made

    def _fillers(
        self,
        context: int,
        ways: list[list[int]],
        seen: set[tuple[int, tuple[int, ...]]],
        given: tuple[int, ...],
    ) -> tuple[int, ...]:
        """Fill a context with those whose turn it is; if that is a case already, with another in a slot.

        Slots in apposition have theirs given.
        """
        row = list(given)
        for slot, way in enumerate(ways):
            if row[slot] < 0:
                others = [f for f in row if f >= 0]
                row[slot] = next((f for f in way if self._differs(f, others)), way[-1])
        if (context, tuple(row)) not in seen:
            return tuple(row)
        for slot in reversed(range(len(row))):
            others = row[:slot] + row[slot + 1 :]
            for filler in ways[slot] if given[slot] < 0 else ():
                other = (*row[:slot], filler, *row[slot + 1 :])
                if self._differs(filler, others) and (context, other) not in seen:
                    return other
        return tuple(row)

    def _differs(self, filler: int, others: list[int]) -> bool:
        """Whether a form may stand beside others."""
        filling = self.problem.space.filling
        return not filling.distinct_forms or filling.form_codes[filler] not in filling.form_codes[others]

    @property
    def repeated_count(self) -> int:
        """Cases that are another word for word: nothing else has what they are there to repeat."""
        return len(self.cases) - len(set(self.cases))

    def blocks(self) -> Iterator[Cases]:
        """The cases, one at a time."""
        part = self.problem.space.filling.part
        for context, row in self.cases:
            yield Cases.from_context(context, np.array([row], dtype=np.int32), part)


def choose_covering_cases(
    space: CombinationSpace,
    t: int,
    *,
    times: int = 1,
    limit: int | None = None,
    features: tuple[str, ...] = (),
    natural: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> CoveringCases:
    """Choose cases that cover every attested combination of t values.

    Parameters
    ----------
    space : CombinationSpace
        What may be combined.
    t : int
        How many features are combined.
    times : int
        How often each combination occurs at least.
    limit : int, optional
        No more than the best so many cases.
    features : tuple of str
        Which features; all closed ones when empty.
    natural : bool
        Prefer new sentences, attested ones and natural names; otherwise as few cases as can be.
    progress : callable, optional
        Told, case by case, how many combinations are covered, of how many.
    """
    problem = make_problem(space, features)
    greedy = GreedySearch(problem, t, times, space.filling.seed, natural=natural)
    chosen = greedy.choose_cases(limit, progress)
    left = greedy.open_count
    return CoveringCases(problem, chosen if limit else greedy.prune_cases(chosen), greedy.attested, left)
