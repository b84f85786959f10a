"""Word lists of the sentences room, in files under ``words/``: one word a line, or a table of gene words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from ..catalogues.core.files import read_bundled_rows
from ..catalogues.entity_features.lexicon import find_lemmas


@lru_cache
def read_word_list(name: str) -> frozenset[str]:
    """The words of ``words/NAME.txt``, in lower case; lines that begin with ``#`` are remarks."""
    return frozenset(row[0].lower() for row in read_bundled_rows(__package__, "words", f"{name}.txt"))


@lru_cache(maxsize=1)
def read_determiners() -> frozenset[str]:
    """Words after which a singular noun wants no article: the articles, and what stands in place of one."""
    return read_word_list("articles") | read_word_list("determiners")


@lru_cache
def read_gene_words(use: str) -> Mapping[str, str]:
    """Each word (lower case) that has a use in ``words/gene_words.tsv``, with its base form.

    Parameters
    ----------
    use : {"keyword", "head", "label", "dna", "article"}
        ``keyword``: of a sentence. ``head``: what a gene, a product or a part of these is called; it ends a
        name or stands behind one. ``label``: says what a name is the name of; a name that ends in one stands
        before none. ``dna``: a label after which a name is that of DNA alone (*ADH1 gene*). ``article``: a
        noun that in the singular wants a determiner before a name that ends in it (*the SV40 promoter*).

    Examples
    --------
    >>> gene_words("keyword")["loci"]
    'locus'
    """
    file = "words/gene_words.tsv"
    forms: dict[str, str] = {}
    for base, uses, *words in read_bundled_rows(__package__, *file.split("/")):
        if use in uses.split(","):
            forms |= dict.fromkeys(words, base)
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
    if lowered in read_word_list("adjectives"):
        return True
    if lowered in read_function_words():
        return False
    if not lowered.replace("-", "").isalpha():
        return "-" in lowered and is_adjective(lowered.rpartition("-")[2])
    known = find_lemmas(lowered)
    if known:
        return "ADJ" in known and "NOUN" not in known and "VERB" not in known
    if "-" in lowered:
        return is_adjective(lowered.rpartition("-")[2])
    return _ADJECTIVE.fullmatch(lowered) is not None


@lru_cache(maxsize=1)
def read_function_words() -> frozenset[str]:
    """Words that are no adjectives, names or parts of names, whatever they end in."""
    return frozenset().union(
        *map(read_word_list, ("not_adjectives", "prepositions", "conjunctions", "closed_class"))
    )
