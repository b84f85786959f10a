"""How many ways there are to fill slots with different forms, without listing them.

A name in apposition brings the other name of its entry. Forms that may come together so are linked, and what
hangs together by links is a component. Of a component it is counted, form by form, in how many ways each set
of slots can be filled from it. Such counts are functions of sets; those of several components multiply by
convolution over the parts of a set, so their logarithms add up: each sort of component needs one, times how
many there are of it. Neither the logarithm of a function that is 1 at the empty set nor its exponential
divides by anything: all numbers are whole, of any size.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .material import Ints

Numbers = NDArray[np.int64]
Link = tuple[int, int, int]
"""Two forms of a component, by their places in it, and the number of the slot that takes both."""
Sort = tuple[tuple[int, ...], tuple[Link, ...]]
"""A component: the number of each form's profile, and the links, one for each name that makes one."""


def count_fillings(codes: Ints, free: Sequence[Ints], linked: Sequence[tuple[Ints, Ints]] = ()) -> int:
    """Count the ways to fill slots with fillers of different forms.

    Parameters
    ----------
    codes : array of int32
        For each filler a number that equal forms share.
    free : sequence of arrays
        For each slot that is filled by itself, what may stand there.
    linked : sequence of pairs of arrays
        For each slot that brings its partner's filler, what may stand there, and beside each of these.

    Examples
    --------
    >>> first, second = np.array([0, 1]), np.array([2, 3])
    >>> count_fillings(np.arange(4), [np.arange(4)], [(first, second)])
    4
    """
    size = int(codes.max()) + 1 if len(codes) else 0
    # codes × free slots: how many fillers of a slot have the code
    alone = np.zeros((size, len(free)), dtype=np.int64)
    for slot, pool in enumerate(free):
        alone[:, slot] = np.bincount(codes[pool], minlength=size)
    # links × (code, code beside it, slot); slots that bring others are numbered after the free ones
    parts = [
        np.stack((codes[own], codes[other], np.full(len(own), slot)), axis=1).astype(np.int64)
        for slot, (own, other) in enumerate(linked, start=len(free))
    ]
    links = np.concatenate((np.empty((0, 3), dtype=np.int64), *parts))
    # the codes that any slot takes, numbered anew
    held: NDArray[np.bool_] = np.asarray(alone.any(axis=1))
    held[links[:, :2]] = True
    links[:, :2] = (np.cumsum(held) - 1)[links[:, :2]]
    profiles, sorts = _components(alone[held], links)
    functions = [_ways(sort, profiles) for sort in sorts]
    return _exponential(_logarithm(functions, list(sorts.values()), len(free) + len(linked)))


def _components(alone: Numbers, links: Numbers) -> tuple[list[list[int]], Counter[Sort]]:
    """What codes have in free slots, each profile once; and how many components there are of each sort."""
    # codes: the number of the profile, and whether there are links
    profile = np.zeros(len(alone), dtype=np.int64)
    for column in alone.T:
        profile = np.unique(profile * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    _, first = np.unique(profile, return_index=True)
    held = np.bincount(links[:, :2].reshape(-1), minlength=len(alone)) > 0
    apart = np.bincount(profile[~held], minlength=len(first))
    found: Counter[Sort] = Counter({((p,), ()): int(apart[p]) for p in np.flatnonzero(apart).tolist()})
    if not len(links):
        return alone[first].tolist(), found
    shape = (len(alone), len(alone))
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=shape)
    _, component = connected_components(graph, directed=False)
    # linked codes by component, within it by profile; where those of each component begin; their places in it
    order = np.flatnonzero(held)
    order = order[np.lexsort((profile[order], component[order]))]
    begin = np.flatnonzero(np.diff(component[order], prepend=-1))
    place = np.empty(len(alone), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.repeat(begin, np.diff(begin, append=len(order)))
    # links × (place, greater place, slot), by component as the codes are, within it sorted
    ends = np.sort(place[links[:, :2]], axis=1)
    rows = np.column_stack((ends, links[:, 2]))
    of = component[links[:, 0]]
    by_component = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0], of))
    rows, of = rows[by_component], of[by_component]
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    # two components are of one sort where their forms' profiles and their links are the same numbers
    alike: Counter[tuple[bytes, bytes]] = Counter(
        (own.tobytes(), between.tobytes())
        for own, between in zip(np.split(profile[order], begin[1:]), np.split(rows, starts[1:]), strict=True)
    )
    for (own, between), times in alike.items():
        inner = np.frombuffer(between, dtype=np.int64).reshape(-1, 3).tolist()
        sort = (tuple(np.frombuffer(own, dtype=np.int64).tolist()), tuple((a, b, s) for a, b, s in inner))
        found[sort] += times
    return alone[first].tolist(), found


