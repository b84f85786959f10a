"""White-space words of many strings, and the distinct ones among them, so that a word is looked at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .strings import Bools, Ints, Kind, Strings

PIECE = re.compile(r"[^\W_]+")
"""A piece of a word: what punctuation leaves together."""


class Words:
    """The white-space words of `strings`, in order.

    Attributes
    ----------
    starts, ends : int64 arrays
        Where each word stands in the strings' text.
    owner : int32 array
        The string that each word belongs to.
    vocabulary : list of str
        The distinct words, in order of first occurrence.
    codes : int64 array
        For each word its index in `vocabulary`.
    """

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        kinds = strings.kinds
        inside = np.ones(len(kinds) + 2, np.int8)
        inside[0] = inside[-1] = 0
        inside[1:-1] = (kinds & int(Kind.SPACE)) == 0
        inside[strings.ends + 1] = 0
        step = np.diff(inside)
        self.starts: Ints = np.flatnonzero(step == 1)
        self.ends: Ints = np.flatnonzero(step == -1)
        self.owner = strings.owners[self.starts]
        self.count = np.bincount(self.owner, minlength=len(strings)).astype(np.int32)
        firsts = np.cumsum(self.count) - self.count
        self.rank = np.arange(len(self.owner)) - firsts[self.owner]

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def texts(self) -> list[str]:
        """Every word."""
        text = self.strings.text
        return [text[s:e] for s, e in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    @cached_property
    def _distinct(self) -> tuple[list[str], Ints]:
        known: dict[str, int] = {}
        codes = [known.setdefault(w, len(known)) for w in self.texts]
        return list(known), np.array(codes, np.int64)

    @property
    def vocabulary(self) -> list[str]:
        """The distinct words."""
        return self._distinct[0]

    @property
    def codes(self) -> Ints:
        """For each word its index in the vocabulary."""
        return self._distinct[1]

    @property
    def first(self) -> Bools:
        """Whether a word is the first of its string."""
        return np.asarray(self.rank == 0)

    @property
    def last(self) -> Bools:
        """Whether a word is the last of its string."""
        return np.asarray(self.rank == self.count[self.owner] - 1)

    def index_at(self, offsets: Ints) -> Ints:
        """The word that holds each offset of the strings' text."""
        return np.searchsorted(self.starts, offsets, side="right") - 1

    def each(self, test: Callable[[str], bool]) -> Bools:
        """A property of words, computed once per distinct word, for every word."""
        known = np.fromiter(map(test, self.vocabulary), np.bool_, len(self.vocabulary))
        return known[self.codes]

    def any(self, chosen: Bools) -> Bools:
        """Which strings have a chosen word."""
        found = np.zeros(len(self.strings), np.bool_)
        found[self.owner[chosen]] = True
        return found

    def all(self, chosen: Bools) -> Bools:
        """Which strings have words, and only chosen ones."""
        return np.asarray((self.count > 0) & ~self.any(~chosen))

    def tally(self, chosen: Bools) -> NDArray[np.int32]:
        """Number of chosen words in each string."""
        return np.bincount(self.owner[chosen], minlength=len(self.strings)).astype(np.int32)

    def places(self, chosen: Bools) -> tuple[Bools, Bools, Bools]:
        """Which strings have a chosen word in first place, between, in last place."""
        first, last = self.first, self.last
        return (
            self.any(chosen & first),
            self.any(chosen & ~first & ~last),
            self.any(chosen & last),
        )
