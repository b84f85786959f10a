"""Choice of names for the other slots of sampled sentences: the least used names that can occur together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...catalogues.core.arrays import concatenate_ranges
from ..combination_space import CombinationSpace
from ..slot_filling import make_forms_error, order_slots
from .usage import Flags, Longs, NameUses

MAX_EXCHANGES = 8
"""Maximum number of rounds in which names that do not fit are exchanged between cases."""
FIRST_NAMES = 64
"""Number of names that are tried for a case before the complete list is tried."""
MAX_VISITS = 4
"""Maximum number of slots with the same pool that a search for a replacement visits."""


@dataclass(frozen=True)
class _MovableSlots:
    """Slots whose names can be exchanged.

    `case` and `place` are the case of each slot and its position in the sentence. Slots with the same
    `number` accept the same `names`. `closed` is True for a number if a search found no unused name for its
    slots.
    """

    case: Longs
    place: Longs
    number: Longs
    names: Sequence[Longs]
    closed: Flags
    forms_alone: bool


class FilledSlots:
    """Names in all slots of the cases of a sample.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    uses : NameUses
        Number of uses of each name; it is updated as names are chosen.
    slot, focus : array of int64
        For each case, the row of the slot for which it was made, and the name in this slot.

    Attributes
    ----------
    filled : array of int32, shape (cases, slots)
        Names in each case; -1 beyond its last slot.
    """

    def __init__(self, space: CombinationSpace, uses: NameUses, slot: Longs, focus: Longs) -> None:
        self._space, self._uses = space, uses
        material, filling = space.material, space.filling
        self._codes = np.append(filling.form_codes, -1)
        self._genes = None if filling.genes is None else np.append(filling.genes, -1)
        self._context = material.slot_context[slot].astype(np.int64)
        self._first = material.first_slot[self._context].astype(np.int64)
        distinct, self._which = np.unique(slot, return_inverse=True)
        many = int(material.templates.slot_counts[self._context].max(initial=0))
        # order: distinct slots × turns, the place that is filled; mate: × places, the partner's place in an
        # appositive; brings: the same if the partner is filled later; -1 for none
        order, self._mate, self._brings = (
            np.full((len(distinct), many), -1, dtype=np.int64) for _ in range(3)
        )
        for row, own in enumerate(distinct.tolist()):
            context = int(material.slot_context[own])
            pairs = space.list_partners(context) if filling.counterpart is not None else {}
            places = order_slots(space.place_of(own), space.pools(context), pairs)
            order[row, : len(places)] = places
            for turn, place in enumerate(places):
                self._mate[row, place] = mate = pairs.get(place, -1)
                self._brings[row, place] = mate if mate in places[turn:] else -1
        self.filled = np.full((len(slot), many), -1, dtype=np.int32)
        self._place = order[self._which, 0]
        self.filled[np.arange(len(slot)), self._place] = focus
        for turn in range(1, many):
            place = order[self._which, turn]
            self._fill(place, self._mate[self._which, place])

    def _fill(self, place: Longs, mate: Longs) -> None:
        rows = np.flatnonzero(place >= 0)
        beside = np.where(mate[rows] >= 0, self.filled[rows, mate[rows]], -1)
        brought = np.full(len(rows), -1, dtype=np.int64)
        if self._space.filling.counterpart is not None:
            brought = np.where(beside >= 0, self._space.filling.counterpart[beside], -1).astype(np.int64)
        fixed = brought >= 0
        if not self._space.same_entry:
            fixed[fixed] = self._go_together(rows[fixed], brought[fixed], forms_alone=True)
        self._put(rows[fixed], place, brought[fixed])
        rows = rows[~fixed]
        if not len(rows):
            return
        pool = self._space.pool_number[self._first[rows] + place[rows]]
        leads = self._space.same_entry & (mate[rows] >= 0)
        sizes = np.array([len(p) for p in self._space.distinct_pools])
        # pools with few names first
        order = np.lexsort((pool, sizes[pool]))
        for mine in np.split(order, np.flatnonzero(np.diff(pool[order])) + 1):
            self._deal(rows[mine], place, int(pool[mine[0]]), leads=bool(leads[mine[0]]))

    def _deal(self, rows: Longs, place: Longs, pool: int, *, leads: bool) -> None:
        """Fill slot number `place` of each case with a name from a pool."""
        while len(rows):
            names, levels = self._uses.order_pool(self._space.distinct_pools[pool], with_counterpart=leads)
            some, rows = rows[: len(names)], rows[len(names) :]
            hand, rest = names[: len(some)], names[len(some) :]
            few = int(np.searchsorted(levels[len(some) :], levels[0] + 1, side="right"))
            for _ in range(MAX_EXCHANGES):
                good = self._go_together(some, hand, leads=leads)
                self._put(some[good], place, hand[good])
                some, hand = some[~good], np.roll(hand[~good], 1)
                if len(some) < 2:
                    break
            if len(some):
                given = names[: len(names) - len(rest)]
                stock = np.concatenate((hand, rest[:few], given[~np.isin(given, hand)]))
                self._deal_singly(some, place, stock, names, leads=leads)

    def _deal_singly(self, rows: Longs, place: Longs, names: Longs, pool: Longs, *, leads: bool) -> None:
        """Give each case the first name that fits or, if none fits, the first whose form is new in it."""
        for row in rows:
            for some, forms_alone in (
                (names[:FIRST_NAMES], False),
                (names, False),
                (names, True),
                (pool, True),
            ):
                case = np.full(len(some), row)
                good = self._go_together(case, some, leads=leads, forms_alone=forms_alone)
                if good.any():
                    break
            else:
                raise make_forms_error(len(np.unique(self._codes[pool])))
            name = some[[good.argmax()]]
            self._put(row[None], place, name)
            names = names[names != name]

    def _go_together(
        self, rows: Longs, names: Longs, *, leads: bool = False, forms_alone: bool = False
    ) -> Flags:
        """Return a mask of the names that can be added to their cases.

        The form and gene of a name must differ from those of the other names in the case, and the organisms
        must be compatible.
        """
        filling = self._space.filling
        there = self.filled[rows]
        good = np.ones(len(rows), dtype=bool)
        if filling.distinct_forms:
            forms = self._codes[there]
            good &= (forms != self._codes[names][:, None]).all(axis=1)
            if leads and filling.counterpart is not None:
                good &= (forms != self._codes[filling.counterpart[names]][:, None]).all(axis=1)
        if forms_alone:
            return good
        if filling.organisms is not None:
            own, together = filling.organisms
            good &= (together[own[there], own[names][:, None]] | (there < 0)).all(axis=1)
        if self._genes is not None:
            good &= (self._genes[there] != self._genes[names][:, None]).all(axis=1)
        return good

    def spread_out(self, stratum: Longs, names: Sequence[Flags]) -> None:
        """Replace forms that occur repeatedly in the sample with unused forms where possible.

        A repeated name is replaced with an unused one. If none fits, the name of another slot is used, and
        that slot gets a different name (augmenting paths of a bipartite matching). The two names of an
        appositive are replaced together.

        Parameters
        ----------
        stratum : array of int64
            Stratum of each case.
        names : sequence of array of bool
            For each stratum, a mask of the names for which its cases are made.
        """
        material, distinct_pools = self._space.material, self._space.distinct_pools
        contexts = np.unique(self._context)
        rows = concatenate_ranges(material.first_slot[contexts], material.templates.slot_counts[contexts])
        pools = [distinct_pools[number] for number in np.unique(self._space.pool_number[rows]).tolist()]
        if (self._uses.count[self._codes[np.concatenate(pools)]] > 0).all():
            return
        free = (self._mate < 0) | (self._brings >= 0)
        case, place = np.nonzero((self.filled >= 0) & free[self._which])
        pool = self._space.pool_number[self._first[case] + place]
        # slots with the same number accept the same names
        own_slot = place == self._place[case]
        width = len(names) + 1
        codes = pool * width + np.where(own_slot, stratum[case] + 1, 0)
        distinct, number = np.unique(codes, return_inverse=True)
        takes = []
        for pool_number, own in (divmod(each, width) for each in distinct.tolist()):
            members = self._space.distinct_pools[pool_number].astype(np.int64)
            takes.append(members[names[own - 1][members]] if own else members)
        paired = self._mate[self._which[case], place] >= 0
        if (self._uses.count[self._codes[np.concatenate(takes)]] > 0).all():
            return
        # with more forms than slots, a second stage only requires different forms within a case
        few = (self.filled >= 0).sum() <= len(self._uses.count)
        stages = (False, True)[: 1 + few]
        if self._space.same_entry:
            for forms_alone in stages:
                for slot in np.flatnonzero(paired).tolist():
                    self._replace_both(int(case[slot]), int(place[slot]), takes[number[slot]], forms_alone)
        case, place, number = case[~paired], place[~paired], number[~paired]
        for forms_alone in stages:
            slots = _MovableSlots(case, place, number, takes, np.zeros(len(takes), dtype=bool), forms_alone)
            for slot in range(len(case)):
                form = self._codes[self.filled[case[slot], place[slot]]]
                if self._uses.count[form] > 1 and not slots.closed[number[slot]]:
                    self._replace(slots, slot)

    def _replace_both(self, case: int, place: int, names: Longs, forms_alone: bool) -> None:
        """Replace the two names of an appositive with two unused ones if one of them is repeated."""
        counterpart, count = self._space.filling.counterpart, self._uses.count
        both = [place, self._brings[self._which[case], place]]
        held = self.filled[case, both]
        if counterpart is None or (count[self._codes[held]] == 1).all():
            return
        names = names[(count[self._codes[names]] == 0) & (count[self._codes[counterpart[names]]] == 0)]
        self.filled[case, both] = -1
        cases = np.full(len(names), case)
        good = np.flatnonzero(self._go_together(cases, names, leads=True, forms_alone=forms_alone))
        if len(good):
            count[self._codes[held]] -= 1
            held = np.array([names[good[0]], counterpart[names[good[0]]]])
            self._uses.add(held)
        self.filled[case, both] = held

    def _replace(self, slots: _MovableSlots, slot: int) -> None:
        """Replace the name in a slot with an unused one, directly or by exchanging names with other slots."""
        came_from = {slot: -1}
        tried = np.zeros(len(slots.names), dtype=np.int64)
        inside = np.zeros(len(self._codes) - 1, dtype=bool)
        queue = [slot]
        for at in queue:
            number = slots.number[at]
            if slots.closed[number] or tried[number] == MAX_VISITS:
                continue
            tried[number] += 1
            place = slots.case[at], slots.place[at]
            names, held = slots.names[number], self.filled[place]
            self.filled[place] = -1
            cases = np.full(len(names), place[0])
            names = names[self._go_together(cases, names, forms_alone=slots.forms_alone)]
            self.filled[place] = held
            unused = names[self._uses.count[self._codes[names]] == 0]
            if len(unused):
                self._shift(slots, at, int(unused[0]), came_from)
                return
            inside[:] = False
            inside[names] = True
            open_ = inside[self.filled[slots.case, slots.place]] & (tried[slots.number] < MAX_VISITS)
            for other in np.flatnonzero(open_).tolist():
                if other not in came_from:
                    came_from[other] = at
                    queue.append(other)
        slots.closed[tried > 0] = True

    def _shift(self, slots: _MovableSlots, at: int, name: int, came_from: dict[int, int]) -> None:
        """Put a name into the last slot of an augmenting path, and move displaced names to earlier slots."""
        self._uses.add(np.array([name]))
        while at >= 0:
            place = slots.case[at], slots.place[at]
            held = int(self.filled[place])
            self.filled[place] = name
            at, name = came_from[at], held
        self._uses.count[self._codes[name]] -= 1

    def _put(self, rows: Longs, place: Longs, names: Longs) -> None:
        self.filled[rows, place[rows]] = names
        self._uses.add(names)
