"""Functions that read the bundled word lists (folder lexicon) and look up lemmas."""

from __future__ import annotations

from functools import lru_cache

from ..core.files import read_bundled_rows


def read_rows(name: str) -> list[list[str]]:
    """Return the tab-separated rows of a bundled word list, without comments and empty lines."""
    return read_bundled_rows("tagsuite.catalogues", "lexicon", name)


@lru_cache
def read_words(name: str) -> frozenset[str]:
    """Return the first column of a bundled word list."""
    return frozenset(row[0] for row in read_rows(name))


@lru_cache
def read_mapping(name: str) -> dict[str, str]:
    """Return the first two columns of a bundled word list as a mapping."""
    return {row[0]: row[1] for row in read_rows(name)}


@lru_cache(maxsize=1 << 18)
def find_lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """Return the lemmas of a word in the SPECIALIST lexicon, keyed by universal part of speech.

    The result is empty for unknown words. The library lemminflect could guess their lemmas, but it would turn
    *kinases* into *kinas*.
    """
    import lemminflect

    lemmas: dict[str, tuple[str, ...]] = lemminflect.getAllLemmas(word)
    return lemmas
