"""Which combinations of feature values a suite covers: an independent verifier.

It shares no code with the choice of cases. It reads the tables of the finished suite and the catalogues, and
compares what occurs with what could occur, by plain counting: values as text, combinations as numbers, sets
by sorting.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.query import Query
from ...catalogues.taxonomy import Feature, taxonomy
from ...sentences.feature_tables import with_features
from ...sentences.suites import CASES, MENTIONS, TABLES, read_feature_tables, read_frame
from ..recipe import PartOptions
from .standing import standing

WIDE = 1 << 10
"""More values than the closed features have; six of them fit into one number."""


@dataclass(frozen=True)
class Coverage:
    """What a suite covers.

    Attributes
    ----------
    t : int
        How many values make a combination.
    table : DataFrame
        One row for each choice of t features: `features`, `attested`, `covered`, `uncovered`,
        `first_uncovered`.
    """

    t: int
    table: pd.DataFrame

    @property
    def attested(self) -> int:
        """Combinations that could occur."""
        return int(self.table["attested"].sum())

    @property
    def covered(self) -> int:
        """Those that occur often enough."""
        return int(self.table["covered"].sum())


@dataclass(frozen=True)
class Column:
    """A feature of many rows: which of the distinct values each has, and what stands in these as texts."""

    codes: NDArray[np.int64]
    texts: list[list[str]]


@dataclass
class Rows:
    """Values of some rows: for each feature a ragged list of value numbers (several for a set)."""

    values: dict[str, list[NDArray[np.int64]]]
    size: int


class Dictionary:
    """Numbers for values, feature by feature."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self.names: list[str] = []

    def number(self, feature: str, value: str) -> int:
        """The number of a value, given at first sight."""
        key = (feature, value)
        if key not in self._numbers:
            if len(self.names) >= WIDE:
                raise InputError(
                    "too many different values to combine", allowed=f"at most {WIDE}; name features"
                )
            self._numbers[key] = len(self.names)
            self.names.append(f"{feature} = {value}" if value else f"{feature} is absent")
        return self._numbers[key]


def verify(
    suite: str | PathLike[str],
    entities: pd.DataFrame,
    contexts: pd.DataFrame,
    slots: pd.DataFrame,
    parts: Iterable[PartOptions],
    t: int,
    *,
    times: int = 1,
    features: Sequence[str] = (),
) -> Coverage:
    """Compare what a suite's mentions have with what its catalogues could give.

    Parameters
    ----------
    suite : path
        A suite folder.
    entities, contexts, slots : DataFrame
        The catalogues that it was made from.
    parts : iterable of PartOptions
        What each part of the suite was to combine.
    t : int
        How many values make a combination.
    times : int
        How often each is to occur (less where it can only occur less often is not forgiven).
    features : sequence of str
        Which features; all closed ones when empty.
    """
    known = taxonomy()
    if features:
        chosen = [known.find(f, ("entity", "slot", "context")) for f in dict.fromkeys(features)]
    else:
        # whose names stand in apposition is no choice but what comes of it
        outcome = "slot.appositive_kind"
        chosen = [f for f in known.features if f.scope != "mention" and f.closed and f.path != outcome]
    # what cannot be read is refused before anything is counted
    mentions, cases = _read(Path(suite), chosen)
    # the same feature may stand in the catalogue but not in a suite that was made without it
    numbers = Dictionary()
    attested: dict[tuple[str, ...], NDArray[np.int64]] = {}
    for part in parts:
        for key, found in _attested(entities, contexts, slots, part, chosen, t, numbers):
            attested[key] = found if key not in attested else np.union1d(attested[key], found)
    units = _units(mentions, cases, contexts, slots, chosen, numbers)
    rows = []
    for key, possible in attested.items():
        counted, how_often = _count(units, key)
        occurs = np.zeros(len(possible), dtype=np.int64)
        at = np.searchsorted(counted, possible)
        inside = at < len(counted)
        inside[inside] = counted[at[inside]] == possible[inside]
        occurs[inside] = how_often[at[inside]]
        missing = np.flatnonzero(occurs < times)
        first = _shown(int(possible[missing[0]]), t, numbers) if len(missing) else ""
        rows.append(
            {
                "features": " × ".join(key),
                "attested": len(possible),
                "covered": len(possible) - len(missing),
                "uncovered": len(missing),
                "first_uncovered": first,
            }
        )
    columns = ["features", "attested", "covered", "uncovered", "first_uncovered"]
    return Coverage(t, pd.DataFrame(rows, columns=columns))


