"""Features of the mentions that are scored: those a frame has already are used, the others computed once."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from ...catalogues.taxonomy import LIST_PREFIX, Feature
from ...catalogues.word_lists import require_lists
from ...sentences.corpus import INVENTED, Corpus
from ...sentences.scene import surface_forms

BLOCK = 1 << 14
"""Texts that are annotated at once, so that memory does not grow with the corpus."""
GIVEN = frozenset({"type", "score", "side", "text_id"})


LIST_REMEDY = "--list {name}=FILE, or mentions that have the column (sentences annotate --list)"


def with_features(
    corpus: Corpus,
    mentions: pd.DataFrame,
    wanted: Collection[Feature],
    lists: Mapping[str, Container[str]] | None = None,
) -> pd.DataFrame:
    """Mentions with the columns that `wanted` features need, in the same order.

    Parameters
    ----------
    corpus : Corpus
        The gold; lists, appositives and numbers of names come from its mentions on both sides.
    mentions : DataFrame
        Mentions of its texts.
    wanted : collection of Feature
        Features that queries or divisions ask.
    lists : mapping of str to container, optional
        Word lists, for the features ``in_list.NAME``; they count before columns of these names.

    Raises
    ------
    InputError
        When a list is asked that is neither given nor a column.
    """
    if INVENTED in mentions and bool(mentions[INVENTED].notna().any()):
        return _with_invented(corpus, mentions, wanted, lists)
    given = {LIST_PREFIX + name for name in lists or ()}
    if given:
        mentions = mentions.drop(columns=[c for c in mentions.columns if c in given])
    columns = [f.column for f in wanted]
    mentions = corpus.with_features(mentions, [c for c in columns if c not in given])
    require_lists(wanted, {*mentions.columns, *given}, LIST_REMEDY)
    lacking = [c for c in dict.fromkeys(columns) if c not in mentions.columns and c not in GIVEN]
    if "document_id" in lacking:
        documents = corpus.texts.set_index("text_id")["document_id"]
        mentions = mentions.assign(document_id=documents.loc[mentions["text_id"]].to_numpy())
        lacking.remove("document_id")
    if "data" in lacking:
        mentions = mentions.assign(data=surface_forms(corpus.texts, mentions))
        lacking.remove("data")
    # what only a catalogue entry has is absent in a corpus: there is nothing to compute
    computable = {f.column for f in wanted if not f.catalogue_only}
    lacking = [c for c in lacking if c in computable]
    if not lacking:
        return mentions
    return _annotated(corpus, mentions, lacking, lists)


def _with_invented(
    corpus: Corpus,
    mentions: pd.DataFrame,
    wanted: Collection[Feature],
    lists: Mapping[str, Container[str]] | None,
) -> pd.DataFrame:
    """Mentions some of which stand nowhere: these have the features of their string and of the whole text."""
    from ...sentences.context_features import CONTEXT_COLUMNS, text_features

    nowhere = mentions[INVENTED].notna().to_numpy()
    placed = mentions[~nowhere].drop(columns=INVENTED).reset_index(drop=True)
    there = with_features(corpus, placed, wanted, lists)
    forms = mentions[nowhere].reset_index(drop=True)
    own = [f for f in wanted if f.scope == "entity" or f.column in {*GIVEN, "document_id"}]
    made = with_features(corpus, forms.drop(columns=INVENTED).assign(data=forms[INVENTED]), own, lists)
    around = [c for c in there.columns if c in CONTEXT_COLUMNS and c not in made.columns]
    if around:
        texts = corpus.texts[corpus.texts["text_id"].isin(forms["text_id"])].reset_index(drop=True)
        gold = corpus.gold[corpus.gold["text_id"].isin(forms["text_id"])]
        rows = pd.Index(texts["text_id"]).get_indexer(pd.Index(forms["text_id"]))
        made = pd.concat([made, text_features(texts, gold)[around].take(rows).reset_index(drop=True)], axis=1)
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
            columns[name] = joined_column([column, made[name]]).take(back).array
    columns[INVENTED] = mentions[INVENTED].array
    return pd.DataFrame(columns, index=mentions.index)


def _annotated(
    corpus: Corpus,
    mentions: pd.DataFrame,
    lacking: list[str],
    lists: Mapping[str, Container[str]] | None,
) -> pd.DataFrame:
    """Return mentions with computed features; those of their places by blocks of texts, to save memory."""
    from ...sentences.annotate import annotate
    from ...sentences.context_features import CONTEXT_COLUMNS, MENTION_COLUMNS, SLOT_COLUMNS

    known = pd.Index(corpus.texts["text_id"])
    if len(known) <= BLOCK:
        return annotate(corpus, mentions, features=lacking, lists=lists)
    # the block of each mention's text; an unknown text is in none, and goes where it is refused
    own, gold = (
        np.maximum(known.get_indexer(pd.Index(frame["text_id"])), 0) // BLOCK
        for frame in (mentions, corpus.mentions)
    )
    fresh = [c for c in ("data", *lacking) if c not in mentions.columns]
    order = [*mentions.columns, *fresh]
    # features of the surface form alone are computed once for each form in the corpus
    placed = [c for c in fresh if c in {*SLOT_COLUMNS, *CONTEXT_COLUMNS, *MENTION_COLUMNS}]
    mentions = annotate(corpus, mentions, features=[c for c in lacking if c not in placed], lists=lists)
    if not placed:
        return mentions[order]
    places, parts = [], []
    for number in range(-(-len(known) // BLOCK)):
        at = np.flatnonzero(own == number)
        texts = corpus.texts.iloc[number * BLOCK : (number + 1) * BLOCK]
        block = replace(corpus, texts=texts, mentions=corpus.mentions[gold == number])
        parts.append(annotate(block, mentions.iloc[at], features=placed)[placed])
        places.append(at)
    back = np.argsort(np.concatenate(places))
    added = pd.DataFrame({c: joined_column([part[c] for part in parts]).take(back).array for c in placed})
    return pd.concat([mentions, added.set_axis(mentions.index, axis=0)], axis=1)[order]


def joined_column(columns: list[pd.Series]) -> pd.Series:
    """Pieces of a column end to end; categories stay categories, whichever values a piece has."""
    if all(isinstance(c.dtype, pd.CategoricalDtype) for c in columns):
        # a piece without any value has categories of no particular type
        some = next((c.cat.categories for c in columns if len(c.cat.categories)), None)
        if some is not None:
            columns = [c if len(c.cat.categories) else c.cat.set_categories(some) for c in columns]
        return pd.Series(pd.api.types.union_categoricals(columns))
    return pd.concat(columns, ignore_index=True)
