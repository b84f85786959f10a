"""Computation of feature columns that are missing from scored mentions."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from ...catalogues.feature import LIST_PREFIX, Feature
from ...catalogues.word_lists import require_lists
from ...sentences.annotated_texts import get_surface_forms
from ...sentences.corpus import INVENTED_COLUMN, Corpus

BLOCK_SIZE = 1 << 14
"""Number of texts that are annotated together, to limit the use of memory."""
GIVEN_COLUMNS = frozenset({"type", "score", "side", "text_id"})


LIST_REMEDY = "--list {name}=FILE, or add the column to the mentions (sentences annotate --list)"


def add_features(
    corpus: Corpus,
    mentions: pd.DataFrame,
    features: Collection[Feature],
    lists: Mapping[str, Container[str]] | None = None,
) -> pd.DataFrame:
    """Return the mentions in the same order, with columns added for the given features.

    Parameters
    ----------
    corpus : Corpus
        Gold corpus. Its gold mentions determine the features that depend on neighbouring mentions (lists,
        appositives, number of names), even for predicted mentions.
    mentions : DataFrame
        Mentions in the texts of the corpus.
    features : collection of Feature
        Features to add.
    lists : mapping of str to container, optional
        Word lists for the features ``in_list.NAME``; they replace existing columns with these names.

    Raises
    ------
    InputError
        If a feature needs a list that is neither in `lists` nor a column.
    """
    if INVENTED_COLUMN in mentions and bool(mentions[INVENTED_COLUMN].notna().any()):
        return _add_features_unplaced(corpus, mentions, features, lists)
    given = {LIST_PREFIX + name for name in lists or ()}
    if given:
        mentions = mentions.drop(columns=[c for c in mentions.columns if c in given])
    columns = [f.column for f in features]
    mentions = corpus.add_features(mentions, [c for c in columns if c not in given])
    require_lists(features, {*mentions.columns, *given}, LIST_REMEDY)
    lacking = [c for c in dict.fromkeys(columns) if c not in mentions.columns and c not in GIVEN_COLUMNS]
    if "document_id" in lacking:
        documents = corpus.texts.set_index("text_id")["document_id"]
        mentions = mentions.assign(document_id=documents.loc[mentions["text_id"]].to_numpy())
        lacking.remove("document_id")
    if "data" in lacking:
        mentions = mentions.assign(data=get_surface_forms(corpus.texts, mentions))
        lacking.remove("data")
    # features of catalogue entries cannot be computed for a corpus; they stay absent
    computable = {f.column for f in features if not f.is_catalogue_only}
    lacking = [c for c in lacking if c in computable]
    if not lacking:
        return mentions
    return _annotate_mentions(corpus, mentions, lacking, lists)


def _add_features_unplaced(
    corpus: Corpus,
    mentions: pd.DataFrame,
    wanted: Collection[Feature],
    lists: Mapping[str, Container[str]] | None,
) -> pd.DataFrame:
    """Add features to mentions, some of which are strings that do not occur in their text.

    Such strings have features of their form and of the text, but no features that depend on a position.
    """
    from ...sentences.context_features import compute_text_features, list_context_columns

    mask = mentions[INVENTED_COLUMN].notna().to_numpy()
    placed = mentions[~mask].drop(columns=INVENTED_COLUMN).reset_index(drop=True)
    located = add_features(corpus, placed, wanted, lists)
    forms = mentions[mask].reset_index(drop=True)
    usable = [f for f in wanted if f.scope == "entity" or f.column in {*GIVEN_COLUMNS, "document_id"}]
    added = add_features(
        corpus, forms.drop(columns=INVENTED_COLUMN).assign(data=forms[INVENTED_COLUMN]), usable, lists
    )
    shared = [c for c in located.columns if c in list_context_columns() and c not in added.columns]
    if shared:
        texts = corpus.texts[corpus.texts["text_id"].isin(forms["text_id"])].reset_index(drop=True)
        gold = corpus.gold[corpus.gold["text_id"].isin(forms["text_id"])]
        rows = pd.Index(texts["text_id"]).get_indexer(pd.Index(forms["text_id"]))
        added = pd.concat(
            [added, compute_text_features(texts, gold)[shared].take(rows).reset_index(drop=True)], axis=1
        )
    back = np.argsort(np.concatenate((np.flatnonzero(~mask), np.flatnonzero(mask))), kind="stable")
    columns = {}
    for name in located.columns:
        column = located[name]
        if name not in added.columns:
            # features that depend on the position are missing
            if pd.api.types.is_bool_dtype(column.dtype):
                column = column.astype("boolean")
            elif pd.api.types.is_integer_dtype(column.dtype):
                column = column.astype("Int64")
            columns[name] = column.reindex(range(len(mentions))).take(back).array
        else:
            columns[name] = join_columns([column, added[name]]).take(back).array
    columns[INVENTED_COLUMN] = mentions[INVENTED_COLUMN].array
    return pd.DataFrame(columns, index=mentions.index)


def _annotate_mentions(
    corpus: Corpus,
    mentions: pd.DataFrame,
    lacking: list[str],
    lists: Mapping[str, Container[str]] | None,
) -> pd.DataFrame:
    """Add the features `lacking` to mentions; if there are many texts, they are processed in blocks."""
    from ...sentences.annotate import annotate
    from ...sentences.context_features import MENTION_FEATURE_COLUMNS, SLOT_COLUMNS, list_context_columns

    text_ids = pd.Index(corpus.texts["text_id"])
    if len(text_ids) <= BLOCK_SIZE:
        return annotate(corpus, mentions, features=lacking, lists=lists)
    # the block of each mention's text; unknown texts go to block 0, where `annotate` rejects them
    mention_blocks, gold_blocks = (
        np.maximum(text_ids.get_indexer(pd.Index(frame["text_id"])), 0) // BLOCK_SIZE
        for frame in (mentions, corpus.mentions)
    )
    new_columns = [c for c in ("data", *lacking) if c not in mentions.columns]
    order = [*mentions.columns, *new_columns]
    # features that depend only on the surface form are computed once per distinct form
    around = {*SLOT_COLUMNS, *list_context_columns(), *MENTION_FEATURE_COLUMNS}
    placed = [c for c in new_columns if c in around]
    mentions = annotate(corpus, mentions, features=[c for c in lacking if c not in placed], lists=lists)
    if not placed:
        return mentions[order]
    places, parts = [], []
    for number in range(-(-len(text_ids) // BLOCK_SIZE)):
        at = np.flatnonzero(mention_blocks == number)
        texts = corpus.texts.iloc[number * BLOCK_SIZE : (number + 1) * BLOCK_SIZE]
        block = replace(corpus, texts=texts, mentions=corpus.mentions[gold_blocks == number])
        parts.append(annotate(block, mentions.iloc[at], features=placed)[placed])
        places.append(at)
    back = np.argsort(np.concatenate(places))
    added = pd.DataFrame({c: join_columns([part[c] for part in parts]).take(back).array for c in placed})
    return pd.concat([mentions, added.set_axis(mentions.index, axis=0)], axis=1)[order]


def join_columns(pieces: list[pd.Series]) -> pd.Series:
    """Concatenate parts of a column; a categorical column stays categorical."""
    if all(isinstance(c.dtype, pd.CategoricalDtype) for c in pieces):
        # the categories of an empty part have no useful type
        categories = next((c.cat.categories for c in pieces if len(c.cat.categories)), None)
        if categories is not None:
            pieces = [c if len(c.cat.categories) else c.cat.set_categories(categories) for c in pieces]
        return pd.Series(pd.api.types.union_categoricals(pieces))
    return pd.concat(pieces, ignore_index=True)
