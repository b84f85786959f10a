"""The score table with resampled intervals: for all classes of a division at once.

Mentions of one class and one group are added up to an *entry*; leaving a group out of a class is then one
subtraction an entry, whatever the number of classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..counting import Counts
from ..division import Division, everything
from ..matching import Tally
from ..scores import Scores
from .design import Design, Way, design_of
from .jackknife import Spread, combine
from .shares import Estimate, share_estimate
from .sums import Measure, by_measure

Ints = NDArray[np.int64]
Numbers = NDArray[np.float64]
MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
DENSE = 1
"""Entries a mention up to which none is spared."""


def resampled_table(scores: Scores) -> pd.DataFrame:
    """The score table of a scoring, with intervals that know what mentions share.

    The counts are those of `Scores.table`; the intervals and the column `interval` are replaced, the latter
    by the method (several where the measures' differ). Units are what a mention counts: under pnp its tokens
    stand and fall together.
    """
    table = scores.table.copy()
    design = design_of(scores)
    confidence = scores.settings.confidence
    found: dict[tuple[str, str, str], dict[Measure, Estimate]] = {}
    divisions = [(d, ("all",) * len(d.names)) for d in (everything_of(scores), *scores.divisions)]
    if len(scores.types) > 1:
        divisions.append((_by_type(scores), scores.types))
    for division, types in divisions:
        for one, kinds in _disjoint(division, types):
            for notion, place, estimates in _estimates(scores, one, design, confidence):
                found[kinds[place], one.names[place], notion] = estimates
    columns: dict[str, list[float]] = {f"{m}_{end}": [] for m in MEASURES for end in ("low", "high")}
    methods = []
    rows = table[["type", "class", "notion", "f1"]].itertuples(index=False, name=None)
    for kind, name, notion, f1 in rows:
        estimates = found[kind, name, notion]
        for measure in MEASURES:
            it = estimates[measure]
            # F1 is that of recall and precision, which lies close to the share that was resampled
            move = f1 - it.value if measure == "f1" else 0.0
            if scores.settings.beta != 1.0 and measure == "f1":
                move = float("nan")
            columns[f"{measure}_low"].append(max(it.low + move, 0.0))
            columns[f"{measure}_high"].append(min(it.high + move, 1.0))
        told = [estimates[m] for m in MEASURES if not np.isnan(estimates[m].value)]
        methods.append("; ".join(dict.fromkeys(e.method for e in told)))
    table = table.assign(**columns)
    table["interval"] = pd.Series(methods, index=table.index, dtype="str")
    return table


def everything_of(scores: Scores) -> Division:
    """The division with the one class of everything."""
    return everything(len(scores.gold), len(scores.predicted))


def _by_type(scores: Scores) -> Division:
    size = len(scores.types)
    return Division(("all",) * size, scores.gold_type, scores.predicted_type, np.eye(size, dtype=bool))


def _disjoint(division: Division, types: tuple[str, ...]) -> Iterator[tuple[Division, tuple[str, ...]]]:
    """A division whose classes overlap, as several whose classes do not."""
    if int(division.member.sum(axis=1).max(initial=0)) <= 1:
        yield division, types
        return
    for i, name in enumerate(division.names):
        column = division.member[:, i].astype(np.int64)
        one = Division(
            (name,), column[division.gold], column[division.predicted], np.array([[False], [True]])
        )
        yield one, (types[i],)


@dataclass(frozen=True)
class _Entries:
    """The entries of one way: the class of each, and each mention's entry (the last is no class)."""

    of: Ints
    gold: Ints
    predicted: Ints

    @classmethod
    def make(cls, division: Division, way: Way) -> _Entries:
        classes = len(division.names)
        of_cell = np.where(division.member.any(axis=1), division.member.argmax(axis=1), classes)
        number = np.concatenate((of_cell[division.gold], of_cell[division.predicted])).astype(np.int64)
        groups, size = max(way.size, 1), len(division.gold)
        entry = number * groups + np.concatenate((way.gold, way.predicted))
        cells = (classes + 1) * groups
        if cells <= DENSE * len(entry) + DENSE:
            # every class and group has an entry, empty or not: that costs less than sorting
            return cls(np.repeat(np.arange(classes + 1), groups), entry[:size], entry[size:])
        known, entry = np.unique(entry, return_inverse=True)
        return cls(known // groups, entry[:size], entry[size:])

    def counts(self, tally: Tally) -> Counts:
        """Sums of a tally by entry."""
        size = len(self.of)

        def total(entry: Ints, values: object) -> Numbers:
            sums = np.bincount(entry, np.asarray(values, dtype=np.float64), minlength=size)
            return sums.astype(np.float64)

        gold, matched = total(self.gold, tally.gold_units), total(self.gold, tally.gold_matched)
        if tally.lent_units is not None and tally.lent_matched is not None:
            gold = gold + total(self.predicted, tally.lent_units)
            matched = matched + total(self.predicted, tally.lent_matched)
        return Counts(
            gold,
            matched,
            total(self.predicted, tally.predicted_units),
            total(self.predicted, tally.predicted_matched),
        )


def _estimates(
    scores: Scores, division: Division, design: Design, confidence: float
) -> Iterator[tuple[str, int, dict[Measure, Estimate]]]:
    """Estimates of every notion and class."""
    classes = len(division.names)
    entries = [_Entries.make(division, way) for way in design.ways]
    for notion, tally in scores.tallies.items():
        alike = [_alike(e.of, e.counts(tally)) for e in entries]
        sums = [by_measure(counts) for _, counts, _ in alike]
        done: dict[Measure, list[Estimate]] = {}
        for measure in MEASURES:
            ways = [
                _Way.of(of, s[measure].part, s[measure].whole, times, classes)
                for (of, _, times), s in zip(alike, sums, strict=True)
            ]
            done[measure] = [_estimate(ways, c, design, confidence) for c in range(classes)]
        for place in range(classes):
            yield notion, place, {m: done[m][place] for m in MEASURES}


def _alike(of: Ints, counts: Counts) -> tuple[Ints, Counts, Numbers]:
    """Entries of one class with the same counts as one, and how many these are.

    Most pairs of an entity and a context have a mention or two: there are few different counts.
    """
    columns = [counts.gold, counts.gold_matched, counts.predicted, counts.predicted_matched]
    code, tops = of.astype(np.int64), [int(c.max(initial=0.0)) + 1 for c in columns]
    span = float(of.max(initial=0) + 1) * float(np.prod(np.array(tops, dtype=np.float64)))
    if span > max(len(of), 1):
        return of, counts, np.ones(len(of))
    for top, column in zip(tops, columns, strict=True):
        whole = column.astype(np.int64)
        if not np.array_equal(whole, column):
            return of, counts, np.ones(len(of))
        code = code * top + whole
    times = np.bincount(code)
    left = np.flatnonzero(times)
    number = times[left].astype(np.float64)
    values: list[Numbers] = []
    for top in reversed(tops):
        left, digit = np.divmod(left, top)
        values.insert(0, digit.astype(np.float64))
    gold, gold_matched, predicted, predicted_matched = values
    return left, Counts(gold, gold_matched, predicted, predicted_matched), number


@dataclass(frozen=True)
class _Way:
    """By class: the share, its denominator, its jackknife variance, and the groups of one way."""

    share: Numbers
    whole: Numbers
    variance: Numbers
    used: Numbers
    groups: Numbers

    @classmethod
    def of(cls, entry: Ints, part: Numbers, whole: Numbers, times: Numbers, classes: int) -> _Way:
        def total(values: Numbers) -> Numbers:
            return np.bincount(entry, values * times, minlength=classes + 1).astype(np.float64)

        parts, wholes = total(part), total(whole)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = parts / wholes
            left = wholes[entry] - whole
            changed = np.where(left > 0, (parts[entry] - part) / left - share[entry], 0.0)
            used = total((whole > 0).astype(np.float64))
            variance = total(np.nan_to_num(changed) ** 2) * (used - 1) / used
            groups = wholes**2 / total(whole**2)
        return cls(share, wholes, variance, used, np.nan_to_num(groups))


def _estimate(ways: list[_Way], place: int, design: Design, confidence: float) -> Estimate:
    usable = [bool(w.used[place] >= 2) for w in ways]
    main = [w for w in range(2 if len(ways) == 3 else 1) if usable[w]]
    needed = [*main, 2] if len(main) == 2 else main
    found: Spread = combine(
        1,
        {w: ways[w].variance[place].reshape(1, 1) for w in needed},
        {w: ways[w].groups[place].reshape(1) for w in main},
        tuple(usable[: 2 if len(ways) == 3 else 1]),
    )
    first = ways[0]
    return share_estimate(
        float(first.share[place]), float(first.whole[place]), found, confidence, design.name
    )
