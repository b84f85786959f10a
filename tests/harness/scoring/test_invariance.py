"""Changes between two answers to a text, and failure rates with intervals."""

from __future__ import annotations

import numpy as np
import pytest

from tagsuite.harness.scoring.invariance import AnswerMention, estimate_change_rate, find_changes
from tagsuite.harness.scoring.statistics.groups import Groups


def answer(*mentions: str) -> list[AnswerMention]:
    """Return mentions from strings such as ``0-4 gp`` or (discontinuous) ``0-4+6-8 gp``."""
    found = []
    for row, text in enumerate(mentions):
        places, _, kind = text.partition(" ")
        edges = tuple((int(s), int(e)) for s, e in (p.split("-") for p in places.split("+")))
        found.append(AnswerMention(edges, kind or "gp", row))
    return found


@pytest.mark.parametrize(
    ("before", "after", "expected", "why"),
    [
        ([], [], [], "nothing said either time"),
        (["0-4"], ["0-4"], [], "the same"),
        (["0-4", "6-8"], ["6-8", "0-4"], [], "in another order"),
        (["0-4"], [], ["missing"], "no longer found"),
        ([], ["0-4"], ["appeared"], "found only now"),
        (["0-4"], ["0-4 rna"], ["retyped"], "another type"),
        (["0-4"], ["0-6"], ["moved"], "another boundary"),
        (["0-4"], ["0-6 rna"], ["moved"], "another boundary and type: it moved"),
        (["0-4"], ["4-6"], ["appeared", "missing"], "side by side is not the same mention"),
        (["0-8"], ["0-4", "5-8"], ["appeared", "moved"], "one made two"),
        (["0-4", "5-8"], ["0-8"], ["missing", "moved"], "two made one"),
        (["0-4", "0-4"], ["0-4"], ["missing"], "one of two equal ones"),
        (["0-2+4-6"], ["0-6"], ["moved"], "in pieces, and whole"),
        (["0-8", "2-4"], ["0-8", "2-5"], ["moved"], "nested: the inner one alone"),
        (["0-4", "2-8"], ["2-7"], ["missing", "moved"], "the nearer in both edges"),
    ],
)
def test_kinds_of_change(before: list[str], after: list[str], expected: list[str], why: str) -> None:
    found = find_changes(answer(*before), answer(*after))
    assert sorted(c.kind for c in found) == expected, why
    if why == "the nearer in both edges":
        assert [c.before.row for c in found if c.before and c.kind == "moved"] == [1]


def alone(size: int) -> Groups:
    each = np.arange(size)
    return Groups("texts × surface forms", (each, each, each))


def test_texts_that_share_something_make_intervals_wider() -> None:
    changed = np.repeat([True, False], 50)
    rows = np.arange(100)
    single = estimate_change_rate(rows, changed, alone(100), 0.95)
    place = np.repeat(np.arange(10), 10)
    shared = estimate_change_rate(
        rows, changed, Groups("documents × surface forms", (place, rows, rows)), 0.95
    )
    assert single["rate"] == shared["rate"] == 0.5
    widths = [float(r["rate_high"]) - float(r["rate_low"]) for r in (single, shared)]  # type: ignore[arg-type]
    assert 0.18 < widths[0] < 0.22 < 1.8 * widths[0] < widths[1]
    assert shared["interval"] == "jackknife: documents × surface forms"
