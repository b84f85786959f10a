"""What each feature costs, from minimal pairs: two cases alike in all but one feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..arrays import Flags, Ints
from ..scores import Scores
from ..statistics.corrections import benjamini_hochberg
from ..statistics.differences import difference
from ..statistics.groups import CROSSED, Groups
from .axes import ABSENT, Axis, table_axes
from .discover import described
from .halves import Judge

COLUMNS = (
    "feature",
    "from",
    "to",
    "pairs",
    "recall_from",
    "recall_to",
    "cost",
    "cost_low",
    "cost_high",
    "p",
    "p_bh",
    "others",
    "interval",
)
"""Columns of `pair_costs`: `cost` is recall before less recall after the change, `others` how many further
features change with it on average."""


def pair_costs(
    scores: Scores,
    *,
    notion: str = "strict",
    features: Sequence[str] | None = None,
    least: int = 10,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """The cost of each change of a feature between the two cases of minimal pairs.

    Parameters
    ----------
    scores : Scores
        A scored suite whose cases have a `pair_id`.
    notion : str
    features : sequence of str, optional
        Columns whose changes are reported; all that change when None.
    least : int
        Pairs that a change needs.
    confidence : float

    Returns
    -------
    DataFrame
        `COLUMNS`, the costliest change first; empty for a suite without pairs.
    """
    before, after = paired_mentions(scores)
    empty = pd.DataFrame({c: pd.Series(dtype="float64") for c in COLUMNS})
    if not len(before):
        return empty
    table = described(scores)
    axes = table_axes(table, list(table.columns), listed_only=True)
    right = scores.tally(notion).verdict("gold") >= 1.0
    rows = []
    # features that change within each pair, [axis, pair] summed to [pair]
    changed = np.array([a.codes[before] != a.codes[after] for a in axes]).sum(axis=0)
    for axis in axes:
        if features is not None and axis.feature not in features:
            continue
        rows += _changes(scores, axis, before, after, right, changed, least, confidence)
    if not rows:
        return empty
    frame = pd.DataFrame(rows)
    frame["p_bh"] = benjamini_hochberg(frame["p"].to_numpy(dtype=np.float64))
    frame = frame.sort_values(["cost", "feature", "from", "to"], ascending=[False, True, True, True])
    return frame[list(COLUMNS)].reset_index(drop=True)


def paired_mentions(scores: Scores) -> tuple[Ints, Ints]:
    """The gold mentions of the first and of the second case of every pair, slot by slot."""
    nothing = np.zeros(0, dtype=np.int64)
    gold = scores.corpus.with_features(scores.gold, ["slot"])
    if "pair_id" not in scores.corpus.texts or "slot" not in gold:
        return nothing, nothing
    pair = scores.corpus.texts["pair_id"].to_numpy(dtype=np.int64)[scores.gold_row]
    frame = pd.DataFrame(
        {
            "pair": pair,
            "slot": gold["slot"].to_numpy(dtype=np.int64),
            "row": scores.gold_row,
            "place": np.arange(len(pair)),
        }
    )
    frame = frame[frame["pair"] >= 0].sort_values(["pair", "slot", "row"], kind="stable")
    group = frame.groupby(["pair", "slot"], sort=False)["place"]
    frame = frame[group.transform("size") == 2]
    places = frame["place"].to_numpy(dtype=np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


def _changes(
    scores: Scores,
    axis: Axis,
    before: Ints,
    after: Ints,
    right: Flags,
    changed: Ints,
    least: int,
    confidence: float,
) -> list[dict[str, object]]:
    """The changes of one feature, each from the value that comes first in the taxonomy to the later one."""
    first, second = axis.codes[before], axis.codes[after]
    swap = first > second
    one, other = np.where(swap, after, before), np.where(swap, before, after)
    low, high = np.minimum(first, second), np.maximum(first, second)
    rows = []
    # distinct changes, [change, (from, to)], and the number of pairs of each, [change]
    kinds, sizes = np.unique(
        np.column_stack([low, high])[low != high].reshape(-1, 2), axis=0, return_counts=True
    )
    names = [*axis.labels, _otherwise(axis)]
    entities = scores.corpus.with_features(scores.gold, ["entity_id"])["entity_id"]
    for (a, b), size in zip(kinds.tolist(), sizes.tolist(), strict=True):
        if size < least:
            continue
        chosen = (low == a) & (high == b)
        # both members of a pair belong to the pair's groups, so that they are left out together
        places = np.concatenate((one[chosen], other[chosen]))
        leader = before[chosen]
        entity = pd.factorize(entities.take(leader).astype("str"))[0]
        context = pd.factorize(scores.corpus.texts["context_id"].take(scores.gold_row[leader]))[0]
        ways = (np.concatenate((w, w)).astype(np.int64) for w in (entity, context))
        judge = Judge(Groups.crossing(CROSSED, *ways), np.arange(2 * size), right[places])
        half = np.arange(2 * size) < size
        apart = difference(judge.sums(half), judge.sums(~half), judge.groups, confidence)
        rows.append(
            {
                "feature": axis.feature,
                "from": names[a],
                "to": names[b],
                "pairs": size,
                "recall_from": apart.first.value,
                "recall_to": apart.second.value,
                "cost": apart.estimate.value,
                "cost_low": apart.estimate.low,
                "cost_high": apart.estimate.high,
                "p": apart.p,
                "others": float((changed[chosen] - 1).mean()),
                "interval": apart.estimate.method,
            }
        )
    return rows


def _otherwise(axis: Axis) -> str:
    return f"not {axis.labels[0]}" if len(axis.labels) == 1 else f"{axis.feature}{ABSENT}"
