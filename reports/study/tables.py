"""The tables of a study: notions in the form of Olsson et al., boundaries, and where taggers differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from ...harness.scoring.notions import TABLE_1
from ...harness.scoring.scores import Scores
from ..collecting.figures import whole_names
from .carrying import Scored


def notion_table(scored: Sequence[Scored], source: str) -> pd.DataFrame:
    """Table 1 of Olsson et al. (2002): a row a notion, and R, P and F of each tagger in per cent.

    Parameters
    ----------
    scored : sequence of Scored
    source : str
        The suite or corpus.

    Returns
    -------
    DataFrame
        Columns `notion`, then ``TAGGER R``, ``TAGGER P``, ``TAGGER F``.
    """
    frame = pd.DataFrame({"notion": list(TABLE_1)})
    frame.attrs["decimals"] = 1
    for item in scored:
        if item.source != source:
            continue
        table = item.notions.table
        whole = table[(table["class"] == "all") & (table["type"] == "all")].set_index("notion")
        whole = whole.reindex(list(TABLE_1))
        for name, column in (("R", "recall"), ("P", "precision"), ("F", "f1")):
            frame[f"{item.tagger} {name}"] = (100 * whole[column]).round(1).to_numpy()
    known = frame.drop(columns="notion").notna().any(axis=1)
    return frame[known].reset_index(drop=True)


def boundary_table(scored: Sequence[Scored], source: str) -> pd.DataFrame:
    """Figure 2 of Olsson et al. (2002): how often a sloppy match has its boundaries right, in per cent.

    Returns
    -------
    DataFrame
        Columns `tagger`, `left`, `right`, `left_or_right`, `both`: shares of the predicted mentions that
        match under SLOPPY.
    """
    rows = []
    for item in scored:
        if item.source != source:
            continue
        table = item.notions.table
        whole = table[(table["class"] == "all") & (table["type"] == "all")].set_index("notion")
        if not {"sloppy", "left", "right", "left_or_right", "strict"} <= set(whole.index):
            continue
        matched = whole["predicted_matched"].astype(float)
        base = matched["sloppy"]
        share = {
            name: 100 * matched[notion] / base if base else np.nan
            for name, notion in (
                ("left", "left"),
                ("right", "right"),
                ("left_or_right", "left_or_right"),
                ("both", "strict"),
            )
        }
        rows.append({"tagger": item.tagger, **{k: round(v, 1) for k, v in share.items()}})
    frame = pd.DataFrame(rows, columns=["tagger", "left", "right", "left_or_right", "both"])
    frame.attrs["decimals"] = 1
    return frame


def differences(scored: Sequence[Scored], *, least: int, notion: str = "strict") -> pd.DataFrame:
    """The classes on which two taggers differ most, by the difference of their recalls.

    Parameters
    ----------
    scored : sequence of Scored
    least : int
        Gold mentions that a class must have.
    notion : str
        Under which the taggers are compared.

    Returns
    -------
    DataFrame
        Columns `source`, `class`, `gold`, `one`, `other`, `recall_one`, `recall_other`, `difference`; the
        largest difference first, ties by name. A class that is the whole is left out.
    """
    rows: list[dict[str, object]] = []
    for one, other in combinations(scored, 2):
        if one.source != other.source:
            continue
        first, second = (_recalls(s.scores, notion) for s in (one, other))
        for name in first.index.intersection(second.index):
            gold = int(first.loc[name, "gold"])
            values = float(first.loc[name, "recall"]), float(second.loc[name, "recall"])
            if name in whole_names(one.scores) or gold < least or np.isnan(values).any():
                continue
            rows.append(
                {
                    "source": one.source,
                    "class": name,
                    "gold": gold,
                    "one": one.tagger,
                    "other": other.tagger,
                    "recall_one": values[0],
                    "recall_other": values[1],
                    "difference": values[0] - values[1],
                }
            )
    columns = ["source", "class", "gold", "one", "other", "recall_one", "recall_other", "difference"]
    frame = pd.DataFrame(rows, columns=columns)
    order = frame.assign(size=-frame["difference"].astype(float).abs())
    return frame.loc[
        order.sort_values(["size", "source", "class", "one", "other"], kind="stable").index
    ].reset_index(drop=True)


def _recalls(scores: Scores, notion: str) -> pd.DataFrame:
    table = scores.counted
    chosen = table[(table["notion"] == notion) & (table["type"] == "all") & (table["unit"] == "mention")]
    return chosen.drop_duplicates("class").set_index("class")[["gold", "recall"]]
