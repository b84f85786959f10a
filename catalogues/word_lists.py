"""Lists of the user's on the command line: ``NAME=FILE``, or the commonest words of wordfreq."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from .core.errors import InputError, MissingExtraError
from .core.files import digest_bytes, read_text
from .core.options import split_pair
from .taxonomy import LIST_PREFIX, Feature, taxonomy

WORDFREQ_PREFIX = "wordfreq:"
COMMON_ENGLISH_LIST = "common_English"
"""The user's list that takes the place of the bundled lexicon of common English words."""


class WordList(frozenset[str]):
    """The entries of a list, and where they were read; shown as the latter."""

    source: str = ""

    @classmethod
    def read(cls, source: str) -> WordList:
        """Read a file, or so many of the commonest words; see `read_lists`."""
        if source.startswith(WORDFREQ_PREFIX):
            words = cls(read_commonest_words(source[len(WORDFREQ_PREFIX) :]))
        else:
            words = cls(filter(None, (line.strip() for line in read_text(source).split("\n"))))
            if not words:
                raise InputError("the list holds no entry", file=source, allowed="an entry a line")
        words.source = source
        return words

    def __str__(self) -> str:
        return self.source or f"{len(self)} words"


def read_lists(
    given: Sequence[str] | Mapping[str, str | os.PathLike[str] | Collection[str]],
) -> dict[str, frozenset[str]]:
    """Read lists, for `entity_features` and the features ``in_list.NAME``.

    Parameters
    ----------
    given : sequence of str, or mapping of str to path or collection
        ``NAME=FILE`` (an entry a line, white space at the edges and empty lines dropped) or
        ``NAME=wordfreq:N`` (the N commonest English words, by the optional library wordfreq); or names, each
        with such a source or with the entries themselves.

    Raises
    ------
    InputError
        When one is no such pair, its name is none that a query could have, or its file cannot be read.
    MissingExtraError
        When wordfreq is asked for and not installed.
    """
    lists: dict[str, frozenset[str]] = {}
    texts: list[str] = []
    for one in given.items() if isinstance(given, Mapping) else given:
        if isinstance(one, str):
            texts.append(one)
            continue
        name, held = one
        if isinstance(held, (str, os.PathLike)):
            texts.append(f"{name}={os.fspath(held)}")
        else:
            lists[name] = held if isinstance(held, frozenset) else frozenset(held)
    for text in texts:
        name, source = split_pair(text, "--list", "NAME=FILE or NAME=wordfreq:N")
        taxonomy().find(LIST_PREFIX + name, ("entity",))
        if name in lists:
            raise InputError("--list names a list twice", found=name)
        lists[name] = WordList.read(source)
    return lists


def digest_list(words: Iterable[str]) -> str:
    """The first digits of a list's SHA-256, whatever its order: what signatures say of it."""
    return digest_bytes("\n".join(sorted(words)).encode())[:12]


def require_lists(
    features: Iterable[Feature], available: Collection[str], remedy: str = "--list {name}=FILE"
) -> None:
    """Refuse features ``in_list.NAME`` without a list: absent everywhere, they would select nothing.

    Parameters
    ----------
    features : iterable of Feature
        What queries ask.
    available : collection of str
        The columns that there are or will be.
    remedy : str
        How the list is given, with ``{name}`` for its name.

    Raises
    ------
    InputError
        When a list is asked that is not there.
    """
    for feature in features:
        if feature.name.startswith(LIST_PREFIX) and feature.column not in available:
            name = feature.name.removeprefix(LIST_PREFIX)
            raise InputError("no such list", found=feature.name, allowed=remedy.format(name=name))


def read_commonest_words(number: str) -> frozenset[str]:
    """The commonest English words by wordfreq, as many as the text names.

    Raises
    ------
    InputError
        When that is no number above 0.
    MissingExtraError
        When wordfreq is not installed.
    """
    if not number.isdecimal() or len(number) > 15 or int(number) < 1:
        raise InputError("not a number of words", found=number, allowed="wordfreq:N, such as wordfreq:5000")
    try:
        from wordfreq import top_n_list
    except ModuleNotFoundError:
        raise MissingExtraError("wordfreq", "lexicon", "a list of common English words") from None
    return frozenset(top_n_list("en", int(number)))
