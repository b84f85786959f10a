"""Features of the mentions that are scored: those a frame has already are used, the others computed once."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from ...catalogues.taxonomy import Feature
from ...sentences.corpus import Corpus
from ...sentences.tokens import CodePoints

GIVEN = frozenset({"type", "score", "side", "text_id"})


def with_features(corpus: Corpus, mentions: pd.DataFrame, wanted: Collection[Feature]) -> pd.DataFrame:
    """Mentions with the columns that `wanted` features need, in the same order.

    Parameters
    ----------
    corpus : Corpus
        The gold; lists, appositives and numbers of names come from its mentions on both sides.
    mentions : DataFrame
        Mentions of its texts.
    wanted : collection of Feature
        Features that queries or divisions ask.
    """
    columns = [f.column for f in wanted]
    lacking = [c for c in dict.fromkeys(columns) if c not in mentions.columns and c not in GIVEN]
    if "document_id" in lacking:
        documents = corpus.texts.set_index("text_id")["document_id"]
        mentions = mentions.assign(document_id=documents.loc[mentions["text_id"]].to_numpy())
        lacking.remove("document_id")
    if "data" in lacking:
        mentions = mentions.assign(data=surface_forms(corpus, mentions))
        lacking.remove("data")
    # what only a catalogue entry has is absent in a corpus: there is nothing to compute
    computable = {f.column for f in wanted if not f.catalogue_only}
    lacking = [c for c in lacking if c in computable]
    if not lacking:
        return mentions
    from ...sentences.annotate import annotate

    return annotate(corpus, mentions, features=lacking)


def surface_forms(corpus: Corpus, mentions: pd.DataFrame) -> pd.Series:
    """The text that each mention covers."""
    rows = pd.Index(corpus.texts["text_id"]).get_indexer(pd.Index(mentions["text_id"])).astype(np.int64)
    wanted = np.unique(rows)
    points = CodePoints.of(corpus.texts["text"].take(wanted).tolist())
    places = np.searchsorted(wanted, rows)
    forms = points.slices(places, *(mentions[c].to_numpy(dtype=np.int64) for c in ("start", "end")))
    return pd.Series(forms, index=mentions.index, dtype="str")
