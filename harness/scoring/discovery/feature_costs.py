"""What each feature costs, from minimal pairs: two cases alike in all but one feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
"""Columns of `estimate_feature_costs`: `cost` is recall before less recall after the change, `others` how
many further
features change with it on average."""
CONTRAST_COLUMN = "contrast"
"""The column of a suite's mentions that names the feature which the mention's pair contrasts."""
MIN_PAIRS = 10
"""Pairs that a change needs, if nothing else is asked for."""


@dataclass(frozen=True)
class FeatureCosts:
    """What the changes of features cost in the minimal pairs of a suite.

    Attributes
    ----------
    table : DataFrame
        `COLUMNS`, the costliest change first.
    pairs : int
        Minimal pairs that the suite has.
    hidden_pairs : mapping of str to int
        By feature, how many pairs are in changes that too few pairs make to be shown.
    unchanged_features : tuple of str
        Features asked for that no pair changes.
    min_pairs : int
        Pairs that a change needs.
    """

    table: pd.DataFrame
    pairs: int
    hidden_pairs: Mapping[str, int]
    unchanged_features: tuple[str, ...]
    min_pairs: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What the table does not show."""
        if not self.pairs:
            return ("no minimal pairs: generate a suite with --combine contrast",)
        few = (
            f"{feature}: pairs in changes of fewer than {self.min_pairs}, not shown: {size}"
            for feature, size in self.hidden_pairs.items()
        )
        return (*few, *(f"{feature}: no minimal pair changes it" for feature in self.unchanged_features))


@dataclass(frozen=True)
class _Pairs:
    """The gold mentions of the first and of the second case of every pair, by frame position.

    Attributes
    ----------
    before, after : array
    contrast : array
        The column of the feature that each pair was made to contrast; empty where mentions do not say it.
    """

    before: Ints
    after: Ints
    contrast: NDArray[np.object_]

    def select_pairs(self, feature: str) -> Flags:
        """Return which pairs show what a feature costs: its own, or all where none was made for it."""
        own = np.asarray(self.contrast == feature, dtype=bool)
        return own if own.any() else np.ones(len(own), dtype=bool)


def estimate_feature_costs(
    scores: Scores,
    *,
    notion: str = "strict",
    features: Sequence[str] = (),
    contrasted: Sequence[str] = (),
    min_pairs: int | None = None,
    confidence: float = 0.95,
) -> FeatureCosts:
    """The cost of each change of a feature between the two cases of minimal pairs.

    Parameters
    ----------
    scores : Scores
        A scored suite whose cases have a `pair_id`.
    notion : str
    features : sequence of str
        Columns whose changes are reported. Where none is named, those of the features that the pairs were
        made to contrast, as the column `contrast` of mentions says, each in the pairs made for it.
    contrasted : sequence of str
        The contrasted columns of a suite without that column; all that change where none is named either.
    min_pairs : int, optional
        Pairs that a change needs; `LEAST` when None.
    confidence : float

    Raises
    ------
    InputError
        When mentions have no feature that is asked for.
    """
    min_pairs = MIN_PAIRS if min_pairs is None else min_pairs
    pairs = _pair_mentions(scores)
    empty = pd.DataFrame({c: pd.Series(dtype="float64") for c in COLUMNS})
    if not len(pairs.before):
        return FeatureCosts(empty, 0, {}, (), min_pairs)
    asked = tuple(features or dict.fromkeys(c for c in pairs.contrast.tolist() if c) or contrasted)
    table = build_search_table(scores, scores.gold)
    lacking = [c for c in asked if c not in table]
    if lacking:
        table = pd.concat([table, build_search_table(scores, scores.gold, lacking)], axis=1)
    # features that are asked for keep their own names, whatever else divides the mentions alike
    axes = build_axes(table, list(table.columns), listed_only=True, category_columns=asked)
    right = scores.get_tally(notion).get_verdicts("gold") >= 1.0
    # which pairs change each feature, and how many features each pair changes
    within: dict[str, Flags] = {}
    for axis in axes:
        changes = axis.codes[pairs.before] != axis.codes[pairs.after]
        within[axis.feature] = within.get(axis.feature, changes) | changes
    changed = np.sum(list(within.values()), axis=0)
    rows: list[dict[str, object]] = []
    # of each feature its pairs that are in no change that is shown
    left = {f: pairs.select_pairs(f) & flags for f, flags in within.items() if not asked or f in asked}
    still = tuple(f for f in asked if f not in left or not left[f].any())
    for axis in axes:
        if axis.feature not in left:
            continue
        for row, chosen in _iterate_changes(scores, axis, pairs, right, changed, min_pairs, confidence):
            rows.append(row)
            left[axis.feature][chosen] = False
    hidden = {f: int(flags.sum()) for f, flags in left.items() if flags.any()}
    if not rows:
        return FeatureCosts(empty, len(changed), hidden, still, min_pairs)
    frame = pd.DataFrame(rows)
    frame["p_bh"] = benjamini_hochberg(frame["p"].to_numpy(dtype=np.float64))
    frame = frame.sort_values(["cost", "feature", "from", "to"], ascending=[False, True, True, True])
    return FeatureCosts(frame[list(COLUMNS)].reset_index(drop=True), len(changed), hidden, still, min_pairs)


