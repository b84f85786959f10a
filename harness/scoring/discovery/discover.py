"""Discovery, put together: from a scoring, or from any table of mentions, to the faults that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ....catalogues.core.errors import InputError
from ....catalogues.taxonomy import LIST_PREFIX, Feature, taxonomy
from ....sentences.context_features import MENTION_COLUMNS
from ..division import SCOPES
from ..features import with_features
from ..options import DiscoverOptions
from ..scores import Scores
from ..statistics.design import design_of
from ..statistics.sums import MEASURES, SIDES
from .axes import IDENTIFYING, OPEN, table_axes
from .halves import grouped
from .judging import Judged, as_frame, find
from .shapes import SHAPED
from .stability import joined, seeds


def discover(
    scores: Scores,
    search: DiscoverOptions | None = None,
    *,
    confidence: float = 0.95,
    **choices: Any,
) -> pd.DataFrame:
    """Find the combinations of features that a tagger fails at.

    Parameters
    ----------
    scores : Scores
        A scored suite or corpus.
    search : DiscoverOptions, optional
        What is searched, and how far.
    confidence : float
        Of the intervals.
    **choices
        Options by name, such as ``depth=2``, in place of those of `search`.

    Returns
    -------
    DataFrame
        `judging.COLUMNS`, the most convincing first; `returned` says in how many of the `divisions` into
        halves a finding came back.
    """
    search = replace(search or DiscoverOptions(), **choices)
    judged: list[list[Judged]] = [[] for _ in range(search.divisions)]
    for measure in search.measures or MEASURES:
        for found, more in zip(judged, _of_measure(scores, measure, search, confidence), strict=True):
            found += more
    return _report(judged, search)


def _of_measure(
    scores: Scores, measure: str, search: DiscoverOptions, confidence: float
) -> list[list[Judged]]:
    """Return the findings of each division for one measure."""
    side = SIDES[measure]
    mentions: pd.DataFrame = getattr(scores, side)
    if not len(mentions):
        return [[] for _ in range(search.divisions)]
    features = search.features or None
    table = _described(scores, mentions, features, measure)
    axes = table_axes(table, _columns(table, features, measure))
    flags, groups = scores.tally(search.notion).right(side), design_of(scores).groups(side)
    return [
        find(axes, flags, groups, measure, search, seed=seed, confidence=confidence)
        for seed in seeds(search.seed, search.divisions)
    ]


def discover_table(
    table: pd.DataFrame,
    right: ArrayLike,
    search: DiscoverOptions | None = None,
    *,
    entity: ArrayLike | None = None,
    context: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    measure: str = "recall",
    confidence: float = 0.95,
    **choices: Any,
) -> pd.DataFrame:
    """Find the combinations of any table's columns at which something fails; see `discover`.

    Parameters
    ----------
    table : DataFrame
        One row a mention, one column a feature.
    right : array of bool
        Whether each mention was found (or was rightly proposed).
    entity, context, cluster : array, optional
        What mentions share: both an entity and a context, or one thing of any kind.
    """
    flags = np.asarray(right, dtype=bool)
    if len(flags) != len(table):
        raise InputError("one verdict a mention is needed", found=f"{len(flags)} for {len(table)} mentions")
    groups = grouped(len(table), entity=entity, context=context, cluster=cluster)
    search = replace(search or DiscoverOptions(), **choices)
    axes = table_axes(table, search.features or None)
    judged = [
        find(axes, flags, groups, measure, search, seed=seed, confidence=confidence)
        for seed in seeds(search.seed, search.divisions)
    ]
    return _report(judged, search)


def _report(divisions: list[list[Judged]], search: DiscoverOptions) -> pd.DataFrame:
    rate = search.false_discoveries
    kept = [
        one
        for one in joined(divisions, rate)
        # a finding has to hold in the figures that it is reported with
        if one.p <= rate
        and 2 * one.returned >= len(divisions)
        and one.judged.rest - one.judged.own.value >= search.effect / 2.0
    ]
    # the more wrong mentions a finding explains, the earlier it stands
    kept.sort(key=lambda k: (-_explained(k.judged), k.judged.measure != "recall", k.judged.query))
    # what one measure's earlier findings explain is not reported again
    explained = {k.judged.measure: np.zeros(len(k.judged.inside), dtype=bool) for k in kept}
    reported = []
    for one in kept:
        earlier = explained[one.judged.measure]
        if one.judged.beyond(earlier, search):
            reported.append(one)
            earlier |= one.judged.inside
    found = as_frame([k.judged for k in reported], [k.p for k in reported])
    found["returned"] = pd.Series([k.returned for k in reported], dtype="int64")
    found["divisions"] = pd.Series([len(divisions)] * len(reported), dtype="int64")
    return found


def _explained(judged: Judged) -> float:
    """Surplus of wrong mentions over what the rest's share would give, in standard errors."""
    value, rest = judged.own.value, judged.rest
    p = 1.0 - rest
    surplus = judged.cases * (rest - value)
    return float(surplus / np.sqrt(max(judged.cases * p * (1.0 - p), 1e-3)))


