"""Conditions that the search combines: feature values, thresholds, neighbouring words and shapes of names."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_bundled_toml
from ....catalogues.feature import LIST_PREFIX, Feature
from ....catalogues.query.nodes import format_value
from ....catalogues.taxonomy import taxonomy
from ....sentences.context_features import MENTION_FEATURE_COLUMNS
from ..arrays import Codes
from ..division import SCOPES, divide_by_feature, find_shortest_name
from ..features import add_features
from ..scores import Scores

IDENTIFIER_COLUMNS = frozenset({"side", "text_id", "document_id", "mention_id", "score", "slots"})
"""Columns that identify a mention or its text; they are not searched."""
SHAPE_COLUMN = "data"
"""Column of the surface form. The search uses the shape of each form (see `load_shapes`), not its text."""
TYPE_COLUMN = "type"
ABSENT_SUFFIX = " is absent"
PUNCTUATION_FEATURES = frozenset({"left_punctuation", "right_punctuation"})
"""Features for which the search also tests whether there is any punctuation next to the mention."""
NEIGHBOUR_FEATURES = frozenset({"preceding_word", "following_word"})
OPEN_FEATURES = PUNCTUATION_FEATURES | NEIGHBOUR_FEATURES
"""Features of neighbouring words and punctuation; only their frequent values are searched."""
MIN_MENTIONS = 5
"""Minimum number of mentions on each side of a threshold, and next to each neighbouring word."""
MAX_WORDS = 100
"""Maximum number of neighbouring words that are searched per feature (the most frequent ones)."""
MAX_THRESHOLDS = 16
"""Maximum number of thresholds per feature; they are chosen to give groups of mentions of similar size."""
MAX_VALUES = 40
"""Maximum number of distinct values in a searched column that is not in the taxonomy."""


@dataclass(frozen=True)
class ConditionAxis:
    """Mutually exclusive conditions on a feature.

    Attributes
    ----------
    feature : str
        Column of the feature.
    queries : tuple of str
        Conditions as queries.
    codes : array
        Position in `queries` of the condition that each mention meets, or ``len(queries)`` if it meets none.
    """

    feature: str
    queries: tuple[str, ...]
    codes: Codes

    @property
    def size(self) -> int:
        """Number of values that `codes` can have: one per condition, and one for no condition."""
        return len(self.queries) + 1

    @property
    def rank(self) -> int:
        """Rank of the feature, which depends on its origin and scope.

        The rank is -1 for features that the user defined, 0 for features of the mention, 1 for features of
        the sentence, and 2 for features that depend on other mentions.

        If two queries select the same mentions of a suite, the query with the lower rank is preferred: its
        features were defined by the user, or are more likely to apply to a corpus as well.
        """
        feature = taxonomy().by_column.get(self.feature)
        if feature is None:
            return 0
        if feature.rules:
            return -1
        return 2 if feature.needs_mentions else int(feature.scope == "context")


def list_searchable_features(measure: str = "recall") -> frozenset[str]:
    """Return the columns of the features that are searched by default.

    These are features that can be computed from any text. For precision, two kinds of features are left out:
    features that depend on gold mentions, because they only show whether a prediction is right, and features
    of the context except its length.
    """
    return frozenset(
        column
        for column, feature in taxonomy().by_column.items()
        if (feature.is_closed or column in (*OPEN_FEATURES, SHAPE_COLUMN, TYPE_COLUMN))
        and not feature.is_catalogue_only
        and column not in IDENTIFIER_COLUMNS
        and not column.startswith(LIST_PREFIX)
        and (
            measure == "recall"
            or not (
                feature.needs_mentions or (feature.scope == "context" and feature.name != "sentence_words")
            )
        )
    )


def find_column(name: str) -> str:
    """Return the column of a feature, given its name with scope (``slot.position``) or without."""
    return name if name in taxonomy().by_column else taxonomy().find(name, SCOPES).column


def build_search_table(
    scores: Scores, mentions: pd.DataFrame, features: Sequence[str] = (), measure: str = "recall"
) -> pd.DataFrame:
    """Return a table of mentions with one column per feature, for `features` or for all searchable features.

    If `features` is empty, the table also shows which mentions are in the word lists of the scoring options.
    """
    by_column = taxonomy().by_column
    searchable = list_searchable_features(measure)
    # features of mentions are always absent for gold mentions; `length` counts characters in symbols but
    # words in names, and `characters` and `words` are searched instead
    unwanted = {*MENTION_FEATURE_COLUMNS, "length"}
    wanted = sorted({find_column(name) for name in features} or searchable - unwanted)
    lists = wanted if features else [LIST_PREFIX + name for name in sorted(scores.options.lists)]
    used = [by_column[c] for c in wanted if c in by_column]
    used += [taxonomy().find(c, ("entity",)) for c in lists if c.startswith(LIST_PREFIX)]
    table = add_features(scores.corpus, mentions, used, scores.options.lists)
    missing = [c for c in wanted if c not in table] if features else []
    if missing:
        raise InputError("a requested feature is not available for the mentions", found=missing[0])
    kept = [c for c in table.columns if c in searchable or str(c).startswith(LIST_PREFIX)]
    return table[[find_column(name) for name in features] or kept].reset_index(drop=True)


def build_axes(
    table: pd.DataFrame,
    features: Sequence[str] | None = None,
    *,
    listed_only: bool = False,
    category_columns: Collection[str] = (),
) -> list[ConditionAxis]:
    """Return the axes (sets of mutually exclusive conditions) for the columns of a table of mentions.

    Parameters
    ----------
    table : DataFrame
        One row per mention, one column per feature. A column that is not in the taxonomy is treated as
        categorical.
    features : sequence of str, optional
        Columns to use. By default, these are the features for which the taxonomy lists all values,
        neighbouring words and punctuation, shapes of names, and other columns with at most 40 values.
    listed_only : bool
        True to use only values that the taxonomy lists, and no thresholds, words or shapes.
    category_columns : collection of str
        Columns whose values are all used, however many there are. If such columns are given, axes that
        divide the mentions in the same way as an earlier axis are kept.

    Returns
    -------
    list of ConditionAxis
        Axes, sorted by rank and then by column. An axis is left out if it does not divide the mentions, or
        divides them in the same way as an earlier axis. Features of the mention therefore take precedence
        over features of the sentence.
    """
    by_column = taxonomy().by_column
    value_axes: list[ConditionAxis] = []
    cuts: list[ConditionAxis] = []
    all_values = not listed_only
    for column in table.columns if features is None else features:
        name = str(column)
        if name in IDENTIFIER_COLUMNS and features is None:
            continue
        is_list = name.startswith(LIST_PREFIX)
        feature = taxonomy().find(name, ("entity",)) if is_list else by_column.get(name)
        if feature is None:
            value_axes += _value_axes(name, table[name], always=features is not None)
        elif name in category_columns:
            value_axes += _feature_axes(feature, table)
        elif name == SHAPE_COLUMN:
            value_axes += _shape_axes(table[name]) if all_values else []
        elif name in OPEN_FEATURES:
            value_axes += _presence_axes(feature, table) if name in PUNCTUATION_FEATURES else []
            value_axes += _frequent_value_axis(feature, table[name]) if all_values else []
        elif features is not None or feature.is_closed:
            value_axes += _feature_axes(feature, table)
            cuts += _threshold_axes(feature, table[name]) if all_values and feature.kind == "integer" else []
    # values come before thresholds of the same meaning
    axes = sorted(value_axes + cuts, key=lambda axis: axis.rank)
    return axes if category_columns else _drop_duplicate_axes(axes)


def _threshold_axes(feature: Feature, column: pd.Series) -> list[ConditionAxis]:
    """Return one axis per threshold of a numeric feature: values below it, and all other values."""
    numbers = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    present = ~np.isnan(numbers)
    values, counts = np.unique(numbers[present], return_counts=True)
    # possible thresholds, and number of mentions below each, [cut]
    cuts, below = values[1:], np.cumsum(counts)[:-1]
    kept = (below >= MIN_MENTIONS) & (present.sum() - below >= MIN_MENTIONS)
    cuts, below = cuts[kept], below[kept]
    if len(cuts) > MAX_THRESHOLDS:
        wanted = np.linspace(0, present.sum(), MAX_THRESHOLDS + 2)[1:-1]
        cuts = cuts[np.unique(np.minimum(np.searchsorted(below, wanted), len(cuts) - 1))]
    name = find_shortest_name(feature)
    return [
        ConditionAxis(
            feature.column,
            (f"{name} >= {int(cut)}", f"{name} <= {int(cut) - 1}"),
            np.where(present, np.where(numbers >= cut, 0, 1), 2).astype(np.int16),
        )
        for cut in cuts.tolist()
    ]


def _frequent_value_axis(feature: Feature, column: pd.Series) -> list[ConditionAxis]:
    """Return an axis with the frequent values of a feature that has no fixed list of values."""
    numbers, uniques = pd.factorize(column, sort=True, use_na_sentinel=True)
    counts = np.bincount(numbers[numbers >= 0], minlength=len(uniques))
    order = np.argsort(-counts, kind="stable")[:MAX_WORDS]
    kept = np.sort(order[counts[order] >= MIN_MENTIONS])
    # code of each value, [value]; the last element is for absent values
    place = np.full(len(uniques) + 1, len(kept), dtype=np.int16)
    place[kept] = np.arange(len(kept))
    name = find_shortest_name(feature)
    words = [str(uniques[i]) for i in kept.tolist()]
    return [
        ConditionAxis(feature.column, tuple(f"{name} = {format_value(w)}" for w in words), place[numbers])
    ]


@cache
def load_shapes() -> dict[str, str]:
    """Return the bundled shapes of names: a dictionary of queries and the phrases that describe them."""
    tables = read_bundled_toml(__package__, "shapes.toml")["shape"]
    return {f"{SHAPE_COLUMN} ~ /{table['pattern']}/": table["words"] for table in tables}


def _shape_axes(column: pd.Series) -> list[ConditionAxis]:
    numbers, uniques = pd.factorize(column, use_na_sentinel=True)
    forms = pd.Series(uniques.astype(str), dtype="string")
    axes = []
    for query in load_shapes():
        pattern = re.compile(query.partition("/")[2][:-1])
        # True for distinct forms with the shape, [form]; the last element is for absent forms
        has = np.append(forms.str.contains(pattern, regex=True).to_numpy(dtype=bool), False)
        axes.append(ConditionAxis(SHAPE_COLUMN, (query,), np.where(has[numbers], 0, 1).astype(np.int16)))
    return axes


def _presence_axes(feature: Feature, table: pd.DataFrame) -> list[ConditionAxis]:
    absent = table[feature.column].isna().to_numpy()
    written = find_shortest_name(feature)
    return [
        ConditionAxis(
            feature.column, (f"{written} is present", f"{written}{ABSENT_SUFFIX}"), absent.astype(np.int16)
        )
    ]


def _feature_axes(feature: Feature, table: pd.DataFrame) -> list[ConditionAxis]:
    division = divide_by_feature(taxonomy().find(feature.qualified_name, SCOPES), table, table.iloc[:0])
    cells = division.gold.astype(np.int64)
    stated = [i for i, name in enumerate(division.names) if not name.endswith(ABSENT_SUFFIX)]
    names = tuple(division.names[i] for i in stated)
    member = division.membership[stated].toarray().T
    if (member.sum(axis=1) <= 1).all():
        code = np.where(member.any(axis=1), member.argmax(axis=1) if len(stated) else 0, len(stated))
        return [ConditionAxis(feature.column, names, code[cells].astype(np.int16))]
    return [
        ConditionAxis(feature.column, (name,), np.where(member[:, i], 0, 1).astype(np.int16)[cells])
        for i, name in enumerate(names)
    ]


def _value_axes(name: str, column: pd.Series, *, always: bool) -> list[ConditionAxis]:
    categories = column.astype("category").cat
    values, codes = categories.categories.tolist(), categories.codes.to_numpy()
    if not always and (pd.api.types.is_float_dtype(column.dtype) or len(values) > MAX_VALUES):
        return []
    labels = tuple(f"{name} = {_quote(str(v))}" for v in values)
    return [ConditionAxis(name, labels, np.where(codes < 0, len(values), codes))]


def _quote(value: str) -> str:
    return value if value.replace("_", "").isalnum() else '"' + value.replace('"', '\\"') + '"'


def _drop_duplicate_axes(axes: Sequence[ConditionAxis]) -> list[ConditionAxis]:
    """Remove axes that do not divide the mentions, or divide them in the same way as an earlier axis."""
    kept: list[ConditionAxis] = []
    axes_by_sizes: dict[bytes, list[ConditionAxis]] = {}
    for axis in axes:
        counts = np.bincount(axis.codes, minlength=axis.size)
        if not axis.queries or (counts > 0).sum() < 2:
            continue
        # axes can only be equal if the sorted sizes of their parts are
        key = np.sort(counts[counts > 0]).tobytes()
        similar = axes_by_sizes.setdefault(key, [])
        if any(_is_same_division(axis, other) for other in similar):
            continue
        similar.append(axis)
        kept.append(axis)
    return kept


def _is_same_division(one: ConditionAxis, other: ConditionAxis) -> bool:
    pairs = np.unique(one.codes.astype(np.int64) * other.size + other.codes)
    return len(pairs) == len(np.unique(one.codes)) == len(np.unique(other.codes))
