"""What is known of some texts and their gold mentions before any feature is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..catalogues.core.text import Flags, Ints, TextColumn
from .corpus import INVENTED
from .environment import Words, words
from .lists import Chains, chains
from .look_alikes import Carriers, carried
from .spans import checked_spans, covered, merge
from .splitting import Sentences, split, whole_texts


@dataclass(frozen=True)
class Scene:
    """Texts with their gold mentions.

    Attributes
    ----------
    column : TextColumn
        The texts.
    sentences : Sentences
        Units that the features are about.
    gold_starts, gold_ends : arrays of int64
        The places of the gold mentions in the column, in the caller's order.
    zones : two arrays of int64
        Starts and ends of the gold mentions, overlapping ones united.
    """

    column: TextColumn
    sentences: Sentences
    gold_starts: Ints
    gold_ends: Ints
    zones: tuple[Ints, Ints]

    @cached_property
    def covered(self) -> Flags:
        """Which characters lie in a gold mention."""
        return covered(self.column.size, *self.zones)

    @cached_property
    def zone_sentences(self) -> Ints:
        """The sentence of each zone."""
        return self.sentences.of(self.zones[0])

    @cached_property
    def chains(self) -> Chains:
        """The lists and appositives of the zones."""
        return chains(self.column, *self.zones, self.zone_sentences)

    @cached_property
    def carried(self) -> Carriers:
        """The tokens outside mentions and what they carry."""
        return carried(self.column, self.covered, self.sentences.starts)

    @cached_property
    def words(self) -> Words:
        """The words of the texts."""
        return words(self.column, *self.zones)


def surface_forms(texts: pd.DataFrame, mentions: pd.DataFrame) -> pd.Series:
    """The text that each mention covers, with the index of `mentions`; of one that stands nowhere its own."""
    if INVENTED in mentions:
        forms = mentions[INVENTED].astype("str")
        there = mentions[forms.isna()].drop(columns=INVENTED)
        return forms.fillna(surface_forms(texts, there)).astype("str")
    rows, starts, ends = checked_spans(texts, mentions)
    order = np.unique(rows)
    column = TextColumn(texts["text"].iloc[order].tolist())
    base = column.starts[np.searchsorted(order, rows)]
    distinct, index = column.distinct(base + starts, base + ends)
    return pd.Series(pd.Series(distinct, dtype="str").take(index).array, index=mentions.index, dtype="str")


def make_scene(
    texts: Sequence[str] | pd.Series, rows: Ints, starts: Ints, ends: Ints, *, divide: bool
) -> Scene:
    """Put texts and their gold mentions together; `divide` splits texts into sentences."""
    column = TextColumn(texts.tolist() if isinstance(texts, pd.Series) else texts)
    first, last = column.starts[rows] + starts, column.starts[rows] + ends
    zones = merge(first, last)
    sentences = split(column, *zones) if divide else whole_texts(column)
    return Scene(column, sentences, first, last, zones)
