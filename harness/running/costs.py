"""What cases cost: seconds, requests, tokens and price, each where it is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

NAMES = ("seconds", "attempts", "input_tokens", "output_tokens", "price")
"""What is known of a case, in the order of columns."""
Costs = NDArray[np.float64]
"""A row a case, a column for each of `NAMES`; NaN where nobody knows."""


def unknown(count: int) -> Costs:
    """The costs of cases of which nothing is known."""
    return np.full((count, len(NAMES)), np.nan)


def of_seconds(seconds: Mapping[int, float], count: int) -> Costs:
    """The costs of cases of which the time is known, by their places, and that they were asked once."""
    costs = unknown(count)
    for place, time in seconds.items():
        costs[place, :2] = time, 1.0
    return costs


def of_tokens(read: float, written: float, price_in: float | None, price_out: float | None) -> list[float]:
    """Tokens and price of a case; NaN where nobody says it.

    Parameters
    ----------
    read, written : float
        Tokens.
    price_in, price_out : float or None
        Of a million of each.
    """
    prices = [n * price / 1e6 for n, price in ((read, price_in), (written, price_out)) if price is not None]
    return [read, written, sum(prices) if prices else np.nan]


def add(costs: Costs, places: NDArray[np.int64], more: Costs) -> None:
    """Add what asking for some cases once more has cost."""
    known = ~np.isnan(more)
    before = costs[places]
    costs[places] = np.where(
        known, np.where(np.isnan(before), 0.0, before) + np.where(known, more, 0.0), before
    )
