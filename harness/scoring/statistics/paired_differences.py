"""Two taggers on the same mentions: the paired difference per class, corrected for the number of classes.

McNemar's exact test takes cases for independent. On a crossed suite they are not, and it calls equal taggers
different more often than not; so the difference is resampled like everything else.
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
    """The difference of two taggers (one less other) on every class.

    Parameters
    ----------
    one, other : Verdicts
        Two scorings of the same texts with the same classes.
    notion : str
    names : sequence of str, optional
        Classes; all of both tables when None.
    measures : sequence of str
        ``recall``, ``precision`` and ``f1``.
    confidence : float
        Of the intervals.

    Returns
    -------
    DataFrame
        A row per class and measure, the largest difference first. `p_bh` and `p_holm` are corrected for all
        rows, by Benjamini and Hochberg (false discovery rate) and by Holm (any false discovery).

    Raises
    ------
    InputError
        When the two are not of the same texts.
    """
    check_same_texts(one, other)
    designs = make_shared_designs([one, other])
    if names is None:
        there = set(other.class_names)
        names = [n for n in one.class_names if n in there]
    rows = []
    for name in names:
        sums = [sum_class(s, d, notion, name) for s, d in zip((one, other), designs, strict=True)]
        for measure in measures:
            found = estimate_difference(sums[0][measure], sums[1][measure], designs[0], confidence)
            apart = found.estimate
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
                    "one_value": found.first.value,
                    "other_value": found.second.value,
                    "one_whole": sums[0][measure][0].whole.sum(),
                    "other_whole": sums[1][measure][0].whole.sum(),
                    "p": found.p,
                    "interval": apart.method,
                }
            )
    frame = add_corrected_p(pd.DataFrame(rows))
    frame["interval"] = frame.pop("interval")
    size = -frame["difference"].astype("float64").abs()
    order = frame.assign(size=size).sort_values(["size", "class", "measure"], kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def check_same_texts(one: Verdicts, other: Verdicts) -> None:
    """Refuse two scorings of different texts: there is nothing paired about them."""
    first, second = one.corpus.texts, other.corpus.texts
    same = one.corpus is other.corpus or (
        len(first) == len(second) and bool((first["text"].to_numpy() == second["text"].to_numpy()).all())
    )
    if not same:
        raise InputError(
            "the runs are not over the same texts",
            found=", ".join(f"{s.run} over {s.corpus.name}" for s in (one, other)),
            allowed="runs over one suite or corpus",
        )
