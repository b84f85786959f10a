"""White-space words of many strings, and the distinct ones among them, so that a word is looked at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.text import CharKind, Flags, Ints, TextColumn, find_runs

WORD_PIECE = re.compile(r"[^\W_]+")
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

    def __init__(self, strings: TextColumn) -> None:
        self.strings = strings
        self.starts, self.ends = find_runs(~strings.is_of_kind(CharKind.SPACE))
        self.owner = strings.rows[self.starts]
        self.count = np.bincount(self.owner, minlength=len(strings)).astype(np.int32)
        firsts = np.cumsum(self.count) - self.count
        self.rank = np.arange(len(self.owner)) - firsts[self.owner]

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def texts(self) -> list[str]:
        """Every word."""
        return self.strings.joined.split()

    @cached_property
    def _distinct(self) -> tuple[list[str], Ints]:
        codes, distinct = pd.factorize(np.array(self.texts, object))
        return distinct.tolist(), codes.astype(np.int64)

    def with_lower_case(self, chosen: Flags) -> Words:
        """The same words, but in lower case in the chosen strings."""
        if not chosen.any():
            return self
        vocabulary = list(self.vocabulary)
        known = {word: code for code, word in enumerate(vocabulary)}
        codes = self.codes.copy()
        for place in np.flatnonzero(chosen[self.owner]).tolist():
            codes[place] = known.setdefault(vocabulary[codes[place]].lower(), len(known))
        other = copy(self)
        other.__dict__["_distinct"] = (list(known), codes)
        return other

    @property
    def vocabulary(self) -> list[str]:
        """The distinct words."""
        return self._distinct[0]

    @property
    def codes(self) -> Ints:
        """For each word its index in the vocabulary."""
        return self._distinct[1]

    @property
    def is_first(self) -> Flags:
        """Whether a word is the first of its string."""
        return np.asarray(self.rank == 0)

    @property
    def is_last(self) -> Flags:
        """Whether a word is the last of its string."""
        return np.asarray(self.rank == self.count[self.owner] - 1)

    @cached_property
    def _words_begun(self) -> Ints:
        """How many words have begun at each offset, less one: by counting, where searching is slower."""
        begins = np.zeros(self.strings.size, np.int64)
        begins[self.starts] = 1
        begins[:1] -= 1
        return np.cumsum(begins)

    def index_at(self, offsets: Ints) -> Ints:
        """The word that holds each offset of the strings' text, or the last one before it (-1: none)."""
        return self._words_begun[offsets]

    @cached_property
    def cased_codes(self) -> Ints:
        """Indices in the vocabulary of the words with a lower-case letter: the others have no inflection."""
        return np.array(
            [i for i, w in enumerate(self.vocabulary) if not w.isupper() and w.upper() != w], np.int64
        )

    def test_words(self, test: Callable[[str], bool], among: Ints | None = None) -> Flags:
        """A property of words, asked once per distinct word, for every word.

        Parameters
        ----------
        test : function of a word
            The property.
        among : int array, optional
            Indices in the vocabulary of the words to be asked; the rest do not have the property. By
            default those with a lower-case letter.
        """
        asked = self.cased_codes if among is None else among
        vocabulary = self.vocabulary
        known = np.zeros(len(vocabulary), np.bool_)
        known[[i for i in asked.tolist() if test(vocabulary[i])]] = True
        return known[self.codes]

    def any_in_string(self, chosen: Flags) -> Flags:
        """Which strings have a chosen word."""
        found = np.zeros(len(self.strings), np.bool_)
        found[self.owner[chosen]] = True
        return found

    def all(self, chosen: Flags) -> Flags:
        """Which strings have words, and only chosen ones."""
        return np.asarray((self.count > 0) & ~self.any_in_string(~chosen))

    def count_in_strings(self, chosen: Flags) -> NDArray[np.int32]:
        """Number of chosen words in each string."""
        return np.bincount(self.owner[chosen], minlength=len(self.strings)).astype(np.int32)

    def places_in_strings(self, chosen: Flags) -> tuple[Flags, Flags, Flags]:
        """Which strings have a chosen word in first place, between, in last place."""
        first, last = self.is_first, self.is_last
        return (
            self.any_in_string(chosen & first),
            self.any_in_string(chosen & ~first & ~last),
            self.any_in_string(chosen & last),
        )
