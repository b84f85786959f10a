"""Divisions by the values of a feature: which values there are, and which mention has which."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.harness.scoring.division import FIRST, by_feature

MANY = 2 * FIRST
WORDS = ["upper", "lower", "initial"]


def column(kind: str, values: list[int]) -> pd.Series:
    """A column whose first mentions have value 0 and whose last ones these; -1 is absent."""
    codes = np.zeros(MANY, dtype=np.int32)
    codes[MANY - len(values) :] = values
    if kind == "case":
        return pd.Series(pd.Categorical.from_codes(codes, pd.Index(WORDS)))
    return pd.Series(codes)


@pytest.mark.parametrize(
    ("name", "last", "classes", "why"),
    [
        ("case", [], ["case = upper"], "a category that no mention has is no class"),
        ("case", [2], ["case = upper", "case = initial"], "a value that stands behind the first mentions"),
        ("case", [1, -1], ["case = upper", "case = lower", "case is absent"], "so does an absent one"),
        ("length", [], ["length = 0"], "one number"),
        ("length", [2], ["length = 0", "length = 2"], "a number behind the first; 1 is none"),
        ("length", [1, 2], ["length = 0", "length = 1", "length = 2"], "numbers without a gap"),
    ],
)
def test_values_behind_the_first_mentions(name: str, last: list[int], classes: list[str], why: str) -> None:
    frame = pd.DataFrame({name: column(name, last)})
    found = by_feature(taxonomy().find(f"entity.{name}"), frame, frame.iloc[:0])
    assert sorted(found.names) == sorted(classes), why
    counts: Any = found.member @ np.bincount(found.gold, minlength=found.cells)
    numbers = [n for n in frame[name].value_counts(dropna=False).tolist() if n]
    assert sorted(counts.tolist()) == sorted(numbers), why


def test_as_many_classes_as_mentions_take_no_more_room_than_these() -> None:
    frame = pd.DataFrame({"data": pd.Series([f"name{i}" for i in range(30_000)], dtype="str")})
    found = by_feature(taxonomy().find("entity.data"), frame, frame.iloc[:0])
    assert len(found.names) == 30_000
    assert found.member.nnz == 30_000
    assert found.masks(found.names[7])[0].sum() == 1
