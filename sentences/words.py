"""Word lists of the sentences room: plain text files under ``words/``, one word a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from ..catalogues.core.bundled import bundled_rows
from ..catalogues.core.errors import InputError
from ..catalogues.entity_features.lexicon import lemmas


@lru_cache
def word_list(name: str) -> frozenset[str]:
    """The words of ``words/NAME.txt``, in lower case; lines that begin with ``#`` are remarks."""
    return frozenset(row[0].lower() for row in bundled_rows(__package__, "words", f"{name}.txt"))


@lru_cache
def keywords() -> Mapping[str, str]:
    """Each inflected keyword (lower case) with its base form, from ``words/keywords.tsv``."""
    forms: dict[str, str] = {}
    for base, *others in bundled_rows(__package__, "words", "keywords.tsv"):
        for form in (base, *others):
            if form in forms:
                raise InputError("a keyword stands twice", file="words/keywords.tsv", found=form)
            forms[form] = base
    return MappingProxyType(forms)


_ADJECTIVE = re.compile(r"[a-z]{3,}(?:ic|ous|ible|able|ive|eal|oid|ular|erial)")


@lru_cache(maxsize=1 << 17)
def is_adjective(word: str) -> bool:
    """Whether a word is an adjective where it stands before a name.

    It is when ``words/adjectives.txt`` lists it; when the NIH SPECIALIST lexicon has it
    as an adjective and as neither noun nor verb; when that lexicon does not know it but it ends like one
    (*-ic*, *-ous*, *-able*, ...); or when it is a hyphened compound whose last part is such a word.
    Determiners, prepositions and conjunctions are none, whatever else they can be.
    """
    lowered = word.lower()
    if lowered in word_list("adjectives"):
        return True
    if lowered in _function_words():
        return False
    if not lowered.replace("-", "").isalpha():
        return "-" in lowered and is_adjective(lowered.rpartition("-")[2])
    known = lemmas(lowered)
    if known:
        return "ADJ" in known and "NOUN" not in known and "VERB" not in known
    if "-" in lowered:
        return is_adjective(lowered.rpartition("-")[2])
    return _ADJECTIVE.fullmatch(lowered) is not None


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    return frozenset().union(
        *map(word_list, ("not_adjectives", "prepositions", "conjunctions", "closed_class"))
    )
