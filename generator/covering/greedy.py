"""Greedy search for a covering suite, which repeatedly chooses the case with the largest gain.

A combination is open until it occurs often enough. The gain of a case is the number of open combinations that
it covers, and never increases (the objective is submodular). An earlier gain of a context is therefore an
upper bound, and gains are recomputed only for the contexts with the largest bounds. Within a context, slots
are filled one after the other, each with the entity that has the largest gain. At the end, cases that later
cases have made superfluous are removed.

A mention is an entity in a place (a slot of a context). A combination of t items consists of `a` items of the
entity and t - a items of the place. For 0 < a < t, the open combinations form a matrix (entity combinations ×
place combinations), and a matrix product gives the gains of all entities in a place. For a = t and a = 0, all
items belong to the entity or to the place, and the gain of each row is stored as a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..attestation import rate_naturalness, weigh_contexts
from ..slot_filling import make_stream
from .combinations import Combinations, Items, find_combinations
from .problem import CoveringProblem

STREAM_KEY = 21
BATCH_PLACES = 24
"""Number of contexts for which upper bounds of the gain are computed together."""


@dataclass(frozen=True)
class ChosenCase:
    """Case that the search has chosen: its context, and the kind of entity in each slot.

    `fillers` contains the names in appositives whose two names belong to one entry, and -1 for other slots.
    """

    context: int
    kinds: tuple[int, ...]
    fillers: tuple[int, ...] = ()


class GreedySearch:
    """Greedy search for cases that cover all combinations of a problem.

    Parameters
    ----------
    problem : CoveringProblem
        Combinations to cover.
    t : int
        Number of items in a combination.
    times : int
        Required number of occurrences of each combination.
    seed : int
        Random seed that breaks ties.
    natural : bool
        If True, unused and attested sentences are preferred even if they cover slightly fewer combinations.
        In ties, natural and unused kinds of entities are preferred.
    """

    def __init__(
        self, problem: CoveringProblem, t: int, times: int, seed: int, *, natural: bool = True
    ) -> None:
        self.problem = problem
        self.times = times
        self._noise = make_stream(seed, STREAM_KEY).random(len(problem.members)).astype(np.float32) * 0.5
        self._natural = natural
        if natural:
            known = rate_naturalness(problem.space.material.fillers)
            best = np.array([known[m].max(initial=0) for m in problem.members], dtype=np.float32)
            self._noise = 0.4 * self._noise + 0.4 * best
        self._had = np.zeros(len(problem.members), dtype=np.int64)
        self._forbidden = np.where(problem.allowed, 0.0, -np.inf).astype(np.float32)
        # combinations of 0 to t - 1 items on either side
        own, around = (
            [find_combinations(items.has, items.feature, size) for size in range(t)]
            for items in (problem.entities, problem.places)
        )
        self.entity_inner = InnerNeeds(problem.entities, own[-1], times, problem.usable_kinds)
        self.place_inner = InnerNeeds(problem.places, around[-1], times, problem.chosen)
        kinds = np.where(problem.chosen, problem.slot_class, -1)
        self.cross = [
            CrossNeeds(own[take], around[t - take], kinds, problem.allowed, times) for take in range(1, t)
        ]
        self.attested = self.open_count

    @property
    def open_count(self) -> int:
        """Number of combinations that do not yet occur often enough."""
        return self.entity_inner.open + self.place_inner.open + sum(c.open for c in self.cross)

    def choose_cases(
        self, limit: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> list[ChosenCase]:
        """Choose cases until all combinations are covered, or `limit` cases are chosen."""
        problem = self.problem
        bound = np.full(len(problem.slot_class), np.inf)
        fresh = np.zeros(len(problem.slot_class), dtype=bool)
        bare = problem.slot_class < 0
        chosen: list[ChosenCase] = []
        used = np.zeros(len(problem.contexts), dtype=np.int64)
        value = np.ones(len(used))
        while self.open_count and (limit is None or len(chosen) < limit):
            bound[bare] = 0.0
            fresh[bare] = True
            total = np.add.reduceat(bound + self.place_inner.gain, problem.first_place[:-1])
            if self._natural:
                value = weigh_contexts(used, problem.attested)
            while True:
                best = int(np.argmax(total * value))
                span = slice(int(problem.first_place[best]), int(problem.first_place[best + 1]))
                if fresh[span].all():
                    break
                top = np.argsort(-total * value, kind="stable")[:BATCH_PLACES]
                wanted = np.concatenate(
                    [np.arange(problem.first_place[c], problem.first_place[c + 1]) for c in top.tolist()]
                )
                wanted = wanted[~fresh[wanted]]
                bound[wanted] = self._gains(wanted).max(axis=0)
                fresh[wanted] = True
                total = np.add.reduceat(bound + self.place_inner.gain, problem.first_place[:-1])
            if total[best] < 1:
                break
            kinds, fillers = self._fill(best, bound)
            chosen.append(ChosenCase(best, kinds, fillers))
            used[best] += 1
            fresh[:] = False
            if progress is not None:
                progress(self.attested - self.open_count, self.attested)
        return chosen

    def _gains(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return a matrix with the gain of each kind of entity in each place; -inf if it does not fit."""
        return self._raw_gains(places) + self._forbidden[self.problem.slot_class[places]].T

    def _raw_gains(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return a matrix with the gain of each kind of entity in each place, even if it does not fit."""
        gains = np.repeat(self.entity_inner.gain[:, None], len(places), axis=1)
        for cross in self.cross:
            if cross.open:
                gains += cross.gains(places)
        return gains

    def _fill(self, context: int, bound: NDArray[np.float64]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Fill each slot of a context with the kind of entity that has the largest gain.

        The slot with the largest upper bound of the gain is filled first, so that no other slot takes the
        only entity with this gain. The two slots of an appositive are filled together. Returns the kinds of
        entities and, for appositives whose names belong to one entry, the fillers.
        """
        problem = self.problem
        begin, end = problem.first_place[context : context + 2].tolist()
        places = np.arange(begin, end)
        if problem.slot_class[begin] < 0:
            self.place_inner.cover(begin)
            return (), ()
        kinds, fillers = np.full(len(places), -1), np.full(len(places), -1)
        spare = np.array([len(m) for m in problem.members])
        for pair in problem.partner_places[context]:
            for place, filler in zip(pair, self._couple(pair, spare, fillers), strict=True):
                kinds[place - begin], fillers[place - begin] = problem.filler_kind[filler], filler
                self._take(int(problem.filler_kind[filler]), place, spare)
        for offset in np.argsort(-bound[places], kind="stable").tolist():
            if kinds[offset] >= 0:
                continue
            gains = self._gains(places[offset : offset + 1])[:, 0] + self._tie_weights()
            gains[spare <= 0] = -np.inf
            kinds[offset] = int(np.argmax(gains))
            self._take(int(kinds[offset]), int(places[offset]), spare)
        return tuple(kinds.tolist()), tuple(fillers.tolist())

    def _couple(
        self, pair: tuple[int, int], spare: NDArray[np.int64], taken: NDArray[np.int64]
    ) -> tuple[int, int]:
        """Return the two names of one entry that have the largest gain in the slots of an appositive."""
        problem, codes = self.problem, self.problem.space.filling.form_codes
        couples = problem.list_couples(*pair)
        kinds = problem.filler_kind[couples]
        # one name is selected and determines the other, which need not be selected itself. The tie weights
        # of both decide between couples with equal gain
        gains = self._raw_gains(np.array(pair)) + self._tie_weights()[:, None] / 2
        total = gains[kinds[:, 0], 0] + gains[kinds[:, 1], 1]
        total[(spare[kinds] <= 0).any(axis=1)] = -np.inf
        if problem.space.filling.distinct_forms and (taken >= 0).any():
            total[np.isin(codes[couples], codes[taken[taken >= 0]]).any(axis=1)] = -np.inf
        one, other = couples[int(np.argmax(total))].tolist()
        return one, other

    def _tie_weights(self) -> NDArray[np.float32]:
        """Return numbers below 1 that are added to gains to break ties between kinds of entities."""
        if not self._natural:
            return self._noise
        had = self._had / np.array([max(len(m), 1) for m in self.problem.members])
        found: NDArray[np.float32] = (self._noise + 0.35 / (1.0 + had)).astype(np.float32)
        return found

    def _take(self, kind: int, place: int, spare: NDArray[np.int64]) -> None:
        spare[kind] -= 1
        self._had[kind] += 1
        self.entity_inner.cover(kind)
        self.place_inner.cover(place)
        for cross in self.cross:
            cross.cover(kind, place)

    def prune_cases(self, chosen: list[ChosenCase]) -> list[ChosenCase]:
        """Remove superfluous cases, beginning with the case that was chosen last."""
        tables: list[CombinationNeeds] = [self.entity_inner, self.place_inner, *self.cross]
        counts = [np.zeros(table.need.shape, dtype=np.int32) for table in tables]

        def windows(case: ChosenCase) -> Iterator[tuple[int, tuple[NDArray[np.int64], ...]]]:
            """Yield the index of each matrix in `tables`, and the positions of the case in it."""
            first = int(self.problem.first_place[case.context])
            for offset, kind in enumerate(case.kinds):
                place = first + offset
                rows = [(kind, kind), (place, place), *[(kind, place)] * len(self.cross)]
                yield from ((n, tables[n].locate_row(*pair)) for n, pair in enumerate(rows))
            if not case.kinds:
                yield 1, self.place_inner.locate_row(first, first)

        held = [list(windows(case)) for case in chosen]
        for table, window in chain.from_iterable(held):
            counts[table][window] += 1
        goals = [
            np.minimum(np.where(t.attested, self.times, 0), c) for t, c in zip(tables, counts, strict=True)
        ]
        kept: list[ChosenCase] = []
        for case, own in zip(reversed(chosen), reversed(held), strict=True):
            for table, window in own:
                counts[table][window] -= 1
            if any((counts[table][window] < goals[table][window]).any() for table, window in own):
                kept.append(case)
                for table, window in own:
                    counts[table][window] += 1
        return kept[::-1]


Floats = NDArray[np.float32]


class CombinationNeeds:
    """Matrix with the number of further occurrences that each combination needs.

    The row of a combination is its first component, and the column its second component.

    Parameters
    ----------
    attested : array of bool
        True for combinations that can occur.
    times : int
        Required number of occurrences of each combination.
    of_rows, of_columns : array of bool
        True if an entity or place has the first (`of_rows`) or second (`of_columns`) component.
    """

    def __init__(
        self,
        attested: NDArray[np.bool_],
        times: int,
        of_rows: NDArray[np.bool_],
        of_columns: NDArray[np.bool_],
    ) -> None:
        self.attested = attested
        self.need = np.where(attested, times, 0).astype(np.int16)
        self.open = int(attested.sum())
        self._of_rows, self._of_columns = ([np.flatnonzero(r) for r in has] for has in (of_rows, of_columns))

    def locate_row(self, row: int, other: int) -> tuple[NDArray[np.int64], ...]:
        """Return the matrix positions of the feature combinations of an entity, a place or a mention."""
        return np.ix_(self._of_rows[row], self._of_columns[other])

    def count_row(self, row: int, other: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats] | None:
        """Count one more occurrence of each combination that an entity, a place or a mention has.

        Returns
        -------
        rows, columns, closed : arrays, or None
            Rows and columns with combinations that now occur often enough, and a mask (rows × columns) of
            these combinations; None if there are none.
        """
        if not self.open:
            return None
        window = self.locate_row(row, other)
        need = self.need[window]
        closing = need == 1
        self.need[window] = np.maximum(need - 1, 0)
        if not closing.any():
            return None
        self.open -= int(closing.sum())
        rows, columns = closing.any(axis=1), closing.any(axis=0)
        closed = closing[np.ix_(rows, columns)].astype(np.float32)
        return self._of_rows[row][rows], self._of_columns[other][columns], closed


class InnerNeeds(CombinationNeeds):
    """Combinations of t items that all belong to the entity, or all to the place.

    A combination is split into its first t - 1 items (the prefix) and its last item, so that all combinations
    form a matrix.
    """

    def __init__(self, items: Items, prefix: Combinations, times: int, real: NDArray[np.bool_]) -> None:
        """Find the combinations that at least one row in the mask `real` has.

        `prefix` contains the combinations of t - 1 items.
        """
        has, members = items.has.astype(np.float32), prefix.members
        prefixes = prefix.has.astype(np.float32)
        attested = prefixes[real].T @ has[real] > 0
        if members.shape[1]:
            last, item = members[:, -1], np.arange(has.shape[1])
            later = item[None, :] > last[:, None]
            attested &= later & (items.feature[None, :] != items.feature[last][:, None])
        super().__init__(attested, times, prefix.has, items.has)
        self.gain: Floats = ((prefixes @ attested.astype(np.float32)) * has).sum(axis=1)
        self._prefix_of = np.ascontiguousarray(prefixes.T)
        self._items_of = np.ascontiguousarray(has.T)

    def cover(self, row: int) -> None:
        """Count one more occurrence of an entity or place."""
        found = self.count_row(row, row)
        if found is not None:
            prefixes, items, closed = found
            part = self._prefix_of[prefixes].T @ closed
            self.gain -= (part * self._items_of[items].T).sum(axis=1)


class CrossNeeds(CombinationNeeds):
    """Combinations of `a` items of an entity and t - a items of its place."""

    def __init__(
        self,
        own: Combinations,
        around: Combinations,
        kinds: NDArray[np.int64],
        allowed: NDArray[np.bool_],
        times: int,
    ) -> None:
        """Find the combinations that can occur.

        `kinds` is the class of each place; `allowed` is True for the entities that fit a class.
        """
        self._entity, self._place = own.has.astype(np.float32), around.has.astype(np.float32)
        self._around = np.ascontiguousarray(self._place.T)
        attested = np.zeros((self._entity.shape[1], self._place.shape[1]), dtype=bool)
        for kind in np.unique(kinds[kinds >= 0]).tolist():
            attested |= np.outer(own.has[allowed[kind]].any(axis=0), around.has[kinds == kind].any(axis=0))
        super().__init__(attested, times, own.has, around.has)
        # gain of each entity combination in each place
        self.worth: Floats = (self.need > 0).astype(np.float32) @ self._place.T

    def gains(self, places: NDArray[np.int64]) -> Floats:
        """Return a matrix (entities × places) with the gain of putting each entity into each place."""
        # all counts are finite: the product can raise this flag for values read beyond a matrix
        with np.errstate(invalid="ignore"):
            found: Floats = self._entity @ self.worth[:, places]
        return found

    def cover(self, entity: int, place: int) -> None:
        """Count one more mention of an entity in a place."""
        found = self.count_row(entity, place)
        if found is not None:
            own, around, closed = found
            self.worth[own] -= closed @ self._around[around]
