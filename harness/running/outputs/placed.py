"""Mentions in the texts that were sent, and how each case fared: what parsing a tagger's output gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

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


DUPLICATE = "more than one record"
ENCODING = "not in the declared encoding"
"""Why a record cannot be used."""


def no_parts() -> Parts:
    """No fragments at all."""
    return np.zeros((0, 3), dtype=np.int64)


def coded(words: Iterable[str]) -> tuple[NDArray[np.int32], list[str]]:
    """The place of each word among the distinct words, and these in the order in which they come."""
    places: dict[str, int] = {}
    codes = np.array([places.setdefault(word, len(places)) for word in words], dtype=np.int32)
    return codes, list(places)


@dataclass
class Rows:
    """Columns of one entry a mention.

    Attributes
    ----------
    case : array of int64
        Place of each mention's case in the batch.
    start, end : arrays of int64
        Code points into the case's text; of a discontinuous mention the hull.
    type : array of int32
        Place in the types of a `Placed`.
    score : array of float64
    identifiers : array of str
        ``AUTHORITY:ID`` or ``ID``, several joined by ``|``; empty where the tagger gives none.
    """

    case: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    score: NDArray[np.float64]
    identifiers: NDArray[np.object_]

    def take(self, rows: Places) -> Self:
        """The same with some rows, in their order."""
        own = {name: getattr(self, name)[rows] for name in COLUMNS}
        return replace(self, **own)

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """The same with those rows alone that are kept."""
        return self if kept.all() else self.take(np.flatnonzero(kept))


COLUMNS = tuple(column.name for column in fields(Rows))


def columns_of(parts: Sequence[Rows]) -> dict[str, Any]:
    """The columns of several, one after another."""
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}


@dataclass
class Strings(Rows):
    """Strings that a tagger answered in place of offsets: a row for each place of each.

    Start and end are -1 where a string stands nowhere.

    Attributes
    ----------
    status : array of int8
        Place in `STATUSES`.
    text : list of str
        The string itself.
    stripped : array of int64
        Cases in whose answers something stood around the strings, or a string was empty.
    """

    status: NDArray[np.int8]
    text: list[str]
    stripped: Places

    def take(self, rows: Places) -> Strings:
        """The same with some rows, in their order."""
        taken = super().take(rows)
        return replace(taken, status=self.status[rows], text=[self.text[i] for i in rows.tolist()])

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
        return self.take(np.argsort(self.case, kind="stable"))

    @classmethod
    def join(cls, parts: Sequence[Strings]) -> Strings:
        """Several one after another."""
        return cls(
            **columns_of(parts),
            status=np.concatenate([part.status for part in parts]),
            text=[word for part in parts for word in part.text],
            stripped=np.concatenate([part.stripped for part in parts]),
        )


@dataclass
class Placed(Rows):
    """Mentions in the texts that were sent, and how each case fared.

    Attributes
    ----------
    types : list of str
        The tagger's own types.
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
    tokens : array (cases, 2) or None
        What a model read and wrote for each case, where the output says it; NaN where it does not.
    replies : dict of int to str
        The beginning of what the tagger answered to cases, as far as replies are kept.
    undeclared : Counter
        Tags in refused records that the specification does not list.
    is_silent : bool
        Whether nothing at all was printed.
    """

    types: list[str]
    way: NDArray[np.int8]
    unplaced: NDArray[np.int32]
    fault: dict[int, str] = field(default_factory=dict)
    strays: int = 0
    doubtful: int = 0
    parts: Parts = field(default_factory=no_parts)
    what: dict[int, str] = field(default_factory=dict)
    noise: str = ""
    strings: Strings | None = None
    tokens: NDArray[np.float64] | None = None
    replies: dict[int, str] = field(default_factory=dict)
    undeclared: Counter[str] = field(default_factory=Counter)
    is_silent: bool = False

    @classmethod
    def nothing(cls, count: int) -> Placed:
        """No mention in some cases, none of which is answered."""
        none = np.zeros(0, np.int64)
        way, unplaced = np.full(count, -1, dtype=np.int8), np.zeros(count, dtype=np.int32)
        texts = np.zeros(0, dtype=object)
        return cls(none, none, none, none.astype(np.int32), np.zeros(0), texts, [], way, unplaced)

    def add_faults(self, cases: Iterable[int], fault: str, why: str) -> None:
        """Note that the records of some cases cannot be used."""
        for case in cases:
            self.fault[case] = fault
            self.what.setdefault(case, why)

    @property
    def is_whole(self) -> NDArray[np.bool_]:
        """Which cases are answered, and every mention of theirs has its place."""
        whole: NDArray[np.bool_] = (self.way >= 0) & (self.unplaced == 0)
        return whole

    def of_cases(self, kept: NDArray[np.bool_]) -> Placed:
        """The same with what was found in some of the cases alone."""
        found, strings = self.only(kept[self.case]), self.strings
        if strings is None:
            return found
        stripped = strings.stripped[kept[strings.stripped]]
        return replace(found, strings=replace(strings.only(kept[strings.case]), stripped=stripped))

    def take(self, rows: Places) -> Placed:
        """The same with some mentions, in their order; what else was found stays."""
        taken = super().take(rows)
        if not len(self.parts):
            return taken
        # where each mention stands now, -1 where it is gone
        new = np.full(len(self.case), -1, dtype=np.int64)
        new[rows] = np.arange(len(rows))
        parts = np.column_stack((new[self.parts[:, 0]], self.parts[:, 1:]))
        parts = parts[np.lexsort((parts[:, 1], parts[:, 0]))]
        return replace(taken, parts=parts[parts[:, 0] >= 0])


def join(found: Sequence[tuple[Places, Placed]], count: int) -> Placed:
    """Results of some cases each, by their places in a batch, as results of the whole batch."""
    if len(found) == 1 and np.array_equal(found[0][0], np.arange(count)):
        return found[0][1]
    types: dict[str, int] = {}
    whole = replace(Placed.nothing(count), is_silent=True)
    rows: list[Rows] = []
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
        whole.undeclared += one.undeclared
        whole.is_silent = whole.is_silent and one.is_silent
        if one.strings is None and not len(one.case):
            continue
        codes = np.array([types.setdefault(t, len(types)) for t in one.types], dtype=np.int32)
        rows.append(Rows(places[one.case], one.start, one.end, codes[one.type], one.score, one.identifiers))
        parts.append(one.parts + np.array([before, 0, 0]))
        before += len(one.case)
        if (own := one.strings) is not None:
            case, kind, stripped = places[own.case], codes[own.type], places[own.stripped]
            strings.append(replace(own, case=case, type=kind, stripped=stripped))
    if rows:
        whole = replace(whole, **columns_of(rows), parts=np.concatenate(parts))
    whole.types = list(types)
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
    MOST = 1 << 28
    """Characters of replies that are kept; what comes after is dropped."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.replies: dict[int, str] = {}
        self._size = 0
        self._waiting: list[tuple[Places, Placed]] = []
        self._joined: list[tuple[Places, Placed]] = []

    def add(self, places: Places, placed: Placed) -> None:
        """Add the results of the cases at some places."""
        self._waiting.append((places, placed))
        for place, reply in placed.replies.items():
            self.keep(int(places[place]), reply)
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

    def keep(self, place: int, reply: str) -> None:
        """Keep the reply about the case at a place, in place of an earlier one."""
        size = self._size + len(reply) - len(self.replies.get(place, ""))
        if size <= self.MOST:
            self.replies[place], self._size = reply, size

    def result(self) -> Placed:
        """All that was added, as results of the whole batch."""
        return replace(join([*self._joined, *self._waiting], self._count), replies=self.replies)