def _ways(sort: Sort, profiles: Sequence[Sequence[int]]) -> dict[int, int]:
    """In how many ways a component fills each set of slots (as bits), for those that it can fill.

    Its forms are gone through along the links. What is remembered is which slots are filled, and which forms
    that still have links to come are not taken.
    """
    own, links = sort
    near: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for one, other, slot in links:
        near[one].append((other, 1 << slot))
        near[other].append((one, 1 << slot))
    turn = {form: number for number, form in enumerate(_walk(near))}
    last = {form: max((turn[other] for other, _ in near[form]), default=0) for form in turn}
    ways, kept = {(0, 0): 1}, 0
    for form, number in turn.items():
        alone = [(1 << slot, times) for slot, times in enumerate(profiles[own[form]]) if times]
        before = [(1 << other, slot) for other, slot in near[form] if turn[other] < number]
        kept |= 1 << form
        for done in (form, *(other for other, _ in near[form])):
            if last[done] <= number:
                kept &= ~(1 << done)
        grown: dict[tuple[int, int], int] = defaultdict(int)
        for (filled, left), count in ways.items():
            grown[filled, (left | 1 << form) & kept] += count
            for slot, times in alone:
                if not filled & slot:
                    grown[filled | slot, left & kept] += count * times
            for other, slot in before:
                if left & other and not filled & slot:
                    grown[filled | slot, left & ~other & kept] += count
        ways = grown
    return {filled: count for (filled, _), count in ways.items()}


def _walk(near: Mapping[int, Sequence[tuple[int, int]]]) -> list[int]:
    """The forms of a component, depth first, so that few forms have links to come at any time."""
    found: dict[int, None] = {}
    stack = [0]
    while stack:
        form = stack.pop()
        if form not in found:
            found[form] = None
            stack += [other for other, _ in near.get(form, ())]
    return list(found)


def _logarithm(functions: Sequence[Mapping[int, int]], times: Sequence[int], slots: int) -> list[int]:
    """For each set of slots, the logarithm of the convolution of functions, each as often as told."""
    weight = np.array(times, dtype=object)
    # for each set that any function fills: functions, of which values; whole numbers of any size
    given = {
        filled: np.array([f.get(filled, 0) for f in functions], dtype=object)
        for filled in sorted({filled for f in functions for filled in f if filled})
    }
    zero = np.zeros(len(functions), dtype=object)
    own = [zero]
    for chosen in range(1, 1 << slots):
        rest = chosen & (chosen - 1)
        value = given.get(chosen, zero)
        for part, values in given.items():
            if part & rest == part:
                value = value - own[chosen ^ part] * values
        own.append(value)
    return [int((value * weight).sum()) for value in own]


def _exponential(logarithm: Sequence[int]) -> int:
    """The function that has a logarithm, at the set of all slots."""
    ways = [1]
    for chosen in range(1, len(logarithm)):
        rest = part = chosen & (chosen - 1)
        total = logarithm[chosen ^ rest] * ways[rest]
        while part:
            # the first slot of the set, and of the others those that are not in `part`
            part = (part - 1) & rest
            total += logarithm[chosen ^ part] * ways[part]
        ways.append(total)
    return ways[-1]
