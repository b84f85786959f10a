"""Mentions in the texts that were sent, and how each case fared: what parsing a tagger's output gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..inputs.cases import Places

Parts = NDArray[np.int64]
"""Rows of a mention's place, start and end: the fragments of discontinuous mentions."""

IDENTICAL, WHITESPACE, CANONICAL, ALIGNED = range(4)
WAYS = ("identical", "whitespace", "canonical", "aligned")
EXACT, CHANGED, AMBIGUOUS, INVENTED = range(4)
STATUSES = ("exact", "changed", "ambiguous", "invented")
"""What can be said of a string's place, of a form without offsets."""


def no_parts() -> Parts:
    """No fragments at all."""
    return np.zeros((0, 3), dtype=np.int64)


def coded(words: Iterable[str]) -> tuple[NDArray[np.int32], list[str]]:
    """The place of each word among the distinct words, and these in the order in which they come."""
    places: dict[str, int] = {}
    codes = np.array([places.setdefault(word, len(places)) for word in words], dtype=np.int32)
    return codes, list(places)


def parts_of(parts: Parts, kept: NDArray[np.bool_]) -> Parts:
    """The fragments of those mentions that are kept, under their new places."""
    if not len(parts):
        return parts
    mine = parts[kept[parts[:, 0]]]
    return np.column_stack(((np.cumsum(kept) - 1)[mine[:, 0]], mine[:, 1:]))


@dataclass
class Strings:
    """Strings that a tagger answered in place of offsets: a row for each place of each.

    Attributes
    ----------
    case, start, end : arrays of int64
        As in `Placed`; start and end are -1 where a string stands nowhere.
    type : array of int32
        Place in the types of its `Placed`.
    score : array of float64
    status : array of int8
        Place in `STATUSES`.
    text : list of str
        The string itself.
    stripped : array of int64
        Cases in whose answers something stood around the strings, or a string was empty.
    """

    case: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    score: NDArray[np.float64]
    status: NDArray[np.int8]
    text: list[str]
    stripped: Places

    def only(self, kept: NDArray[np.bool_]) -> Strings:
        """The same with some rows alone."""
        if kept.all():
            return self
        return self._take(np.flatnonzero(kept))

    def _take(self, rows: Places) -> Strings:
        return Strings(
            self.case[rows],
            self.start[rows],
            self.end[rows],
            self.type[rows],
            self.score[rows],
            self.status[rows],
            [self.text[i] for i in rows.tolist()],
            self.stripped,
        )

    def mentions(self, placed: Placed) -> Places:
        """The row of each string among the mentions that it became, which are sorted; -1 where it is none."""
        if not len(self.case) or not len(placed.case):
            return np.full(len(self.case), -1, dtype=np.int64)
        # rows × (case, start, end, type), the mentions' rows first; equal rows get one number
        ours, theirs = (
            np.stack((one.case, one.start, one.end, one.type.astype(np.int64)), axis=1)
            for one in (placed, self)
        )
        _, same = np.unique(np.concatenate((ours, theirs)), axis=0, return_inverse=True)
        same = same.ravel()
        kept, asked = same[: len(ours)], same[len(ours) :]
        size = int(same.max()) + 1
        first = np.full(size, -1, dtype=np.int64)
        first[kept[::-1]] = np.arange(len(ours))[::-1]
        copies = np.bincount(kept, minlength=size)
        # the n-th of equal strings, by score as mentions are, is the n-th of equal mentions
        order = np.lexsort((self.score, asked))
        begins = np.searchsorted(asked[order], asked[order])
        nth = np.empty(len(asked), dtype=np.int64)
        nth[order] = np.arange(len(asked)) - begins
        return np.where(first[asked] >= 0, first[asked] + np.minimum(nth, copies[asked] - 1), -1)

    def once(self) -> Strings:
        """The same with equal strings of a case and type that stand nowhere made one."""
        seen: set[tuple[int, int, str]] = set()
        kept = np.ones(len(self.case), dtype=bool)
        for i in np.flatnonzero(self.status == INVENTED).tolist():
            own = (int(self.case[i]), int(self.type[i]), self.text[i])
            kept[i] = own not in seen
            seen.add(own)
        return self.only(kept)

    def in_order(self) -> Strings:
        """The same by case, and within a case as they were answered."""
        return self._take(np.argsort(self.case, kind="stable"))

    def at(self, places: Places, codes: NDArray[np.int32]) -> Strings:
        """The same by the cases' places and the types' codes in a larger batch."""
        kind = codes[self.type] if len(codes) else self.type
        return replace(self, case=places[self.case], type=kind, stripped=places[self.stripped])

    @classmethod
    def join(cls, parts: Sequence[Strings]) -> Strings:
        """Several one after another."""
        return cls(
            np.concatenate([part.case for part in parts]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.type for part in parts]),
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.status for part in parts]),
            [word for part in parts for word in part.text],
            np.concatenate([part.stripped for part in parts]),
        )


