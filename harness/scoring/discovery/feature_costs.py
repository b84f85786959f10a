"""Loss of recall per feature change, estimated from minimal pairs (two cases that differ in one feature)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import Flags, Ints
from ..scores import Scores
from ..statistics.corrections import benjamini_hochberg
from ..statistics.differences import estimate_difference
from ..statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from .conditions import ABSENT_SUFFIX, ConditionAxis, build_axes, build_search_table, find_column
from .split_halves import JudgingHalf

COLUMNS = (
    *("feature", "from", "to", "pairs", "recall_from", "recall_to", "cost", "cost_low", "cost_high"),
    *("p", "p_bh", "others", "interval"),
)
"""Columns of the table from `estimate_feature_costs`.

`cost` is the recall before the change minus the recall after it. `others` is the mean number of other
features that also change.
"""
CONTRAST_COLUMN = "contrast"
"""Column of mentions that names the feature in which the cases of a pair differ."""
MIN_PAIRS = 10
"""Default minimum number of pairs per change."""


@dataclass(frozen=True)
class FeatureCosts:
    """Costs of feature changes, from the minimal pairs of a suite.

    Attributes
    ----------
    table : DataFrame
        Columns `COLUMNS`, with the largest cost first.
    pairs : int
        Number of minimal pairs in the suite.
    notes : tuple of str
        Notes on the minimal pairs and features that the table does not contain.
    has_hidden_pairs : bool
        Whether changes are missing from the table because they have too few pairs.
    """

    table: pd.DataFrame
    pairs: int
    notes: tuple[str, ...]
    has_hidden_pairs: bool = False


@dataclass(frozen=True)
class _Pairs:
    """Positions of the gold mentions in the first and the second case of each pair.

    Attributes
    ----------
    before, after : array
        Positions of the mentions in the table of gold mentions.
    contrast : array
        Column of the feature in which the cases of each pair were made to differ.
    """

    before: Ints
    after: Ints
    contrast: NDArray[np.object_]

    def select_pairs(self, feature: str) -> Flags:
        """Mark the pairs that were made for a feature, or all pairs if none was made for it."""
        contrasted = np.asarray(self.contrast == feature, dtype=bool)
        return contrasted if contrasted.any() else np.ones(len(contrasted), dtype=bool)


def estimate_feature_costs(
    scores: Scores,
    *,
    notion: str = "strict",
    features: Sequence[str] = (),
    min_pairs: int | None = None,
    confidence: float = 0.95,
) -> FeatureCosts:
    """Estimate the cost in recall of each change of a feature in minimal pairs.

    Parameters
    ----------
    scores : Scores
        Scores on a suite whose cases have a `pair_id`.
    notion : str
    features : sequence of str
        Columns of the features to report. By default, these are the features for which pairs were made
        (column `contrast` of the mentions), and each is estimated from its own pairs.
    min_pairs : int, optional
        Minimum number of pairs per change; by default `MIN_PAIRS`.
    confidence : float
        Confidence level of the intervals.

    Raises
    ------
    InputError
        If a requested feature is not available for the mentions.
    """
    min_pairs = MIN_PAIRS if min_pairs is None else min_pairs
    pairs = _pair_mentions(scores)
    empty = pd.DataFrame({c: pd.Series(dtype="float64") for c in COLUMNS})
    if not len(pairs.before):
        none = "the suite has no minimal pairs; generate a suite with --combine contrast"
        return FeatureCosts(empty, 0, (none,))
    requested = tuple(features or dict.fromkeys(pairs.contrast.tolist()))
    table = build_search_table(scores, scores.gold)
    missing = [c for c in requested if c not in table]
    if missing:
        table = pd.concat([table, build_search_table(scores, scores.gold, missing)], axis=1)
    # requested features are kept, even if another one divides the mentions in the same way
    axes = build_axes(table, list(table.columns), listed_only=True, category_columns=requested)
    right = scores.get_tally(notion).get_verdicts("gold") >= 1.0
    # pairs that change each feature, and number of features that each pair changes
    changing_pairs: dict[str, Flags] = {}
    for axis in axes:
        changes = axis.codes[pairs.before] != axis.codes[pairs.after]
        changing_pairs[axis.feature] = changing_pairs.get(axis.feature, changes) | changes
    changed = np.sum(list(changing_pairs.values()), axis=0)
    rows: list[dict[str, object]] = []
    # pairs of each feature that are not shown yet
    left = {f: pairs.select_pairs(f) & flags for f, flags in changing_pairs.items() if f in requested}
    unchanged = [f for f in requested if f not in left or not left[f].any()]
    for axis in axes:
        if axis.feature not in left:
            continue
        for row, chosen in _iterate_changes(scores, axis, pairs, right, changed, min_pairs, confidence):
            rows.append(row)
            left[axis.feature][chosen] = False
    hidden = {f: int(flags.sum()) for f, flags in left.items() if flags.any()}
    notes = [
        f"{feature}: {size} pairs are not shown (fewer than {min_pairs} pairs for the same change)"
        for feature, size in hidden.items()
    ]
    notes += [f"{feature}: no minimal pair changes this feature" for feature in unchanged]
    frame = pd.DataFrame(rows) if rows else empty
    frame["p_bh"] = benjamini_hochberg(frame["p"].to_numpy(dtype=np.float64))
    frame = frame.sort_values(
        ["cost", "feature", "from", "to"], ascending=[False, True, True, True], ignore_index=True
    )
    return FeatureCosts(frame[list(COLUMNS)], len(changed), tuple(notes), bool(hidden))


def _pair_mentions(scores: Scores) -> _Pairs:
    """Return the two mentions of each minimal pair that differ in the contrasted feature."""
    gold, texts = scores.gold, scores.corpus.texts
    if CONTRAST_COLUMN not in gold or "pair_id" not in texts:
        empty = np.zeros(0, dtype=np.int64)
        return _Pairs(empty, empty, empty.astype(object))
    pair = texts["pair_id"].to_numpy(dtype=np.int64)[scores.gold_row]
    frame = pd.DataFrame({"pair": pair, "row": scores.gold_row, "place": np.arange(len(pair))})
    # if the position is contrasted, the same entity is in another slot
    frame = frame[gold[CONTRAST_COLUMN].notna().to_numpy() & (pair >= 0)]
    frame = frame.sort_values(["pair", "row"], kind="stable")
    frame = frame[frame.groupby("pair", sort=False)["place"].transform("size") == 2]
    before, after = frame["place"].to_numpy(dtype=np.int64).reshape(-1, 2).T
    names = pd.Categorical(gold[CONTRAST_COLUMN].iloc[before].astype("str"))
    columns = np.array([find_column(str(name)) for name in names.categories], dtype=object)
    return _Pairs(before, after, columns[names.codes])


def _iterate_changes(
    scores: Scores,
    axis: ConditionAxis,
    pairs: _Pairs,
    right: Flags,
    changed: Ints,
    min_pairs: int,
    confidence: float,
) -> Iterator[tuple[dict[str, object], Flags]]:
    """Yield the table row of each feature change, and a Boolean array of the pairs with this change.

    The direction of a change is from the value that is listed first in the taxonomy to the other value.
    """
    before, after = pairs.before, pairs.after
    selected = pairs.select_pairs(axis.feature)
    first, second = axis.codes[before], axis.codes[after]
    swap = first > second
    from_place, to_place = np.where(swap, after, before), np.where(swap, before, after)
    low, high = np.minimum(first, second), np.maximum(first, second)
    # distinct changes, [change, (from, to)], and their numbers of pairs, [change]
    kinds, sizes = np.unique(
        np.column_stack([low, high])[selected & (low != high)].reshape(-1, 2), axis=0, return_counts=True
    )
    no_condition = f"not {axis.queries[0]}" if len(axis.queries) == 1 else f"{axis.feature}{ABSENT_SUFFIX}"
    names = [*axis.queries, no_condition]
    entities = scores.corpus.add_features(scores.gold, ["entity_id"])["entity_id"]
    for (a, b), size in zip(kinds.tolist(), sizes.tolist(), strict=True):
        if size < min_pairs:
            continue
        chosen = selected & (low == a) & (high == b)
        # both mentions of a pair are in the same groups, so that they are resampled together
        places = np.concatenate((from_place[chosen], to_place[chosen]))
        leader = before[chosen]
        entity = pd.factorize(entities.take(leader).astype("str"))[0]
        context = pd.factorize(scores.corpus.texts["context_id"].take(scores.gold_row[leader]))[0]
        ways = (np.concatenate((way, way)).astype(np.int64) for way in (entity, context))
        judge = JudgingHalf(
            Groups.from_crossed(ENTITIES_BY_CONTEXTS, *ways), np.arange(2 * size), right[places]
        )
        half = np.arange(2 * size) < size
        apart = estimate_difference(judge.sum_by_way(half), judge.sum_by_way(~half), judge.groups, confidence)
        row = {
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
        yield row, chosen
