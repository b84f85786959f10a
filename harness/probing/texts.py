"""Long texts with a case in them: short sentences with a mention, put between neutral words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...sentences.neutral import pick_sentences

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus

MAX_SENTENCE_WORDS = 40
"""Words of a sentence that is used."""
PREFERRED_WORDS = (2, 6)
"""Words of a mention that is long enough to be cut and short enough to be found: such cases come first."""

IntArray = NDArray[np.int64]
Side = Literal["before", "after", "whole"]
"""What is limited: the text up to the mention's end, the text from its beginning on, or the whole text."""


@dataclass(frozen=True)
class ProbeCase:
    """A sentence with one mention.

    Attributes
    ----------
    number : int
        Number of the case in its input, from 1.
    text : str
    start, end : int
        The mention's half-open span.
    """

    number: int
    text: str
    start: int
    end: int

    @property
    def word_count(self) -> int:
        """Words of the sentence."""
        return len(self.text.split())

    @property
    def mention(self) -> str:
        """The mention's text."""
        return self.text[self.start : self.end]

    @property
    def is_usable(self) -> bool:
        """True for a short single line whose mention begins and ends with a word."""
        before, after = self.text[: self.start], self.text[self.end :]
        whole = (not before or before[-1].isspace()) and (not after or not after[0].isalnum())
        lines = "\n" in self.text or "\r" in self.text
        return whole and bool(self.mention.strip()) and not lines and self.word_count <= MAX_SENTENCE_WORDS


def load_cases(source: str = "", number: int = 0) -> list[ProbeCase]:
    """Load the cases of a suite or corpus, or those of tagsuite, the best to probe with first.

    A case is used when it has one mention that begins and ends with a word, and at most 40 words.

    Parameters
    ----------
    source : str
        A suite folder or ``FORMAT:PATH``; the cases of tagsuite when empty.
    number : int
        The only case to load, from 1; 0 for all.

    Raises
    ------
    InputError
        When there is none, or none of that number.
    """
    from ...sentences.formats import read_corpus

    if source:
        cases = _select_usable(read_corpus(source), source)
        cases.sort(
            key=lambda c: (
                not PREFERRED_WORDS[0] <= len(c.mention.split()) <= PREFERRED_WORDS[1],
                c.word_count,
            )
        )
    else:
        with resources.as_file(resources.files(__package__).joinpath("cases.sgml")) as path:
            # they are in the order in which they are tried
            cases = _select_usable(read_corpus(f"sgml:{path}"), str(path))
    found = [case for case in cases if number in (0, case.number)]
    if not found:
        raise InputError(
            "there is no case of this number, or it has not one mention",
            file=Path(source) if source else None,
            found=f"--case {number}",
            allowed=f"one of {len(cases)}, for example {cases[0].number}",
        )
    return found


def _select_usable(corpus: Corpus, source: str) -> list[ProbeCase]:
    gold = corpus.mentions[corpus.mentions["side"] == "gold"]
    number = {key: i for i, key in enumerate(corpus.texts["text_id"].tolist(), start=1)}
    texts = dict(zip(corpus.texts["text_id"].tolist(), corpus.texts["text"].tolist(), strict=True))
    alone = gold[~gold["text_id"].duplicated(keep=False)]
    cases = [
        ProbeCase(number[key], texts[key], int(start), int(end))
        for key, start, end in zip(alone["text_id"], alone["start"], alone["end"], strict=True)
    ]
    usable = sorted((case for case in cases if case.is_usable), key=lambda case: case.number)
    if not usable:
        raise InputError(
            "no case can be put into a long text",
            file=Path(source),
            found=f"{len(texts)} texts",
            allowed=f"lines of at most {MAX_SENTENCE_WORDS} words with one mention of whole words",
        )
    return usable


@dataclass(frozen=True)
class Probe:
    """Text that is sent to the tagger.

    Attributes
    ----------
    purpose : str
        What it is sent for.
    case : Case
    text : str
    starts : tuple of int
        Where the case's mention begins, once or several times.
    repeat : int
        How often the same text was sent before.
    """

    purpose: str
    case: ProbeCase
    text: str
    starts: tuple[int, ...]
    repeat: int = 0

    @cached_property
    def _words(self) -> IntArray:
        return np.array([match.start() for match in re.finditer(r"\S+", self.text)], dtype=np.int64)

    @property
    def spans(self) -> tuple[IntArray, IntArray]:
        """Half-open spans of the mention, in characters."""
        starts = np.array(self.starts, dtype=np.int64)
        return starts, starts + len(self.case.mention)

    def count_words_before(self, places: IntArray) -> IntArray:
        """Return the number of words (separated by white space) that begin before each place."""
        return np.searchsorted(self._words, places, side="left").astype(np.int64)

    @property
    def word_count(self) -> int:
        """Words of the text."""
        return len(self._words)

    def count_words_read(self, side: Side) -> IntArray:
        """Return how many words a tagger must read to see the mention, for each place of it."""
        starts, ends = self.spans
        if side == "before":
            return self.count_words_before(ends)
        return (
            np.full_like(starts, self.word_count)
            if side == "whole"
            else self.word_count - self.count_words_before(starts)
        )

    def count_characters(self, side: Side) -> int:
        """Return how many characters a tagger must read to see the mention at its first place."""
        start = self.starts[0]
        if side == "before":
            return start + len(self.case.mention)
        return len(self.text) - (start if side == "after" else 0)


def place_case(case: ProbeCase, purpose: str, before: int, after: int = 0, turn: int = 0) -> Probe:
    """Put a case between numbers of neutral words; another `turn` takes other neutral text."""
    # most texts have nothing on one side: no sentence needs to be read for it
    head = pick_sentences(before, turn) if before else []
    tail = pick_sentences(after, turn, without=head) if after else []
    start = len(" ".join([*head, ""])) + case.start
    return Probe(purpose, case, " ".join([*head, case.text, *tail]), (start,))


def repeat_case(case: ProbeCase, shift: int, max_words: int) -> Probe:
    """Repeat a case's sentence after some neutral words, up to a number of words in all."""
    head = pick_sentences(shift)
    copies = max((max_words - shift) // case.word_count, 1)
    first = len(" ".join([*head, ""])) + case.start
    step = len(case.text) + 1
    starts = tuple(range(first, first + copies * step, step))
    return Probe("survey", case, " ".join([*head, *[case.text] * copies]), starts)
