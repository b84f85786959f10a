"""Divisions: how a feature's values (or a query) sort the mentions of both sides into classes.

A division first puts every mention into one *cell* (a distinct value of the feature), which costs one number
a mention, and says of each class which cells it is made of. Counts are taken by cell, once, and added up to
classes; so a set-valued feature, whose classes overlap, costs no more than any other.
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
from ...catalogues.query import Query
from ...catalogues.query.columns import QueryColumns
from ...catalogues.query.nodes import format_value
from ...catalogues.taxonomy import Feature, taxonomy
from .arrays import Codes, Flags, Ints
from .classes import Class
from .notions import Tally
from .pairing.candidates import expand_ranges

SCOPES = ("entity", "context", "slot", "mention")
# pairs of features whose values make more cells than this are refused: no table could be read
MOST_CELLS = 2_000_000
MAX_BATCH_PAIRS = 250_000
"""Pairs of a class and a mention that are counted together, where one division has not more."""
MentionPositions: TypeAlias = Ints | slice
"""Positions of mentions; a slice for all of them."""
ClassCells: TypeAlias = list[tuple[int, int]]
"""A class and a cell that belongs to it."""


@dataclass(frozen=True)
class Division:
    """The mentions of both sides in cells, and the classes that cells make up.

    Attributes
    ----------
    names : tuple of str
        The classes; each name is a query that selects the class.
    gold, predicted : array
        The cell of each mention.
    membership : sparse array of bool
        Classes × cells: which cells belong to which class. There may be as many of both as mentions.
    asked : tuple of Feature
        What the classes ask of mentions.
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
        """Which gold and which predicted mentions are in the class `name`."""
        return self.masks_at_index(self.names.index(name))

    def masks_at_index(self, index: int) -> tuple[Flags, Flags]:
        """Which gold and which predicted mentions are in the class at a place in `names`."""
        inside = np.zeros(self.cell_count, dtype=bool)
        inside[self.membership.indices[slice(*self.membership.indptr[index : index + 2])]] = True
        return inside[self.gold], inside[self.predicted]

    def pair_classes(self, cell: Codes) -> tuple[Codes, MentionPositions]:
        """Each pair of a class and a mention of it, from the cells of the mentions of a side."""
        by_cell = csc_array(self.membership)
        begins = by_cell.indptr.astype(np.int64)
        classes = np.diff(begins)
        if bool((classes == 1).all()):
            return by_cell.indices[cell], slice(None)
        mention, place = expand_ranges(begins[:-1][cell], begins[1:][cell])
        return by_cell.indices[place], mention


@dataclass(frozen=True)
class ClassBatch:
    """Classes that are counted together.

    Attributes
    ----------
    first_class, size : int
        The number of the first class among those of all divisions, and how many there are.
    gold, predicted : (array, array or slice)
        The class of each pair of a class and a mention, from 0 on, and the mention's position in its frame.
    """

    first_class: int
    size: int
    gold: tuple[Codes, MentionPositions]
    predicted: tuple[Codes, MentionPositions]

    def expand_tally(self, tally: Tally) -> Tally:
        """A tally with its numbers for each pair in place of each mention."""
        return tally.map_arrays(lambda values: values[self.gold[1]], lambda values: values[self.predicted[1]])


def make_batches(divisions: Sequence[Division]) -> Iterator[ClassBatch]:
    """All classes of some divisions, in order; those of small divisions together."""
    first = size = held = 0
    waiting: list[tuple[int, list[tuple[Codes, MentionPositions]]]] = []
    for division in divisions:
        sides = [division.pair_classes(cell) for cell in (division.gold, division.predicted)]
        pairs = sum(len(classes) for classes, _ in sides)
        if waiting and held + pairs > MAX_BATCH_PAIRS:
            yield _make_batch(first, size, waiting)
            first, size, held, waiting = first + size, 0, 0, []
        waiting.append((size, sides))
        size, held = size + len(division.names), held + pairs
    if waiting:
        yield _make_batch(first, size, waiting)


def _make_batch(
    first: int, size: int, parts: Sequence[tuple[int, list[tuple[Codes, MentionPositions]]]]
) -> ClassBatch:
    """The batch of some divisions' pairs, each with the number of its first class in the batch."""
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
    """The division with one class, ``all``, that has every mention."""
    return Division(
        ("all",), np.zeros(gold, dtype=np.int8), np.zeros(predicted, dtype=np.int8), _SINGLE_CLASS
    )


