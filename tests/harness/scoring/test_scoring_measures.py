"""Measures: a table of counts and what must come out, undefined ones included."""

from __future__ import annotations

import pytest
from tagsuite.harness.scoring import measures

UNDEFINED = float("nan")


@pytest.mark.parametrize(
    ("p", "r", "beta", "expected", "why"),
    [
        (0.5, 0.5, 1.0, 0.5, "equal parts"),
        (1.0, 0.5, 1.0, 2 / 3, "harmonic mean"),
        (1.0, 0.5, 2.0, 5 * 0.5 / (4 + 0.5), "beta 2 leans to recall"),
        (0.5, 0.0, 1.0, 0.0, "one of them 0"),
        (0.0, 0.0, 1.0, UNDEFINED, "0/0"),
        (UNDEFINED, 0.0, 1.0, UNDEFINED, "nothing predicted: no precision, so no F"),
        (0.822, 0.835, 1.0, 2 * 0.822 * 0.835 / (0.822 + 0.835), "Olsson et al., table 1"),
    ],
)
def test_f_score(p: float, r: float, beta: float, expected: float, why: str) -> None:
    assert measures.f_score(p, r, beta) == pytest.approx(expected, nan_ok=True), why