@dataclass
class Placed:
    """Mentions in the texts that were sent, and how each case fared.

    Attributes
    ----------
    case : array of int64
        Place of each mention's case in the batch.
    start, end : arrays of int64
        Code points into the case's text; of a discontinuous mention the hull.
    type : array of int32
        Place in `types`.
    types : list of str
        The tagger's own types.
    score : array of float64
    way : array of int8
        How each case was placed (a place in `WAYS`); -1 where it was not.
    unplaced : array of int32
        Mentions of each case that have no place.
    fault : dict of int to str
        Cases whose record is there and cannot be used: ``garbage``, ``encoding``, ``duplicate``.
    strays : int
        Records that belong to no case.
    doubtful : int
        Records that may be some unanswered case's, which nothing but their order says.
    parts : array of int64
        The fragments of discontinuous mentions.
    what : dict of int to str
        What was found in records that cannot be used, where a parser can say it.
    noise : str
        What was found in the first of the `strays` that could not be read.
    strings : Strings or None
        What was answered, of a form without offsets.
    """

    case: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    types: list[str]
    score: NDArray[np.float64]
    way: NDArray[np.int8]
    unplaced: NDArray[np.int32]
    fault: dict[int, str] = field(default_factory=dict)
    strays: int = 0
    doubtful: int = 0
    parts: Parts = field(default_factory=no_parts)
    what: dict[int, str] = field(default_factory=dict)
    noise: str = ""
    strings: Strings | None = None

    @classmethod
    def nothing(cls, count: int) -> Placed:
        """No mention in some cases, none of which is answered."""
        none = np.zeros(0, np.int64)
        way, unplaced = np.full(count, -1, dtype=np.int8), np.zeros(count, dtype=np.int32)
        return cls(none, none, none, none.astype(np.int32), [], np.zeros(0), way, unplaced)

    def of_cases(self, kept: NDArray[np.bool_]) -> Placed:
        """The same with what was found in some of the cases alone."""
        found, strings = self.only(kept[self.case]), self.strings
        if strings is None:
            return found
        stripped = strings.stripped[kept[strings.stripped]]
        return replace(found, strings=replace(strings.only(kept[strings.case]), stripped=stripped))

    def only(self, kept: NDArray[np.bool_]) -> Placed:
        """The same with those mentions alone that are kept."""
        if kept.all():
            return self
        return replace(
            self,
            case=self.case[kept],
            start=self.start[kept],
            end=self.end[kept],
            type=self.type[kept],
            score=self.score[kept],
            parts=parts_of(self.parts, kept),
        )

    def take(self, order: Places) -> Placed:
        """The same with all mentions in another order."""
        parts = self.parts
        if len(parts):
            # where each mention stands now
            new = np.empty(len(order), dtype=np.int64)
            new[order] = np.arange(len(order))
            parts = np.column_stack((new[parts[:, 0]], parts[:, 1:]))
            parts = parts[np.lexsort((parts[:, 1], parts[:, 0]))]
        return replace(
            self,
            case=self.case[order],
            start=self.start[order],
            end=self.end[order],
            type=self.type[order],
            score=self.score[order],
            parts=parts,
        )


def join(found: Sequence[tuple[Places, Placed]], count: int) -> Placed:
    """Results of some cases each, by their places in a batch, as results of the whole batch."""
    if len(found) == 1 and np.array_equal(found[0][0], np.arange(count)):
        return found[0][1]
    types: dict[str, int] = {}
    whole = Placed.nothing(count)
    columns: list[tuple[Places, Places, Places, NDArray[np.int32], NDArray[np.float64]]] = []
    parts: list[Parts] = []
    strings: list[Strings] = []
    before = 0
    for places, one in found:
        whole.way[places] = one.way
        whole.unplaced[places] = one.unplaced
        whole.fault |= {int(places[c]): fault for c, fault in one.fault.items()}
        whole.what |= {int(places[c]): what for c, what in one.what.items()}
        whole.noise = whole.noise or one.noise
        whole.strays += one.strays
        whole.doubtful += one.doubtful
        codes = np.zeros(0, np.int32)
        if one.strings is not None or len(one.case):
            codes = np.array([types.setdefault(t, len(types)) for t in one.types], dtype=np.int32)
        if one.strings is not None:
            strings.append(one.strings.at(places, codes))
        if len(one.case):
            columns.append((places[one.case], one.start, one.end, codes[one.type], one.score))
            if len(one.parts):
                parts.append(one.parts + np.array([before, 0, 0]))
            before += len(one.case)
    if columns:
        whole.case, whole.start, whole.end, whole.type, whole.score = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
    whole.types = list(types)
    whole.parts = np.concatenate(parts) if parts else no_parts()
    whole.strings = Strings.join(strings) if strings else None
    return whole


class Joining:
    """Results of single cases, put together as they come so that many of them take no more room than one.

    Parameters
    ----------
    count : int
        Cases of the batch.
    """

    FEW = 1024
    """Results that wait until they are put together."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting: list[tuple[Places, Placed]] = []
        self._joined: list[tuple[Places, Placed]] = []

    def add(self, places: Places, placed: Placed) -> None:
        """Add the results of the cases at some places."""
        self._waiting.append((places, placed))
        if len(self._waiting) >= self.FEW:
            sizes = np.cumsum([0, *(len(p) for p, _ in self._waiting)])
            own = [
                (np.arange(low, high), one)
                for (_, one), low, high in zip(self._waiting, sizes, sizes[1:], strict=False)
            ]
            self._joined.append((np.concatenate([p for p, _ in self._waiting]), join(own, int(sizes[-1]))))
            self._waiting = []

    def add_one(self, place: int, placed: Placed) -> None:
        """Add the result of the case at a place."""
        self.add(np.array([place], dtype=np.int64), placed)

    def result(self) -> Placed:
        """All that was added, as results of the whole batch."""
        return join([*self._joined, *self._waiting], self._count)
