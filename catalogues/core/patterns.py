"""Search with the user's regular expressions under a time limit.

Patterns in queries and tagger specifications are compiled by the library `regex`, which is compatible with
`re` and has a time-out. Without a time-out, a search for a pattern such as ``(a|aa)+$`` could take hours.
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
"""Maximum processor time of a search in one text, in seconds."""
_BRACE = re.compile(r"\\N\{[^}]*\}|\\.|\{(?![\d,])", re.DOTALL)
"""Pattern for escapes and literal braces; the library `regex` would read such braces as fuzzy matching."""


class Match(NamedTuple):
    """Match of a pattern in a text, with its span and groups."""

    start: int
    end: int
    groups: tuple[str | None, ...]


def find_matching_texts(pattern: str, texts: Collection[str]) -> frozenset[str]:
    """Return the set of the texts in which a pattern is found.

    Raises
    ------
    InputError
        If a search takes more than `TIME_LIMIT_SECONDS` of processor time on one text.

    Examples
    --------
    >>> sorted(find_matching_texts("^[a-c]", ["a1", "b", "d"]))
    ['a1', 'b']
    """
    with _limit_search(pattern) as compiled:
        return frozenset(t for t in texts if compiled.search(t, timeout=TIME_LIMIT_SECONDS) is not None)


def check_pattern(pattern: str) -> None:
    """Raise InputError if a pattern is not a valid regular expression."""
    with _limit_search(pattern):
        pass


def search_texts(pattern: str, texts: Iterable[str], *, all_matches: bool = False) -> Iterator[list[Match]]:
    """Find the first match of a pattern in each text, or all matches.

    Parameters
    ----------
    pattern : str
        A regular expression.
    texts : iterable of str
        The texts to search.
    all_matches : bool
        If True, find all matches, as `re.finditer` does; otherwise only the first, as `re.search` does.

    Yields
    ------
    list of Match
        The matches in each text; empty if the pattern is not found.

    Raises
    ------
    InputError
        If a search takes more than `TIME_LIMIT_SECONDS` of processor time on one text.

    Examples
    --------
    >>> list(search_texts("b(.)", ["abcbd", "x"], all_matches=True))
    [[Match(start=1, end=3, groups=('c',)), Match(start=3, end=5, groups=('d',))], []]
    """
    limit = None if all_matches else 1
    with _limit_search(pattern) as compiled:
        for text in texts:
            matches = islice(compiled.finditer(text, timeout=TIME_LIMIT_SECONDS), limit)
            yield [Match(match.start(), match.end(), match.groups()) for match in matches]


@contextmanager
def _limit_search(pattern: str) -> Iterator[regex.Pattern[str]]:
    """Yield the compiled pattern; raise InputError if it is invalid or a search takes too long."""
    import regex

    try:
        plain = _BRACE.sub(lambda found: r"\{" if found[0] == "{" else found[0], pattern)
        # VERSION0 behaves like Python's re
        yield regex.compile(plain, regex.VERSION0)
    except TimeoutError:
        raise InputError(
            f"the pattern /{pattern}/ takes too long (over {TIME_LIMIT_SECONDS} s of processor time); "
            "avoid nested repetitions: write [a-z]+$ instead of ([a-z]+)+$"
        ) from None
    except (regex.error, MemoryError, OverflowError, RecursionError) as error:
        raise InputError(f"the pattern /{pattern}/ cannot be used ({error})") from None
