"""Divisions of gold and predicted mentions into classes, by the values of a feature or by a query.

A division assigns each mention to one numbered *cell* (a distinct value of the feature) and lists the cells
of each class. A cell can belong to several classes, because the classes of a set-valued feature overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import csc_array, csr_array, kron

from ...catalogues.core.errors import InputError
from ...catalogues.feature import Feature
from ...catalogues.query import Query
from ...catalogues.query.columns import QueryColumns
from ...catalogues.query.nodes import format_value
from ...catalogues.taxonomy import taxonomy
from .arrays import Codes, Flags, Ints
from .classes import Class
from .notions import Tally
from .pairing.candidates import expand_ranges

SCOPES = ("entity", "context", "slot", "mention")
# combinations of features with more cells are rejected, because the table would be too long to read
MOST_CELLS = 2_000_000
MAX_BATCH_PAIRS = 250_000
"""Maximum number of (class, mention) pairs per batch, unless a single division has more."""
MentionPositions: TypeAlias = Ints | slice
"""Positions of mentions in their data frame, or a slice that selects all mentions."""
ClassCells: TypeAlias = list[tuple[int, int]]
"""Pairs of a class number and the number of a cell that belongs to this class."""


@dataclass(frozen=True)
class Division:
    """Assignment of gold and predicted mentions to cells, and of cells to classes.

    Attributes
    ----------
    names : tuple of str
        Names of the classes. If a class is a value of a feature, its name is a query for this value.
    gold, predicted : array
        Number of the cell of each gold mention, and of each predicted mention.
    membership : sparse array of bool
        Matrix of classes × cells: True if the cell belongs to the class. Both numbers can be as large as the
        number of mentions.
    asked : tuple of Feature
        Features that the classes use.
    """

    names: tuple[str, ...]
    gold: Codes
    predicted: Codes
    membership: csr_array
    asked: tuple[Feature, ...] = ()

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return int(self.membership.shape[1])

    def masks(self, name: str) -> tuple[Flags, Flags]:
        """Return two Boolean arrays that mark the gold and the predicted mentions of the class `name`."""
        return self.masks_at_index(self.names.index(name))

    def masks_at_index(self, index: int) -> tuple[Flags, Flags]:
        """Return the Boolean arrays of `masks` for the class ``names[index]``."""
        inside = np.zeros(self.cell_count, dtype=bool)
        inside[self.membership.indices[slice(*self.membership.indptr[index : index + 2])]] = True
        return inside[self.gold], inside[self.predicted]

    def pair_classes(self, cell: Codes) -> tuple[Codes, MentionPositions]:
        """Return all (class, mention) pairs in which the class contains the mention.

        `cell` is the cell number of each mention.
        """
        by_cell = csc_array(self.membership)
        begins = by_cell.indptr.astype(np.int64)
        classes = np.diff(begins)
        if bool((classes == 1).all()):
            return by_cell.indices[cell], slice(None)
        mention, place = expand_ranges(begins[:-1][cell], begins[1:][cell])
        return by_cell.indices[place], mention


@dataclass(frozen=True)
class ClassBatch:
    """Consecutive classes that are counted together.

    Attributes
    ----------
    first_class, size : int
        Position of the first class in the list of all classes, and number of classes in the batch.
    gold, predicted : (array, array or slice)
        (Class, mention) pairs in which the class contains the mention, as two arrays: the number of the
        class, counted from 0 within the batch, and the position of the mention in its table.
    """

    first_class: int
    size: int
    gold: tuple[Codes, MentionPositions]
    predicted: tuple[Codes, MentionPositions]

    def expand_tally(self, tally: Tally) -> Tally:
        """Return a tally with one count per (class, mention) pair instead of one count per mention."""
        return tally.map_arrays(lambda values: values[self.gold[1]], lambda values: values[self.predicted[1]])


def make_batches(divisions: Sequence[Division]) -> Iterator[ClassBatch]:
    """Yield the classes of all divisions in batches, in order; small divisions are combined."""
    first = size = pair_count = 0
    waiting: list[tuple[int, list[tuple[Codes, MentionPositions]]]] = []
    for division in divisions:
        sides = [division.pair_classes(cell) for cell in (division.gold, division.predicted)]
        pairs = sum(len(classes) for classes, _ in sides)
        if waiting and pair_count + pairs > MAX_BATCH_PAIRS:
            yield _make_batch(first, size, waiting)
            first, size, pair_count, waiting = first + size, 0, 0, []
        waiting.append((size, sides))
        size, pair_count = size + len(division.names), pair_count + pairs
    if waiting:
        yield _make_batch(first, size, waiting)


def _make_batch(
    first: int, size: int, parts: Sequence[tuple[int, list[tuple[Codes, MentionPositions]]]]
) -> ClassBatch:
    """Return the batch for several divisions.

    `parts` contains the number of the first class of each division, and its (class, mention) pairs.
    """
    if len(parts) == 1:
        return ClassBatch(first, size, *parts[0][1])
    sides = []
    for side in zip(*(sides for _, sides in parts), strict=True):
        classes = [of + begin for (of, _), (begin, _) in zip(side, parts, strict=True)]
        mentions = [np.arange(len(of)) if isinstance(at, slice) else at for of, at in side]
        sides.append((np.concatenate(classes), np.concatenate(mentions)))
    return ClassBatch(first, size, *sides)


_SINGLE_CLASS = csr_array([[True]])
_SECOND_CELL = csr_array([[False, True]])


def make_all_division(gold: int, predicted: int) -> Division:
    """Return the division with one class, ``all``, which contains every mention."""
    return Division(
        ("all",), np.zeros(gold, dtype=np.int8), np.zeros(predicted, dtype=np.int8), _SINGLE_CLASS
    )


def divide_by_code(names: tuple[str, ...], gold: Codes, predicted: Codes) -> Division:
    """Return the division in which mentions are assigned to classes by their positions in `names`."""
    return Division(names, gold, predicted, _membership([(i, i) for i in range(len(names))], len(names)))


def divide_by_class(
    class_: Class, gold: pd.DataFrame | QueryColumns, predicted: pd.DataFrame | QueryColumns
) -> Division:
    """Return the division with one named class; mentions outside the class belong to no class.

    For many classes, pass the mentions as `QueryColumns`, which evaluate each condition once, even if several
    queries contain it.
    """
    # one byte per mention, because there can be tens of thousands of classes
    inside = tuple(np.asarray(class_.query.evaluate(side)).view(np.int8) for side in (gold, predicted))
    return Division((class_.name,), inside[0], inside[1], _SECOND_CELL, class_.query.features)


def parse_by_option(text: str) -> tuple[Feature, ...]:
    """Parse a value of ``--by``: the name of a feature, or several names joined by commas.

    Raises
    ------
    InputError
        If a feature is unknown or occurs twice, or a name is empty.
    """
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise InputError("empty feature name", found=text, allowed="FEATURE or FEATURE,FEATURE")
    features = tuple(taxonomy().find(name, SCOPES) for name in names)
    if len(set(features)) < len(features):
        raise InputError("the same feature is listed twice", found=text)
    return features


def collect_features(classes: Iterable[Class], by: Iterable[str]) -> set[Feature]:
    """Return all features that occur in the queries of classes or in values of ``--by``."""
    return {f for c in classes for f in c.query.features} | {f for b in by for f in parse_by_option(b)}


def make_divisions(
    classes: Sequence[Class], by: Sequence[str], gold: pd.DataFrame, predicted: pd.DataFrame
) -> list[Division]:
    """Return one division per class, then one per value of ``--by`` (a feature or a combination of features).

    The frames of mentions must contain the columns of all features that are used.
    """
    # intermediate results of one query are reused by the next
    sides = (QueryColumns(gold), QueryColumns(predicted)) if classes else (gold, predicted)
    return [
        *(divide_by_class(c, *sides) for c in classes),
        *(divide_by_features(parse_by_option(b), gold, predicted) for b in by),
    ]


def divide_by_features(features: Sequence[Feature], gold: pd.DataFrame, predicted: pd.DataFrame) -> Division:
    """Return the division by the values of a feature, or by combinations of values of several features."""
    division = divide_by_feature(features[0], gold, predicted)
    for feature in features[1:]:
        division = _cross_divisions(division, divide_by_feature(feature, gold, predicted))
    return replace(division, asked=tuple(features))


def divide_by_feature(feature: Feature, gold: pd.DataFrame, predicted: pd.DataFrame) -> Division:
    """Return the division with one class per value of a feature, or per bin if the feature has bins.

    Classes have the order that the taxonomy defines, or are sorted if it defines no order. Values without
    mentions are left out. A set-valued feature has one class per element, so that its classes can overlap.
    Mentions without a value form a separate class.
    """
    name = find_shortest_name(feature)
    values, (in_gold, in_predicted), is_absent = _code_values(feature, gold, predicted)
    labels, pairs = _CLASSIFIERS[feature.kind](feature, name, values)
    if is_absent:
        pairs = [*pairs, (len(labels), len(values))]
    labels = [*labels, f"{name} is absent"]
    member = _membership(pairs, len(labels), len(values) + 1)
    return _drop_empty_classes(labels.__getitem__, in_gold, in_predicted, member)


@cache
def find_shortest_name(feature: Feature) -> str:
    """Return the shortest unambiguous name of a feature in queries."""
    return str(Query.parse(f"{feature.qualified_name} is absent", SCOPES)).removesuffix(" is absent")


def _cross_divisions(one: Division, other: Division) -> Division:
    cells = one.cell_count * other.cell_count
    if cells > MOST_CELLS:
        problem = "too many combinations of feature values"
        raise InputError(problem, found=str(cells), allowed=f"at most {MOST_CELLS}")
    used = np.zeros(cells, dtype=bool)
    pairs = []
    for a, b in ((one.gold, other.gold), (one.predicted, other.predicted)):
        pair = np.multiply(a, other.cell_count, dtype=np.int64) + b
        used[pair] = True
        pairs.append(pair)
    place = np.cumsum(used) - 1
    member = kron(one.membership, other.membership, format="csr")[:, np.flatnonzero(used)]

    def name(number: int) -> str:
        first, second = divmod(number, len(other.names))
        return f"{one.names[first]} and {other.names[second]}"

    return _drop_empty_classes(name, place[pairs[0]], place[pairs[1]], member)


def _drop_empty_classes(
    name: Callable[[int], str], gold: Codes, predicted: Codes, member: csr_array
) -> Division:
    """Return a division that contains only classes with cells.

    `name` is a function that returns the name of a class, given its number.
    """
    keep = np.flatnonzero(np.diff(member.indptr))
    return Division(tuple(map(name, keep.tolist())), gold, predicted, member[keep])


def _membership(pairs: ClassCells, classes: int, cells: int | None = None) -> csr_array:
    """Return the Boolean matrix (classes × cells) in which the given pairs are True."""
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    shape = (classes, classes if cells is None else cells)
    return csr_array((np.ones(len(table), dtype=bool), (table[:, 0], table[:, 1])), shape=shape)


def _code_values(
    feature: Feature, gold: pd.DataFrame, predicted: pd.DataFrame
) -> tuple[list[Any], list[Codes], bool]:
    """Return the sorted values of a feature, and the position of each mention's value in this list.

    The position of a missing value is the length of the list. The third result is True if values are missing.
    """
    found: list[tuple[Codes, list[Any]]] = []
    for frame in (gold, predicted):
        if feature.column in frame:
            codes, own = pd.factorize(frame[feature.column], use_na_sentinel=True)
            is_boolean = feature.kind == "boolean"
            found.append((codes, [bool(value) if is_boolean else value for value in own.tolist()]))
        else:
            found.append((np.full(len(frame), -1), []))
    rank = feature.value_ranks
    values = sorted({v for _, own in found for v in own}, key=lambda v: (rank.get(v, len(rank)), v))
    place = {value: i for i, value in enumerate(values)}
    narrow = np.int16 if len(values) < 30_000 else np.int64
    coded: list[Codes] = []
    for numbers, listed in found:
        table: Codes = np.array([*(place[v] for v in listed), len(values)], dtype=narrow)
        coded.append(table[numbers])
    return values, coded, any(bool((numbers < 0).any()) for numbers, _ in found)


def _value_classes(feature: Feature, name: str, values: list[Any]) -> tuple[list[str], ClassCells]:  # noqa: ARG001
    return [f"{name} = {format_value(value)}" for value in values], [(i, i) for i in range(len(values))]


def _element_classes(feature: Feature, name: str, values: list[Any]) -> tuple[list[str], ClassCells]:
    sets = [set(value.split("|")) for value in values]
    rank = feature.value_ranks
    elements = sorted(set().union(*sets), key=lambda v: (rank.get(v, len(rank)), v))
    place = {element: i for i, element in enumerate(elements)}
    pairs = [(place[element], cell) for cell, own in enumerate(sets) for element in own]
    return [f"{name} = {format_value(e)}" for e in elements], pairs


def _boolean_classes(feature: Feature, name: str, values: list[bool]) -> tuple[list[str], ClassCells]:  # noqa: ARG001
    return [name if value else f"{name} = false" for value in values], [(i, i) for i in range(len(values))]


def _number_classes(feature: Feature, name: str, values: list[int]) -> tuple[list[str], ClassCells]:
    if not feature.bins:
        return _value_classes(feature, name, values)
    labels = [_bin_query(name, b.low, b.high) for b in feature.bins]
    pairs = []
    for cell, value in enumerate(values):
        bins = [(number, cell) for number, b in enumerate(feature.bins) if value in b]
        if not bins:
            # a value outside all bins becomes a class of its own, so that the classes cover all mentions
            bins = [(len(labels), cell)]
            labels.append(f"{name} = {format_value(value)}")
        pairs += bins
    return labels, pairs


def _bin_query(name: str, low: int, high: int | None) -> str:
    if high is None:
        return f"{name} >= {low}"
    return f"{name} = {low}" if low == high else f"{name} >= {low} and {name} <= {high}"


_CLASSIFIERS: dict[str, Callable[[Feature, str, list[Any]], tuple[list[str], ClassCells]]] = {
    "text": _value_classes,
    "category": _value_classes,
    "set": _element_classes,
    "boolean": _boolean_classes,
    "integer": _number_classes,
    "number": _number_classes,
}