def _pair_mentions(scores: Scores) -> _Pairs:
    """Return the mentions that carry the contrast; if none says so, those of a pair slot by slot."""
    nothing = np.zeros(0, dtype=np.int64)
    marked = CONTRAST_COLUMN in scores.gold
    gold = scores.corpus.add_features(scores.gold, ["slot"])
    if "pair_id" not in scores.corpus.texts or not (marked or "slot" in gold):
        return _Pairs(nothing, nothing, nothing.astype(object))
    pair = scores.corpus.texts["pair_id"].to_numpy(dtype=np.int64)[scores.gold_row]
    frame = pd.DataFrame({"pair": pair, "row": scores.gold_row, "place": np.arange(len(pair))})
    keys = ["pair"]
    if marked:
        # a contrast of places has the same entity in another slot
        frame = frame[gold[CONTRAST_COLUMN].notna().to_numpy()]
    else:
        frame["slot"] = gold["slot"].to_numpy(dtype=np.int64)
        keys = ["pair", "slot"]
    frame = frame[frame["pair"] >= 0].sort_values([*keys, "row"], kind="stable")
    frame = frame[frame.groupby(keys, sort=False)["place"].transform("size") == 2]
    before, after = frame["place"].to_numpy(dtype=np.int64).reshape(-1, 2).T
    if not marked:
        return _Pairs(before, after, np.full(len(before), "", dtype=object))
    names = pd.Categorical(gold[CONTRAST_COLUMN].iloc[before].astype("str"))
    columns = np.array([find_column(str(name)) for name in names.categories], dtype=object)
    return _Pairs(before, after, columns[names.codes])


def _iterate_changes(
    scores: Scores,
    axis: ConditionAxis,
    pairs: _Pairs,
    right: Flags,
    changed: Ints,
    least: int,
    confidence: float,
) -> Iterator[tuple[dict[str, object], Flags]]:
    """Yield each change of a feature, from the value that comes first in the taxonomy, and its pairs."""
    before, after = pairs.before, pairs.after
    own = pairs.select_pairs(axis.feature)
    first, second = axis.codes[before], axis.codes[after]
    swap = first > second
    one, other = np.where(swap, after, before), np.where(swap, before, after)
    low, high = np.minimum(first, second), np.maximum(first, second)
    # distinct changes, [change, (from, to)], and the number of pairs of each, [change]
    kinds, sizes = np.unique(
        np.column_stack([low, high])[own & (low != high)].reshape(-1, 2), axis=0, return_counts=True
    )
    otherwise = f"not {axis.queries[0]}" if len(axis.queries) == 1 else f"{axis.feature}{ABSENT_SUFFIX}"
    names = [*axis.queries, otherwise]
    entities = scores.corpus.add_features(scores.gold, ["entity_id"])["entity_id"]
    for (a, b), size in zip(kinds.tolist(), sizes.tolist(), strict=True):
        if size < least:
            continue
        chosen = own & (low == a) & (high == b)
        # both members of a pair belong to the pair's groups, so that they are left out together
        places = np.concatenate((one[chosen], other[chosen]))
        leader = before[chosen]
        entity = pd.factorize(entities.take(leader).astype("str"))[0]
        context = pd.factorize(scores.corpus.texts["context_id"].take(scores.gold_row[leader]))[0]
        ways = (np.concatenate((w, w)).astype(np.int64) for w in (entity, context))
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
