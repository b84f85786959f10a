"""How often names and sentences were used in a sample, and which come next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..combination_space import CombinationSpace
from ..material import Ints
from .mixture import Mixture

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


class NameUses:
    """Uses of each form in a sample.

    Names are taken in rounds: each form once before any is taken again. Within a round they come in an order
    in which each sort of names has its share (`Mixture`), as long as there are names of that sort.

    Parameters
    ----------
    space : CombinationSpace
        What is combined.
    rng : Generator
        Decides between names of the same sort.
    mixture : Mixture, optional
        Sorts of names and their weights; all names alike when None.

    Attributes
    ----------
    count : array of int64
        How often each form (by its number in `SlotFilling.codes`) was used.
    """

    def __init__(
        self, space: CombinationSpace, rng: np.random.Generator, mixture: Mixture | None = None
    ) -> None:
        self._codes = space.filling.form_codes.astype(np.int64)
        self._counterpart = space.filling.counterpart
        self.count = np.zeros(int(self._codes.max(initial=-1)) + 1, dtype=np.int64)
        names = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *space.distinct_pools])).astype(
            np.int64
        )
        self._first = _shuffle_names(names, rng, mixture, None if mixture is None else mixture.weights)
        self._others = _shuffle_names(names, rng, mixture, None if mixture is None else mixture.other_weights)

    def add(self, names: Ints | Longs) -> None:
        """Count a use of each of some names."""
        np.add.at(self.count, self._codes[names], 1)

    def levels(self, names: Longs, *, with_counterpart: bool = False) -> Longs:
        """How many uses each of some names has to wait for: those of its form, and of earlier copies of it.

        With `with_counterpart` the uses of the other form of its entry, which it brings along, count as well.
        """
        level, unit = self.count[self._codes[names]], self._codes[names]
        if with_counterpart and self._counterpart is not None:
            brought = self._codes[self._counterpart[names]]
            level, unit = np.maximum(level, self.count[brought]), np.minimum(unit, brought)
        return level + _count_earlier(unit)

    def order_pool(self, pool: Ints, *, with_counterpart: bool = False) -> tuple[Longs, Longs]:
        """The names of a pool for another slot of a sentence, the least used first, and their `levels`."""
        inside = np.zeros(len(self._codes), dtype=bool)
        inside[pool] = True
        names = self._others[inside[self._others]]
        levels = self.levels(names, with_counterpart=with_counterpart)
        order = np.argsort(levels, kind="stable")
        return names[order], levels[order]

    def take_names(self, room: Longs, size: int, paired: NDArray[np.bool_]) -> tuple[Longs, Longs]:
        """Take names, the least used first, and count them.

        Parameters
        ----------
        room : array of int64
            How often each name can be used at most.
        size : int
            How many; no more than there is room for.
        paired : array of bool
            Which names bring the other form of their entry along wherever they can stand.

        Returns
        -------
        array, array
            Different names, and how often each is used.
        """
        names = self._first[room[self._first] > 0]
        times = np.zeros(len(self._codes), dtype=np.int64)
        while size:
            names = names[times[names] < room[names]]
            levels = self.levels(names)
            mates = np.flatnonzero(paired[names])
            if len(mates):
                levels[mates] = self.levels(names[mates], with_counterpart=True)
            taken = names[levels == levels.min()][:size]
            times[taken] += 1
            self.add(taken)
            size -= len(taken)
        found = np.flatnonzero(times)
        return found, times[found]


def _shuffle_names(
    names: Longs, rng: np.random.Generator, mixture: Mixture | None, weights: NDArray[np.float64] | None
) -> Longs:
    """Names in random order; with weights, the first N of them have each sort's share for every N."""
    names = rng.permutation(names)
    if mixture is None or weights is None:
        return names
    sort = mixture.group[names]
    start = rng.random(int(mixture.group.max(initial=0)) + 1)
    share = np.bincount(sort, weights=weights[names])[sort]
    with np.errstate(divide="ignore"):
        turn = (_count_earlier(sort) + start[sort]) / share
    return names[np.argsort(turn, kind="stable")]