def _attested(
    entities: pd.DataFrame,
    contexts: pd.DataFrame,
    slots: pd.DataFrame,
    part: PartOptions,
    features: Sequence[Feature],
    t: int,
    numbers: Dictionary,
) -> Iterable[tuple[tuple[str, ...], NDArray[np.int64]]]:
    """For each choice of t features, the combinations that some entity in some slot can have."""
    if "list_members" in contexts:
        contexts = contexts[contexts["list_members"].isin([0, *part.list_lengths])]
        slots = slots[slots["context_id"].isin(contexts["context_id"])]
    joined = slots.merge(
        contexts[[c for c in contexts.columns if c == "context_id" or c not in slots.columns]],
        on="context_id",
        how="left",
    )
    asked = Query.parse(part.contexts, ("context", "slot"))
    joined = joined[(joined["context.type"] == "tp").to_numpy()]
    own = [f for f in features if f.scope == "entity"]
    around = [f for f in features if f.scope != "entity"]
    named = [f.column for f in around if f.column in joined]
    places = joined.loc[asked.evaluate(joined), ["context_id", "slot", *named]]
    bare = contexts[~contexts["context_id"].isin(slots["context_id"])]
    bare = bare[asked.evaluate(bare)]
    who_stands = standing(entities, slots, part)
    # a sentence can be made only if each of its slots can be filled
    places = places.merge(who_stands.slots[["context_id", "slot", "group"]], on=["context_id", "slot"])
    bare_rows = _rows(
        _columns(bare, [f for f in around if f.scope == "context"]), np.arange(len(bare)), numbers
    )
    stated, there = _columns(entities, own), _columns(places, around)
    groups = []
    group = places["group"].to_numpy()
    for number in np.unique(group).tolist():
        who, here = who_stands.groups[number], np.flatnonzero(group == number)
        groups.append((_rows(stated, who, numbers), _rows(there, here, numbers)))
    for choice in itertools.combinations(features, t):
        mine = [f.path for f in choice if f.scope == "entity"]
        theirs = [f.path for f in choice if f.scope != "entity"]
        found = [_crossed(who, mine, place, theirs) for who, place in groups]
        if not mine and all(p in bare_rows.values for p in theirs):
            found.append(_codes(bare_rows, theirs))
        together = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        if len(together):
            yield (*mine, *theirs), together


def _columns(frame: pd.DataFrame, features: Sequence[Feature]) -> dict[str, Column]:
    """The features that a frame has, by their paths."""
    found = {}
    for feature in features:
        if feature.column in frame:
            codes, values = pd.factorize(frame[feature.column], use_na_sentinel=False)
            texts = [_texts(None if pd.isna(value) else value, feature) for value in values.tolist()]
            found[feature.path] = Column(codes, texts)
    return found


def _rows(columns: Mapping[str, Column], rows: NDArray[np.int64], numbers: Dictionary) -> Rows:
    """The numbers of the values of some rows."""
    return Rows({path: _numbered(path, column, rows, numbers) for path, column in columns.items()}, len(rows))


def _numbered(
    path: str, column: Column, rows: NDArray[np.int64], numbers: Dictionary
) -> list[NDArray[np.int64]]:
    """For each of some rows the numbers of its values, in layers; -1 where a layer has none."""
    codes = column.codes[rows]
    held = {code: [numbers.number(path, t) for t in column.texts[code]] for code in pd.unique(codes).tolist()}
    layers = []
    for layer in range(max(map(len, held.values()), default=1)):
        own = np.full(len(column.texts), -1, dtype=np.int64)
        for code, found in held.items():
            if layer < len(found):
                own[code] = found[layer]
        layers.append(own[codes])
    return layers


