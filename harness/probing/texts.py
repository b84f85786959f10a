"""Long probe texts, made of neutral sentences and a short sentence with one mention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...sentences.annotated_texts import get_surface_forms
from ...sentences.neutral import find_named_sentences, pick_sentences

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus

MAX_SENTENCE_WORDS = 40
"""Maximum number of words in the sentence of a case."""
PREFERRED_WORDS = (2, 6)
"""Minimum and maximum number of words in a mention; cases with such a mention are preferred."""

IntArray = NDArray[np.int64]
Side = Literal["before", "after", "whole"]
"""Part of a text whose length is limited: ``before`` (up to the end of the mention), ``after`` (from its
start), or the ``whole`` text."""


@dataclass(frozen=True)
class ProbeCase:
    """Sentence with one mention.

    Attributes
    ----------
    number : int
        Number of the case in its input, from 1.
    text : str
        Text of the sentence.
    start, end : int
        Half-open span of the mention.
    avoid : frozenset of str
        Neutral sentences that are not used, because they contain a name or type from the corpus.
    """

    number: int
    text: str
    start: int
    end: int
    avoid: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def word_count(self) -> int:
        """Number of words in the sentence."""
        return len(self.text.split())

    @property
    def mention(self) -> str:
        """Text of the mention."""
        return self.text[self.start : self.end]

    @property
    def is_usable(self) -> bool:
        """True if the text is one short line, and the mention begins and ends at word boundaries."""
        before, after = self.text[: self.start], self.text[self.end :]
        whole = (not before or before[-1].isspace()) and (not after or not after[0].isalnum())
        lines = "\n" in self.text or "\r" in self.text
        return whole and bool(self.mention.strip()) and not lines and self.word_count <= MAX_SENTENCE_WORDS


def load_cases(source: str = "", number: int = 0) -> list[ProbeCase]:
    """Load cases from a suite or corpus, or the bundled cases; the most suitable case comes first.

    A case is suitable if it has at most 40 words and exactly one mention, which begins and ends at word
    boundaries.

    Parameters
    ----------
    source : str
        Suite folder or ``FORMAT:PATH``; the bundled cases if empty.
    number : int
        Number of a single case to load, from 1; 0 loads all cases.

    Raises
    ------
    InputError
        If no case is suitable, or the case with the given number does not exist or is not suitable.
    """
    from ...sentences.formats import read_corpus

    if source:
        cases = _select_usable(read_corpus(source), source)
        low, high = PREFERRED_WORDS
        cases.sort(key=lambda c: (not low <= len(c.mention.split()) <= high, c.word_count))
    else:
        with resources.as_file(resources.files(__package__).joinpath("cases.sgml")) as path:
            # the bundled cases are sorted by suitability
            cases = _select_usable(read_corpus(f"sgml:{path}"), str(path))
    found = [case for case in cases if number in (0, case.number)]
    if not found:
        raise InputError(
            "the case with this number does not exist or is not suitable for a probe",
            file=Path(source) if source else None,
            found=f"case {number}",
            allowed=f"the number of one of {len(cases)} suitable cases, such as {cases[0].number}",
        )
    return found


def _select_usable(corpus: Corpus, source: str) -> list[ProbeCase]:
    gold = corpus.mentions[corpus.mentions["side"] == "gold"]
    rows = zip(corpus.texts["text_id"].tolist(), corpus.texts["text"].tolist(), strict=True)
    texts = {key: (number, text) for number, (key, text) in enumerate(rows, start=1)}
    alone = gold[~gold["text_id"].duplicated(keep=False)]
    avoid = find_named_sentences(get_surface_forms(corpus.texts, gold), gold["type"].dropna().unique())
    cases = [
        ProbeCase(*texts[key], int(start), int(end), avoid)
        for key, start, end in zip(alone["text_id"], alone["start"], alone["end"], strict=True)
    ]
    usable = sorted((case for case in cases if case.is_usable), key=lambda case: case.number)
    if not usable:
        raise InputError(
            f"no case is suitable for a probe; a case must have at most {MAX_SENTENCE_WORDS} words, and "
            "exactly one mention, which begins and ends at word boundaries",
            file=Path(source),
            found=f"{len(texts)} texts",
        )
    return usable


@dataclass(frozen=True)
class Probe:
    """Text that is sent to the tagger.

    Attributes
    ----------
    purpose : str
        Purpose of the text in the probe, for example ``bisection``.
    case : ProbeCase
        Case in the text.
    text : str
        Complete text.
    starts : tuple of int
        Start offset of each occurrence of the case's mention.
    repeat : int
        Number of times that the same text was sent before.
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
    def spans(self) -> list[tuple[int, int]]:
        """Half-open spans of the mention's occurrences, in characters."""
        return [(start, start + len(self.case.mention)) for start in self.starts]

    def count_words_before(self, places: Sequence[int]) -> IntArray:
        """Return the number of words that begin before each of the given character offsets."""
        return np.searchsorted(self._words, places, side="left").astype(np.int64)

    @property
    def word_count(self) -> int:
        """Number of words in the text."""
        return len(self._words)

    def count_words_read(self, side: Side) -> IntArray:
        """Return the number of words that a tagger must read to reach each occurrence of the mention."""
        if side == "before":
            return self.count_words_before([end for _, end in self.spans])
        read = self.count_words_before(self.starts)
        return self.word_count - (read if side == "after" else 0 * read)

    def count_characters(self, side: Side) -> int:
        """Return the number of characters that a tagger must read to reach the mention's first occurrence."""
        start, end = self.spans[0]
        return {"before": end, "after": len(self.text) - start, "whole": len(self.text)}[side]


def place_case(case: ProbeCase, purpose: str, before: int, after: int = 0, turn: int = 0) -> Probe:
    """Return a text with one case between neutral sentences; `turn` selects the neutral sentences."""
    # most texts have neutral words on one side only
    head = pick_sentences(before, turn, avoid=case.avoid) if before else []
    tail = pick_sentences(after, turn, without=head, avoid=case.avoid) if after else []
    start = len(" ".join([*head, ""])) + case.start
    return Probe(purpose, case, " ".join([*head, case.text, *tail]), (start,))


def repeat_case(case: ProbeCase, shift: int, max_words: int) -> Probe:
    """Return a text of at most `max_words` words: `shift` neutral words, then copies of the sentence."""
    head = pick_sentences(shift, avoid=case.avoid)
    copies = max((max_words - shift) // case.word_count, 1)
    first = len(" ".join([*head, ""])) + case.start
    step = len(case.text) + 1
    starts = tuple(range(first, first + copies * step, step))
    return Probe("survey", case, " ".join([*head, *[case.text] * copies]), starts)