def _count_earlier(values: Longs) -> Longs:
    """For each value how many equal ones stand before it.

    Examples
    --------
    >>> _earlier(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.repeat(begins, np.diff(begins, append=len(values)))
    return found


BOUND_ROUNDS = 20
"""Of bounding how often sentences are taken."""


class SentenceUses:
    """How often each sentence was taken.

    Parameters
    ----------
    space : CombinationSpace
        What is combined.
    rng : Generator
        Decides between sentences that were taken equally often.
    size : int
        How many cases there will be.
    often : array of float64, optional
        How often each context is taken, relative to the others; all equally often when None. Contexts with a
        slot that few names fit are taken less often, so that these names are not used more than others.
    """

    def __init__(
        self,
        space: CombinationSpace,
        rng: np.random.Generator,
        size: int,
        often: NDArray[np.float64] | None = None,
    ) -> None:
        number = len(space.material.contexts)
        self._pool = space.pool_number[space.places.slots]
        self._context = space.material.slot_context[space.places.slots].astype(np.int64)
        self._often = _bound_weights(space, size, np.ones(number) if often is None else often)
        self._phase = rng.random(number)
        self._turns = np.zeros(number, dtype=np.int64)
        self._kind, self._accepts = _group_by_slots(space, rng)
        partnered = space.entry_partner[space.places.slots] >= 0
        free = self._accepts @ np.bincount(self._pool[~partnered], minlength=self._accepts.shape[1])
        self.needs_partner: Flags = (self._kind >= 0) & (self._by_name(free) == 0)
        """Which names can stand in appositions of one entry's names only."""

    def count_accepting_slots(self, slots: Flags) -> Longs:
        """How many of some of the chosen slots accept each name."""
        held = self._accepts @ np.bincount(self._pool[slots], minlength=self._accepts.shape[1])
        return self._by_name(held)

    def _by_name(self, values: Longs) -> Longs:
        """Return for each name the value of its kind; 0 for a name that fits no slot."""
        return np.append(values, 0).astype(np.int64)[self._kind]

    def choose_slots(self, names: Longs, times: Longs, slots: Flags) -> tuple[Longs, Longs]:
        """Take a different slot for each use of some names; those that few slots accept choose first.

        Parameters
        ----------
        names, times : array of int64
            Different names, and how often each is used: no more often than slots accept it.
        slots : array of bool
            Which of the chosen slots there are.

        Returns
        -------
        array, array
            For each use the number of the slot among the chosen ones, and the name.
        """
        known: dict[int, tuple[Longs, Longs, Longs, Longs]] = {}
        found: list[Longs] = []
        kinds = self._kind[names]
        order = np.lexsort((names, self.count_accepting_slots(slots)[names]))
        for kind, number in zip(kinds[order].tolist(), times[order].tolist(), strict=True):
            if kind not in known:
                known[kind] = self._slots_of(kind, slots)
            own, context, place, many = known[kind]
            turns = self._turns[context]
            # the slots of a sentence take turns: the next one now, the others when it comes up again
            turn = (turns + (place - turns) % many + self._phase[context]) / self._often[context]
            best = np.argpartition(turn, number - 1)[:number] if number < len(own) else np.arange(number)
            np.add.at(self._turns, context[best], 1)
            found.append(own[best])
        return np.concatenate(found), np.repeat(names[order], times[order])

    def _slots_of(self, kind: int, slots: Flags) -> tuple[Longs, Longs, Longs, Longs]:
        """The slots for names of a kind: their numbers, contexts, place in and number per context."""
        own = np.flatnonzero(self._accepts[kind][self._pool] & slots)
        context = self._context[own]
        # slots are sorted by context
        _, first, which, many = np.unique(context, return_index=True, return_inverse=True, return_counts=True)
        return own, context, np.arange(len(own)) - first[which], many[which]


def _bound_weights(space: CombinationSpace, size: int, often: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each context is taken, so that names are used equally often whatever slots they fit."""
    material = space.material
    slots = np.flatnonzero(np.isin(material.slot_context, space.slotted) & (space.form_counts > 0))
    context, pool, forms = material.slot_context[slots], space.pool_number[slots], space.form_counts[slots]
    if not len(slots):
        return often
    usable = np.concatenate([space.distinct_pools[p] for p in np.unique(pool).tolist()])
    names = np.count_nonzero(np.bincount(space.filling.form_codes[usable]))
    often = often.copy()
    for _ in range(BOUND_ROUNDS):
        wanted = np.bincount(pool, weights=size * often[context] / often[space.slotted].sum())
        level = max(1.0, wanted.sum() / names)
        bound = np.ones(len(often))
        np.minimum.at(bound, context, forms * level / np.maximum(wanted[pool], np.finfo(float).tiny))
        if bound.min() > 0.99:
            break
        often *= bound
    return often


def _group_by_slots(space: CombinationSpace, rng: np.random.Generator) -> tuple[Longs, Flags]:
    """For each name a number that names share which fit the same slots (-1 for none); kinds × pools."""
    signature = np.zeros(len(space.filling.form_codes), dtype=np.uint64)
    chosen = np.unique(space.pool_number[space.places.slots]).tolist()
    marks = rng.integers(1, 1 << 63, size=len(space.distinct_pools), dtype=np.uint64)
    for pool in chosen:
        signature[space.distinct_pools[pool]] ^= marks[pool]
    fitting = np.flatnonzero(signature)
    _, first, which = np.unique(signature[fitting], return_index=True, return_inverse=True)
    kind = np.full(len(signature), -1, dtype=np.int64)
    kind[fitting] = which
    accepts = np.zeros((len(first), len(space.distinct_pools)), dtype=bool)
    for pool in chosen:
        accepts[:, pool] = np.isin(fitting[first], space.distinct_pools[pool])
    return kind, accepts
