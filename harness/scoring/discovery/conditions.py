"""Conditions that are searched: values, thresholds, neighbouring words and shapes of names, each a query."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_bundled_toml
from ....catalogues.query.nodes import format_value
from ....catalogues.taxonomy import LIST_PREFIX, Feature, taxonomy
from ....sentences.context_features import MENTION_FEATURE_COLUMNS
from ..arrays import Codes
from ..division import SCOPES, divide_by_feature, find_shortest_name
from ..features import add_features
from ..scores import Scores

IDENTIFIER_COLUMNS = frozenset({"side", "text_id", "document_id", "mention_id", "score", "slots"})
"""Columns that name a mention or its text: no fault lies in these."""
SHAPE_COLUMN = "data"
"""The surface form: its shapes are searched, not its values."""
ABSENT_SUFFIX = " is absent"
PUNCTUATION_FEATURES = frozenset({"left_punctuation", "right_punctuation"})
"""Open features of which the presence is searched as well: a mark at the mention's own edge."""
NEIGHBOUR_FEATURES = frozenset({"preceding_word", "following_word"})
OPEN_FEATURES = PUNCTUATION_FEATURES | NEIGHBOUR_FEATURES
"""Open features of which the frequent values are searched: what stands next to the mention."""
MIN_MENTIONS = 5
"""Mentions on either side of a threshold, and of a neighbouring word."""
MAX_WORDS = 100
"""Neighbouring words, at most; the most frequent ones."""
MAX_THRESHOLDS = 16
"""Thresholds of a number, at most; of more, those that part the mentions most evenly."""
MAX_VALUES = 40
"""A feature of more values names its mentions rather than describes them."""


@dataclass(frozen=True)
class ConditionAxis:
    """A feature, or one element of a set-valued one.

    Attributes
    ----------
    feature : str
        The feature's column.
    queries : tuple of str
        The conditions, as queries; code i of `codes` is condition i.
    codes : array
        One number a mention; ``len(labels)`` where no condition holds (the feature is absent, the element is
        not in the set).
    """

    feature: str
    queries: tuple[str, ...]
    codes: Codes

    @property
    def size(self) -> int:
        """Number of codes, that of no condition included."""
        return len(self.queries) + 1

    @property
    def rank(self) -> int:
        """What it describes: 0 the mention and its place, 1 the sentence, 2 what other mentions are there.

        Of two descriptions of the same mentions the one of lower rank carries further: in a suite they
        select the same mentions, in a corpus they do not.
        """
        feature = taxonomy().by_column.get(self.feature)
        if feature is None:
            return 0
        return 2 if feature.needs_mentions else int(feature.scope == "context")


