"""The cases that are put into long texts: short sentences with a mention."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus

LONGEST = 40
"""Words of a sentence that is used."""
TRIES = 12
"""Cases that are tried before a tagger is said to find none."""
WANTED = (2, 6)
"""Words of a mention that is long enough to be cut and short enough to be found: such cases come first."""


@dataclass(frozen=True)
class Case:
    """A sentence with one mention.

    Attributes
    ----------
    number : int
        Of the case in its input, from 1.
    text : str
    start, end : int
        The mention's half-open span.
    """

    number: int
    text: str
    start: int
    end: int

    @property
    def words(self) -> int:
        """Words of the sentence."""
        return len(self.text.split())

    @property
    def mention(self) -> str:
        """The mention's text."""
        return self.text[self.start : self.end]

    @property
    def length(self) -> int:
        """Words of the mention."""
        return len(self.mention.split())


def read_cases(source: str = "") -> list[Case]:
    """Cases of a suite or corpus, or those that come with tagsuite; the best to probe with first.

    A case is used when it has one mention that begins and ends with a word, and at most 40 words.

    Raises
    ------
    InputError
        When there is none.
    """
    from ...sentences.formats import read_corpus

    if source:
        return _usable(read_corpus(source), source)
    with resources.as_file(resources.files(__package__).joinpath("cases.sgml")) as path:
        # they stand in the order in which they are tried
        return sorted(_usable(read_corpus(f"sgml:{path}"), str(path)), key=lambda case: case.number)


def chosen_cases(cases: list[Case], number: int, source: str) -> list[Case]:
    """All cases, or the one of a number.

    Raises
    ------
    InputError
        When there is no case of that number that can be used.
    """
    if not number:
        return cases
    found = [case for case in cases if case.number == number]
    if not found:
        raise InputError(
            "there is no case of this number, or it has not one mention",
            file=Path(source) if source else None,
            found=f"--case {number}",
            allowed=f"one of {len(cases)}, for example {cases[0].number}",
        )
    return found


def _usable(corpus: Corpus, source: str) -> list[Case]:
    gold = corpus.mentions[corpus.mentions["side"] == "gold"]
    number = {key: i for i, key in enumerate(corpus.texts["text_id"].tolist(), start=1)}
    texts = dict(zip(corpus.texts["text_id"].tolist(), corpus.texts["text"].tolist(), strict=True))
    alone = gold[~gold["text_id"].duplicated(keep=False)]
    found = [
        Case(number[key], texts[key], int(start), int(end))
        for key, start, end in zip(alone["text_id"], alone["start"], alone["end"], strict=True)
    ]
    usable = [case for case in found if _at_words(case) and case.words <= LONGEST]
    if not usable:
        raise InputError(
            "no case can be put into a long text",
            file=Path(source),
            found=f"{len(texts)} texts",
            allowed=f"lines of at most {LONGEST} words with one mention of whole words",
        )
    return sorted(usable, key=lambda case: (not WANTED[0] <= case.length <= WANTED[1], case.words))


def _at_words(case: Case) -> bool:
    """Whether a mention's edges are words' edges and its text is a single line."""
    before, after = case.text[: case.start], case.text[case.end :]
    whole = (not before or before[-1].isspace()) and (not after or not after[0].isalnum())
    return whole and bool(case.mention.strip()) and "\n" not in case.text and "\r" not in case.text
