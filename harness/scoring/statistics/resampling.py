"""Resampled intervals for all rows of a score table, from sums by class and group.

An *entry* contains the summed counts of all mentions in the same class and the same group (an entity, a
context, or a pair of both). Leaving a group out of a class is then a single subtraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..arrays import Codes, Ints, Numbers
from ..counting import Counts, count_by_code
from ..division import ClassBatch, make_batches
from ..notions import Tally
from ..table import INTERVAL_COLUMNS
from ..verdicts import Verdicts
from .design import Design, Grouping, make_design, renumber_keys
from .jackknife import ShareSums, combine_ways
from .shares import estimate_share_interval, name_method
from .sums import ALL_MEASURES, Measure, sum_by_measure

Entries: TypeAlias = tuple[Ints, Codes, Codes]
"""Class of each entry, and the entry of each (class, mention) pair for gold and for predicted mentions.

An entry is a combination of a class and a group of mentions, such as an entity.
"""
BOUNDED_METHOD = 4
"""Value added to the number of an interval method if the effective sample size was bounded.

The lower bits of the number represent the groupings: a bit is set if its grouping has at least two groups.
"""


def add_intervals(scores: Verdicts) -> pd.DataFrame:
    """Return the score table of a scoring, with intervals from resampling groups of mentions.

    Under the notion pnp, which counts tokens, all tokens of a mention are left out together.
    """
    table, design = scores.wilson_table.copy(deep=False), make_design(scores)
    ends, methods = _resample_rows(scores, design, len(table))
    # the interval of the resampled share is moved to F1, which is close to it
    move = table["f1"].to_numpy(dtype="float64") - ends["f1"]
    if scores.options.beta != 1.0:
        move[:] = np.nan
    for name in INTERVAL_COLUMNS:
        end = ends.pop(name)
        if name.startswith("f1"):
            end += move
        table[name] = np.maximum(end, 0.0) if name.endswith("low") else np.minimum(end, 1.0)
    _, first, place_of = np.unique(methods @ (100, 10, 1), return_index=True, return_inverse=True)
    main = 2 if len(design.ways) == 3 else 1
    names = [
        "; ".join(dict.fromkeys(_name_method(number, design.name, main) for number in row if number >= 0))
        for row in methods[first].tolist()
    ]
    table["interval"] = pd.array(names, dtype="str").take(place_of)
    return table


def _resample_rows(
    scores: Verdicts, design: Design, rows: int
) -> tuple[dict[str, Numbers], NDArray[np.int8]]:
    """Return the measures, their interval ends, and the interval methods for each row of the score table."""
    # columns that no measure needs are dropped
    unused: dict[str, Any] = {"gold_verdict": None, "predicted_verdict": None, "extra": {}}
    tallies = [replace(tally, **unused) for tally in scores.tallies.values()]
    columns = {name: np.empty(rows) for name in (*INTERVAL_COLUMNS, *ALL_MEASURES)}
    methods = np.empty((rows, len(ALL_MEASURES)), dtype=np.int8)
    first, step = scores.row_positions
    for batch in make_batches(scores.all_divisions):
        of = slice(batch.first_class, batch.first_class + batch.size)
        entries = [_make_entries(batch, way) for way in design.ways]
        for number, tally in enumerate(tallies):
            places = first[of] + number * step[of]
            by_way = _jackknife_batch(batch, tally, entries)
            for place, measure in enumerate(ALL_MEASURES):
                ways = np.array([way[measure] for way in by_way])
                value, low, high, method = _estimate_shares(
                    ways, design.pair_weight, scores.options.confidence
                )
                columns[measure][places] = value
                columns[f"{measure}_low"][places] = low
                columns[f"{measure}_high"][places] = high
                methods[places, place] = method
    return columns, methods


def _name_method(number: int, design: str, main: int) -> str:
    ways = tuple(bool(number >> way & 1) for way in range(main))
    return name_method(design, ways, bounded=number >= BOUNDED_METHOD)


def _jackknife_batch(
    batch: ClassBatch, tally: Tally, entries: Sequence[Entries]
) -> list[dict[Measure, Numbers]]:
    """Return the jackknife results for the classes of a batch: one dictionary of measures per grouping."""
    results = []
    for of, gold, predicted in entries:
        counts = count_by_code(batch.expand_tally(tally), gold, predicted, len(of))
        classes, counts, times = _merge_entries(of, counts)
        # classes × entries: frequency of each entry in its class; entries are sorted by class
        begins = np.searchsorted(classes, np.arange(batch.size + 1))
        shape = (batch.size, len(classes))
        member = csr_array((times, np.arange(len(classes)), begins), shape=shape)
        results.append(
            {m: _leave_out_groups(member, classes, sums) for m, sums in sum_by_measure(counts).items()}
        )
    return results


def _make_entries(batch: ClassBatch, way: Grouping) -> Entries:
    """Return one entry per class and group, for the classes of a batch and the groups of a grouping."""
    groups = max(way.size, 1)
    size, cells = len(batch.gold[0]), batch.size * groups
    entry = np.empty(size + len(batch.predicted[0]), dtype=np.int64)
    sides = (entry[:size], batch.gold, way.gold), (entry[size:], batch.predicted, way.predicted)
    for place, (number, mention), group in sides:
        np.multiply(number, groups, out=place, dtype=np.int64)
        place += group[mention]
    if cells <= len(entry):
        # each class and group gets an entry, even if it is empty: this is faster than sorting
        narrow: Codes = entry.astype(np.int32) if cells <= np.iinfo(np.int32).max else entry
        return np.repeat(np.arange(batch.size), groups), narrow[:size], narrow[size:]
    distinct, narrow = renumber_keys(entry, cells)
    return distinct // groups, narrow[:size], narrow[size:]


def _merge_entries(of: Ints, counts: Counts) -> tuple[Ints, Counts, Numbers]:
    """Merge entries of the same class with equal counts; also return how often each entry occurs.

    Most pairs of an entity and a context have one or two mentions, so that there are few distinct counts.
    """
    columns = [counts.gold, counts.gold_matched, counts.predicted, counts.predicted_matched]
    shape = [int(c.max(initial=0)) + 1 for c in (of, *columns)]
    unmerged = of, counts, np.ones(len(of))
    if math.prod(shape) > len(of):
        return unmerged
    code = of
    for size, column in zip(shape[1:], columns, strict=True):
        whole = column.astype(np.int64)
        if not np.array_equal(whole, column):
            return unmerged
        code = code * size + whole
    times = np.bincount(code)
    left = np.flatnonzero(times)
    of, *digits = np.unravel_index(left, shape)
    gold, gold_matched, predicted, predicted_matched = (d.astype(np.float64) for d in digits)
    return of, Counts(gold, gold_matched, predicted, predicted_matched), times[left].astype(np.float64)


def _leave_out_groups(member: csr_array, of: Ints, sums: ShareSums) -> Numbers:
    """Return an array of jackknife results with one column per class.

    Its rows are the share, the denominator, the variance, the number of groups with counted mentions, and the
    effective number of groups.
    """
    part, whole = sums.part, sums.whole
    parts, wholes, used, squares = (member @ values for values in (part, whole, whole > 0, whole**2))
    with np.errstate(divide="ignore", invalid="ignore"):
        share, remaining = parts / wholes, wholes[of] - whole
        changes = np.where(remaining > 0, (parts[of] - part) / remaining - share[of], 0.0)
        variance = member @ changes**2 * (used - 1) / used
        return np.array([share, wholes, variance, used, np.where(squares > 0, wholes**2 / squares, 0.0)])


def _estimate_shares(ways: Numbers, pair_weight: float, confidence: float) -> tuple[Numbers, ...]:
    """Return the share of each class, both ends of its interval, and the method number (-1 if undefined).

    `ways` contains the results of `_leave_out_groups` for each grouping.
    """
    share, whole = ways[0, 0], ways[0, 1]
    main = ways[: 2 if len(ways) == 3 else 1]
    usable = main[:, 3] >= 2
    variance, freedom, fewest = combine_ways(main[:, 2], main[:, 4], usable, ways[-1, 2], pair_weight)
    low, high, _, bounded = estimate_share_interval(share, whole, variance, fewest, freedom, confidence)
    method = bounded * BOUNDED_METHOD + usable.T @ 2 ** np.arange(len(main))
    return np.where(whole > 0, share, np.nan), low, high, np.where(whole > 0, method, -1)
