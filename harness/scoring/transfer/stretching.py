"""Longer versions of the names in a suite, for scoring a tagger under other annotation guidelines.

Annotation guidelines differ on whether "gene" in "the p53 gene" or "human" in "human p53" belongs to the
name. If a name in the suite is next to such a word, the output of the tagger also shows whether it would have
found the longer (*stretched*) name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from ....sentences.corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from ....sentences.words import read_gene_words, read_word_list
from ..arrays import Ints
from ..engine import score
from ..scores import Scores

FOLLOWING_WORD = re.compile(r" ([A-Za-z]+)(?![\w-])")
PRECEDING_WORD = re.compile(r"(?<![\w-])([\w-]+) $")
MAX_PRECEDING_CHARACTERS = 40
"""Maximum length of the word before a name, including the space after it, in characters."""


def score_stretched(suite: Scores, notion: str) -> Iterator[tuple[Ints, Scores]]:
    """Score a suite after extending names by the following head word, the preceding organism, or both.

    Yields the positions of the stretched mentions among the gold mentions, and the scores of the suite.
    """
    gold = suite.gold.reset_index(drop=True)
    starts, ends = _find_reach(suite.corpus, gold)
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
        yield np.flatnonzero(longer), score(corpus, suite.predicted, options, run=suite.run)


def _find_reach(corpus: Corpus, gold: pd.DataFrame) -> tuple[Ints, Ints]:
    """Return the start and end of each mention after stretching it without overlapping other mentions."""
    texts = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    spans = list(zip(gold["text_id"], gold["start"], gold["end"], strict=True))
    spans_by_text: dict[object, list[tuple[int, int]]] = {}
    for name, start, end in spans:
        spans_by_text.setdefault(name, []).append((start, end))
    starts, ends = [], []
    for name, start, end in spans:
        low, high, text = start, end, texts[name]
        word = FOLLOWING_WORD.match(text, end)
        if word and word[1].lower() in read_gene_words("head"):
            high = word.end()
        first = max(start - MAX_PRECEDING_CHARACTERS, 0)
        word = PRECEDING_WORD.search(text[first:start])
        if word and word[1].lower() in read_word_list("species"):
            low = first + word.start()
        others = [span for span in spans_by_text[name] if span != (start, end)]
        starts.append(start if any(s < start and low < e for s, e in others) else low)
        ends.append(end if any(s < high and end < e for s, e in others) else high)
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
