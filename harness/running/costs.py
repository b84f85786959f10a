"""Costs of cases: seconds, requests, tokens and price; unknown costs are NaN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

COST_COLUMNS = ("seconds", "attempts", "input_tokens", "output_tokens", "price", "shared")
"""Names of the columns of `Costs`, in order."""
SECONDS, ATTEMPTS, SHARED = (COST_COLUMNS.index(name) for name in ("seconds", "attempts", "shared"))
TOKEN_COLUMNS = slice(COST_COLUMNS.index("input_tokens"), COST_COLUMNS.index("price") + 1)
"""Columns of `Costs` that contain the values from `compute_token_costs`, in the same order."""
Costs = NDArray[np.float64]
"""Array with one row per case and one column per name in `COST_COLUMNS`; NaN for unknown values."""


def compute_time_costs(
    seconds: NDArray[np.float64], request_numbers: IntArray, texts: Sequence[str]
) -> Costs:
    """Return the costs of one attempt, with the time of each request divided among its cases.

    The time is divided in proportion to the length of the texts; if all texts of a request are empty, it is
    divided equally. The column `shared` is 1 for cases whose time is such a share.

    Parameters
    ----------
    seconds : array of float64
        Seconds from the request to the answer of each case; NaN for a case that has no answer.
    request_numbers : array of int64
        Number of the request that contained each case; negative for a case that was not sent.
    texts : sequence of str
        Text of each case.
    """
    characters = np.fromiter(map(len, texts), np.int64, len(texts))
    costs = np.full((len(request_numbers), len(COST_COLUMNS)), np.nan)
    sent_rows = np.flatnonzero(request_numbers >= 0)
    _, groups, group_sizes = np.unique(request_numbers[sent_rows], return_inverse=True, return_counts=True)
    request_seconds = np.full(len(group_sizes), np.nan)
    # the time of a request is that of its last answer
    np.fmax.at(request_seconds, groups, seconds[sent_rows])
    total = np.bincount(groups, weights=characters[sent_rows], minlength=len(group_sizes))[groups]
    share = np.where(total > 0, characters[sent_rows] / np.maximum(total, 1), 1 / group_sizes[groups])
    answered = np.where(np.isnan(seconds[sent_rows]), np.nan, 1.0)
    costs[sent_rows, SECONDS] = answered * request_seconds[groups] * share
    costs[sent_rows, ATTEMPTS] = 1.0
    costs[sent_rows, SHARED] = answered * (group_sizes[groups] > 1)
    return costs


def compute_token_costs(
    read: float, written: float, price_in: float | None, price_out: float | None
) -> list[float]:
    """Return the input tokens, output tokens and price of a case; NaN for unknown values.

    Parameters
    ----------
    read, written : float
        Number of input and output tokens.
    price_in, price_out : float or None
        Price per million input and output tokens.
    """
    prices = [n * price / 1e6 for n, price in ((read, price_in), (written, price_out)) if price is not None]
    return [read, written, sum(prices) if prices else np.nan]


def add_costs(costs: Costs, places: Sequence[int], more: Costs) -> None:
    """Add the costs of another attempt: row i of `more` is added to row `places[i]` of `costs`."""
    before = costs[places]
    costs[places] = np.where(np.isnan(more), before, np.nan_to_num(before) + more)
