"""Recognition of function words and parts of speech in entities, with a lexicon and rules."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from ..core.text import Flags
from . import lexicon, morphology
from .name_or_symbol import SYMBOL, classify_word
from .words import WORD_PIECE, Words

_EDGE_MARKS = re.compile(r"^[\W_]+|[\W_]+$")
_SPELLED_NUMBERS = lexicon.read_words("spelled_numbers.txt")
_ADJECTIVE_ENDINGS = tuple(sorted(lexicon.read_words("adjective_endings.txt")))
_ROMAN = re.compile(r"(?:[IVX]{2,}|I)[A-Ea-e]?")
_PHRASE_CLOSERS = ("ADP", "CCONJ", "SCONJ", "NUM", "X", "DET", "PUNCT", "PRON", "AUX", "PART")
"""Part-of-speech tags of words that cannot belong to a noun phrase; a phrase ends before such a word."""


def strip_marks(word: str) -> str:
    """Remove punctuation marks at the edges of a word."""
    return word if word.isalnum() else _EDGE_MARKS.sub("", word)


def find_function_word(word: str) -> str:
    """Return a word in lower case if it is a function word, else "".

    Function words are in lower case or capitalised (*Via*, but not the numeral *VIa*); the article *a* counts
    only in lower case.
    """
    bare = strip_marks(word)
    if not (bare.islower() or bare.istitle()) or (len(bare) == 1 and bare != "a"):
        return ""
    low = bare.lower()
    return low if low in lexicon.read_mapping("function_words.tsv") else ""


def find_function_words(words: Words) -> tuple[Flags, list[str]]:
    """Return a mask of the words that are function words, and a list of the function words.

    The list has one item per vocabulary word, which is "" if the word is not a function word.
    """
    function_words = [""] * len(words.vocabulary)
    for code in words.cased_codes.tolist():
        function_words[code] = find_function_word(words.vocabulary[code])
    mask = np.array([bool(w) for w in function_words], np.bool_)[words.codes]
    # a final "a" after other words is a letter: vitamin a
    return mask & ~_final_article(words), function_words


def _final_article(words: Words) -> Flags:
    return np.asarray(
        words.test_words(lambda w: strip_marks(w) == "a") & words.is_last & (words.count[words.owner] > 1)
    )


def tag_strings(words: Words) -> list[str | None]:
    """Return the part-of-speech tags of each string, joined by spaces."""
    pairs = [tag_word(word) for word in words.vocabulary]
    inner, outer = (np.array([pair[i] for pair in pairs], object)[words.codes] for i in (0, 1))
    following = np.append(np.isin(outer[1:], _PHRASE_CLOSERS), True)[: len(outer)]
    chosen = np.where(words.is_last | following, outer, inner)
    chosen[_final_article(words)] = "X"
    # a single letter that is the complete entity is a proper noun
    chosen[(chosen == "X") & (words.count[words.owner] == 1)] = "PROPN"
    tags = chosen.tolist()
    ends = np.cumsum(words.count)
    return [
        " ".join(tags[start:end]) or None
        for start, end in zip((ends - words.count).tolist(), ends.tolist(), strict=True)
    ]


def tag_word(word: str) -> tuple[str, str]:
    """Return two tags of a word: one for use inside a noun phrase, and one for the end of a noun phrase.

    A noun phrase ends at the last word and before a function word, number or letter.
    """
    bare = strip_marks(word)
    if not bare:
        return ("X", "X")
    fixed = _fixed_tag(bare)
    if fixed:
        return (fixed, fixed)
    pieces = WORD_PIECE.findall(bare)
    last = next((p for p in reversed(pieces) if len(p) > 1 and not p.isdigit()), pieces[-1])
    compound = len(pieces) > 1
    if last.lower() in lexicon.read_mapping("greek_letters.tsv"):
        modified = any(len(p) > 1 and not p.isdigit() and p is not last for p in pieces)
        return ("NOUN", "NOUN") if modified else ("X", "X")
    return _tag_word(last, closing=False, compound=compound), _tag_word(last, closing=True, compound=compound)


def _fixed_tag(bare: str) -> str:
    """Return the tag of a function word, number, single letter or symbol; "" for other words."""
    if len(bare) > 1 and bare.isupper() and not bare[0].isdigit() and not _ROMAN.fullmatch(bare):
        return "PROPN" if classify_word(bare) == SYMBOL else "X"
    function = find_function_word(bare)
    if function:
        return lexicon.read_mapping("function_words.tsv")[function]
    if bare[0].isdigit() and not any(c.isalpha() for c in bare[1:-1]):
        return "NUM"
    if len(bare) == 1:
        return "NUM" if bare == "I" else "X"
    if _ROMAN.fullmatch(bare) or bare.lower() in _SPELLED_NUMBERS:
        return "NUM"
    return "PROPN" if classify_word(bare) == SYMBOL else ""


@lru_cache(maxsize=1 << 18)
def _tag_word(word: str, *, closing: bool, compound: bool) -> str:
    low = word.lower()
    known = lexicon.find_lemmas(low)
    form = morphology.classify_participle(word)
    if form == "past" and (low.endswith("ed") or "ADJ" not in known or compound):
        return "VERB"
    if form == "present":
        return "NOUN" if closing and not compound else "VERB"
    if not known:
        return _guess_tag(word, closing=closing, compound=compound)
    kinds = set(known)
    if word[0].isupper() and not compound and kinds <= {"PROPN"}:
        return "PROPN"
    if "NOUN" in kinds and (closing or "ADJ" not in kinds):
        return "NOUN"
    for choice in ("ADJ", "NOUN", "VERB", "ADV", "AUX", "PROPN"):
        if choice in kinds:
            return choice
    return "NOUN"


def _guess_tag(word: str, *, closing: bool, compound: bool) -> str:
    """Return the tag of an unknown word, guessed from its ending and its first letter."""
    low = word.lower()
    if morphology.is_plural(low):
        return "NOUN"
    if low.endswith("ly") and len(low) > 5:
        return "ADV"
    if low.endswith(_ADJECTIVE_ENDINGS) and (not closing or compound):
        return "ADJ"
    return "PROPN" if word[0].isupper() and not compound else "NOUN"