def divide_by_code(names: tuple[str, ...], gold: Codes, predicted: Codes) -> Division:
    """The division into classes that are numbered already: the number of each mention."""
    return Division(names, gold, predicted, _membership([(i, i) for i in range(len(names))], len(names)))


def divide_by_class(
    class_: Class, gold: pd.DataFrame | QueryColumns, predicted: pd.DataFrame | QueryColumns
) -> Division:
    """The division into one class and the rest, of which only the class has a name.

    Where there are many classes, make the `Columns` of both sides once.
    """
    # a byte a mention: there may be ten thousands of classes
    inside = tuple(np.asarray(class_.query.evaluate(side)).view(np.int8) for side in (gold, predicted))
    return Division((class_.name,), inside[0], inside[1], _SECOND_CELL, class_.query.features)


def parse_by_option(text: str) -> tuple[Feature, ...]:
    """The features of a ``--by``: one name, or several with commas for their combinations.

    Raises
    ------
    InputError
        For an unknown feature, one that stands twice, or none.
    """
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise InputError("a feature is missing", found=text, allowed="FEATURE or FEATURE,FEATURE")
    features = tuple(taxonomy().find(name, SCOPES) for name in names)
    if len(set(features)) < len(features):
        raise InputError("a feature stands twice", found=text)
    return features


def collect_features(classes: Iterable[Class], by: Iterable[str]) -> set[Feature]:
    """What classes, and a class for each value of some ``--by``, ask of mentions."""
    return {f for c in classes for f in c.query.features} | {f for b in by for f in parse_by_option(b)}


def make_divisions(
    classes: Sequence[Class], by: Sequence[str], gold: pd.DataFrame, predicted: pd.DataFrame
) -> list[Division]:
    """The division of each class, then that of each ``--by``; the frames have what these ask."""
    # what one class computes of a column the next may use
    sides = (QueryColumns(gold), QueryColumns(predicted)) if classes else (gold, predicted)
    return [
        *(divide_by_class(c, *sides) for c in classes),
        *(divide_by_features(parse_by_option(b), gold, predicted) for b in by),
    ]


def divide_by_features(features: Sequence[Feature], gold: pd.DataFrame, predicted: pd.DataFrame) -> Division:
    """The division by the values of a feature, or by the combinations of values of several."""
    whole = divide_by_feature(features[0], gold, predicted)
    for feature in features[1:]:
        whole = _cross_divisions(whole, divide_by_feature(feature, gold, predicted))
    return replace(whole, asked=tuple(features))


def divide_by_feature(feature: Feature, gold: pd.DataFrame, predicted: pd.DataFrame) -> Division:
    """The division by all values of a feature (bins of a number that has them), absence being one of them.

    Values come in the taxonomy's order, others in alphabetical or numerical order; values that no mention
    has are left out. Classes of a set-valued feature are those of its elements, and overlap.
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
    """The shortest name of a feature, as queries write it."""
    return str(Query.parse(f"{feature.qualified_name} is absent", SCOPES)).removesuffix(" is absent")


def _cross_divisions(one: Division, other: Division) -> Division:
    cells = one.cell_count * other.cell_count
    if cells > MOST_CELLS:
        raise InputError("too many combinations of values", found=str(cells), allowed=f"at most {MOST_CELLS}")
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
    """The division without the classes that have no cell; `name` gives the name of a class by its number."""
    keep = np.flatnonzero(np.diff(member.indptr))
    return Division(tuple(map(name, keep.tolist())), gold, predicted, member[keep])


def _membership(pairs: ClassCells, classes: int, cells: int | None = None) -> csr_array:
    """Classes × cells from pairs of a class and a cell; as many cells as classes when None."""
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    shape = (classes, classes if cells is None else cells)
    return csr_array((np.ones(len(table), dtype=bool), (table[:, 0], table[:, 1])), shape=shape)


def _code_values(
    feature: Feature, gold: pd.DataFrame, predicted: pd.DataFrame
) -> tuple[list[Any], list[Codes], bool]:
    """All values of a feature on both sides, in order, and each mention's value as a position among them.

    Absent values have the position after the last; the third says whether any is absent.
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
        own = [(number, cell) for number, b in enumerate(feature.bins) if value in b]
        if not own:
            # a value that no bin holds is a class of its own, so that the classes make up the whole
            own = [(len(labels), cell)]
            labels.append(f"{name} = {format_value(value)}")
        pairs += own
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
