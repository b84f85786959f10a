"""Pairs as people write them on the command line: ``KEY=VALUE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .errors import InputError


def pair_of(text: str, option: str, form: str, *, empty: bool = False) -> tuple[str, str]:
    """The two sides of an option's pair; the first ``=`` parts them.

    Parameters
    ----------
    text : str
    option, form : str
        Named where it is no pair: ``--list`` and ``NAME=FILE``.
    empty : bool
        Whether the value may be empty.

    Raises
    ------
    InputError
        When a side is missing.

    Examples
    --------
    >>> pair_of("known=a=b.txt", "--list", "NAME=FILE")
    ('known', 'a=b.txt')
    >>> pair_of("prefix=", "--option", "NAME=VALUE", empty=True)
    ('prefix', '')
    """
    key, equals, value = text.partition("=")
    if not (key.strip() and equals and (empty or value.strip())):
        raise InputError(f"{option} does not hold a pair", found=text, allowed=form)
    return key, value


def pairs_of(
    given: Sequence[str] | Mapping[str, str] | None, option: str, form: str, *, empty: bool = False
) -> dict[str, str]:
    """A mapping as it is, or the mapping that texts of the form ``KEY=VALUE`` make; see `pair_of`."""
    if isinstance(given, Mapping):
        return dict(given)
    return dict(pair_of(text, option, form, empty=empty) for text in given or ())


def trimmed(pairs: Mapping[str, str]) -> dict[str, str]:
    """Pairs without the white space around either side."""
    return {key.strip(): value.strip() for key, value in pairs.items()}
