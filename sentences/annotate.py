"""Feature columns for the mentions of a corpus or the predictions of a tagger."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_path
from ..catalogues.core.parquet import arrow_path
from ..catalogues.entity_features import entity_features
from ..catalogues.feature import LIST_PREFIX, Feature
from ..catalogues.own_features import add_needed_columns, add_query_columns, list_own_features
from ..catalogues.taxonomy import taxonomy
from ..catalogues.word_lists import read_lists, require_lists
from .annotated_texts import get_surface_forms
from .context_features import (
    MENTION_FEATURE_COLUMNS,
    SLOT_COLUMNS,
    compute_slot_features,
    list_context_columns,
)
from .corpus import Corpus
from .formats import read_corpus, read_predictions


def annotate(
    corpus: Corpus,
    mentions: pd.DataFrame | None = None,
    features: Collection[str] | None = None,
    *,
    lists: Mapping[str, Container[str]] | None = None,
    recompute: bool = False,
) -> pd.DataFrame:
    """Return mentions with feature columns added.

    Parameters
    ----------
    corpus : Corpus
        Texts and gold mentions. List features, appositive features and the number of names are computed from
        the gold mentions.
    mentions : DataFrame, optional
        Mentions in the same texts, for example predictions; by default the mentions of the corpus.
    features : collection of str, optional
        Column names or feature names of the features to add; by default all computable features.
    lists : mapping of str to container, optional
        Word lists, keyed by name; each list adds a feature ``in_list.NAME``.
    recompute : bool
        Whether to recompute feature columns that the mentions already have.

    Returns
    -------
    DataFrame
        The columns of `mentions`, the surface form (column `data`), and the features.
    """
    requested = None if features is None else {_find_feature(name).column for name in features}
    wanted = None if requested is None else add_needed_columns(requested)
    frame = corpus.add_features(corpus.mentions if mentions is None else mentions, wanted).copy()
    present = set() if recompute else set(frame.columns)

    def lacking(columns: Collection[str]) -> list[str]:
        return [c for c in columns if c not in present and (wanted is None or c in wanted)]

    if "data" not in frame or recompute:
        frame["data"] = get_surface_forms(corpus.texts, frame)
    listed = [LIST_PREFIX + name for name in lists or {}]
    entity_columns = lacking([f.column for f in taxonomy().select_scopes("entity") if f.is_computed] + listed)
    parts = [frame]
    if entity_columns:
        given = frame[["name_vs_symbol"]] if "name_vs_symbol" in present else None
        parts.append(entity_features(frame["data"], given=given, lists=lists, columns=entity_columns))
    around = lacking([*SLOT_COLUMNS, *list_context_columns(), *MENTION_FEATURE_COLUMNS])
    if around:
        parts.append(compute_slot_features(corpus.texts, frame, corpus.gold, around))
    if recompute:
        parts[0] = frame.drop(columns=[c for part in parts[1:] for c in part.columns], errors="ignore")
    joined = pd.concat(parts, axis=1)
    joined = add_query_columns(joined, "entity", lacking([f.column for f in list_own_features("entity")]))
    only_needed = set() if requested is None or wanted is None else wanted - requested - present - {"data"}
    return joined.drop(columns=list(only_needed), errors="ignore")


def _find_feature(name: str) -> Feature:
    return taxonomy().by_column.get(name) or taxonomy().find(name)


OUTPUT_SUFFIXES = (".parquet", ".csv")


def write_annotations(
    spec: str, out: Path, *, predicted: str = "", features: Sequence[str] | None, word_lists: Sequence[str]
) -> str:
    """Write a table of mentions with their features to a file and return a summary.

    By default, the table contains the mentions of the corpus `spec`. If `predicted` is given, it contains
    these predictions instead. Both arguments have the form ``FORMAT:PATH``.

    Raises
    ------
    InputError
        If the suffix of `out` is neither ``.parquet`` nor ``.csv``, a feature is unknown, or a word list is
        not given as NAME=FILE.
    """
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if out.suffix not in OUTPUT_SUFFIXES:
        raise InputError("unknown kind of output file", file=out, allowed=" or ".join(OUTPUT_SUFFIXES))
    lists = read_lists(word_lists)
    corpus = read_corpus(spec).inline_features()
    mentions = read_predictions(predicted, corpus).mentions if predicted else None
    listed = [LIST_PREFIX + name for name in lists]
    wanted = None if not features else [*features, *listed]
    requested = [_find_feature(name) for name in features or ()]
    require_lists(requested, {*listed, *(corpus.mentions if mentions is None else mentions).columns})
    frame = annotate(corpus, mentions, wanted, lists=lists)
    if out.suffix == ".csv":
        # the CSV writer needs categories as plain text
        frame = frame.astype(dict.fromkeys(frame.select_dtypes("category"), "str"))
    # pandas has several kinds of missing values, Arrow has one
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    with atomic_path(out) as temporary:
        if out.suffix == ".csv":
            pyarrow.csv.write_csv(table, arrow_path(temporary))
        else:
            pyarrow.parquet.write_table(table, arrow_path(temporary), compression="zstd")
    return f"{table.num_rows} mentions, {table.num_columns} columns: {out}"
