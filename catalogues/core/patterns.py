"""Users' regular expressions, searched with a limit on time.

Patterns of queries and of tagger specifications are searched by the library `regex`, which is compatible with
Python's `re` and can be stopped: a pattern such as ``(a|aa)+$`` could take longer than anybody waits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from .errors import InputError

if TYPE_CHECKING:
    import regex

TIME_LIMIT_SECONDS: float = 5
"""Processor time of the search in one text."""
_BRACE = re.compile(r"\\N\{[^}]*\}|\\.|\{(?![\d,])", re.DOTALL)
"""A brace that begins no repetition, in which `regex` would allow errors, or something escaped."""


class Match(NamedTuple):
    """Where a pattern was found, and what its groups hold."""

    start: int
    end: int
    groups: tuple[str | None, ...]


def find_matching_texts(pattern: str, texts: Collection[str]) -> frozenset[str]:
    """Return those of `texts` in which a pattern is found.

    Raises
    ------
    InputError
        When a search takes more than `TIME_LIMIT_SECONDS` of processor time on one text.

    Examples
    --------
    >>> sorted(matching("^[a-c]", ["a1", "b", "d"]))
    ['a1', 'b']
    """
    with _limit_search(pattern) as compiled:
        return frozenset(t for t in texts if compiled.search(t, timeout=TIME_LIMIT_SECONDS) is not None)


def search_texts(pattern: str, texts: Iterable[str], *, all_matches: bool = False) -> Iterator[list[Match]]:
    """Find the first match of a pattern in each text, or all matches.

    Parameters
    ----------
    pattern : str
    texts : iterable of str
    all_matches : bool
        Whether all matches are given, as by `re.finditer`; else the first, as by `re.search`.

    Yields
    ------
    list of Match
        Of each text; empty where the pattern is not found.

    Raises
    ------
    InputError
        When a search takes more than `TIME_LIMIT_SECONDS` of processor time on one text.

    Examples
    --------
    >>> list(searched("b(.)", ["abcbd", "x"], every=True))
    [[Match(start=1, end=3, groups=('c',)), Match(start=3, end=5, groups=('d',))], []]
    """
    most = None if all_matches else 1
    with _limit_search(pattern) as compiled:
        for text in texts:
            found = islice(compiled.finditer(text, timeout=TIME_LIMIT_SECONDS), most)
            yield [Match(match.start(), match.end(), match.groups()) for match in found]


@contextmanager
def _limit_search(pattern: str) -> Iterator[regex.Pattern[str]]:
    """Compile a pattern; searches that take too long or too much end in an error that names it."""
    import regex

    try:
        plain = _BRACE.sub(lambda found: r"\{" if found[0] == "{" else found[0], pattern)
        # the version that behaves as Python's re
        yield regex.compile(plain, regex.VERSION0)
    except TimeoutError:
        raise InputError(
            f"the pattern /{pattern}/ takes too long: stopped after {TIME_LIMIT_SECONDS} s of processor time",
            allowed="a pattern in which no repetition stands in another, such as [a-z]+$ for ([a-z]+)+$",
        ) from None
    except (regex.error, MemoryError, OverflowError, RecursionError) as error:
        raise InputError(f"the pattern /{pattern}/ cannot be searched ({error})") from None
