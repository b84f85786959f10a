"""Paired differences between two taggers per class, with p values corrected for the number of classes.

McNemar's exact test assumes independent cases. Cases of a suite share entities and contexts, and the test
would find significant differences between equal taggers; therefore differences are resampled by groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ....catalogues.core.errors import InputError
from ..verdicts import Verdicts
from .corrections import add_corrected_p
from .design import make_shared_designs
from .differences import estimate_difference
from .sums import MEASURES, Measure, sum_class


def compare_paired(
    one: Verdicts,
    other: Verdicts,
    *,
    notion: str = "strict",
    names: Sequence[str] | None = None,
    measures: Sequence[Measure] = MEASURES,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimate the differences between two taggers (first minus second) for each class.

    Parameters
    ----------
    one, other : Verdicts
        Scorings of two taggers on the same texts with the same classes.
    notion : str
    names : sequence of str, optional
        Names of classes; all common classes if None.
    measures : sequence of str
        ``recall``, ``precision`` and ``f1``.
    confidence : float
        Confidence level of the intervals.

    Returns
    -------
    DataFrame
        One row per class and measure, with the largest difference first. `p_bh` (Benjamini and Hochberg) and
        `p_holm` (Holm) are corrected for the number of rows.

    Raises
    ------
    InputError
        If the two scorings cover different texts.
    """
    check_same_texts(one, other)
    designs = make_shared_designs([one, other])
    if names is None:
        other_names = set(other.class_names)
        names = [n for n in one.class_names if n in other_names]
    rows = []
    for name in names:
        sums = [sum_class(s, d, notion, name) for s, d in zip((one, other), designs, strict=True)]
        for measure in measures:
            paired = estimate_difference(sums[0][measure], sums[1][measure], designs[0], confidence)
            apart = paired.estimate
            rows.append(
                {
                    "class": name,
                    "notion": notion,
                    "measure": measure,
                    "one": one.run,
                    "other": other.run,
                    "difference": apart.value,
                    "difference_low": apart.low,
                    "difference_high": apart.high,
                    "one_value": paired.first.value,
                    "other_value": paired.second.value,
                    "one_whole": sums[0][measure][0].whole.sum(),
                    "other_whole": sums[1][measure][0].whole.sum(),
                    "p": paired.p,
                    "interval": apart.method,
                }
            )
    frame = add_corrected_p(pd.DataFrame(rows))
    frame["interval"] = frame.pop("interval")
    size = -frame["difference"].astype("float64").abs()
    order = frame.assign(size=size).sort_values(["size", "class", "measure"], kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def check_same_texts(one: Verdicts, other: Verdicts) -> None:
    """Raise InputError if two scorings cover different texts."""
    first, second = one.corpus.texts, other.corpus.texts
    same = one.corpus is other.corpus or (
        len(first) == len(second) and bool((first["text"].to_numpy() == second["text"].to_numpy()).all())
    )
    if not same:
        raise InputError(
            "both runs must use the same suite or corpus",
            found=", ".join(f"{s.run} on {s.corpus.name}" for s in (one, other)),
        )
