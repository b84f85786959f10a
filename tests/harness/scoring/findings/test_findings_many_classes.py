"""Tests of scoring with hundreds of classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tagsuite.harness.scoring.classes import Class

from .conftest import scored

NUMBER = 400


def classes() -> list[Class]:
    """Return classes that overlap, are equal, are empty, or contain all mentions."""
    queries = [
        *(f"data ~ /{i % 10}{i // 10 % 10}?$/" for i in range(NUMBER - 4)),
        "length >= 1",
        "length < 1",
        "data = AB0000",
        "not data = AB0000",
    ]
    return [Class.from_query(f"class {i}", query) for i, query in enumerate(queries)]


@pytest.mark.parametrize(("together", "largest", "cells"), [(1, 0, 1000), (500, 4_000_000, 0), (5000, 9, 2)])
def test_how_classes_are_counted_together_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, together: int, largest: int, cells: int
) -> None:
    from tagsuite.harness.scoring import counting, division
    from tagsuite.harness.scoring.statistics import design

    found = np.random.Generator(np.random.PCG64(1)).random((60, 5)) < 0.6
    whole = scored(found, classes=classes()).table
    monkeypatch.setattr(division, "MAX_BATCH_PAIRS", together)
    monkeypatch.setattr(counting, "MAX_CELLS", largest)
    monkeypatch.setattr(design, "MAX_CELLS_PER_KEY", cells)
    pd.testing.assert_frame_equal(scored(found, classes=classes()).table, whole, rtol=1e-12)
