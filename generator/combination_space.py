"""Combination space: the entities and slots that a part of a suite combines, and which of them fit together.

A *filler* is an entity or a look-alike. The *pool* of a slot contains the fillers that fit it. The two slots
of an appositive, such as *tumor protein p53 (TP53)*, are *partners*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.arrays import concatenate_ranges
from ..catalogues.core.errors import InputError
from .fitting.genes import find_counterparts, number_genes
from .fitting.slot_rules import RULES, SlotRules, number_organisms
from .material import Ints, Material, Part, Places, require_selection, select_fillers, select_places
from .slot_filling import SlotFilling, make_forms_error


@dataclass(frozen=True)
class CombinationSpace:
    """Entities, contexts and slots that one part of a suite combines.

    Attributes
    ----------
    material : Material
        Fillers, contexts and slots of the suite.
    fillers : array of int32
        Rows of the fillers that the query for all slots selects.
    places : Places
        Selected contexts and slots.
    filling : SlotFilling
        Method that fills the other slots of a sentence after one slot has been filled.
    fits : SlotRules
        Rules that determine which fillers fit which slots.
    fillers_by_place : mapping of int to array
        Fillers for slots that have a query of their own, by the number of the slot in its sentence (from 0).
    partners : array of int64, optional
        For each slot, the row of its partner; -1 if it has none.
    same_entry : bool
        If True, partners are filled with the name and the symbol of one catalogue entry.
    notes : tuple of str
        Notes for the user.
    """

    material: Material
    fillers: Ints
    places: Places
    filling: SlotFilling
    fits: SlotRules
    fillers_by_place: Mapping[int, Ints] = field(default_factory=dict)
    partners: NDArray[np.int64] | None = None
    same_entry: bool = False
    notes: tuple[str, ...] = ()

    @cached_property
    def slotted(self) -> Ints:
        """Selected contexts that have slots."""
        slots = self.material.templates.slot_counts[self.places.contexts]
        found: Ints = self.places.contexts[slots > 0]
        return found

    @cached_property
    def slotless(self) -> Ints:
        """Selected contexts without slots."""
        slots = self.material.templates.slot_counts[self.places.contexts]
        found: Ints = self.places.contexts[slots == 0]
        return found

    @cached_property
    def entry_partner(self) -> NDArray[np.int64]:
        """For each slot, the row of its partner if both need forms of one catalogue entry; otherwise -1."""
        if self.same_entry and self.partners is not None:
            return self.partners
        return np.full(len(self.material.slots), -1, dtype=np.int64)

    def list_partners(self, context: int, *, same_entry: bool = False) -> dict[int, int]:
        """Return a mapping from the number of each slot in a context to the number of its partner.

        Slots without a partner are omitted. If `same_entry` is True, only partners that need forms of one
        catalogue entry are included.
        """
        partners = self.entry_partner if same_entry else self.partners
        if partners is None:
            return {}
        first = int(self.material.first_slot[context])
        row = partners[first : first + int(self.material.templates.slot_counts[context])]
        return {place: int(row[place]) - first for place in np.flatnonzero(row >= 0).tolist()}

    @cached_property
    def base_fillers(self) -> list[Ints]:
        """Fillers selected by the query for all slots, followed by those of each query for a single slot."""
        return [self.fillers, *(self.fillers_by_place[p] for p in sorted(self.fillers_by_place))]

    @cached_property
    def base_number(self) -> NDArray[np.int64]:
        """For each slot, the index in `base_fillers` of the fillers that the query for this slot selects."""
        taken = np.zeros(len(self.material.slots), dtype=np.int64)
        place = np.arange(len(taken)) - self.material.first_slot[self.material.slot_context]
        for number, own in enumerate(sorted(self.fillers_by_place), start=1):
            taken[place == own] = number
        return taken

    @cached_property
    def _conditions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Array with the number of each slot's condition for fillers, and array of all conditions.

        A condition is a row of two slot classes (see `SlotRules`): one for the slot, and one for its partner.
        The second class is -1 if the slot has no partner that needs a form of the same entry.
        """
        own = self.fits.slot_class.astype(np.int64)
        partner = (
            np.where(self.entry_partner >= 0, own[np.maximum(self.entry_partner, 0)], -1) if len(own) else own
        )
        width = int(own.max(initial=0)) + 2
        distinct, condition = np.unique(own * width + partner + 1, return_inverse=True)
        return condition, np.stack((distinct // width, distinct % width - 1), axis=1)

    @cached_property
    def condition(self) -> NDArray[np.int64]:
        """For each slot, the number of the condition that fillers must satisfy (see `check_condition`)."""
        return self._conditions[0]

    def has_partner(self, condition: int) -> bool:
        """Return True if such a slot has a partner that must be filled from the same catalogue entry."""
        return int(self._conditions[1][condition, 1]) >= 0

    def check_condition(self, condition: int, fillers: Ints) -> NDArray[np.bool_]:
        """Return a mask of the fillers that satisfy the condition with the given number."""
        own, partner = self._conditions[1][condition].tolist()
        good = self.fits.check_fillers(own, fillers)
        counterpart = self.filling.counterpart
        if partner < 0 or counterpart is None:
            return good
        other, codes = counterpart.take(fillers), self.filling.form_codes
        good &= (other >= 0) & (codes.take(other) != codes.take(fillers))
        good &= self.fits.check_expected(own, fillers)
        good &= self.fits.check_fillers(partner, other) & self.fits.check_expected(partner, other)
        return good

    @property
    def pool_number(self) -> NDArray[np.int64]:
        """For each slot, the index of its pool in `distinct_pools`; -1 if its context is not selected."""
        return self._pools[0]

    @property
    def distinct_pools(self) -> list[Ints]:
        """Distinct pools of the slots; the last one is empty, for slots whose context is not selected."""
        return self._pools[1]

    @cached_property
    def _pools(self) -> tuple[NDArray[np.int64], list[Ints]]:
        chosen = np.isin(self.material.slot_context, self.places.contexts)
        conditions = len(self._conditions[1])
        keys = self.base_number[chosen] * conditions + self.condition[chosen]
        distinct, own = np.unique(keys, return_inverse=True)
        number = np.full(len(chosen), -1, dtype=np.int64)
        number[chosen] = own
        pools = []
        for base, condition in (divmod(key, conditions) for key in distinct.tolist()):
            fillers = self.base_fillers[base]
            good = self.check_condition(condition, fillers)
            pools.append(fillers if good.all() else fillers[good])
        return number, [*pools, self.fillers[:0]]

    def pool_of(self, slot: int) -> Ints:
        """Return the pool of a slot, or an empty array if the context of the slot is not selected."""
        return self.distinct_pools[int(self.pool_number[slot])]

    def pools(self, context: int) -> list[Ints]:
        """Return the pool of each slot of a context, in the order of the slots."""
        first = int(self.material.first_slot[context])
        return [self.pool_of(first + p) for p in range(int(self.material.templates.slot_counts[context]))]

    @cached_property
    def pool_sizes(self) -> NDArray[np.int64]:
        """Number of fillers that fit each slot."""
        return self._per_slot([len(pool) for pool in self.distinct_pools])

    @cached_property
    def form_counts(self) -> NDArray[np.int64]:
        """Number of different surface forms that fit each slot."""
        codes = self.filling.form_codes
        return self._per_slot(
            [int(np.count_nonzero(np.bincount(codes.take(pool)))) for pool in self.distinct_pools]
        )

    @property
    def needed_forms(self) -> NDArray[np.int64]:
        """Number of different forms that the pool of each slot needs so that the slot can be filled last.

        This is the number of slots in the sentence, or 1 if forms may be repeated. In catalogues with types,
        only slots whose pools have a form in common are counted (a disease never fits a slot for chemicals),
        except in sentences with appositives.
        """
        counts, context = self.material.templates.slot_counts.astype(np.int64), self.material.slot_context
        if not self.filling.distinct_forms:
            return np.minimum(counts, 1)[context]
        if "type" not in self.material.fillers:
            return counts[context]
        forms = [set(self.filling.form_codes.take(pool).tolist()) for pool in self.distinct_pools]
        shared = np.array([[not a.isdisjoint(b) for b in forms] for a in forms], dtype=bool)
        # each pair of slots of one sentence
        slot = np.repeat(np.arange(len(context)), counts[context])
        other = concatenate_ranges(self.material.first_slot[context], counts[context])
        competing = shared[self.pool_number[slot], self.pool_number[other]]
        need = np.maximum(np.bincount(slot, weights=competing, minlength=len(context)), 1).astype(np.int64)
        with_appositive = np.isin(context, context[self.entry_partner >= 0])
        return np.where(with_appositive, counts[context], need)

    def _per_slot(self, sizes: list[int]) -> NDArray[np.int64]:
        return np.array(sizes, dtype=np.int64)[self.pool_number]

    def slots_of(self, context: int) -> Ints:
        """Return the rows of the selected slots in a context."""
        begin = int(self.material.first_slot[context])
        end = begin + int(self.material.templates.slot_counts[context])
        first, last = np.searchsorted(self.places.slots, (begin, end)).tolist()
        return self.places.slots[first:last]

    def place_of(self, slot: int) -> int:
        """Return the position of a slot among the slots of its sentence, counted from 0."""
        return int(slot - self.material.first_slot[self.material.slot_context[slot]])

    def complete(self, slot: int, focus: Ints, extra_seed: int | None = None) -> NDArray[np.int32]:
        """Make one case per filler in `focus`: put this filler into `slot`, and fill the other slots."""
        context, place = int(self.material.slot_context[slot]), self.place_of(slot)
        pools, partners = self.pools(context), self.list_partners(context)
        return self.filling.complete(context, place, focus, pools, extra_seed, partners, self.same_entry)

    def enumerate_fillings(self, context: int, block: int) -> Iterator[NDArray[np.int32]]:
        """Generate all combinations of fillers for the slots of a context, in blocks of about `block` rows.

        The filler of the last slot changes fastest.
        """
        pools = self.pools(context)
        # first slot and its partner for each appositive of one entry
        leads = {
            p: o
            for p, o in self.list_partners(context, same_entry=True).items()
            if (not len(pools[p]), p) < (not len(pools[o]), o)
        }
        places = [p for p in range(len(pools)) if p not in leads.values()]

        def extend(rows: NDArray[np.int32], turn: int, done: list[int]) -> Iterator[NDArray[np.int32]]:
            if turn == len(places):
                yield rows
                return
            place = places[turn]
            pool = pools[place]
            done = [*done, place, *([leads[place]] if place in leads else [])]
            step = max(block // max(len(pool), 1), 1)
            for low in range(0, len(rows), step):
                some = np.repeat(rows[low : low + step], len(pool), axis=0)
                some[:, place] = np.tile(pool, len(rows[low : low + step]))
                if place in leads:
                    some[:, leads[place]] = self.filling.take_counterparts(some[:, place])
                some = some[self.filling.is_admitted(some[:, done])]
                if len(some):
                    yield from extend(some, turn + 1, done)

        yield from extend(np.empty((1, len(pools)), dtype=np.int32), 0, [])


def make_space(part: Part) -> CombinationSpace:
    """Make the combination space of a part.

    Raises
    ------
    InputError
        If a query is invalid or selects nothing, or if no selected entity fits any selected slot.
    """
    material, options = part.material, part.options
    fillers = select_fillers(material, options.entities, options.types)
    places = select_places(material, options.contexts, options.list_lengths)
    require_selection(places.contexts, "context", options.contexts)
    if len(places.slots):
        require_selection(fillers, "entity", options.entities)
    by_place: dict[int, Ints] = {}
    for place, query in options.slots.items():
        if not place.isdigit() or int(place) < 1:
            raise InputError(
                "invalid slot number (slots are numbered from 1)", found=place, allowed="1, 2, 3, …"
            )
        most = int(material.templates.slot_counts[places.contexts].max(initial=0))
        if int(place) > most:
            raise InputError(
                "no selected context has a slot with this number", found=place, allowed=f"1 to {most}"
            )
        chosen = select_fillers(material, query)
        require_selection(chosen, "entity", query)
        by_place[int(place) - 1] = chosen
    filling = SlotFilling(
        form_codes=material.form_code,
        seed=part.seed,
        part=part.number,
        distinct_forms=not options.repeat_forms,
        counterpart=None if options.appositives == "any" else material.compute_once(find_counterparts),
        organisms=material.compute_once(number_organisms) if options.fillers == "fitting" else None,
        genes=material.compute_once(number_genes) if not options.repeat_forms else None,
    )
    fits = material.fits if options.fillers == "fitting" else replace(material.fits, active=())
    own = options.appositives == "own"
    space = CombinationSpace(material, fillers, places, filling, fits, by_place, material.entry_partner, own)
    return drop_unfillable(space)


def drop_unfillable(space: CombinationSpace) -> CombinationSpace:
    """Remove the sentences whose slots cannot all be filled.

    Raises
    ------
    InputError
        If sentences with slots were selected but none can be filled; the message names the rule that
        excludes the fillers.
    """
    material = space.material
    slotted = space.slotted
    if not len(slotted):
        return space
    need, forms = space.needed_forms, space.form_counts.copy()
    paired = np.flatnonzero(space.entry_partner >= 0)
    need[paired[need[paired] == 2]] = 1
    # a slot with its own query may have few fillers
    need[space.base_number > 0] = 1
    # one name of an appositive determines the other; with further slots each needs an unused form
    pair_forms = np.stack([forms[paired], forms[space.entry_partner[paired]]])
    forms[paired] = np.where(need[paired] > 2, pair_forms.min(axis=0), pair_forms.max(axis=0))
    poor = forms < need
    lost = np.zeros(len(material.contexts), dtype=bool)
    lost[material.slot_context[poor]] = True
    left = slotted[~lost[slotted]]
    if not len(left):
        raise _explain_empty(space, np.flatnonzero(poor & np.isin(material.slot_context, slotted)))
    taken = space.places.slots
    taken = taken[~lost[material.slot_context[taken]] & (space.pool_sizes[taken] > 0)]
    if not len(taken):
        raise _explain_empty(space, space.places.slots.astype(np.int64))
    kept = np.isin(space.places.contexts, np.concatenate((space.slotless, material.slot_context[taken])))
    places = Places(space.places.contexts[kept], taken)
    left = slotted[np.isin(slotted, places.contexts)]
    if len(left) == len(slotted):
        # without a lost slot the cached properties of the space stay valid
        return space if len(taken) == len(space.places.slots) else replace(space, places=places)
    out = len(slotted) - len(left)
    note = f"{out} of {len(slotted)} sentences are not used: no selected entity fits one of their slots"
    return replace(space, places=places, notes=(*space.notes, note))


def _explain_empty(space: CombinationSpace, slots: NDArray[np.int64]) -> InputError:
    """Return the error for a space without usable sentences; it names the most restrictive rule."""
    broken: Counter[str] = Counter()
    for slot in slots.tolist():
        fillers = space.base_fillers[int(space.base_number[slot])]
        rule = space.fits.find_broken_rule(int(space.fits.slot_class[slot]), fillers)
        if not rule and space.entry_partner[slot] >= 0 and not space.pool_sizes[slot]:
            rule = "own"
        broken[rule] += 1
    worst = max(broken, key=lambda rule: (broken[rule], rule))
    extent = f"{broken[worst]} of {len(slots)} slots"
    if worst in RULES:
        return InputError(
            f"no selected entity fits {extent}: the rule {worst!r} excludes all entities ({RULES[worst]}); "
            "use wider queries, or set fillers = any"
        )
    if worst == "own":
        return InputError(
            f"appositives ({extent}) need a name and a symbol of the same entity, and no selected entity has "
            "both; use wider queries, or set appositives = any"
        )
    return make_forms_error(int(space.form_counts[slots].max(initial=0)))
