"""Pairing of reference rows and predicted rows by overlapping spans, including rows without a partner."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..scoring.arrays import Ints
from ..scoring.pairing.candidates import find_overlapping_intervals

NO_PARTNER = -1
"""Value that replaces the partner's row number if a row has no partner."""


def find_overlaps(left: pd.DataFrame, right: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Return all pairs of spans from `left` and `right` that overlap in the same unit.

    Parameters
    ----------
    left, right : DataFrame
        Spans, with the columns `start` and `end` and the column named by `unit`.
    unit : str
        Name of the column with the number of the unit (caption or document).

    Returns
    -------
    DataFrame
        `left` and `right` (row numbers in the two tables), `common` (length of the overlap).
    """
    # units are placed one after the other, each `room` wide, so that one sweep finds all overlaps
    room = max((int(table["end"].max()) for table in (left, right) if len(table)), default=0) + 1
    sides = []
    for table in (left, right):
        base = table[unit].to_numpy(np.int64) * room
        first = base + table["start"].to_numpy(np.int64)
        order = np.argsort(first, kind="stable")
        sides.append((order, first[order], (base + table["end"].to_numpy(np.int64))[order]))
    (order_a, first_a, last_a), (order_b, first_b, last_b) = sides
    a, b = find_overlapping_intervals(first_a, last_a, first_b, last_b)
    common = np.minimum(last_a[a], last_b[b]) - np.maximum(first_a[a], first_b[b])
    return pd.DataFrame({"left": order_a[a], "right": order_b[b], "common": common}, dtype="int64")


def take_side(table: pd.DataFrame, rows: ArrayLike, prefix: str) -> pd.DataFrame:
    """Return rows of a table with prefixed column names; NO_PARTNER becomes a row of missing values."""
    return table.reindex(np.asarray(rows)).reset_index(drop=True).add_prefix(prefix)


def add_unpaired(pairs: pd.DataFrame, reference: Ints, predicted: Ints, **values: float) -> pd.DataFrame:
    """Append all reference rows and predicted rows that have no partner to a table of pairs.

    Parameters
    ----------
    pairs : DataFrame
        Pairs of rows: `reference`, `predicted` (row numbers), and further columns.
    reference, predicted : ndarray of int64
        Numbers of all reference rows and of all predicted rows.
    **values
        Values of the further columns in the appended rows.
    """
    deleted = np.setdiff1d(reference, pairs["reference"])
    inserted = np.setdiff1d(predicted, pairs["predicted"])
    unpaired = pd.DataFrame(
        {
            "reference": np.concatenate((deleted, np.full(len(inserted), NO_PARTNER))),
            "predicted": np.concatenate((np.full(len(deleted), NO_PARTNER), inserted)),
        },
        dtype="int64",
    )
    return pd.concat([pairs, unpaired.assign(**values)], ignore_index=True)
