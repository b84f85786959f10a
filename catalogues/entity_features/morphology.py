"""Recognition of participles, plurals and genitives with a lexicon and, for unknown words, by ending.

A *piece* of a word is a run of letters and digits, such as *lipid* in *lipid-anchored*.
"""

from __future__ import annotations

import re
from functools import lru_cache

from . import lexicon
from .words import WORD_PIECE

_SYMBOL_PLURAL = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Za-z][A-Za-z0-9]*[A-Z0-9](?<!\dH)s")
"""Pattern for plurals of symbols, such as *ERKs* and *mRNAs*, but not *Cdc42Hs* (Hs means *Homo sapiens*)."""
_PLAIN = re.compile(r"[A-Za-z]?[a-z]+")
_NOUN_ENDINGS_OF_ED = ("ceed", "seed", "weed", "reed", "feed", "deed", "breed")
APOSTROPHES = "'’"
_GENITIVE = re.compile(
    rf"(?:[^\W\d_]{{2,}}[{APOSTROPHES}]s|[^\W\d_]{{2,}}s[{APOSTROPHES}]"
    rf"|[A-Z]{{3,}}[{APOSTROPHES}]S|[A-Z]{{3,}}S[{APOSTROPHES}])(?![^\W_])"
)


def classify_participle(piece: str) -> str:
    """Return the kind of participle (``past`` or ``present``) that a piece of a word is, or "" if it is none.

    Pieces with capitals after the first letter (RING, FED) are not participles.
    """
    if _PLAIN.fullmatch(piece) is None or len(piece) < 3:
        return ""
    return _participle(piece.lower())


@lru_cache(maxsize=1 << 17)
def _participle(word: str) -> str:
    listed = lexicon.read_mapping("participles.tsv").get(word)
    if listed is not None:
        return "" if listed == "no" else listed
    if word.endswith("ed") and len(word) > 4:
        return "past" if _has_verb(word, ("ed", "d")) else ""
    if word.endswith("ing") and len(word) > 4:
        return "present" if _has_verb(word, ("ing",)) else ""
    return ""


def _has_verb(word: str, endings: tuple[str, ...]) -> bool:
    """Return True if a word is an inflected verb, according to the lexicon or to its stem."""
    known = lexicon.find_lemmas(word)
    if known:
        return any(lemma != word for lemma in known.get("VERB", ())) or (
            # adjectives with the form of participles: membrane-spanning, lipid-anchored
            "VERB" not in known and "NOUN" not in known and _has_verb_stem(word, endings)
        )
    if word.endswith(_NOUN_ENDINGS_OF_ED):
        return False
    if _has_verb_stem(word, endings):
        return True
    prefixed = re.fullmatch(
        r"(?:un|re|de|dis|pre|co|non|over|under|mis|auto|trans|hyper|hypo|poly|inter)(.{5,})", word
    )
    if prefixed is not None and _participle(prefixed[1]):
        return True
    # technical verbs missing from the lexicon: ubiquitinylated, farnesylating, palmitoylated
    return re.search(r"(?:yl|at|iz|is|ifi|in)(?:at|)(?:ed|ing)$", word) is not None and len(word) > 7


def _has_verb_stem(word: str, endings: tuple[str, ...]) -> bool:
    for ending in endings:
        if not word.endswith(ending):
            continue
        stem = word[: -len(ending)]
        candidates = [stem, stem + "e"]
        if len(stem) > 3 and stem[-1] == stem[-2]:
            candidates.append(stem[:-1])
        if stem.endswith("i"):
            candidates.append(stem[:-1] + "y")
        if any(c in lexicon.find_lemmas(c).get("VERB", ()) for c in candidates):
            return True
    return False


def is_plural(piece: str) -> bool:
    """Return True if a piece of a word has the form of a plural noun."""
    if _SYMBOL_PLURAL.fullmatch(piece) is not None:
        return lexicon.read_mapping("plurals.tsv").get(piece.lower()) != "no"
    if _PLAIN.fullmatch(piece) is None or len(piece) < 3:
        return False
    return _is_plural(piece.lower())


@lru_cache(maxsize=1 << 17)
def _is_plural(word: str) -> bool:
    listed = lexicon.read_mapping("plurals.tsv").get(word)
    if listed is not None:
        return listed == "yes"
    known = lexicon.find_lemmas(word)
    if known:
        nouns = known.get("NOUN", ())
        # if the word is its own lemma it is a singular, such as lens or apoptosis
        return bool(nouns) and word not in nouns
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return False
    singular = word[:-1]
    is_known = singular in lexicon.find_lemmas(singular).get("NOUN", ())
    return is_known or singular.endswith(read_noun_endings())


@lru_cache(maxsize=1 << 17)
def classify_noun(form: str) -> str:
    """Return ``countable`` for a countable noun, ``singular`` for any other singular word, else "".

    Only the last word of a name is tested. If the name has a complement (*inhibitor of growth*), the first
    word is tested instead.

    Examples
    --------
    >>> [classify_noun(form) for form in ("febrile seizure", "aspirin", "sepsis", "AIDS", "Streptomyces")]
    ['countable', 'singular', 'singular', 'singular', '']
    """
    words = form.split()
    word = words[-1] if lexicon.read_words("function_words.tsv").isdisjoint(words[1:]) else words[0]
    lower = word.lower()
    if word[1:].islower() and lower in lexicon.read_words("count_nouns.txt"):
        return "countable"
    known = lower in lexicon.find_lemmas(lower).get("NOUN", ()) or lower in lexicon.read_mapping(
        "plurals.tsv"
    )
    return "singular" if known or not word.endswith("s") or word.endswith(("ss", "us", "is")) else ""


@lru_cache
def read_noun_endings() -> tuple[str, ...]:
    """Return the endings by which unknown words are recognised as nouns."""
    return tuple(sorted(lexicon.read_words("plural_suffixes.txt")))


def has_participle(word: str, kind: str) -> bool:
    """Return True if a piece of the word is a participle of the given kind (``past`` or ``present``)."""
    return any(classify_participle(piece) == kind for piece in WORD_PIECE.findall(word))


def has_plural(word: str) -> bool:
    """Return True if any part of the word is plural; the *s* of a genitive does not count."""
    pieces = WORD_PIECE.findall(word)
    return any(len(p) > 2 and is_plural(p) for p in pieces) and not (has_genitive(word) and len(pieces) == 1)


def has_symbol_plural(word: str) -> bool:
    """Return True if a piece of the word is the plural of a symbol (*ERKs*)."""
    return any(_SYMBOL_PLURAL.fullmatch(piece) for piece in WORD_PIECE.findall(word))


def has_genitive(word: str) -> bool:
    """Return True if the word ends in 's or s' (genitive)."""
    return _GENITIVE.search(word) is not None


def strip_genitive(word: str) -> str:
    """Remove the genitive ending: *WERNER'S* becomes *WERNER*, *WILMS'* becomes *WILMS*."""
    return _GENITIVE.sub(lambda m: re.split(f"[{APOSTROPHES}]", m[0])[0], word)
