"""The score table with resampled intervals: for all classes at once.

Mentions of one class and one group are added up to an *entry*; leaving a group out of a class is then one
subtraction an entry, whatever the number of classes. Classes that overlap are put side by side: a mention
then stands in the entries of each of its classes. Those that have the same mentions are looked at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ..arrays import Codes, Flags, Ints, Numbers
from ..counting import Counts, counted
from ..division import Division
from ..notions import Mapped, Tally
from ..table import ENDS
from ..verdicts import Verdicts
from .design import Design, Way, design_of, distinct
from .jackknife import Sums
from .shares import method_name, share_interval
from .sums import Measure, by_measure

MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")
DENSE = 1
"""Entries a mention up to which none is spared."""
TOGETHER = 250_000
"""Mentions of overlapping classes that are looked at together, each as often as it has classes."""


def resampled_table(scores: Verdicts) -> pd.DataFrame:
    """The score table of a scoring, with intervals that know what mentions share.

    The counts are those of `Verdicts.counted`; the intervals and the column `interval` are replaced, the
    latter by the method (several where the measures' differ). Units are what a mention counts: under pnp its
    tokens stand and fall together.
    """
    table = scores.counted.copy(deep=False)
    design = design_of(scores)
    # in the order of the table's rows: of each division all classes under a notion, notion after notion
    divisions: list[Division | _Disjoint] = [scores.everything, *scores.divisions]
    if len(scores.types) > 1:
        divisions.insert(1, _Disjoint(len(scores.types), scores.gold_type, scores.predicted_type))
    notions = len(scores.tallies)
    sizes = [d.size if isinstance(d, _Disjoint) else len(d.names) for d in divisions]
    begins = np.concatenate(([0], np.cumsum(sizes) * notions))
    whole = int(begins[-1])
    columns = {name: np.full(whole, np.nan) for name in (*ENDS, *MEASURES)}
    numbers = {"": 0}
    methods = np.zeros((whole, len(MEASURES)), dtype=np.int8)
    for batch in _batches(divisions):
        at = begins[batch.division] + batch.place
        step = np.array(sizes)[batch.division]
        found = _estimates(scores, batch, design, scores.options.confidence)
        for number, estimates in enumerate(found):
            rows = at + number * step
            for i, (measure, it) in enumerate(estimates.items()):
                columns[measure][rows] = it.value[batch.content]
                columns[f"{measure}_low"][rows] = it.low[batch.content]
                columns[f"{measure}_high"][rows] = it.high[batch.content]
                named = [numbers.setdefault(m, len(numbers)) for m in it.methods(design.name)]
                methods[rows, i] = np.array(named)[batch.content]
    # F1 is that of recall and precision, which lies close to the share that was resampled
    move = table["f1"].to_numpy(dtype="float64") - columns["f1"]
    if scores.options.beta != 1.0:
        move = np.full(whole, np.nan)
    for name in ENDS:
        shift = move if name.startswith("f1") else 0.0
        end = columns[name] + shift
        table[name] = np.maximum(end, 0.0) if name.endswith("low") else np.minimum(end, 1.0)
    names = list(numbers)
    key = methods @ len(names) ** np.arange(len(MEASURES))
    known, first = np.unique(key, return_index=True)
    joined = ["; ".join(dict.fromkeys(names[i] for i in row if i)) for row in methods[first].tolist()]
    table["interval"] = pd.array(joined, dtype="str").take(np.searchsorted(known, key))
    return table


@dataclass(frozen=True)
class _Disjoint:
    """Classes that do not overlap, such as types: the class of each mention, `size` where it has none."""

    size: int
    gold: Codes
    predicted: Codes

    @classmethod
    def of(cls, division: Division) -> _Disjoint | None:
        """A division's classes, where they are several and do not overlap."""
        size, member = len(division.names), division.member
        if size <= 1 or int(np.bincount(member.indices).max(initial=0)) > 1:
            return None
        of_cell = np.full(division.cells, size, dtype=np.min_scalar_type(size))
        of_cell[member.indices] = np.repeat(np.arange(size), np.diff(member.indptr))
        return cls(size, of_cell[division.gold], of_cell[division.predicted])

    def batch(self, number: int) -> _Batch:
        """All of them, as those of the division `number`."""
        place = np.arange(self.size)
        return _Batch(np.full(self.size, number), place, place, (self.gold, None), (self.predicted, None))


@dataclass(frozen=True)
class _Batch:
    """Classes that are looked at together.

    Attributes
    ----------
    division, place : array
        The division of each class, and its place there.
    content : array
        The number of each class's content: classes that have the same mentions have one content, and are
        one class in all that follows.
    gold, predicted : (array, array or None)
        Pairs of a content and a mention (by position in the frame): each mention as often as it has contents.
        Without the second, the first has the content of every mention in order, or how many contents there
        are where it has none.
    """

    division: Ints
    place: Ints
    content: Ints
    gold: tuple[Codes, Ints | None]
    predicted: tuple[Codes, Ints | None]

    def __len__(self) -> int:
        return int(self.content[-1]) + 1

    def of_pairs(self, tally: Tally) -> Tally:
        """A tally with its sums' numbers for each pair of a class and a mention."""
        # what is no part of a measure, and of no interval, is left out
        bare = replace(tally, gold_verdict=None, predicted_verdict=None, extra={}, details={})

        def of(mention: Ints | None) -> Mapped:
            return lambda values: values if mention is None else values[mention]

        return bare.mapped(of(self.gold[1]), of(self.predicted[1]))


def _batches(divisions: Sequence[Division | _Disjoint]) -> Iterator[_Batch]:
    """All classes of some divisions: those of a division that do not overlap together, the others in turn."""
    # the overlapping classes, as (division, place there), by what tells their mentions from others'
    alike: dict[bytes, list[tuple[int, int]]] = {}
    overlapping = {}
    for number, division in enumerate(divisions):
        if isinstance(division, _Disjoint):
            yield division.batch(number)
        elif (apart := _Disjoint.of(division)) is not None:
            yield apart.batch(number)
        else:
            overlapping[number] = division
            for place in range(len(division.names)):
                alike.setdefault(_digest(division, place), []).append((number, place))
    waiting: list[tuple[list[tuple[int, int]], Ints, Ints]] = []
    held = 0
    for classes in alike.values():
        number, place = classes[0]
        gold, predicted = (np.flatnonzero(mask) for mask in overlapping[number].masks_at(place))
        if waiting and held + len(gold) + len(predicted) > TOGETHER:
            yield _side_by_side(waiting)
            waiting, held = [], 0
        waiting.append((classes, gold, predicted))
        held += len(gold) + len(predicted)
    if waiting:
        yield _side_by_side(waiting)


def _digest(division: Division, place: int) -> bytes:
    found = hashlib.sha256()
    for mask in division.masks_at(place):
        found.update(np.packbits(mask).tobytes())
    return found.digest()


def _side_by_side(contents: Sequence[tuple[list[tuple[int, int]], Ints, Ints]]) -> _Batch:
    def pairs(mentions: list[Ints]) -> tuple[Ints, Ints]:
        return np.repeat(np.arange(len(mentions)), [len(m) for m in mentions]), np.concatenate(mentions)

    division, place = np.array([each for classes, _, _ in contents for each in classes], dtype=np.int64).T
    return _Batch(
        division,
        place,
        np.repeat(np.arange(len(contents)), [len(classes) for classes, _, _ in contents]),
        pairs([gold for _, gold, _ in contents]),
        pairs([predicted for _, _, predicted in contents]),
    )


@dataclass(frozen=True)
class _Entries:
    """The entries of one way: the class of each, and the entry of each pair of a class and a mention.

    In a batch where mentions may have no class, the last class is none.
    """

    of: Ints
    gold: Ints
    predicted: Ints

    @classmethod
    def make(cls, batch: _Batch, way: Way) -> _Entries:
        groups, classes = max(way.size, 1), len(batch)
        size, cells = len(batch.gold[0]), (classes + 1) * groups
        entry = np.empty(size + len(batch.predicted[0]), dtype=np.int64)
        sides = (entry[:size], batch.gold, way.gold), (entry[size:], batch.predicted, way.predicted)
        for place, (number, mention), group in sides:
            np.multiply(number, groups, out=place, dtype=np.int64)
            place += group if mention is None else group[mention]
        if cells <= DENSE * len(entry) + DENSE:
            # every class and group has an entry, empty or not: that costs less than sorting
            return cls(np.repeat(np.arange(classes + 1), groups), entry[:size], entry[size:])
        known, entry = distinct(entry, cells)
        return cls(known // groups, entry[:size], entry[size:])

    def counts(self, tally: Tally) -> Counts:
        """Sums by entry of a tally of the batch's pairs."""
        return counted(tally, self.gold, self.predicted, len(self.of))


@dataclass(frozen=True)
class _Estimates:
    """A measure of all classes: values, intervals, and what method names hang on."""

    value: Numbers
    low: Numbers
    high: Numbers
    bounded: Flags
    usable: list[Flags]

    def methods(self, design: str) -> list[str]:
        """The method of each class; empty where the measure is undefined."""
        code = self.bounded.astype(np.int64)
        for flags in self.usable:
            code = code * 2 + flags
        code = np.where(np.isnan(self.value), -1, code)
        names: dict[int, str] = {-1: ""}
        for key in np.unique(code[code >= 0]).tolist():
            ways = tuple(bool(key >> i & 1) for i in range(len(self.usable)))[::-1]
            names[key] = method_name(design, ways, bounded=bool(key >> len(self.usable)))
        return [names[key] for key in code.tolist()]


def _estimates(
    scores: Verdicts, batch: _Batch, design: Design, confidence: float
) -> Iterator[dict[Measure, _Estimates]]:
    """Estimates of every class, notion after notion."""
    classes = len(batch)
    tallies = [batch.of_pairs(tally) for tally in scores.tallies.values()]
    ways: list[dict[Measure, list[_Resampled]]] = [{measure: [] for measure in MEASURES} for _ in tallies]
    # one way after the other, so that the entries of one only are held
    for way in design.ways:
        for found, by_way in zip(ways, _resampled(batch, way, tallies), strict=True):
            for measure, resampled in by_way.items():
                found[measure].append(resampled)
    for found in ways:
        yield {measure: _estimate(found[measure], classes, confidence, design.common) for measure in MEASURES}


def _resampled(batch: _Batch, way: Way, tallies: Sequence[Tally]) -> Iterator[dict[Measure, _Resampled]]:
    """The measures of every class by one way, tally after tally."""
    entries = _Entries.make(batch, way)
    for tally in tallies:
        of, counts, times = _alike(entries.of, entries.counts(tally))
        member = _membership(of, times, len(batch) + 1)
        yield {measure: _Resampled.of(member, sums) for measure, sums in by_measure(counts).items()}
        # the next tally's are made without these beside them
        del of, counts, times, member


def _alike(of: Ints, counts: Counts) -> tuple[Ints, Counts, Numbers]:
    """Entries of one class with the same counts as one, and how many these are.

    Most pairs of an entity and a context have a mention or two: there are few different counts.
    """
    columns = [counts.gold, counts.gold_matched, counts.predicted, counts.predicted_matched]
    tops = [int(c.max(initial=0.0)) + 1 for c in columns]
    span = float(of.max(initial=0) + 1) * float(np.prod(np.array(tops, dtype=np.float64)))
    if span > max(len(of), 1):
        return of, counts, np.ones(len(of))
    code = of
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


def _membership(of: Ints, times: Numbers, classes: int) -> csr_array:
    """Classes × entries: how often each entry stands in its class; entries are in the order of classes."""
    begins = np.searchsorted(of, np.arange(classes + 1))
    entries = np.arange(len(of), dtype=np.int32)
    return csr_array((times, entries, begins.astype(np.int32)), shape=(classes, len(of)))


@dataclass(frozen=True)
class _Resampled:
    """By class: the share, its denominator, its jackknife variance, and the groups of one way."""

    share: Numbers
    whole: Numbers
    variance: Numbers
    used: Numbers
    groups: Numbers

    @classmethod
    def of(cls, member: csr_array, sums: Sums) -> _Resampled:
        part, whole = sums.part, sums.whole
        # by class: sums over its entries
        parts, wholes, used, squares = member @ part, member @ whole, member @ (whole > 0), member @ whole**2
        entries = np.diff(member.indptr)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = parts / wholes
            # by entry, in one array: its class's sum without it, by how much the share changes, its square
            left = np.repeat(wholes, entries)
            left -= whole
            changed = np.repeat(parts, entries)
            changed -= part
            changed /= left
            changed -= np.repeat(share, entries)
            changed[left <= 0] = 0.0
            np.square(changed, out=changed)
            variance = (member @ changed) * (used - 1) / used
            groups = np.where(squares > 0, wholes**2 / squares, 0.0)
        return cls(share, wholes, variance, used, groups)


def _estimate(ways: list[_Resampled], classes: int, confidence: float, taken: float) -> _Estimates:
    """What `jackknife.spread` gives for one share, for all classes at once, with their intervals."""
    main = ways[: 2 if len(ways) == 3 else 1]
    share, whole = (v[:classes] for v in (ways[0].share, ways[0].whole))
    usable = [w.used[:classes] >= 2 for w in main]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = [np.where(u, w.variance[:classes], 0.0) for u, w in zip(usable, main, strict=True)]
        groups = [np.where(u, w.groups[:classes], np.inf) for u, w in zip(usable, main, strict=True)]
        apart = np.sum(each, axis=0)
        variance = apart
        if len(ways) == 3:
            # what two ways have in common is taken away, as in `jackknife.spread`
            both, common = usable[0] & usable[1], ways[2].variance[:classes]
            least = np.maximum(common, np.maximum(*each)) if taken == 1.0 else common
            variance = np.where(both, np.maximum(apart - taken * common, least), apart)
        fewest = np.min(groups, axis=0)
        some = np.any(usable, axis=0)
        below = np.sum([v**2 / np.maximum(g - 1.0, 0.5) for v, g in zip(each, groups, strict=True)], axis=0)
        freedom = np.maximum(np.where(below > 0, apart**2 / below, fewest - 1.0), 1.0)
        if taken == 1.0:
            most = np.max([np.where(np.isinf(g), 0.0, g) for g in groups], axis=0)
            freedom = np.maximum(np.minimum(freedom, most - 1.0), 1.0)
    variance = np.where(some, variance, np.nan)
    low, high, _, bounded = share_interval(share, whole, variance, fewest, freedom, confidence)
    return _Estimates(np.where(whole > 0, share, np.nan), low, high, bounded, usable)
