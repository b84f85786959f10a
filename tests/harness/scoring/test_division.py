"""Divisions by the values of a feature: which values there are, and which mention has which."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.harness.scoring.division import by_feature

WORDS = pd.Index(["upper", "lower", "initial"])


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        (pd.Series(pd.Categorical.from_codes([0, 2, 2], WORDS), name="case"), {"upper": 1, "initial": 2}),
        (pd.Series(pd.Categorical.from_codes([1, -1], WORDS), name="case"), {"lower": 1, "absent": 1}),
        (pd.Series([0, 2, 0], name="length"), {"0": 2, "2": 1}),
        (pd.Series([20_000, 3], name="length"), {"3": 1, "11": 1}),
    ],
)
def test_classes_are_the_values_that_occur(column: pd.Series, classes: dict[str, int]) -> None:
    frame = column.to_frame()
    found = by_feature(taxonomy().find(f"entity.{column.name}"), frame, frame.iloc[:0])
    counts: Any = found.member @ np.bincount(found.gold, minlength=found.cells)
    names = [name.split()[-1] for name in found.names]
    assert dict(zip(names, counts.tolist(), strict=True)) == classes


def test_as_many_classes_as_mentions_take_no_more_room_than_these() -> None:
    frame = pd.DataFrame({"data": pd.Series([f"name{i}" for i in range(30_000)], dtype="str")})
    found = by_feature(taxonomy().find("entity.data"), frame, frame.iloc[:0])
    assert len(found.names) == found.member.nnz == 30_000
    assert found.masks(found.names[7])[0].sum() == 1
