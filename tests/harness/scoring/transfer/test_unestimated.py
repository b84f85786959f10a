"""Classes without an estimate, and why: nothing is left out in silence."""

from __future__ import annotations

import pandas as pd
import pytest
from tagsuite.harness.scoring.transfer.estimates import MOST_NAMED, unestimated

NAN = float("nan")
SUPPORT = [
    ({"a": 0.7, "b": 0.5}, [], "all are covered"),
    (
        {"a": 0.7, "b": 0.4},
        ["no estimate of b: the suite covers less than 0.5 of them (--least-support)"],
        "one",
    ),
    ({"a": NAN}, ["no estimate of a: the composition has none of them"], "nothing to average over"),
    (
        {"a": NAN, "b": 0.0, "c": 0.1},
        [
            "no estimate of b, c: the suite covers less than 0.5 of them (--least-support)",
            "no estimate of a: the composition has none of them",
        ],
        "both reasons, each with its classes",
    ),
]


@pytest.mark.parametrize(("support", "expected", "why"), SUPPORT, ids=[why for *_, why in SUPPORT])
def test_what_has_no_estimate_is_said(support: dict[str, float], expected: list[str], why: str) -> None:
    found = pd.DataFrame({"class": list(support), "support": list(support.values())})
    assert unestimated(found, 0.5) == expected, why


def test_what_is_told_of_a_class_already_is_not_told_again() -> None:
    found = pd.DataFrame({"class": ["a", "b", "a"], "support": [NAN, NAN, 0.1]})
    assert unestimated(found, 0.5, told=["a"]) == [
        "no estimate of a: the suite covers less than 0.5 of them (--least-support)",
        "no estimate of b: the composition has none of them",
    ]


def test_of_many_classes_the_first_are_named() -> None:
    names = [f"class {i}" for i in range(MOST_NAMED + 3)]
    (line,) = unestimated(pd.DataFrame({"class": names, "support": 0.0}), 0.5)
    assert line.startswith(f"no estimate of {', '.join(names[:MOST_NAMED])} and 3 more: ")
