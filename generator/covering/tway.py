"""Cases that cover every possible combination of t feature values (combine method `tway`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..attestation import rate_naturalness
from ..cases import Cases
from ..combination_space import CombinationSpace
from ..part_options import DEFAULT_T, PartOptions
from ..slot_filling import make_stream
from .greedy import ChosenCase, GreedySearch
from .problem import CoveringProblem, make_problem

STREAM_KEY = 22


@dataclass(frozen=True)
class CoveringCases:
    """Cases chosen for a covering suite, and the numbers of combinations that they cover.

    Attributes
    ----------
    problem : CoveringProblem
        Combinations to cover.
    chosen : list of ChosenCase
        Chosen cases.
    attested, open_count : int
        Number of combinations that can occur, and number of combinations that do not occur often enough.
    """

    problem: CoveringProblem
    chosen: list[ChosenCase]
    attested: int
    open_count: int

    @cached_property
    def cases(self) -> list[tuple[int, tuple[int, ...]]]:
        """Context and fillers of each case, best case first; the entities of each kind are used in turn."""
        problem, space = self.problem, self.problem.space
        rng = make_stream(space.filling.seed, space.filling.part, STREAM_KEY)
        known = rate_naturalness(space.material.fillers)
        mixed = (m[rng.permutation(len(m))] for m in problem.members)
        # natural entities first; all are used equally often
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
        """Choose the next entity of each kind for a case, or a later entity if the same case already exists.

        `given` contains the fillers of appositives, and -1 for the other slots.
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
        """Return True if forms may be repeated, or if the form of a filler differs from those of `others`."""
        filling = self.problem.space.filling
        return not filling.distinct_forms or filling.form_codes[filler] not in filling.form_codes[others]

    @property
    def repeated_count(self) -> int:
        """Number of cases that repeat another case exactly."""
        return len(self.cases) - len(set(self.cases))

    def blocks(self) -> Iterator[Cases]:
        """Generate the cases as blocks with one case each."""
        part = self.problem.space.filling.part
        for context, row in self.cases:
            yield Cases.from_context(context, np.array([row], dtype=np.int32), part)


def choose_covering_cases(
    space: CombinationSpace, options: PartOptions, progress: Callable[[int, int], None] | None = None
) -> CoveringCases:
    """Choose cases that cover every possible combination of t feature values.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    options : PartOptions
        Options of the part, such as `t`, `times`, `limit` and `features`. With ``attested = first``, unused
        and attested sentences and natural names are preferred; otherwise, as few cases as possible are used.
    progress : callable, optional
        Called after each case with the covered and the total number of combinations.
    """
    problem = make_problem(space, options.features)
    natural = options.attested == "first"
    greedy = GreedySearch(problem, options.t or DEFAULT_T, options.times, space.filling.seed, natural=natural)
    chosen = greedy.choose_cases(options.limit, progress)
    left = greedy.open_count
    if not options.limit:
        chosen = greedy.prune_cases(chosen)
    return CoveringCases(problem, chosen, greedy.attested, left)
