"""Functions that read the user's word lists from files or from the library wordfreq."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from .core.errors import InputError, MissingExtraError
from .core.files import digest_bytes, read_text
from .core.options import split_pair
from .feature import LIST_PREFIX, Feature
from .taxonomy import taxonomy

WORDFREQ_PREFIX = "wordfreq:"
COMMON_ENGLISH_LIST = "common_English"
"""Name of a user's list that replaces the bundled list of common English words."""


class WordList(frozenset[str]):
    """Set of the entries of a word list; `source` is its file name or ``wordfreq:N``."""

    source: str = ""

    @classmethod
    def read(cls, source: str) -> WordList:
        """Read a word list from a file or from wordfreq (``wordfreq:N``); see `read_lists`."""
        if source.startswith(WORDFREQ_PREFIX):
            words = cls(read_commonest_words(source[len(WORDFREQ_PREFIX) :]))
        else:
            words = cls(filter(None, (line.strip() for line in read_text(source).split("\n"))))
            if not words:
                raise InputError("the word list is empty; write one entry per line", file=source)
        words.source = source
        return words

    def __str__(self) -> str:
        return self.source or f"{len(self)} words"


def read_lists(
    given: Sequence[str] | Mapping[str, str | os.PathLike[str] | Collection[str]],
) -> dict[str, frozenset[str]]:
    """Read the user's word lists, for `entity_features` and the features ``in_list.NAME``.

    Parameters
    ----------
    given : sequence of str, or mapping of str to path or collection
        ``NAME=FILE`` (one entry per line; surrounding white space and empty lines are ignored) or
        ``NAME=wordfreq:N`` (the N most common English words, which requires the library wordfreq). In a
        mapping, the keys are names, and the values are files, ``wordfreq:N`` or collections of entries.

    Returns
    -------
    dict of str to frozenset of str
        The entries of each list, by name.

    Raises
    ------
    InputError
        If the syntax is wrong, a name cannot be used in queries, or a file cannot be read.
    MissingExtraError
        If wordfreq is needed but not installed.
    """
    lists: dict[str, frozenset[str]] = {}
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        pairs = [split_pair(text, "--list", "NAME=FILE or NAME=wordfreq:N") for text in given]
    for name, entries in pairs:
        taxonomy().find(LIST_PREFIX + name, ("entity",))
        if name in lists:
            raise InputError("two word lists have the same name", found=name)
        if isinstance(entries, (str, os.PathLike)):
            lists[name] = WordList.read(os.fspath(entries))
        else:
            lists[name] = entries if isinstance(entries, frozenset) else frozenset(entries)
    return lists


def digest_list(words: Iterable[str]) -> str:
    """Return the first 12 digits of a word list's checksum (SHA-256), which ignores the order of words."""
    return digest_bytes("\n".join(sorted(words)).encode())[:12]


def require_lists(
    features: Iterable[Feature], available: Collection[str], remedy: str = "--list {name}=FILE"
) -> None:
    """Raise InputError if a feature ``in_list.NAME`` refers to a list that was not given.

    Parameters
    ----------
    features : iterable of Feature
        Features that the queries use.
    available : collection of str
        Names of the columns that exist or will be computed.
    remedy : str
        Option that supplies the list, as shown in the message; ``{name}`` is replaced with the list's name.

    Raises
    ------
    InputError
        If a list is missing.
    """
    for feature in features:
        if feature.name.startswith(LIST_PREFIX) and feature.column not in available:
            name = feature.name.removeprefix(LIST_PREFIX)
            raise InputError(f"{feature.name} needs the word list {name!r}; use {remedy.format(name=name)}")


def read_commonest_words(number: str) -> frozenset[str]:
    """Return the `number` most common English words, from wordfreq.

    Raises
    ------
    InputError
        If `number` is not a positive whole number.
    MissingExtraError
        If wordfreq is not installed.
    """
    if not number.isdecimal() or len(number) > 15 or int(number) < 1:
        raise InputError("wordfreq:N needs a positive whole number N, as in wordfreq:5000", found=number)
    try:
        from wordfreq import top_n_list
    except ModuleNotFoundError:
        raise MissingExtraError("wordfreq", "lexicon", "a list of common English words") from None
    return frozenset(top_n_list("en", int(number)))
