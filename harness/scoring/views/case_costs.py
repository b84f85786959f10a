"""What the cases of a class cost: seconds, tokens and price, where a run knows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Ints, Numbers
from ..classes import ALL
from ..statistics.shares import Estimate
from ..table import add_label_columns, find_varying_columns, set_layout
from ..verdicts import Verdicts

COST_COLUMNS = ("seconds", "input_tokens", "output_tokens", "price")
"""Columns of `costs.parquet` that are summed."""
COST_TABLE_COLUMNS = ("cases", "seconds", "seconds_p95", "input_tokens", "output_tokens", "price", "shared")
"""What `spending` gives of a class; `shared` is the number of cases whose seconds are shares."""
SLOW_QUANTILE = 0.95


def find_class_texts(scores: Verdicts, name: str = ALL) -> Ints:
    """Positions of a class's texts: those that hold a gold mention of it; all texts of the whole."""
    if name == ALL:
        return np.arange(len(scores.corpus.texts))
    found: Ints = np.unique(scores.gold_row[scores.masks(name)[0]])
    return found


def align_costs(costs: pd.DataFrame, scores: Verdicts) -> pd.DataFrame:
    """A run's costs in the order of the texts that were scored.

    Raises
    ------
    InputError
        When they are of other cases.
    """
    ids = scores.corpus.texts["text_id"].astype("str")
    known = costs.assign(case_id=costs["case_id"].astype("str")).set_index("case_id")
    if not known.index.is_unique or not ids.isin(known.index).all():
        raise InputError("the costs are of other cases than those that are scored", found=scores.run)
    found: pd.DataFrame = known.reindex(ids)[[*COST_COLUMNS, "shared"]].astype("float64")
    return found.reset_index(drop=True)


def count_shared_cases(costs: pd.DataFrame) -> int:
    """How many cases were asked with others, so that their seconds are shares and not measured."""
    return int((costs["shared"] > 0).sum())


def estimate_slow_seconds(seconds: Numbers, confidence: float) -> Estimate:
    """The 95th percentile of seconds with the interval that order statistics give."""
    # imported where seconds are known: it takes longer than all the rest
    from scipy.stats import binom

    count = len(seconds)
    if not count:
        return Estimate(method="order statistics")
    ordered = _sort_seconds(seconds)
    # with k cases below the percentile being binomial, these ranks enclose it
    tail = (1.0 - confidence) / 2.0
    low, high = (int(binom.ppf(share, count, SLOW_QUANTILE)) for share in (tail, 1.0 - tail))
    return Estimate(
        float(ordered[_find_slow_position(count)]),
        float(ordered[max(low - 1, 0)]),
        float(ordered[high]) if high < count else float("inf"),
        "order statistics",
        whole=float(count),
    )


def _sort_seconds(seconds: Numbers) -> Numbers:
    """Seconds from the fastest case on; one that nobody answered is slower than any other."""
    return np.sort(np.where(np.isnan(seconds), np.inf, seconds))


def _find_slow_position(count: int) -> int:
    """Where the 95th percentile of so many ordered seconds stands."""
    return int(np.ceil(SLOW_QUANTILE * count)) - 1


def build_cost_table(costs: pd.DataFrame, scores: Verdicts) -> pd.DataFrame:
    """A row a class: what its cases cost together, and the 95th percentile of their seconds.

    A sum over cases of which none is known is missing. A case counts in each class of which it has mentions.

    Parameters
    ----------
    costs : DataFrame
        What `costs.parquet` of the run holds.
    scores : Verdicts
        The same run, scored.
    """
    own = align_costs(costs, scores)
    rows = []
    for name in scores.class_names:
        chosen = own.take(find_class_texts(scores, name))
        seconds = chosen["seconds"]
        slow = (
            _sort_seconds(seconds.to_numpy())[_find_slow_position(len(seconds))]
            if seconds.notna().any()
            else np.nan
        )
        sums = {c: chosen[c].sum(min_count=1) for c in COST_COLUMNS}
        shared = count_shared_cases(chosen)
        rows.append({"class": name, "cases": len(chosen), **sums, "seconds_p95": slow, "shared": shared})
    return pd.DataFrame(rows, columns=["class", *COST_TABLE_COLUMNS])


def select_known_columns(table: pd.DataFrame) -> list[str]:
    """The columns of `spending` that say something: those in which a number is known, or a share is."""
    return [c for c in COST_TABLE_COLUMNS if table[c].notna().any() and (c != "shared" or table[c].any())]


def build_cost_tables(scorings: Sequence[Verdicts], costs: Sequence[pd.DataFrame | None]) -> pd.DataFrame:
    """What `spending` gives of some runs, put below each other.

    Raises
    ------
    InputError
        When one of them does not know its costs.
    """
    tables = []
    for number, scores in enumerate(scorings):
        own = costs[number] if number < len(costs) else None
        if own is None:
            raise InputError(
                "nobody knows what the cases cost",
                found=f"{scores.run or 'predictions'}, without costs.parquet",
                allowed="runs of `tagsuite run`, which keeps seconds, tokens and price where they are known",
            )
        tables.append(
            add_label_columns(build_cost_table(own, scores), run=scores.run, corpus=scores.corpus.name)
        )
    return pd.concat(tables, ignore_index=True)


def select_cost_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of `build_cost_tables` that have values, with tokens as integers."""
    chosen = table[[*find_varying_columns(table), "class", *select_known_columns(table)]]
    chosen = chosen.astype({c: "Int64" for c in ("input_tokens", "output_tokens") if c in chosen})
    return set_layout(chosen, "seconds", "price", "cases")
