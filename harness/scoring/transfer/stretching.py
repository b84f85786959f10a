"""Stretched mentions: a suite's names with the words beside them that other guidelines put inside names.

Whether "gene" belongs to "the p53 gene", or "human" to "human p53", is for a corpus's guideline to say, and
corpora differ. A tagger has one habit, and shows it on a suite: where the suite's name is followed by such a
word, its output also tells whether the longer name would have been found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ....sentences.corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from ....sentences.words import gene_words, word_list
from ..arrays import Ints
from ..engine import score
from ..scores import Scores

BEHIND = re.compile(r" ([A-Za-z]+)(?![\w-])")
BEFORE = re.compile(r"(?<![\w-])([\w-]+) $")
NEAR = 40
"""Characters before a name in which the word before it is looked for."""


@dataclass(frozen=True)
class Stretched:
    """A scoring in which some names are longer.

    Attributes
    ----------
    rows : array
        The mentions that are, by their place in the suite's gold.
    scores : Scores
        Of all mentions, in that order.
    """

    rows: Ints
    scores: Scores


def stretched(suite: Scores, notion: str) -> Iterator[Stretched]:
    """The suite scored again: names stretched over the word behind, over the organism before, and over both.

    Parameters
    ----------
    suite : Scores
    notion : str
    """
    gold = suite.gold.reset_index(drop=True)
    starts, ends = _reaches(suite.corpus, gold)
    begins, stops = (gold[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    before, behind = starts < begins, ends > stops
    texts = suite.corpus.texts[list(TEXT_COLUMNS)]
    options = replace(suite.options, notions=(notion,), alternatives="none", type_map={})
    for longer, low, high in (
        (behind, begins, ends),
        (before, starts, stops),
        (before & behind, starts, ends),
    ):
        if not longer.any():
            continue
        new = gold.assign(
            start=np.where(longer, low, begins),
            end=np.where(longer, high, stops),
            mention_id=range(len(gold)),
        )
        corpus = Corpus(suite.corpus.name, texts, new[list(MENTION_COLUMNS)])
        yield Stretched(np.flatnonzero(longer), score(corpus, suite.predicted, options, run=suite.run))


def _reaches(corpus: Corpus, gold: pd.DataFrame) -> tuple[Ints, Ints]:
    """How far each mention could reach on either side without touching another."""
    texts = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    spans = list(zip(gold["text_id"], gold["start"], gold["end"], strict=True))
    of_text: dict[object, list[tuple[int, int]]] = {}
    for name, start, end in spans:
        of_text.setdefault(name, []).append((start, end))
    starts, ends = [], []
    for name, start, end in spans:
        low, high, text = start, end, texts[name]
        word = BEHIND.match(text, end)
        if word and word[1].lower() in gene_words("head"):
            high = word.end()
        first = max(start - NEAR, 0)
        word = BEFORE.search(text[first:start])
        if word and word[1].lower() in word_list("species"):
            low = first + word.start()
        others = [span for span in of_text[name] if span != (start, end)]
        starts.append(start if any(s < start and low < e for s, e in others) else low)
        ends.append(end if any(s < high and end < e for s, e in others) else high)
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
