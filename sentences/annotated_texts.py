"""Texts with gold mentions, and the sentences, words, lists and tokens needed to compute features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..catalogues.core.text import Flags, Ints, TextColumn
from .corpus import INVENTED_COLUMN
from .lists import MentionChains, find_chains
from .look_alikes import CarrierTokens, find_carrier_tokens
from .mention_surroundings import WordSpans, find_words
from .sentence_splitter import SentenceSpans, split_sentences, texts_as_sentences
from .spans import locate_checked_spans, mark_covered, merge_intervals


@dataclass(frozen=True)
class AnnotatedTexts:
    """Texts with their gold mentions.

    Attributes
    ----------
    column : TextColumn
        All texts, concatenated.
    sentences : SentenceSpans
        Sentences for which context features are computed.
    gold_starts, gold_ends : arrays of int64
        Start and end offsets of the gold mentions in `column`, in the order given to `make_annotated_texts`.
    zones : two arrays of int64
        Start and end offsets of the zones. A zone is a gold mention, or the union of overlapping ones.
    """

    column: TextColumn
    sentences: SentenceSpans
    gold_starts: Ints
    gold_ends: Ints
    zones: tuple[Ints, Ints]

    @cached_property
    def is_covered(self) -> Flags:
        """Boolean array that is True for each character inside a gold mention."""
        return mark_covered(self.column.size, *self.zones)

    @cached_property
    def zone_sentences(self) -> Ints:
        """Index of the sentence that contains each zone."""
        return self.sentences.index_at(self.zones[0])

    @cached_property
    def chains(self) -> MentionChains:
        """Lists and appositives formed by the gold mentions."""
        return find_chains(self.column, *self.zones, self.zone_sentences)

    @cached_property
    def carriers(self) -> CarrierTokens:
        """All tokens outside gold mentions, with the features that make some of them look like names."""
        return find_carrier_tokens(self.column, self.is_covered, self.sentences.starts)

    @cached_property
    def words(self) -> WordSpans:
        """Spans of all words in the texts."""
        return find_words(self.column, *self.zones)


def get_surface_forms(texts: pd.DataFrame, mentions: pd.DataFrame) -> pd.Series:
    """Return the surface form of each mention, as a series with the index of `mentions`.

    If a predicted mention does not occur in its text, its surface form is the string that the tagger
    returned.
    """
    if INVENTED_COLUMN in mentions:
        forms = mentions[INVENTED_COLUMN].astype("str")
        located = mentions[forms.isna()].drop(columns=INVENTED_COLUMN)
        return forms.fillna(get_surface_forms(texts, located)).astype("str")
    rows, starts, ends = locate_checked_spans(texts, mentions)
    order = np.unique(rows)
    column = TextColumn(texts["text"].iloc[order].tolist())
    base = column.starts[np.searchsorted(order, rows)]
    distinct, index = column.distinct_pieces(base + starts, base + ends)
    return pd.Series(pd.Series(distinct, dtype="str").take(index).array, index=mentions.index, dtype="str")


def make_annotated_texts(
    texts: pd.Series, rows: Ints, starts: Ints, ends: Ints, *, split: bool
) -> AnnotatedTexts:
    """Return texts with their gold mentions and sentences.

    Parameters
    ----------
    texts : Series
        Contents of the texts.
    rows, starts, ends : arrays of int64
        Index of the text, start offset and end offset of each gold mention.
    split : bool
        Whether to split the texts into sentences; otherwise each text counts as one sentence.
    """
    column = TextColumn(texts.tolist())
    first, last = column.starts[rows] + starts, column.starts[rows] + ends
    zones = merge_intervals(first, last)
    sentences = split_sentences(column, *zones) if split else texts_as_sentences(column)
    return AnnotatedTexts(column, sentences, first, last, zones)
