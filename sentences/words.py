"""Reader of the bundled word lists in the folder ``words``, and a test for adjectives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from ..catalogues.core.files import read_bundled_rows
from ..catalogues.entity_features.lexicon import find_lemmas


@lru_cache
def read_word_list(name: str) -> frozenset[str]:
    """Return the words in ``words/NAME.txt``, in lower case and without comment lines."""
    return frozenset(row[0].lower() for row in read_bundled_rows(__package__, "words", f"{name}.txt"))


@lru_cache(maxsize=1)
def read_determiners() -> frozenset[str]:
    """Return the articles and other determiners; a singular noun after one needs no further article."""
    return read_word_list("articles") | read_word_list("determiners")


@lru_cache
def read_gene_words(use: str) -> Mapping[str, str]:
    """Return the words with a given use in ``words/gene_words.tsv``, each with its base form.

    Parameters
    ----------
    use : {"keyword", "head", "label", "dna", "article"}
        ``keyword``: a word typical of sentences about genes. ``head``: a noun for a gene, a gene product or a
        part of either, at the end of a name or after it. ``label``: a noun that can be added to a
        name to state the kind of object, unless the name already ends in such a noun. ``dna``: a noun
        that shows that the preceding name denotes DNA (*ADH1 gene*). ``article``: a noun that, in the
        singular and at the end of a name, requires a determiner before the name (*the SV40 promoter*).

    Examples
    --------
    >>> read_gene_words("keyword")["loci"]
    'locus'
    """
    forms: dict[str, str] = {}
    for base, uses, *words in read_bundled_rows(__package__, "words", "gene_words.tsv"):
        if use in uses.split(","):
            forms |= dict.fromkeys(words, base)
    return MappingProxyType(forms)


_ADJECTIVE = re.compile(r"[a-z]{3,}(?:ic|ous|ible|able|ive|eal|oid|ular|erial)")


@lru_cache(maxsize=1 << 17)
def is_adjective(word: str) -> bool:
    """Return True if a word before a name is an adjective.

    A word counts as an adjective if ``words/adjectives.txt`` lists it; if the NIH SPECIALIST lexicon lists it
    as an adjective and as neither noun nor verb; if the lexicon lacks it and it has a typical ending (*-ic*,
    *-ous*, *-able*, ...); or if it is a hyphenated compound whose last part is an adjective. Determiners,
    prepositions and conjunctions never count.
    """
    lowered = word.lower()
    if lowered in read_word_list("adjectives"):
        return True
    if lowered in read_function_words():
        return False
    if not lowered.replace("-", "").isalpha():
        return "-" in lowered and is_adjective(lowered.rpartition("-")[2])
    lemmas = find_lemmas(lowered)
    if lemmas:
        return "ADJ" in lemmas and "NOUN" not in lemmas and "VERB" not in lemmas
    if "-" in lowered:
        return is_adjective(lowered.rpartition("-")[2])
    return _ADJECTIVE.fullmatch(lowered) is not None


@lru_cache(maxsize=1)
def read_function_words() -> frozenset[str]:
    """Return the words that are never adjectives, names or parts of names."""
    return frozenset().union(
        *map(read_word_list, ("not_adjectives", "prepositions", "conjunctions", "closed_class"))
    )
