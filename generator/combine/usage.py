"""Counts of the uses of names and sentences in a sample, so that the least used ones are chosen first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..combination_space import CombinationSpace
from ..material import Ints
from .mixture import Mixture

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


class NameUses:
    """Number of uses of each form in a sample.

    Names are used in rounds: no form is used again until all have been used. Within a round, each group of
    names gets its share (see `Mixture`) until all its names have been used.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    rng : Generator
        Random generator that orders the names of a group.
    mixture : Mixture, optional
        Groups of names and their weights; if None, all names have equal weights.

    Attributes
    ----------
    count : array of int64
        Number of uses of each form, indexed by form code (see `SlotFilling.form_codes`).
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
        """Increase the number of uses of each given name by one."""
        np.add.at(self.count, self._codes[names], 1)

    def levels(self, names: Longs, *, with_counterpart: bool = False) -> Longs:
        """Return, for each name, the uses of its form plus the earlier occurrences of the form in `names`.

        If `with_counterpart` is True, the uses of the counterpart are returned if there are more of them.
        """
        level, unit = self.count[self._codes[names]], self._codes[names]
        if with_counterpart and self._counterpart is not None:
            brought = self._codes[self._counterpart[names]]
            level, unit = np.maximum(level, self.count[brought]), np.minimum(unit, brought)
        return level + _count_earlier(unit)

    def order_pool(self, pool: Ints, *, with_counterpart: bool = False) -> tuple[Longs, Longs]:
        """Return the names of a pool sorted by number of uses, and these numbers (see `levels`)."""
        inside = np.zeros(len(self._codes), dtype=bool)
        inside[pool] = True
        names = self._others[inside[self._others]]
        levels = self.levels(names, with_counterpart=with_counterpart)
        order = np.argsort(levels, kind="stable")
        return names[order], levels[order]

    def take_names(self, room: Longs, size: int, paired: NDArray[np.bool_]) -> tuple[Longs, Longs]:
        """Select the least used names, and count their new uses.

        Parameters
        ----------
        room : array of int64
            Maximum number of uses of each name.
        size : int
            Total number of uses; at most the sum of `room`.
        paired : array of bool
            True for names that fit only appositives whose two names belong to one entry.

        Returns
        -------
        array, array
            Different names, and the number of new uses of each.
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
    """Shuffle names and, if there are weights, mix the groups in proportion to their weights."""
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
    """Return, for each value, the number of equal values that precede it.

    Examples
    --------
    >>> _count_earlier(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.repeat(begins, np.diff(begins, append=len(values)))
    return found


BOUND_ROUNDS = 20
"""Maximum number of rounds in which weights of contexts are reduced."""


class SentenceUses:
    """Number of uses of each sentence in a sample.

    Parameters
    ----------
    space : CombinationSpace
        Combination space of the part.
    rng : Generator
        Random generator that orders sentences with equal numbers of uses.
    size : int
        Number of cases.
    often : array of float64, optional
        Weight of each context; if None, weights are equal. Contexts with a slot that few names fit are used
        less often, so that these names are not used more than others.
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
        """True for names that fit only appositives whose two names belong to one entry."""

    def count_accepting_slots(self, slots: Flags) -> Longs:
        """Return the number of slots in the mask `slots` that each name fits."""
        held = self._accepts @ np.bincount(self._pool[slots], minlength=self._accepts.shape[1])
        return self._by_name(held)

    def _by_name(self, values: Longs) -> Longs:
        return np.append(values, 0).astype(np.int64)[self._kind]

    def choose_slots(self, names: Longs, times: Longs, slots: Flags) -> tuple[Longs, Longs]:
        """Choose a different slot for each use of a name, beginning with the names that fit few slots.

        Parameters
        ----------
        names, times : array of int64
            Different names, and the number of uses of each. A name cannot have more uses than slots that it
            fits.
        slots : array of bool
            Mask of the selected slots that are available.

        Returns
        -------
        array, array
            For each use, the index of the slot among the selected slots, and the name.
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
            # the slots of a sentence alternate: one per use of the sentence
            turn = (turns + (place - turns) % many + self._phase[context]) / self._often[context]
            best = np.argpartition(turn, number - 1)[:number] if number < len(own) else np.arange(number)
            np.add.at(self._turns, context[best], 1)
            found.append(own[best])
        return np.concatenate(found), np.repeat(names[order], times[order])

    def _slots_of(self, kind: int, slots: Flags) -> tuple[Longs, Longs, Longs, Longs]:
        """Return the available slots that the names of one group fit.

        Returns
        -------
        array, array, array, array
            Index of each slot, its context, its number within the context, and the number of slots of the
            context.
        """
        own = np.flatnonzero(self._accepts[kind][self._pool] & slots)
        context = self._context[own]
        # slots are sorted by context
        _, first, which, many = np.unique(context, return_index=True, return_inverse=True, return_counts=True)
        return own, context, np.arange(len(own)) - first[which], many[which]


def _bound_weights(space: CombinationSpace, size: int, often: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lower the weights of contexts with slots that few names fit, to balance the use of names."""
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
    """Group names that fit the same slots.

    Returns two arrays: the group number of each name (-1 if it fits no slot), and a matrix (groups × pools)
    that is True if the names of a group belong to a pool.
    """
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
