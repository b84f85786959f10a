"""Words of a column of strings, with a vocabulary, so that each distinct word is examined only once."""

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
"""Pattern for a piece of a word, that is, a run of letters and digits."""


class Words:
    """Words of a column of strings, separated by white space.

    Attributes
    ----------
    starts, ends : int64 arrays
        Start and end position of each word in the column.
    owner : int32 array
        Number of the string that contains each word.
    count : int32 array
        Number of words in each string.
    vocabulary : list of str
        Distinct words, in order of first occurrence.
    codes : int64 array
        Index of each word in `vocabulary`.
    """

    def __init__(self, strings: TextColumn) -> None:
        self.strings = strings
        self.starts, self.ends = find_runs(~strings.is_of_kind(CharKind.SPACE))
        self.owner = strings.rows[self.starts]
        self.count = np.bincount(self.owner, minlength=len(strings)).astype(np.int32)
        firsts = np.cumsum(self.count) - self.count
        self.rank = np.arange(len(self.owner)) - firsts[self.owner]
        codes, distinct = pd.factorize(np.array(strings.joined.split(), object))
        self.vocabulary: list[str] = distinct.tolist()
        self.codes: Ints = codes.astype(np.int64)

    def __len__(self) -> int:
        return len(self.owner)

    def with_lower_case(self, chosen: Flags) -> Words:
        """Return a copy with lower-case words in the strings for which the mask `chosen` is True."""
        if not chosen.any():
            return self
        numbers = {word: code for code, word in enumerate(self.vocabulary)}
        codes = self.codes.copy()
        for place in np.flatnonzero(chosen[self.owner]).tolist():
            codes[place] = numbers.setdefault(self.vocabulary[codes[place]].lower(), len(numbers))
        other = copy(self)
        other.vocabulary, other.codes = list(numbers), codes
        return other

    @property
    def is_first(self) -> Flags:
        """Mask that is True for the first word of each string."""
        return np.asarray(self.rank == 0)

    @property
    def is_last(self) -> Flags:
        """Mask that is True for the last word of each string."""
        return np.asarray(self.rank == self.count[self.owner] - 1)

    def index_at(self, offsets: Ints) -> Ints:
        """Return the index of the word at each position, or of the last word before it (-1 if none)."""
        return np.searchsorted(self.starts, offsets, side="right") - 1

    @cached_property
    def cased_codes(self) -> Ints:
        """Vocabulary indices of the words with a lower-case letter; only such words can be inflected."""
        return np.array(
            [i for i, w in enumerate(self.vocabulary) if not w.isupper() and w.upper() != w], np.int64
        )

    def test_words(self, test: Callable[[str], bool], among: Ints | None = None) -> Flags:
        """Return a mask of the words for which `test` returns True; each distinct word is tested once.

        Parameters
        ----------
        test : callable
            Function from a word to bool.
        among : int array, optional
            Vocabulary indices of the words to test; the result for other words is False. By default, words
            with a lower-case letter are tested.
        """
        tested = self.cased_codes if among is None else among
        vocabulary = self.vocabulary
        results = np.zeros(len(vocabulary), np.bool_)
        results[[i for i in tested.tolist() if test(vocabulary[i])]] = True
        return results[self.codes]

    def any_in_string(self, chosen: Flags) -> Flags:
        """Return a mask of the strings with at least one word for which the mask `chosen` is True."""
        mask = np.zeros(len(self.strings), np.bool_)
        mask[self.owner[chosen]] = True
        return mask

    def count_in_strings(self, chosen: Flags) -> NDArray[np.int32]:
        """Return the number of words in each string for which the mask `chosen` is True."""
        return np.bincount(self.owner[chosen], minlength=len(self.strings)).astype(np.int32)

    def places_in_strings(self, chosen: Flags) -> tuple[Flags, Flags, Flags]:
        """Return three masks of the strings in which the first, a middle, or the last word is chosen."""
        first, last = self.is_first, self.is_last
        return (
            self.any_in_string(chosen & first),
            self.any_in_string(chosen & ~first & ~last),
            self.any_in_string(chosen & last),
        )
