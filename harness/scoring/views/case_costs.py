"""Costs of the cases in a class, as recorded by runs: running time in seconds, tokens and price."""

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
"""Columns of `build_cost_table`; `shared` counts cases whose time is a share of a batch's time."""
SLOW_QUANTILE = 0.95


def find_class_texts(scores: Verdicts, name: str = ALL) -> Ints:
    """Return the positions of texts with a gold mention in a class, or of all texts for the class ``all``."""
    if name == ALL:
        return np.arange(len(scores.corpus.texts))
    rows: Ints = np.unique(scores.gold_row[scores.masks(name)[0]])
    return rows


def align_costs(costs: pd.DataFrame, scores: Verdicts) -> pd.DataFrame:
    """Return the costs of a run in the order of the scored texts.

    Raises
    ------
    InputError
        If costs are missing for a text.
    """
    ids = scores.corpus.texts["text_id"].astype("str")
    by_case = costs.assign(case_id=costs["case_id"].astype("str")).set_index("case_id")
    if not by_case.index.is_unique or not ids.isin(by_case.index).all():
        raise InputError("costs.parquet does not contain each scored case exactly once", found=scores.run)
    aligned: pd.DataFrame = by_case.reindex(ids)[[*COST_COLUMNS, "shared"]].astype("float64")
    return aligned.reset_index(drop=True)


def count_shared_cases(costs: pd.DataFrame) -> int:
    """Count the cases that ran in a batch; their recorded time is a share of the batch's time."""
    return int((costs["shared"] > 0).sum())


def estimate_slow_seconds(seconds: Numbers, confidence: float) -> Estimate:
    """Return the 95th percentile of the running time in seconds, with an interval from order statistics."""
    # imported here, because the import is slow and often not needed
    from scipy.stats import binom

    count = len(seconds)
    if not count:
        return Estimate(method="order statistics")
    ordered = _sort_seconds(seconds)
    # the number of cases below the percentile is binomial, which gives the ranks of the limits
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
    return np.sort(np.where(np.isnan(seconds), np.inf, seconds))


def _find_slow_position(count: int) -> int:
    """Return the position of the 95th percentile in a sorted array of `count` values."""
    return int(np.ceil(SLOW_QUANTILE * count)) - 1


def build_cost_table(costs: pd.DataFrame, scores: Verdicts) -> pd.DataFrame:
    """Return total costs and the 95th percentile of seconds, one row per class.

    A total is missing if no case has a recorded value. A case is counted in every class that contains one of
    its gold mentions.

    Parameters
    ----------
    costs : DataFrame
        Contents of the run's `costs.parquet`.
    scores : Verdicts
        Scores of the same run.
    """
    run_costs = align_costs(costs, scores)
    rows = []
    for name in scores.class_names:
        chosen = run_costs.take(find_class_texts(scores, name))
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
    """Return the cost columns that have values, without `shared` if all its values are 0."""
    return [c for c in COST_TABLE_COLUMNS if table[c].notna().any() and (c != "shared" or table[c].any())]


def build_cost_tables(scorings: Sequence[Verdicts], costs: Sequence[pd.DataFrame | None]) -> pd.DataFrame:
    """Return the cost tables of several runs as one table.

    Raises
    ------
    InputError
        If a run has no recorded costs.
    """
    tables = []
    for number, scores in enumerate(scorings):
        run_costs = costs[number] if number < len(costs) else None
        if run_costs is None:
            raise InputError(
                "no costs were recorded",
                found=f"{scores.run or 'predictions'} without costs.parquet",
                allowed="run folders written by `tagsuite run`",
            )
        tables.append(
            add_label_columns(build_cost_table(run_costs, scores), run=scores.run, corpus=scores.corpus.name)
        )
    return pd.concat(tables, ignore_index=True)


def select_cost_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cost table for printing, without empty columns and with tokens as integers."""
    chosen = table[[*find_varying_columns(table), "class", *select_known_columns(table)]]
    chosen = chosen.astype({c: "Int64" for c in ("input_tokens", "output_tokens") if c in chosen})
    return set_layout(chosen, "seconds", "price", "cases")
