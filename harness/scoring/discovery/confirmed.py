"""Table of the classes that new cases confirm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..options import DiscoverOptions
from ..statistics.corrections import benjamini_hochberg
from ..statistics.intervals import wilson
from .choosing import ALIKE
from .fresh_cases import Mentions
from .judging import COLUMNS, conjunction
from .near_misses import FEWEST_CASES, Tested
from .phrases import RANGE, figure, sentence

CONFIRMED = (*COLUMNS, "near_misses", "tests")
"""Columns of what was confirmed: those of a search, the near misses of each class, all tests made."""


def confirmed(
    tested: Sequence[Tested], seen: Mentions, options: DiscoverOptions, confidence: float = 0.95
) -> pd.DataFrame:
    """Return the classes that new cases confirm, the most convincing first.

    Parameters
    ----------
    tested : sequence of Tested
        All tests, among which false discoveries are controlled; those with too few cases do not count.
    seen : Mentions
        All mentions of the run, by which queries of the same meaning are recognised.
    options : DiscoverOptions
    confidence : float
        Of the intervals.
    """
    tested = [t for t in tested if t.cases >= FEWEST_CASES]
    adjusted = benjamini_hochberg([t.p for t in tested]).tolist()
    kept = [
        (p, t)
        for p, t in zip(adjusted, tested, strict=True)
        if p <= options.false_discoveries and t.is_large(options.effect)
    ]
    kept.sort(key=lambda one: (one[0], len(one[1].conditions), one[1].conditions))
    rows = []
    earlier: list[np.ndarray] = []
    for p, one in kept:
        inside = seen.selected(one.conditions)
        if any((inside & other).sum() >= ALIKE * max((inside | other).sum(), 1) for other in earlier):
            continue
        earlier.append(inside)
        rows.append(_row(one, p, len(tested), float(seen.right[~inside].mean()), confidence))
    return pd.DataFrame(rows, columns=list(CONFIRMED))


def describe_tests(tested: Sequence[Tested], table: pd.DataFrame, cases: str) -> tuple[str, ...]:
    """Return remarks on the number of tests, and on classes with too few cases to be tested."""
    rare = [t for t in tested if t.cases < FEWEST_CASES]
    told = f"{len(tested) - len(rare)} queries were tested on {cases}; {len(table)} confirmed"
    if not rare:
        return (told,)
    listed = "; ".join(f"{conjunction(t.conditions)} ({t.cases})" for t in rare)
    return told, (
        f"too few names or sentences that were not searched to test (number of new cases, at least "
        f"{FEWEST_CASES} needed): {listed}"
    )


def _row(one: Tested, p: float, tests: int, rest: float, confidence: float) -> dict[str, object]:
    worst = one.worst
    (low,), (high,) = wilson([one.cases - one.wrong], [one.cases], confidence)
    (near_low,), (near_high,) = wilson([worst.cases - worst.wrong], [worst.cases], confidence)
    value, nearest = 1.0 - one.share, 1.0 - worst.share
    # Newcombe's interval of a difference, from those of both shares
    below = float(np.hypot(value - low, near_high - nearest))
    above = float(np.hypot(high - value, nearest - near_low))
    conditions = one.conditions
    kept = [c for c in one.conditions if c != worst.dropped] + [worst.instead] * bool(worst.instead)
    other = f"{figure(nearest)} of near misses"
    return {
        "measure": "recall",
        "query": conjunction(conditions),
        "words": sentence("recall", conditions, value, other, one.cases, "fresh "),
        "cases": one.cases,
        "value": value,
        "value_low": float(low),
        "value_high": float(high),
        "rest": rest,
        "nearest": nearest,
        "nearest_query": conjunction((*kept, f"not {bracketed(worst.dropped)}")),
        "difference": value - nearest,
        "difference_low": value - nearest - below,
        "difference_high": value - nearest + above,
        "p": one.p,
        "p_bh": p,
        "conditions": len(conditions),
        "also": "; ".join(one.also),
        "interval": "wilson",
        "near_misses": len(one.near),
        "tests": tests,
    }


def bracketed(condition: str) -> str:
    """A condition as one term of a query."""
    return f"({condition})" if RANGE.match(condition) else condition
