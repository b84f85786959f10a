"""The word lists behind the entity features, read once from the catalogue's lexicon folder."""

from __future__ import annotations

from functools import lru_cache

from ..core.files import read_bundled_rows


def read_rows(name: str) -> list[list[str]]:
    """The tab-separated rows of a bundled list, without comments and empty lines."""
    return read_bundled_rows("tagsuite.catalogues", "lexicon", name)


@lru_cache
def read_words(name: str) -> frozenset[str]:
    """The first column of a bundled list."""
    return frozenset(row[0] for row in read_rows(name))


@lru_cache
def read_mapping(name: str) -> dict[str, str]:
    """The first two columns of a bundled list."""
    return {row[0]: row[1] for row in read_rows(name)}


@lru_cache(maxsize=1 << 18)
def find_lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """The lemmas of a word by universal part of speech, from the SPECIALIST lexicon; empty when unknown.

    lemminflect's guesses for unknown words are not asked: they make *kinases* into *kinas*.
    """
    import lemminflect

    found: dict[str, tuple[str, ...]] = lemminflect.getAllLemmas(word)
    return found
