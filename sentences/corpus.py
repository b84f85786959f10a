"""A corpus in memory: texts with mentions, as columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import pandas as pd

from .feature_tables import FeatureTable, with_features

INVENTED = "invented"
"""A column that predicted mentions may have: the string of one that stands nowhere in its text, missing in
those that do. Such a one has the empty span at 0 and matches nothing.
"""
TEXT_COLUMNS = ("text_id", "document_id", "text")
MENTION_COLUMNS = ("mention_id", "text_id", "side", "start", "end", "type", "score")
OTHER_TABLES = ("fragments", "alternatives", "normalisations", "relations", "equivalences")
"""What not every corpus has."""


@dataclass(frozen=True)
class Corpus:
    """Texts and their mentions. A suite is a corpus whose texts are cases.

    Attributes
    ----------
    name : str
        What the `corpus` column of the score table shows.
    texts : DataFrame
        One row a text (a sentence, passage or document), in the source's order: `text_id` (unique; int64
        in suites, str elsewhere), `document_id` (str), `text` (str), then any features of the text.
    mentions : DataFrame
        One row a mention, sorted by text order, start, end, type: `mention_id` (int64, unique),
        `text_id`, `side` ("gold" or "predicted"), `start` and `end` (int64, half-open, code points into
        the text), `type` (str), `score` (float64, NaN when the source gives none), then any features, or keys
        into `features`.
    fragments : DataFrame or None
        Discontinuous mentions only: `mention_id`, `start`, `end`, one row a fragment, sorted. The mention's
        own `start` and `end` are the hull.
    alternatives : DataFrame or None
        Acceptable other spans of the gold: `text_id`, `start`, `end`, `type`.
    normalisations : DataFrame or None
        `mention_id`, `authority`, `identifier`.
    relations : DataFrame or None
        `relation_id` (int64), `text_id`, `type`, `role`, `mention_id`: one row an argument.
    equivalences : DataFrame or None
        `equivalence_id` (int64), `mention_id`: one row a member.
    features : tuple of FeatureTable
        Features that mentions share, by key: a suite's entities and slots.
    digest : str
        SHA-256 of what was read, for signatures and caches.
    notes : tuple of str
        The reader's remarks: what was dropped, repaired or not carried by the format.
    merged : int
        Predicted mentions that were made one with another of the same text, span and type.
    """

    name: str
    texts: pd.DataFrame
    mentions: pd.DataFrame
    fragments: pd.DataFrame | None = None
    alternatives: pd.DataFrame | None = None
    normalisations: pd.DataFrame | None = None
    relations: pd.DataFrame | None = None
    equivalences: pd.DataFrame | None = None
    features: tuple[FeatureTable, ...] = ()
    digest: str = ""
    notes: tuple[str, ...] = field(default=())
    merged: int = 0

    @property
    def gold(self) -> pd.DataFrame:
        """The mentions of the gold side."""
        return self.mentions[self.mentions["side"] == "gold"]

    def with_mentions(self, mentions: pd.DataFrame) -> Corpus:
        """The same texts with other mentions (and no tables keyed by the old mention ids)."""
        return replace(
            self, mentions=mentions, fragments=None, normalisations=None, relations=None, equivalences=None
        )

    def with_features(self, mentions: pd.DataFrame, wanted: Collection[str] | None = None) -> pd.DataFrame:
        """Mentions of this corpus with the features that they share, looked up by their keys.

        Parameters
        ----------
        mentions : DataFrame
            All mentions or some; those without keys come back as they are.
        wanted : collection of str, optional
            The columns to add; all in place of the keys when None.
        """
        return with_features(mentions, self.features, wanted)

    def spread(self) -> Corpus:
        """The corpus with all features in the mentions themselves, and no keys."""
        if not self.features:
            return self
        return replace(self, mentions=self.with_features(self.mentions), features=())

    def _repr_html_(self) -> str:
        from .marked import marked_texts

        return marked_texts(self.name, self.texts, self.mentions)
