"""Spans of two sides that overlap, in captions or documents."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..scoring.candidates import intervals_meet

Places = NDArray[np.int64]


def overlapping(left: pd.DataFrame, right: pd.DataFrame, unit: str) -> tuple[Places, Places]:
    """Rows of all pairs of spans, one of each table, that share at least one place of the same unit.

    Parameters
    ----------
    left, right : DataFrame
        `start`, `end`, and the column `unit` with the number of a caption or document.
    unit : str
        Its name.
    """
    if not len(left) or not len(right):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # units are laid end to end, each `room` wide, so that one sweep finds the overlaps of all
    room = int(max(left["end"].max(), right["end"].max())) + 1
    sides = []
    for table in (left, right):
        base = table[unit].to_numpy(np.int64) * room
        first = base + table["start"].to_numpy(np.int64)
        order = np.argsort(first, kind="stable")
        sides.append((order, first[order], (base + table["end"].to_numpy(np.int64))[order]))
    (order_a, first_a, last_a), (order_b, first_b, last_b) = sides
    a, b = intervals_meet(first_a, last_a, first_b, last_b)
    return order_a[a].astype(np.int64), order_b[b].astype(np.int64)