def list_searchable_features(measure: str = "recall") -> frozenset[str]:
    """Return the features that are searched: those that the mentions of any text can have.

    What only a catalogue has predicts nothing about a corpus. For precision, features that come from gold
    mentions are left out, because they say that a proposed mention is wrong and explain nothing, and so are
    those of the context except for its length.
    """
    return frozenset(
        column
        for column, feature in taxonomy().by_column.items()
        if (feature.is_closed or column in OPEN_FEATURES or column == SHAPE_COLUMN)
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
    """Return the column of a feature that may be named with its scope, as queries name it."""
    return name if name in taxonomy().by_column else taxonomy().find(name, SCOPES).column


def build_search_table(
    scores: Scores, mentions: pd.DataFrame, features: Sequence[str] = (), measure: str = "recall"
) -> pd.DataFrame:
    """Return mentions of a scoring with the features that are searched, and no other columns.

    These are the features that are asked for; otherwise all that are searched, and the word lists.
    """
    known = taxonomy().by_column
    there = list_searchable_features(measure)
    # a gold mention carries nothing from outside gold mentions
    wanted = sorted({find_column(name) for name in features} or there - {*MENTION_FEATURE_COLUMNS})
    lists = wanted if features else [LIST_PREFIX + name for name in sorted(scores.options.lists)]
    asked = [known[c] for c in wanted if c in known]
    asked += [taxonomy().find(c, ("entity",)) for c in lists if c.startswith(LIST_PREFIX)]
    table = add_features(scores.corpus, mentions, asked, scores.options.lists)
    missing = [c for c in wanted if c not in table] if features else []
    if missing:
        raise InputError("these mentions do not have the feature", found=missing[0])
    kept = [c for c in table.columns if c in there or str(c).startswith(LIST_PREFIX)]
    return table[[find_column(name) for name in features] or kept].reset_index(drop=True)


def build_axes(
    table: pd.DataFrame,
    features: Sequence[str] | None = None,
    *,
    listed_only: bool = False,
    category_columns: Collection[str] = (),
) -> list[ConditionAxis]:
    """Return the axes of a table of mentions.

    Parameters
    ----------
    table : DataFrame
        Columns named as features are. A column that the taxonomy does not know is taken for a category.
    features : sequence of str, optional
        Columns to use; by default all features of the taxonomy that can be listed, the words and marks next
        to mentions, the shapes of names, and unknown columns of at most 40 values.
    listed_only : bool
        True if only values that the taxonomy lists are conditions: no thresholds, no words, no shapes.
    category_columns : collection of str
        Columns of which each value is a condition, whether the taxonomy lists it or not. If there are any,
        axes that divide the mentions as an earlier one does are kept.

    Returns
    -------
    list of Axis
        In the order of the table's columns, but features of sentences later, and those of other mentions
        last. Constant axes and those that are the same as an earlier one are left out, so that what is true
        of the mention is not said of its sentence.
    """
    known = taxonomy().by_column
    found: list[ConditionAxis] = []
    cuts: list[ConditionAxis] = []
    wider = not listed_only
    for column in table.columns if features is None else features:
        name = str(column)
        if name in IDENTIFIER_COLUMNS and features is None:
            continue
        listed = name.startswith(LIST_PREFIX)
        feature = taxonomy().find(name, ("entity",)) if listed else known.get(name)
        if feature is None:
            found += _value_axes(name, table[name], always=features is not None)
        elif name in category_columns:
            found += _feature_axes(feature, table)
        elif name == SHAPE_COLUMN:
            found += _shape_axes(table[name]) if wider else []
        elif name in OPEN_FEATURES:
            found += _presence_axes(feature, table) if name in PUNCTUATION_FEATURES else []
            found += _frequent_value_axis(feature, table[name]) if wider else []
        elif features is not None or feature.is_closed:
            found += _feature_axes(feature, table)
            cuts += _threshold_axes(feature, table[name]) if wider and feature.kind == "integer" else []
    # a value in a word or two before the threshold of the same meaning
    axes = sorted(found + cuts, key=lambda axis: axis.rank)
    return axes if category_columns else _drop_duplicate_axes(axes)


def _threshold_axes(feature: Feature, column: pd.Series) -> list[ConditionAxis]:
    """An axis for each threshold of a number: at least so much, or less."""
    numbers = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    there = ~np.isnan(numbers)
    values, counts = np.unique(numbers[there], return_counts=True)
    # each value with mentions below it, and how many these are, [cut]
    cuts, below = values[1:], np.cumsum(counts)[:-1]
    kept = (below >= MIN_MENTIONS) & (there.sum() - below >= MIN_MENTIONS)
    cuts, below = cuts[kept], below[kept]
    if len(cuts) > MAX_THRESHOLDS:
        wanted = np.linspace(0, there.sum(), MAX_THRESHOLDS + 2)[1:-1]
        cuts = cuts[np.unique(np.minimum(np.searchsorted(below, wanted), len(cuts) - 1))]
    name = find_shortest_name(feature)
    return [
        ConditionAxis(
            feature.column,
            (f"{name} >= {int(cut)}", f"{name} <= {int(cut) - 1}"),
            np.where(there, np.where(numbers >= cut, 0, 1), 2).astype(np.int16),
        )
        for cut in cuts.tolist()
    ]


def _frequent_value_axis(feature: Feature, column: pd.Series) -> list[ConditionAxis]:
    """The frequent values of an open feature, as one axis."""
    numbers, uniques = pd.factorize(column, sort=True, use_na_sentinel=True)
    counts = np.bincount(numbers[numbers >= 0], minlength=len(uniques))
    order = np.argsort(-counts, kind="stable")[:MAX_WORDS]
    kept = np.sort(order[counts[order] >= MIN_MENTIONS])
    # the place of each value among those kept, [value]; the last is that of an absent one
    place = np.full(len(uniques) + 1, len(kept), dtype=np.int16)
    place[kept] = np.arange(len(kept))
    name = find_shortest_name(feature)
    words = [str(uniques[i]) for i in kept.tolist()]
    return [
        ConditionAxis(feature.column, tuple(f"{name} = {format_value(w)}" for w in words), place[numbers])
    ]


@cache
def load_shapes() -> dict[str, str]:
    """Return the shapes of names, each a query, with the words for what names of the shape do or are."""
    tables = read_bundled_toml(__package__, "shapes.toml")["shape"]
    return {f"{SHAPE_COLUMN} ~ /{table['pattern']}/": table["words"] for table in tables}


def _shape_axes(column: pd.Series) -> list[ConditionAxis]:
    numbers, uniques = pd.factorize(column, use_na_sentinel=True)
    forms = pd.Series(uniques.astype(str), dtype="string")
    axes = []
    for query in load_shapes():
        pattern = re.compile(query.partition("/")[2][:-1])
        # which distinct forms have the shape, [form]; the last is an absent one
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
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(np.int64)
        values = column.cat.categories.tolist()
    elif always or not pd.api.types.is_float_dtype(column.dtype):
        numbers, uniques = pd.factorize(column, sort=True, use_na_sentinel=True)
        codes, values = numbers.astype(np.int64), uniques.tolist()
    else:
        return []
    if len(values) > MAX_VALUES and not always:
        return []
    labels = tuple(f"{name} = {_quote(str(v))}" for v in values)
    kind = np.int16 if len(values) < 2**15 else np.int64
    return [ConditionAxis(name, labels, np.where(codes < 0, len(values), codes).astype(kind))]


def _quote(value: str) -> str:
    return value if value.replace("_", "").isalnum() else '"' + value.replace('"', '\\"') + '"'


def _drop_duplicate_axes(axes: Sequence[ConditionAxis]) -> list[ConditionAxis]:
    """Axes that divide the mentions at all, and not as an earlier one does."""
    kept: list[ConditionAxis] = []
    seen: dict[bytes, list[ConditionAxis]] = {}
    for axis in axes:
        counts = np.bincount(axis.codes, minlength=axis.size)
        if not axis.queries or (counts > 0).sum() < 2:
            continue
        # equal partitions have equal sorted sizes; only these are compared in full
        key = np.sort(counts[counts > 0]).tobytes()
        alike = seen.setdefault(key, [])
        if any(_is_same_division(axis, other) for other in alike):
            continue
        alike.append(axis)
        kept.append(axis)
    return kept


def _is_same_division(one: ConditionAxis, other: ConditionAxis) -> bool:
    """Whether two axes divide the mentions alike, so that a condition of one is a condition of the other."""
    if one.size != other.size and abs(one.size - other.size) > 1:
        return False
    pairs = np.unique(one.codes.astype(np.int64) * other.size + other.codes)
    return len(pairs) == len(np.unique(one.codes)) == len(np.unique(other.codes))
