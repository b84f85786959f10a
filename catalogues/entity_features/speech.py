"""Function words and parts of speech of the words in an entity: a small tagger of lexicon and rules."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from . import lexicon, morphology
from .naming import SYMBOL, vote
from .strings import Bools
from .words import PIECE, Words

TAGS = ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ", "VERB", "X")
"""The universal tags that occur."""

_EDGE_MARKS = re.compile(r"^[\W_]+|[\W_]+$")
_SPELLED_NUMBERS = frozenset("zero one two three four five six seven eight nine ten eleven twelve hundred thousand".split())
_ADJECTIVE_ENDINGS = (
    "al", "ic", "ous", "ive", "ar", "ary", "less", "like", "able", "ible", "ile", "oid", "ory", "ful", "ish",
    "specific", "dependent", "independent", "inducible", "sensitive", "resistant", "rich", "negative", "positive",
    "responsive", "type", "free", "wide",
)  # fmt: skip
_ROMAN = re.compile(r"(?:[IVX]{2,}|I)[A-Ea-e]?")
_CLOSERS = frozenset(("ADP", "CCONJ", "SCONJ", "NUM", "X", "DET", "PUNCT", "PRON", "AUX", "PART"))
"""Tags before which a noun phrase has ended."""


def stripped(word: str) -> str:
    """The word without marks at its edges."""
    return word if word.isalnum() else _EDGE_MARKS.sub("", word)


def function_word(word: str) -> str:
    """The function word that a word is, in lower case, or ``""``.

    Words in capitals are none: their entity is lower-cased before, where it is in capitals as a whole. The
    article *a* is one in lower case only.
    """
    bare = stripped(word)
    if not bare or (len(bare) > 1 and bare.isupper()) or (len(bare) == 1 and bare != "a"):
        return ""
    low = bare.lower()
    return low if low in lexicon.table("function_words.tsv") else ""


def function_words(words: Words) -> tuple[Bools, list[str]]:
    """Which words are function words, and which one each word of the vocabulary is."""
    each = [function_word(w) for w in words.vocabulary]
    chosen = np.array([bool(w) for w in each], np.bool_)[words.codes]
    article = np.array([w == "a" for w in each], np.bool_)[words.codes]
    # a at the end of several words is a letter: vitamin a
    return chosen & ~(article & words.last & (words.count[words.owner] > 1)), each


def tags(words: Words) -> NDArray[np.object_]:
    """The tags of each string's words, joined by spaces."""
    vocabulary = words.vocabulary
    number = {t: i for i, t in enumerate(TAGS)}
    inner = np.array([number[tag(w, closing=False)] for w in vocabulary], np.int8)[words.codes]
    outer = np.array([number[tag(w, closing=True)] for w in vocabulary], np.int8)[words.codes]
    closers = np.array([t in _CLOSERS for t in TAGS])
    following = np.append(closers[outer[1:]], True) if len(outer) else np.zeros(0, np.bool_)
    article_letter = np.array([stripped(w) == "a" for w in vocabulary], np.bool_)[words.codes] if vocabulary else following
    chosen = np.where(words.last | following, outer, inner)
    chosen[article_letter & words.last & (words.count[words.owner] > 1)] = number["X"]
    names = [TAGS[t] for t in chosen.tolist()]
    result = np.empty(len(words.strings), object)
    place = 0
    for index, count in enumerate(words.count.tolist()):
        result[index] = names[place] if count == 1 else " ".join(names[place : place + count]) if count else None
        place += count
    return result


@lru_cache(maxsize=1 << 17)
def tag(word: str, *, closing: bool) -> str:
    """The tag of one word.

    Parameters
    ----------
    word : str
        With its marks.
    closing : bool
        Whether it closes a noun phrase: it is the last word, or a function word, number or letter follows.
    """
    bare = stripped(word)
    if not bare:
        return "X"
    if function_word(bare):
        return lexicon.table("function_words.tsv")[function_word(bare)]
    if bare[0].isdigit() and not any(c.isalpha() for c in bare[1:-1]):
        return "NUM"
    if len(bare) == 1:
        return "NUM" if bare == "I" else "X"
    if _ROMAN.fullmatch(bare):
        return "NUM"
    if bare.lower() in _SPELLED_NUMBERS:
        return "NUM"
    if vote(bare) == SYMBOL:
        return "PROPN"
    pieces = PIECE.findall(bare)
    last = next((p for p in reversed(pieces) if len(p) > 1 and not p.isdigit()), pieces[-1])
    if last.lower() in lexicon.table("greek_letters.tsv"):
        return "X" if len(pieces) == 1 else "NOUN"
    return _tag_word(last, closing=closing, compound=len(pieces) > 1)


def _tag_word(word: str, *, closing: bool, compound: bool) -> str:
    low = word.lower()
    known = lexicon.lemmas(low)
    form = morphology.participle(word)
    if form == "past" and (low.endswith("ed") or "ADJ" not in known or compound):
        return "VERB"
    if form == "present":
        return "NOUN" if closing and not compound else "VERB"
    if not known:
        return _guess(word, closing=closing, compound=compound)
    kinds = set(known)
    if word[0].isupper() and not compound and kinds <= {"PROPN"}:
        return "PROPN"
    if "NOUN" in kinds and (closing or "ADJ" not in kinds):
        return "NOUN"
    for choice in ("ADJ", "NOUN", "VERB", "ADV", "AUX", "PROPN"):
        if choice in kinds:
            return choice
    return "NOUN"


def _guess(word: str, *, closing: bool, compound: bool) -> str:
    """Unknown words, by their ending; a capital makes a proper noun."""
    low = word.lower()
    if morphology.is_plural(low):
        return "NOUN"
    if low.endswith("ly") and len(low) > 5:
        return "ADV"
    if low.endswith(_ADJECTIVE_ENDINGS) and (not closing or compound):
        return "ADJ"
    return "PROPN" if word[0].isupper() and not compound else "NOUN"
