"""Numbers and names as people read them: counts, shares in per cent, differences, lists in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def count(value: Any) -> str:
    """A count with its thousands apart; halves and credits with two decimals.

    Examples
    --------
    >>> count(1400), count(12.5)
    ('1,400', '12.50')
    """
    return f"{int(value):,}" if float(value).is_integer() else f"{float(value):,.2f}"


def number(value: Any) -> str:
    """Any number: whole as a count, else with three decimals."""
    if isinstance(value, str):
        return value
    return count(value) if float(value).is_integer() and abs(value) >= 2 else f"{float(value):.3f}"


def counted(quantity: int, one: str, many: str = "") -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "case"), counted(1400, "case")
    ('1 case', '1,400 cases')
    """
    return f"{quantity:,} {one if quantity == 1 else many or one + 's'}"


def in_percent(value: float) -> str:
    """A share in per cent with one decimal, without the sign of per cent.

    Examples
    --------
    >>> in_percent(0.579), in_percent(-0.02)
    ('57.9', '−2.0')
    """
    return f"{100 * value:.1f}".replace("-", "−")


def signed(value: float) -> str:
    """A difference of shares in percentage points, with its sign.

    Examples
    --------
    >>> signed(0.05), signed(-0.2)
    ('+5.0', '−20.0')
    """
    return f"{100 * value:+.1f}".replace("-", "−")


def percent(value: float) -> str:
    r"""A share in per cent.

    Examples
    --------
    >>> percent(0.579), percent(float("nan"))
    ('57.9\xa0%', 'undefined')
    """
    return "undefined" if value != value else f"{in_percent(value)}\u00a0%"


def spanned(value: float, low: float, high: float) -> str:
    r"""A share with its interval.

    Examples
    --------
    >>> spanned(0.579, 0.519, 0.637)
    '57.9\xa0% (51.9 to 63.7)'
    """
    if value != value or low != low:
        return percent(value)
    return f"{percent(value)} ({in_percent(low)} to {in_percent(high)})"


def capitalised(words: str) -> str:
    """Words as a sentence begins; the letter case of all but the first character stays.

    Examples
    --------
    >>> capitalised("kex reads all")
    'Kex reads all'
    """
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
