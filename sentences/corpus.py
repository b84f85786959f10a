"""A corpus in memory: texts with mentions, as columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.text import Ints
from .spans import merge_intervals


@dataclass(frozen=True)
class FeatureTable:
    """The features of what a suite was made from: its entities, or its slots.

    Attributes
    ----------
    key : str
        The column, here and in mentions, that names the row of a mention.
    frame : DataFrame
        A row a key, ascending; `key` and the features. Texts are categories, so that a mention's value is a
        number however many mentions there are.
    """

    key: str
    frame: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The features."""
        return [str(c) for c in self.frame.columns if c != self.key]

    def find_rows(self, mentions: pd.DataFrame, file: Path | None = None) -> Ints:
        """The row of each mention, which stands in `file`.

        Raises
        ------
        InputError
            When a mention has a key that the table has not.
        """
        known, asked = self.frame[self.key].to_numpy(), mentions[self.key].to_numpy()
        rows: Ints = np.searchsorted(known, asked)
        found = rows < len(known)
        found[found] = known[rows[found]] == asked[found]
        if not found.all():
            unknown = str(asked[int(np.argmin(found))])
            raise InputError(f"a mention of an unknown {self.key}", file=file, found=unknown)
        return rows


def join_feature_tables(
    mentions: pd.DataFrame, tables: Sequence[FeatureTable], wanted: Collection[str] | None = None
) -> pd.DataFrame:
    """Mentions with columns of the tables whose keys they have.

    Parameters
    ----------
    mentions : DataFrame
        Any mentions; those without keys (a tagger's) come back as they are.
    tables : sequence of FeatureTable
        Where features are looked up.
    wanted : collection of str, optional
        The columns to add; all in place of the keys when None.
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
"""A column that predicted mentions may have: the string of one that stands nowhere in its text, missing in
those that do. Such a one has the empty span at 0 and matches nothing.
"""
TEXT_COLUMNS = ("text_id", "document_id", "text")
MENTION_COLUMNS = ("mention_id", "text_id", "side", "start", "end", "type", "score")
OPTIONAL_TABLES = ("fragments", "alternatives", "normalisations", "relations", "equivalences")
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
    merged_count : int
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
    merged_count: int = 0

    @property
    def gold(self) -> pd.DataFrame:
        """The mentions of the gold side."""
        return self.mentions[self.mentions["side"] == "gold"]

    def with_mentions(self, mentions: pd.DataFrame) -> Corpus:
        """The same texts with other mentions (and no tables keyed by the old mention ids)."""
        return replace(
            self, mentions=mentions, fragments=None, normalisations=None, relations=None, equivalences=None
        )

    def add_features(self, mentions: pd.DataFrame, wanted: Collection[str] | None = None) -> pd.DataFrame:
        """Mentions of this corpus with the features that they share, looked up by their keys.

        Parameters
        ----------
        mentions : DataFrame
            All mentions or some; those without keys come back as they are.
        wanted : collection of str, optional
            The columns to add; all in place of the keys when None.
        """
        return join_feature_tables(mentions, self.features, wanted)

    def inline_features(self) -> Corpus:
        """The corpus with all features in the mentions themselves, and no keys."""
        if not self.features:
            return self
        return replace(self, mentions=self.add_features(self.mentions), features=())

    def _repr_html_(self) -> str:
        return format_texts_html(self.name, self.texts, self.mentions)


MAX_SHOWN_TEXTS = 10
"""Texts that a notebook shows of a corpus."""


def mark_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Escape a text and put its spans into ``<mark>``; of overlapping spans the longest hull.

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


def format_texts_html(name: str, all_texts: pd.DataFrame, mentions: pd.DataFrame) -> str:
    """Return a corpus's name and size, and its first texts with the mentions marked, as HTML."""
    texts = all_texts.head(MAX_SHOWN_TEXTS)
    chosen = mentions[mentions["text_id"].isin(texts["text_id"])]
    spans: dict[object, list[tuple[int, int]]] = {}
    for text_id, start, end in zip(chosen["text_id"], chosen["start"], chosen["end"], strict=True):
        spans.setdefault(text_id, []).append((int(start), int(end)))
    rows = "".join(
        f"<tr><td>{escape(str(text_id))}</td>"
        f"<td style='text-align:left'>{mark_spans(text, spans.get(text_id, ()))}</td></tr>"
        for text_id, text in zip(texts["text_id"], texts["text"], strict=True)
    )
    size = f"{len(all_texts):,} texts, {len(mentions):,} mentions"
    more = "" if len(texts) == len(all_texts) else f" (the first {len(texts)} are shown)"
    return f"<p><b>{escape(name)}</b>: {size}{more}</p><table>{rows}</table>"
