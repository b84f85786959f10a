"""Pairs of rows of two sides: those whose spans overlap, and rows that are left without a partner."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..scoring.arrays import Ints
from ..scoring.pairing.candidates import find_overlapping_intervals

NO_PARTNER = -1
"""Stands for the partner that a row does not have; no row of a table is called so."""


def find_overlaps(left: pd.DataFrame, right: pd.DataFrame, unit: str) -> pd.DataFrame:
    """All pairs of spans, one of each table, that share at least one place of the same unit.

    Parameters
    ----------
    left, right : DataFrame
        `start`, `end`, and the column `unit` with the number of a caption or document.
    unit : str
        Its name.

    Returns
    -------
    DataFrame
        `left`, `right` (rows of the tables), `common` (the number of places that both cover).
    """
    # units are laid end to end, each `room` wide, so that one sweep finds the overlaps of all
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
    """The values of one side of each pair, by its rows; missing where that side is `NO_PARTNER`."""
    return table.reindex(np.asarray(rows)).reset_index(drop=True).add_prefix(prefix)


def add_unpaired(pairs: pd.DataFrame, reference: Ints, predicted: Ints, **values: float) -> pd.DataFrame:
    """The pairs, then the rows of the reference and of the predictions that have no partner.

    Parameters
    ----------
    pairs : DataFrame
        `reference`, `predicted` (rows of either side), and further columns.
    reference, predicted : ndarray of int64
        All rows of either side.
    **values
        What the further columns hold where there is no partner; the partner is `NO_PARTNER`.
    """
    deleted = np.setdiff1d(reference, pairs["reference"])
    inserted = np.setdiff1d(predicted, pairs["predicted"])
    alone = pd.DataFrame(
        {
            "reference": np.concatenate((deleted, np.full(len(inserted), NO_PARTNER))),
            "predicted": np.concatenate((np.full(len(deleted), NO_PARTNER), inserted)),
        },
        dtype="int64",
    )
    return pd.concat([pairs, alone.assign(**values)], ignore_index=True)
