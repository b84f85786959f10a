"""What cases cost: seconds, requests, tokens and price, each where it is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

COST_COLUMNS = ("seconds", "attempts", "input_tokens", "output_tokens", "price", "shared")
"""What is known of a case, in the order of columns."""
SECONDS, ATTEMPTS, SHARED = (COST_COLUMNS.index(name) for name in ("seconds", "attempts", "shared"))
TOKEN_COLUMNS = slice(COST_COLUMNS.index("input_tokens"), COST_COLUMNS.index("price") + 1)
"""The columns of `compute_token_costs`."""
Costs = NDArray[np.float64]
"""A row a case, a column for each of `NAMES`; NaN where nobody knows."""


def make_unknown_costs(count: int) -> Costs:
    """The costs of cases of which nothing is known."""
    return np.full((count, len(COST_COLUMNS)), np.nan)


def compute_time_costs(
    seconds: NDArray[np.float64], request_numbers: IntArray, texts: Sequence[str]
) -> Costs:
    """The costs of cases that were asked once, alone or together: each has its share of an asking's time.

    The share is that of its characters among all that were asked together; where none of them has any, all
    have the same. What is a share has `shared`.

    Parameters
    ----------
    seconds : array of float64
        Of each case, from its asking to its answer; NaN where it had none.
    request_numbers : array of int64
        The number of the asking in which each was asked; negative where it was in none.
    texts : sequence of str
        The text of each case.
    """
    characters = np.fromiter(map(len, texts), np.int64, len(texts))
    costs = make_unknown_costs(len(request_numbers))
    places = np.flatnonzero(request_numbers >= 0)
    _, own, together = np.unique(request_numbers[places], return_inverse=True, return_counts=True)
    whole = np.full(len(together), np.nan)
    # an asking has taken as long as its last answer
    np.fmax.at(whole, own, seconds[places])
    total = np.bincount(own, weights=characters[places], minlength=len(together))[own]
    share = np.where(total > 0, characters[places] / np.maximum(total, 1), 1 / together[own])
    answered = np.where(np.isnan(seconds[places]), np.nan, 1.0)
    costs[places, SECONDS] = answered * whole[own] * share
    costs[places, ATTEMPTS] = 1.0
    costs[places, SHARED] = answered * (together[own] > 1)
    return costs


def compute_token_costs(
    read: float, written: float, price_in: float | None, price_out: float | None
) -> list[float]:
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


def add_costs(costs: Costs, places: Sequence[int], more: Costs) -> None:
    """Add what asking for some cases once more has cost."""
    known = ~np.isnan(more)
    before = costs[places]
    costs[places] = np.where(
        known, np.where(np.isnan(before), 0.0, before) + np.where(known, more, 0.0), before
    )
