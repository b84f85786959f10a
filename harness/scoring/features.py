"""Features of the mentions that are scored: those a frame has already are used, the others computed once."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from ...catalogues.taxonomy import LIST_PREFIX, Feature
from ...catalogues.word_lists import require_lists
from ...sentences.annotated_texts import get_surface_forms
from ...sentences.corpus import INVENTED_COLUMN, Corpus

BLOCK_SIZE = 1 << 14
"""Texts that are annotated at once, so that memory does not grow with the corpus."""
GIVEN_COLUMNS = frozenset({"type", "score", "side", "text_id"})


LIST_REMEDY = "--list {name}=FILE, or mentions that have the column (sentences annotate --list)"


def add_features(
    corpus: Corpus,
    mentions: pd.DataFrame,
    features: Collection[Feature],
    lists: Mapping[str, Container[str]] | None = None,
) -> pd.DataFrame:
    """Mentions with the columns that `features` features need, in the same order.

    Parameters
    ----------
    corpus : Corpus
        The gold; lists, appositives and numbers of names come from its mentions on both sides.
    mentions : DataFrame
        Mentions of its texts.
    features : collection of Feature
        Features that queries or divisions ask.
    lists : mapping of str to container, optional
        Word lists, for the features ``in_list.NAME``; they count before columns of these names.

    Raises
    ------
    InputError
        When a list is asked that is neither given nor a column.
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
    # what only a catalogue entry has is absent in a corpus: there is nothing to compute
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
    """Mentions some of which stand nowhere: these have the features of their string and of the whole text."""
    from ...sentences.context_features import CONTEXT_COLUMNS, compute_text_features

    nowhere = mentions[INVENTED_COLUMN].notna().to_numpy()
    placed = mentions[~nowhere].drop(columns=INVENTED_COLUMN).reset_index(drop=True)
    there = add_features(corpus, placed, wanted, lists)
    forms = mentions[nowhere].reset_index(drop=True)
    own = [f for f in wanted if f.scope == "entity" or f.column in {*GIVEN_COLUMNS, "document_id"}]
    made = add_features(
        corpus, forms.drop(columns=INVENTED_COLUMN).assign(data=forms[INVENTED_COLUMN]), own, lists
    )
    around = [c for c in there.columns if c in CONTEXT_COLUMNS and c not in made.columns]
    if around:
        texts = corpus.texts[corpus.texts["text_id"].isin(forms["text_id"])].reset_index(drop=True)
        gold = corpus.gold[corpus.gold["text_id"].isin(forms["text_id"])]
        rows = pd.Index(texts["text_id"]).get_indexer(pd.Index(forms["text_id"]))
        made = pd.concat(
            [made, compute_text_features(texts, gold)[around].take(rows).reset_index(drop=True)], axis=1
        )
    back = np.argsort(np.concatenate((np.flatnonzero(~nowhere), np.flatnonzero(nowhere))), kind="stable")
    columns = {}
    for name in there.columns:
        column = there[name]
        if name not in made.columns:
            # what hangs on a place is missing
            if pd.api.types.is_bool_dtype(column.dtype):
                column = column.astype("boolean")
            elif pd.api.types.is_integer_dtype(column.dtype):
                column = column.astype("Int64")
            columns[name] = column.reindex(range(len(mentions))).take(back).array
        else:
            columns[name] = join_columns([column, made[name]]).take(back).array
    columns[INVENTED_COLUMN] = mentions[INVENTED_COLUMN].array
    return pd.DataFrame(columns, index=mentions.index)


def _annotate_mentions(
    corpus: Corpus,
    mentions: pd.DataFrame,
    lacking: list[str],
    lists: Mapping[str, Container[str]] | None,
) -> pd.DataFrame:
    """Return mentions with computed features; those of their places by blocks of texts, to save memory."""
    from ...sentences.annotate import annotate
    from ...sentences.context_features import CONTEXT_COLUMNS, MENTION_FEATURE_COLUMNS, SLOT_COLUMNS

    known = pd.Index(corpus.texts["text_id"])
    if len(known) <= BLOCK_SIZE:
        return annotate(corpus, mentions, features=lacking, lists=lists)
    # the block of each mention's text; an unknown text is in none, and goes where it is refused
    own, gold = (
        np.maximum(known.get_indexer(pd.Index(frame["text_id"])), 0) // BLOCK_SIZE
        for frame in (mentions, corpus.mentions)
    )
    fresh = [c for c in ("data", *lacking) if c not in mentions.columns]
    order = [*mentions.columns, *fresh]
    # features of the surface form alone are computed once for each form in the corpus
    placed = [c for c in fresh if c in {*SLOT_COLUMNS, *CONTEXT_COLUMNS, *MENTION_FEATURE_COLUMNS}]
    mentions = annotate(corpus, mentions, features=[c for c in lacking if c not in placed], lists=lists)
    if not placed:
        return mentions[order]
    places, parts = [], []
    for number in range(-(-len(known) // BLOCK_SIZE)):
        at = np.flatnonzero(own == number)
        texts = corpus.texts.iloc[number * BLOCK_SIZE : (number + 1) * BLOCK_SIZE]
        block = replace(corpus, texts=texts, mentions=corpus.mentions[gold == number])
        parts.append(annotate(block, mentions.iloc[at], features=placed)[placed])
        places.append(at)
    back = np.argsort(np.concatenate(places))
    added = pd.DataFrame({c: join_columns([part[c] for part in parts]).take(back).array for c in placed})
    return pd.concat([mentions, added.set_axis(mentions.index, axis=0)], axis=1)[order]


def join_columns(pieces: list[pd.Series]) -> pd.Series:
    """Pieces of a column end to end; categories stay categories, whichever values a piece has."""
    if all(isinstance(c.dtype, pd.CategoricalDtype) for c in pieces):
        # a piece without any value has categories of no particular type
        some = next((c.cat.categories for c in pieces if len(c.cat.categories)), None)
        if some is not None:
            pieces = [c if len(c.cat.categories) else c.cat.set_categories(some) for c in pieces]
        return pd.Series(pd.api.types.union_categoricals(pieces))
    return pd.concat(pieces, ignore_index=True)