def _texts(value: object, feature: Feature) -> list[str]:
    if value is None:
        return [""]
    if feature.kind == "boolean":
        return ["true" if value else "false"]
    if feature.bins:
        number = int(float(str(value)))
        return [next((b.name for b in feature.bins if number in b), str(number))]
    return str(value).split("|") if feature.kind == "set" else [str(value)]


def _codes(rows: Rows, names: Sequence[str]) -> NDArray[np.int64]:
    """The distinct combinations of some features that rows have, each as one number."""
    if not names:
        return np.zeros(1, dtype=np.int64)
    if any(n not in rows.values for n in names) or not rows.size:
        return np.empty(0, dtype=np.int64)
    codes: NDArray[np.int64] = np.unique(np.concatenate(list(_numbered_rows(rows, names))))
    return codes


def _numbered_rows(rows: Rows, names: Sequence[str]) -> Iterator[NDArray[np.int64]]:
    """Combinations of some features as numbers: for each way to take a value of each, those of all rows."""
    for layers in itertools.product(*(rows.values[n] for n in names)):
        good = np.logical_and.reduce([layer >= 0 for layer in layers])
        code = np.zeros(int(good.sum()), dtype=np.int64)
        for layer in layers:
            code = code * WIDE + layer[good]
        yield code


def _crossed(who: Rows, mine: Sequence[str], place: Rows, theirs: Sequence[str]) -> NDArray[np.int64]:
    """Every combination of the one side with every of the other."""
    if not who.size or not place.size:
        return np.empty(0, dtype=np.int64)
    left, right = _codes(who, mine), _codes(place, theirs)
    crossed = left[:, None] * np.int64(WIDE ** len(theirs)) + right[None, :]
    return np.asarray(crossed.ravel(), dtype=np.int64)


def _count(units: list[Rows], names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The combinations that units have, and in how many units each occurs."""
    found: list[NDArray[np.int64]] = []
    for rows in units:
        if all(n in rows.values for n in names):
            found += _numbered_rows(rows, names)
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    values, counts = np.unique(np.concatenate(found), return_counts=True)
    return values, counts


def _read(suite: Path, features: Sequence[Feature]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The mentions of a suite with some features, and its cases."""
    if not (suite / MENTIONS).is_file():
        raise InputError("not a suite folder", file=suite, allowed=f"a folder with {MENTIONS}")
    columns = {f.column for f in features}
    mentions = read_frame(suite / MENTIONS, ("text_id",), {*columns, *TABLES})
    mentions = with_features(mentions, read_feature_tables(suite, mentions, columns))
    return mentions, read_frame(suite / CASES, ("case_id", "context_id"), ())


def _units(
    mentions: pd.DataFrame,
    cases: pd.DataFrame,
    contexts: pd.DataFrame,
    slots: pd.DataFrame,
    features: Sequence[Feature],
    numbers: Dictionary,
) -> list[Rows]:
    """The mentions of a suite, and its cases of contexts without slots.

    A sentence with look-alikes in its slots has neither: its text is not that of its context.
    """
    bare = cases.loc[~cases["case_id"].isin(mentions["text_id"]), ["context_id"]]
    contexts = contexts[~contexts["context_id"].isin(slots["context_id"])]
    bare = bare.assign(context_id=bare["context_id"].astype("str")).merge(
        contexts.assign(context_id=contexts["context_id"].astype("str")), on="context_id"
    )
    return [
        _rows(_columns(mentions, features), np.arange(len(mentions)), numbers),
        _rows(_columns(bare, [f for f in features if f.scope == "context"]), np.arange(len(bare)), numbers),
    ]


def _shown(code: int, t: int, numbers: Dictionary) -> str:
    parts = []
    for _ in range(t):
        parts.append(numbers.names[code % WIDE])
        code //= WIDE
    return ", ".join(reversed(parts))
