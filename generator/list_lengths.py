"""Versions of list contexts (*A, B and C*) that have more or fewer list members."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..sentences.contexts import Contexts, build_contexts
from ..sentences.contexts_xml import SLOT_MARK, ContextEntry
from ..sentences.words import read_word_list
from .material import LIST_MEMBERS

MIN_MEMBERS, MAX_MEMBERS = 2, 200


def add_list_lengths(contexts: Contexts, lengths: Sequence[int]) -> Contexts:
    """Add versions of the list contexts, one for each of the given numbers of list members.

    A list is a sequence of slots for its first, middle and last members. It is lengthened by adding commas
    and slots after the first member (*A and B* becomes *A, B and C*), and shortened by removing middle
    members. In a list with slashes, slashes are added instead of commas. Sentences that state the number of
    members get no other versions (see `has_stated_number`). Context and slot features are computed for the
    new versions.

    Raises
    ------
    InputError
        If a length is not between 2 and 200.
    """
    wrong = [n for n in lengths if not MIN_MEMBERS <= n <= MAX_MEMBERS]
    if wrong:
        raise InputError(
            "invalid list length", found=str(wrong[0]), allowed=f"{MIN_MEMBERS} to {MAX_MEMBERS}"
        )
    if not lengths:
        return contexts
    made: list[ContextEntry] = []
    members: list[int] = []
    for entry, run in _find_lists(contexts):
        if has_stated_number(entry.template):
            continue
        for length in dict.fromkeys(lengths):
            if length != run[1] - run[0]:
                made.append(_resize_list(entry, run, length))
                members.append(length)
    if not made:
        return contexts
    built = build_contexts(made)
    frame = pd.concat(
        [contexts.contexts.assign(**{LIST_MEMBERS: 0}), built.contexts.assign(**{LIST_MEMBERS: members})],
        ignore_index=True,
    )
    frame[LIST_MEMBERS] = frame[LIST_MEMBERS].astype(np.int32)
    slots = pd.concat([contexts.slots, built.slots], ignore_index=True)
    return replace(contexts, contexts=frame, slots=slots, entries=(*contexts.entries, *built.entries))


def has_stated_number(template: str) -> bool:
    """Return True if the text of a template seems to say how many items its list has.

    Examples
    --------
    >>> has_stated_number("<>, <>, <>: three genes with similar profiles.")
    True
    >>> has_stated_number("<> and <> grew.")
    False
    """
    return not read_word_list("list_counts").isdisjoint(re.findall(r"[a-z]+", template.lower()))


def note_fixed_lists(contexts: Contexts, lengths: Sequence[int]) -> str:
    """Return a note on the list contexts that state their number of members; "" if `lengths` is empty."""
    if not lengths:
        return ""
    stated = [has_stated_number(entry.template) for entry, _ in _find_lists(contexts)]
    extent = f"{sum(stated)} of {len(stated)} list contexts"
    return f"{extent} state the number of members (both, three genes) and keep their length"


def _find_lists(contexts: Contexts) -> Iterator[tuple[ContextEntry, tuple[int, int]]]:
    """Yield each context that contains a list, with the half-open range of slots in this list."""
    rows_of = contexts.slots.groupby("context_id", sort=False).indices
    positions = contexts.slots["list_position"].astype("str").to_numpy(dtype=object)
    for entry in contexts.entries:
        run = _find_list(positions[rows_of[entry.id]].tolist()) if entry.id in rows_of else None
        if run is not None:
            yield entry, run


def _find_list(places: list[str]) -> tuple[int, int] | None:
    """Return the half-open range of slots in the first list of a sentence; None if there is no list."""
    if "first" not in places:
        return None
    begin = places.index("first")
    end = begin + 1
    while end < len(places) and places[end] == "middle":
        end += 1
    return (begin, end + 1) if end < len(places) and places[end] == "last" else None


def _resize_list(entry: ContextEntry, run: tuple[int, int], length: int) -> ContextEntry:
    pieces = entry.template.split(SLOT_MARK)
    begin, end = run
    between = pieces[begin + 1 : end]
    short = "/" if between[0].strip() == "/" else ", "
    comma = between[0] if len(between) > 1 else short
    links = [comma] * (length - 2) + [between[-1]]
    slots = list(entry.slots)
    middle = slots[begin + 1 : begin + 2] if end - begin > 2 else [{}]
    template = SLOT_MARK.join([*pieces[: begin + 1], *links, *pieces[end:]])
    return ContextEntry(
        id=f"{entry.id}~{length}",
        type=entry.type,
        template=template,
        stored={k: v for k, v in entry.stored.items() if k.startswith(("source", "original"))},
        slots=(*slots[: begin + 1], *(middle * (length - 2)), *slots[end - 1 :]),
    )
