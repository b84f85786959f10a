"""Corpus in memory: tables of texts, of mentions, and of their features."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.core.text import Ints
from .spans import find_rows, merge_intervals


@dataclass(frozen=True)
class FeatureTable:
    """Table of the features of the entities or slots from which a suite was made.

    Attributes
    ----------
    key : str
        Name of the key column in this table and in the mentions that refer to it.
    frame : DataFrame
        Key column and feature columns, one row per key, sorted by key. Text columns are categorical to save
        memory.
    """

    key: str
    frame: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """Names of the feature columns of this table."""
        return [str(c) for c in self.frame.columns if c != self.key]

    def find_rows(self, mentions: pd.DataFrame, file: Path | None = None) -> Ints:
        """Return the row of this table to which each mention refers.

        Parameters
        ----------
        mentions : DataFrame
            Mentions with the key column.
        file : Path, optional
            File of the mentions, for messages.

        Raises
        ------
        InputError
            If a mention has a key that is not in the table.
        """
        problem = f"a mention has an unknown {self.key}"
        return find_rows(self.frame[self.key], mentions[self.key], problem, file)


def join_feature_tables(
    mentions: pd.DataFrame, tables: Sequence[FeatureTable], wanted: Collection[str] | None = None
) -> pd.DataFrame:
    """Add the columns of feature tables to mentions.

    Parameters
    ----------
    mentions : DataFrame
        Mentions with key columns. Mentions without key columns (predictions) are returned unchanged.
    tables : sequence of FeatureTable
        Feature tables to which the keys refer.
    wanted : collection of str, optional
        Columns to add. By default, the key columns are replaced by all feature columns.
    """
    for table in tables:
        if table.key not in mentions:
            continue
        names = [c for c in table.columns if c not in mentions.columns and (wanted is None or c in wanted)]
        added: list[pd.DataFrame] = []
        if names:
            taken = table.frame[names].take(table.find_rows(mentions))
            added.append(taken.set_axis(mentions.index, axis=0))
        if wanted is None:
            columns = list(mentions.columns)
            place = columns.index(table.key)
            parts = [mentions[columns[:place]], *added, mentions[columns[place + 1 :]]]
            mentions = pd.concat(parts, axis=1)
        elif added:
            mentions = pd.concat([mentions, *added], axis=1)
    return mentions


INVENTED_COLUMN = "invented"
"""Name of the column with predicted strings that do not occur in the text.

A mention with such a string has an empty span at offset 0 and matches no gold mention. The value is missing
for all other mentions.
"""
TEXT_COLUMNS = ("text_id", "document_id", "text")
MENTION_COLUMNS = ("mention_id", "text_id", "side", "start", "end", "type", "score")
OPTIONAL_TABLES = ("fragments", "alternatives", "normalisations", "relations", "equivalences")
"""Names of the optional tables of a corpus."""


@dataclass(frozen=True)
class Corpus:
    """Texts and their mentions. A suite is a corpus whose texts are cases.

    Attributes
    ----------
    name : str
        Name shown in the `corpus` column of the score table.
    texts : DataFrame
        One row per text (sentence, passage or document), in source order: `text_id` (unique; int64 in suites,
        str elsewhere), `document_id` (str), `text` (str), then any features of the text.
    mentions : DataFrame
        One row per mention, sorted by text, start, end and type: `mention_id` (int64, unique), `text_id`,
        `side` ("gold" or "predicted"), `start` and `end` (int64, half-open, in code points), `type` (str),
        `score` (float64, NaN if unknown), then feature columns, or keys of the tables in `features`.
    fragments : DataFrame or None
        Fragments of discontinuous mentions, sorted: `mention_id`, `start`, `end`. The `start` and `end` in
        `mentions` then enclose all fragments.
    alternatives : DataFrame or None
        Alternative spans that are also correct for gold mentions: `text_id`, `start`, `end`, `type`.
    normalisations : DataFrame or None
        Database identifiers of mentions: `mention_id`, `authority`, `identifier`.
    relations : DataFrame or None
        One row per argument of a relation: `relation_id` (int64), `text_id`, `type`, `role`, `mention_id`.
    equivalences : DataFrame or None
        One row per member of a set of equivalent mentions: `equivalence_id` (int64), `mention_id`.
    features : tuple of FeatureTable
        Feature tables of a suite's entities and slots, to which mentions refer by key.
    digest : str
        SHA-256 checksum of the input, for signatures and caches.
    notes : tuple of str
        Notes from the reader about data that it dropped, repaired or could not represent.
    merged_count : int
        Number of predicted mentions removed as duplicates (same text, span and type).
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
    merged_count: int = 0

    @property
    def gold(self) -> pd.DataFrame:
        """Gold mentions of the corpus."""
        return self.mentions[self.mentions["side"] == "gold"]

    def with_mentions(self, mentions: pd.DataFrame) -> Corpus:
        """Return a copy with new mentions, and without the tables that refer to the old mentions."""
        return replace(
            self, mentions=mentions, fragments=None, normalisations=None, relations=None, equivalences=None
        )

    def add_features(self, mentions: pd.DataFrame, wanted: Collection[str] | None = None) -> pd.DataFrame:
        """Add columns from the feature tables of this corpus to mentions.

        Parameters
        ----------
        mentions : DataFrame
            All or some mentions of the corpus. If they have no key columns, they are returned unchanged.
        wanted : collection of str, optional
            Columns to add. By default, the key columns are replaced by all feature columns.
        """
        return join_feature_tables(mentions, self.features, wanted)

    def inline_features(self) -> Corpus:
        """Return a copy of the corpus in which `mentions` has feature columns instead of keys."""
        if not self.features:
            return self
        return replace(self, mentions=self.add_features(self.mentions), features=())

    def _repr_html_(self) -> str:
        return _format_html(self)


MAX_SHOWN_TEXTS = 10
"""Maximum number of texts shown for a corpus in a notebook."""


def mark_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Escape a text for HTML and enclose its spans in ``<mark>``; overlapping spans are merged.

    Examples
    --------
    >>> mark_spans("a<b p53", [(4, 7)])
    'a&lt;b <mark>p53</mark>'
    """
    parts: list[str] = []
    at = 0
    edges = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    for start, end in zip(
        *(edge.tolist() for edge in merge_intervals(edges[:, 0], edges[:, 1])), strict=True
    ):
        parts += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
        at = end
    return "".join([*parts, escape(text[at:])])


def _format_html(corpus: Corpus) -> str:
    """Return HTML with the name and size of a corpus, and its first texts with marked mentions."""
    texts = corpus.texts.head(MAX_SHOWN_TEXTS)
    chosen = corpus.mentions[corpus.mentions["text_id"].isin(texts["text_id"])]
    spans: dict[object, list[tuple[int, int]]] = {}
    for text_id, start, end in zip(chosen["text_id"], chosen["start"], chosen["end"], strict=True):
        spans.setdefault(text_id, []).append((int(start), int(end)))
    rows = "".join(
        f"<tr><td>{escape(str(text_id))}</td>"
        f"<td style='text-align:left'>{mark_spans(text, spans.get(text_id, ()))}</td></tr>"
        for text_id, text in zip(texts["text_id"], texts["text"], strict=True)
    )
    size = f"{len(corpus.texts):,} texts, {len(corpus.mentions):,} mentions"
    more = "" if len(texts) == len(corpus.texts) else f" (the first {len(texts)} are shown)"
    return f"<p><b>{escape(corpus.name)}</b>: {size}{more}</p><table>{rows}</table>"
