"""Predicted mentions that are there more than once: the same text, span, fragments and type."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..catalogues.core.text import Ints
from .corpus import Corpus
from .spans import joined, shapes

SAME = ["text_id", "start", "end", "type"]


def merge_duplicates(corpus: Corpus) -> Corpus:
    """The corpus with mentions of the same text, span, fragments and type made one.

    The first of them is kept, with the highest score of all, and the identifiers of all. Relations and
    equivalences of the others become its own. How many are gone is in `merged`.
    """
    mentions = corpus.mentions
    keys = mentions[SAME]
    if corpus.fragments is not None:
        keys = keys.assign(shape=_shapes(mentions, corpus.fragments))
    again = keys.duplicated().to_numpy()
    if not again.any():
        return corpus
    group = keys.groupby(list(keys.columns), sort=False, dropna=False).ngroup().to_numpy()
    ids = mentions["mention_id"].to_numpy()
    kept = pd.Series(ids[~again][group], index=ids)
    scores = mentions["score"].groupby(group).transform("max")
    return replace(
        corpus,
        mentions=mentions.assign(score=scores)[~again].reset_index(drop=True),
        merged=corpus.merged + int(again.sum()),
        fragments=_under(corpus.fragments, kept),
        normalisations=_under(corpus.normalisations, kept),
        relations=_under(corpus.relations, kept),
        equivalences=_under(corpus.equivalences, kept),
    )


def _under(table: pd.DataFrame | None, kept: pd.Series) -> pd.DataFrame | None:
    """A table keyed by mention, under the mentions that are kept."""
    if table is None:
        return None
    new = table["mention_id"].map(kept)
    # an argument of a relation may be another relation: it has no mention
    moved = table.assign(mention_id=new.where(new.notna(), table["mention_id"]).astype("int64"))
    return moved.drop_duplicates(ignore_index=True)


def _shapes(mentions: pd.DataFrame, fragments: pd.DataFrame) -> Ints:
    """A number for the fragments of each mention; 0 where it is contiguous."""
    owner = pd.Index(mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"])).astype(np.int64)
    here = owner >= 0
    start, end = (fragments[c].to_numpy(dtype=np.int64)[here] for c in ("start", "end"))
    return shapes(*joined(owner[here], start, end), mentions["start"].to_numpy(dtype=np.int64))
