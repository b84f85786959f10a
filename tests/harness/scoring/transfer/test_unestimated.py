"""Classes without an estimate, and why: nothing is left out in silence."""

from __future__ import annotations

import pandas as pd
from tagsuite.harness.scoring.transfer.estimates import MOST_NAMED, unestimated

NAN = float("nan")


def test_what_is_told_of_a_class_already_is_not_told_again() -> None:
    found = pd.DataFrame({"class": ["a", "b", "a", "c"], "support": [NAN, NAN, 0.1, 0.5]})
    assert unestimated(found, 0.5, told=["a"]) == [
        "no estimate of a: the suite covers less than 0.5 of them (--least-support)",
        "no estimate of b: the composition has none of them",
    ]


def test_of_many_classes_the_first_are_named() -> None:
    names = [f"class {i}" for i in range(MOST_NAMED + 3)]
    (line,) = unestimated(pd.DataFrame({"class": names, "support": 0.0}), 0.5)
    assert line.startswith(f"no estimate of {', '.join(names[:MOST_NAMED])} and 3 more: ")
