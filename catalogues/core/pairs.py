"""Pairs as people write them on the command line: ``KEY=VALUE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .errors import InputError


def pair_of(text: str, option: str, form: str) -> tuple[str, str]:
    """The two sides of an option's pair; the first ``=`` parts them.

    Raises
    ------
    InputError
        When a side is missing; the message has the option and the form of its pairs (``NAME=FILE``).

    Examples
    --------
    >>> pair_of("known=a=b.txt", "--list", "NAME=FILE")
    ('known', 'a=b.txt')
    """
    key, _, value = text.partition("=")
    if not (key.strip() and value.strip()):
        raise InputError(f"{option} does not hold a pair", found=text, allowed=form)
    return key, value


def pairs_of(given: Sequence[str] | Mapping[str, str] | None, option: str, form: str) -> dict[str, str]:
    """A mapping as it is, or the mapping that texts of the form ``KEY=VALUE`` make; see `pair_of`."""
    if isinstance(given, Mapping):
        return dict(given)
    return dict(pair_of(text, option, form) for text in given or ())


def trimmed(pairs: Mapping[str, str]) -> dict[str, str]:
    """Pairs without the white space around either side."""
    return {key.strip(): value.strip() for key, value in pairs.items()}