def searchable(measure: str = "recall") -> frozenset[str]:
    """Features that are searched: those that any text's mention can have.

    What only a catalogue has predicts nothing of a corpus. Of a wrongly proposed mention, what comes from
    the gold mentions says that it is wrong and explains nothing: these features, and those of the context but
    for its length, are left out for precision.
    """
    known = {
        c: f
        for c, f in taxonomy().by_column.items()
        if measure == "recall"
        or not (f.needs_mentions or (f.scope == "context" and f.name != "sentence_words"))
    }
    searchable = {
        c
        for c, f in known.items()
        if (f.closed or c in OPEN or c == SHAPED) and not f.catalogue_only and c not in IDENTIFYING
    }
    return frozenset(c for c in searchable if not c.startswith(LIST_PREFIX))


def list_features(scores: Scores) -> list[Feature]:
    """The features of the word lists that a scoring was given."""
    return [taxonomy().find(LIST_PREFIX + name, ("entity",)) for name in sorted(scores.options.lists)]


def column_of(name: str) -> str:
    """The column of a feature that may be named with its scope, as queries name it."""
    return name if name in taxonomy().by_column else taxonomy().find(name, SCOPES).column


def described(scores: Scores, features: Sequence[str] | None = None) -> pd.DataFrame:
    """The gold mentions of a scoring with the features that are searched, and no others."""
    table = _described(scores, scores.gold, features, "recall")
    return table[_columns(table, features, "recall")].reset_index(drop=True)


def _columns(table: pd.DataFrame, features: Sequence[str] | None, measure: str) -> list[str]:
    """The columns to search: those asked for, or what is there of the searchable ones and of word lists."""
    if features is not None:
        return [column_of(name) for name in features]
    there = searchable(measure)
    return [str(c) for c in table.columns if c in there or str(c).startswith(LIST_PREFIX)]


def _described(
    scores: Scores, mentions: pd.DataFrame, features: Sequence[str] | None, measure: str
) -> pd.DataFrame:
    """Mentions with every feature that is searched."""
    known = taxonomy().by_column
    if features is None:
        # a gold mention carries nothing from outside gold mentions
        wanted = searchable(measure) - {*MENTION_COLUMNS}
    else:
        wanted = frozenset(column_of(name) for name in features)
    asked = [known[c] for c in sorted(wanted) if c in known]
    if features is None:
        asked += list_features(scores)
    else:
        asked += [taxonomy().find(c, ("entity",)) for c in sorted(wanted) if c.startswith(LIST_PREFIX)]
    table = with_features(scores.corpus, mentions, asked, scores.options.lists)
    missing = sorted(wanted - set(table.columns)) if features is not None else []
    if missing:
        raise InputError("no such feature of these mentions", found=missing[0])
    return table
