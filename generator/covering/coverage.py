"""Coverage of a suite: the share of possible combinations of feature values that occur in the suite.

A combination consists of feature values of an entity and of its place (slot and context). The mentions with
each combination are counted with a matrix product: combinations of entities × groups × combinations of
places, where a group contains entities and places that occur together. Possible combinations are derived from
the combination spaces of the parts, and actual combinations are read from the suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array

from ...catalogues.core.errors import InputError
from ...sentences.corpus import join_feature_tables
from ...sentences.suites import CASES_FILE, FEATURE_FILES, MENTIONS_FILE, read_feature_tables, read_frame
from ..case_limits import SCOPES
from ..combination_space import make_space
from ..material import Material, Part
from ..part_options import PartOptions
from .combinations import Items, closed_features, find_combinations, make_items
from .problem import make_problem

COLUMNS = ("features", "attested", "covered", "uncovered", "first_uncovered")
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Coverage:
    """Combinations of feature values that a suite covers.

    Attributes
    ----------
    table : DataFrame
        One row for each choice of t features: `features`, `attested`, `covered`, `uncovered`,
        `first_uncovered`.
    """

    table: pd.DataFrame

    @property
    def attested(self) -> int:
        """Number of combinations of feature values that can occur."""
        return int(self.table["attested"].sum())

    @property
    def covered(self) -> int:
        """Number of combinations of feature values that occur as often as required."""
        return int(self.table["covered"].sum())


@dataclass(frozen=True)
class CoverageSide:
    """Entities, or places (slots and contexts), of a part or of a finished suite.

    Attributes
    ----------
    items : Items
        Feature values of each row.
    groups : array, shape (groups, rows)
        For a part, a mask of the rows in each group. For a suite, the number of mentions of each row in each
        group.
    counts : array
        For a suite, the number of mentions (or of cases without mentions) of each row. For a part, 1 if the
        row can be used.
    """

    items: Items
    groups: Any
    counts: Floats


SourceSides = tuple[CoverageSide, CoverageSide]
"""Pair of sides of a part or of a finished suite: its entities, and its places (slots and contexts)."""


class SharedValues:
    """Common numbering of the feature values of entities (or places) in a suite and its parts.

    Attributes
    ----------
    names : list of (str, str)
        Feature and value that each number represents.
    feature : array of int64
        Number of the feature to which each value belongs.
    combinations : list
        Pair for each size of combinations. The first element contains the value numbers of all combinations;
        the second is a list of matrices (rows × combinations), one per source, which are 1 if a row has a
        combination.
    """

    def __init__(self, sides: Sequence[CoverageSide], features: Sequence[str], t: int) -> None:
        held = [_names(side.items) for side in sides]
        distinct = dict.fromkeys(name for names in held for name in names)
        self.names = sorted(distinct, key=lambda name: features.index(name[0]))
        self.feature = np.array([features.index(path) for path, _ in self.names], dtype=np.int64)
        number = {name: n for n, name in enumerate(self.names)}
        ends = np.cumsum([len(side.items.has) for side in sides])
        has = np.zeros((int(ends[-1]), len(number)), dtype=bool)
        for rows, side, names in zip(np.split(has, ends[:-1]), sides, held, strict=True):
            rows[:, [number[name] for name in names]] = side.items.has
        found = [find_combinations(has, self.feature, size) for size in range(max(t, 2))]
        self.combinations = [(c.members, np.split(c.has.astype(np.float32), ends[:-1])) for c in found]


def measure_coverage(
    suite: str | PathLike[str],
    material: Material,
    parts: Sequence[PartOptions],
    t: int,
    features: Sequence[str] = (),
) -> Coverage:
    """Measure which of the possible combinations of feature values occur in a suite.

    Parameters
    ----------
    suite : path
        Path of the suite folder.
    material : Material
        Material from which the suite was made.
    parts : sequence of PartOptions
        Options of the parts of the suite; the smallest `times` is the required number of occurrences of each
        combination.
    t : int
        Number of values in a combination.
    features : sequence of str
        Features to combine; all closed features if empty.
    """
    times = min(part.times for part in parts)
    chosen = [f.qualified_name for f in closed_features(SCOPES, features)]
    made = _read_suite(Path(suite), material, features)
    sources = [*made, *(_list_possible(material, part, features) for part in parts)]
    entities, places = ([source[n] for source in sources] for n in (0, 1))
    sides = SharedValues(entities, chosen, t), SharedValues(places, chosen, t)
    rows: dict[tuple[int, ...], dict[str, object]] = {}
    for size in range(t + 1):
        if 0 < size < t:
            groups = [(e.groups, p.groups) for e, p in zip(entities, places, strict=True)]
            rows |= _count_rows(*sides, (size, t - size), groups, len(made), times)
        else:
            # all values from one side: t - 1 of them, and one of a later feature
            side = entities if size else places
            alone = [
                (diags_array(s.counts, dtype=np.float32), eye_array(len(s.counts), dtype=np.float32))
                for s in side
            ]
            values = sides[0 if size else 1]
            rows |= _count_rows(values, values, (t - 1, 1), alone, len(made), times)
    return Coverage(pd.DataFrame([rows[key] for key in sorted(rows)], columns=COLUMNS))


def _count_rows(
    left: SharedValues,
    right: SharedValues,
    sizes: tuple[int, int],
    groups: Sequence[tuple[Any, Any]],
    made: int,
    times: int,
) -> dict[tuple[int, ...], dict[str, object]]:
    """Count combinations of `sizes[0]` values in `left` and `sizes[1]` in `right`, for the coverage table.

    The first `made` elements of `groups` describe the suite; the others describe its parts. The keys of the
    result are tuples of feature numbers.
    """
    (mine, own), (theirs, around) = left.combinations[sizes[0]], right.combinations[sizes[1]]
    counts = [(a @ x).T @ (b @ y) for (a, b), x, y in zip(groups, own, around, strict=True)]
    possible = np.any([count > 0 for count in counts[made:]], axis=0)
    if left is right and sizes[0]:
        possible &= right.feature[theirs[:, 0]] > left.feature[mine[:, -1]][:, None]
    i, j = np.nonzero(possible)
    lacking = np.flatnonzero(sum(counts[:made])[i, j] < times)
    _, feature_i = np.unique(left.feature[mine], axis=0, return_inverse=True)
    _, feature_j = np.unique(right.feature[theirs], axis=0, return_inverse=True)
    choice = feature_i[i] * len(theirs) + feature_j[j]
    _, first, choice, attested = np.unique(choice, return_index=True, return_inverse=True, return_counts=True)
    uncovered = np.bincount(choice[lacking], minlength=len(first))
    example = dict(zip(*(a.tolist() for a in np.unique(choice[lacking], return_index=True)), strict=True))

    def named(pair: int) -> list[tuple[str, str]]:
        return [left.names[v] for v in mine[i[pair]]] + [right.names[v] for v in theirs[j[pair]]]

    found = {}
    for number, pair in enumerate(first.tolist()):
        features = [*left.feature[mine[i[pair]]].tolist(), *right.feature[theirs[j[pair]]].tolist()]
        missing = named(int(lacking[example[number]])) if number in example else []
        found[tuple(sorted(features))] = {
            "features": " × ".join(path for path, _ in named(pair)),
            "attested": int(attested[number]),
            "covered": int(attested[number] - uncovered[number]),
            "uncovered": int(uncovered[number]),
            "first_uncovered": ", ".join(f"{p} = {v}" if v else f"{p} is absent" for p, v in missing),
        }
    return found


def _names(items: Items) -> list[tuple[str, str]]:
    names = [items.features[f].qualified_name for f in items.feature.tolist()]
    return list(zip(names, items.values, strict=True))


def _list_possible(material: Material, part: PartOptions, features: Sequence[str]) -> SourceSides:
    """Return the entities and places that a part of a suite can use."""
    problem = make_problem(make_space(Part(material, part)), tuple(features), part.combine == "tway")
    at = np.flatnonzero(problem.chosen & (problem.slot_class >= 0))
    shape = len(problem.allowed), len(problem.slot_class)
    of_class = csr_array((np.ones(len(at), np.float32), (problem.slot_class[at], at)), shape=shape)
    return (
        CoverageSide(
            problem.entities, problem.allowed.astype(np.float32), problem.usable_kinds.astype(np.float32)
        ),
        CoverageSide(problem.places, of_class, problem.chosen.astype(np.float32)),
    )


def _read_suite(suite: Path, material: Material, features: Sequence[str]) -> list[SourceSides]:
    """Read the entities and places of the mentions in a suite, and the places of its cases without slots.

    Cases with look-alikes are left out, because the look-alikes change the text of the context.
    """
    if not (suite / MENTIONS_FILE).is_file():
        raise InputError(f"not a suite folder: {MENTIONS_FILE} is missing", file=suite)
    own, around = closed_features(("entity",), features), closed_features(("slot", "context"), features)
    columns = {f.column for f in (*own, *around)}
    mentions = read_frame(suite / MENTIONS_FILE, ("text_id",), {*columns, *FEATURE_FILES})
    mentions = join_feature_tables(mentions, read_feature_tables(suite, mentions, columns))
    cases = read_frame(suite / CASES_FILE, ("case_id", "context_id"), ())
    (entities, entity), (places, place) = (_merge_equal(make_items(mentions, side)) for side in (own, around))
    shape = len(entities.has), len(places.has)
    together = csr_array((np.ones(len(mentions), np.float32), (entity, place)), shape=shape)
    contexts = material.contexts[material.templates.slot_counts == 0]
    bare = cases.loc[~cases["case_id"].isin(mentions["text_id"]), "context_id"].astype("str")
    counted = contexts["context_id"].astype("str").map(bare.value_counts()).fillna(0).to_numpy(np.float32)
    alone = make_items(contexts, [f for f in around if f.scope == "context"])
    nobody = make_items(contexts[:0], ())
    return [
        (
            CoverageSide(entities, eye_array(shape[0]), _tally(entity, shape[0])),
            CoverageSide(places, together, _tally(place, shape[1])),
        ),
        (
            CoverageSide(nobody, np.zeros((0, 0)), _tally(np.empty(0, int), 0)),
            CoverageSide(alone, np.zeros((0, len(counted)), np.float32), counted),
        ),
    ]


def _merge_equal(items: Items) -> tuple[Items, NDArray[np.int64]]:
    """Return the distinct rows, and the index of each original row among them."""
    bits = np.packbits(items.has, axis=1)
    _, first, row = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    return replace(items, has=items.has[first]), row.reshape(-1)


def _tally(rows: NDArray[np.int64], size: int) -> Floats:
    return np.bincount(rows, minlength=size).astype(np.float32)
