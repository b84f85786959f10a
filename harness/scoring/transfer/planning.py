"""Planning: which sentences of a raw corpus to annotate next, and the weights that keep estimates unbiased.

Active testing (Kossen, Farquhar, Gal and Rainforth 2021): sentences are drawn one after the other, without
replacement, each with a probability that grows with the loss expected there, and weighed so that weighted
means are those of the whole pool in expectation, however good or bad the model is. What was annotated may
change what is drawn next: a second round goes on where the first ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.taxonomy import Feature
from ....sentences.corpus import MENTION_COLUMNS, Corpus
from ..arrays import Ints, Numbers
from .forms import described

WORDS = re.compile(r"[^\s()\[\]{},;:\"']+")
LIKE_A_NAME = re.compile(r"(?=.*[^\W\d_])(?:.*\d|.+[^\W\d_a-z])")
"""A letter, and a digit or, after the first character, a letter that is no small Latin one."""
EVEN = 0.2
"""The share of the probability that all sentences have alike, so that no weight can grow large."""


def candidates(pool: Corpus, proposed: pd.DataFrame | None = None) -> pd.DataFrame:
    """Where a pool may have mentions: what is marked or was proposed, and what is formed like a name.

    Parameters
    ----------
    pool : Corpus
        Its own mentions, if there are any, count as places only.
    proposed : DataFrame, optional
        Mentions that a tagger proposed there.

    Returns
    -------
    DataFrame
        `MENTION_COLUMNS`, by text.
    """
    known = [frame for frame in (pool.mentions, proposed) if frame is not None and len(frame)]
    spans: dict[object, set[tuple[int, int]]] = {}
    for frame in known:
        for name, start, end in zip(*(frame[c].tolist() for c in ("text_id", "start", "end")), strict=True):
            spans.setdefault(name, set()).add((start, end))
    ids: list[object] = []
    places: list[tuple[int, int]] = []
    for name, text in zip(pool.texts["text_id"].tolist(), pool.texts["text"].tolist(), strict=True):
        own = spans.get(name, set())
        for match in WORDS.finditer(text):
            start, end = match.start(), match.start() + len(match.group().rstrip(".!?"))
            if LIKE_A_NAME.match(text[start:end]) and not any(s < end and start < e for s, e in own):
                own = own | {(start, end)}
        ids += [name] * len(own)
        places += sorted(own)
    frame = pd.DataFrame(places, columns=["start", "end"], dtype=np.int64)
    frame = frame.assign(
        mention_id=np.arange(len(frame)),
        text_id=pd.Series(ids, dtype=pool.texts["text_id"].dtype),
        side=pd.Series(["gold"] * len(frame), dtype="str"),
        type=pd.Series([""] * len(frame), dtype="str"),
        score=np.nan,
    )
    return frame[list(MENTION_COLUMNS)]


def expected_losses(
    foreseen: Callable[[pd.DataFrame], Numbers],
    features: Sequence[Feature],
    pool: Corpus,
    found: pd.DataFrame,
) -> Numbers:
    """What each sentence is expected to add to the error of recall or precision.

    Of a sentence whose mentions have the probabilities p it is the root of what (found − R) squared is in
    expectation, R being their mean over the pool: the sum of p (1 − p), and the square of the sum of p − R.

    Parameters
    ----------
    foreseen : callable
        The probability that a mention with some features is right: of the suite's model, or recalibrated.
    features : sequence of Feature
        Those that it asks for.
    pool : Corpus
    found : DataFrame
        Where mentions may be: for recall its `candidates`, for precision what a tagger proposed there.
    """
    size = len(pool.texts)
    if not len(found):
        return np.zeros(size)
    p = foreseen(described(pool.with_mentions(found), found, features))
    row = pd.Index(pool.texts["text_id"]).get_indexer(pd.Index(found["text_id"]))
    doubt = np.bincount(row, p * (1.0 - p), minlength=size)
    apart = np.bincount(row, p - p.mean(), minlength=size)
    return np.asarray(np.sqrt(doubt + apart**2))


def drawn(losses: Numbers, number: int, seed: int, before: Ints | None = None) -> tuple[Ints, Numbers]:
    """Draw sentences without replacement.

    Parameters
    ----------
    losses : array
        What each sentence is expected to add.
    number : int
        How many are drawn.
    seed : int
        With the same seed and losses two rounds draw what one of both their numbers draws.
    before : array, optional
        The sentences that were drawn in earlier rounds: they are not drawn again.

    Returns
    -------
    rows : array
        The sentences, in the order in which they were drawn.
    probabilities : array
        That of each at its turn, among those that were left.

    Raises
    ------
    InputError
        When fewer sentences are left.
    """
    left = np.arange(len(losses))
    generator = np.random.Generator(np.random.PCG64(seed))
    if before is not None:
        left = np.delete(left, before)
        # no chance decides twice: the next draw must not hang on those that it follows
        generator.random(len(before))
    if number > len(left):
        raise InputError(
            "more sentences are to be annotated than there are", found=number, allowed=str(len(left))
        )
    rows, probabilities = np.zeros(number, dtype=np.int64), np.zeros(number)
    for step, where in enumerate(generator.random(number).tolist()):
        mass, size = losses[left], len(left)
        whole = float(mass.sum())
        chance = EVEN / size + (1.0 - EVEN) * mass / whole if whole > 0 else np.full(size, 1 / size)
        ends = chance.cumsum()
        at = min(int(ends.searchsorted(where * ends[-1], side="right")), size - 1)
        rows[step], probabilities[step] = left[at], chance[at]
        left = np.concatenate((left[:at], left[at + 1 :]))
    return rows, probabilities


def lure(probabilities: Numbers, pool: int) -> Numbers:
    """The weights of sentences drawn in this order (the levelled unbiased risk estimator).

    v = 1 + (N − M) / (N − m) · (1 / ((N − m + 1) q) − 1), for the sentence drawn as the m-th of M,
    of N in the pool, with the probability q.

    Parameters
    ----------
    probabilities : array
        That of each at its turn, in the order in which they were drawn.
    pool : int
        How many sentences there were.
    """
    number = len(probabilities)
    turn = np.arange(1, number + 1)
    # where all are drawn all weigh the same
    ahead = (pool - number) / np.maximum(pool - turn, 1)
    return np.asarray(1.0 + ahead * (1.0 / ((pool - turn + 1) * probabilities) - 1.0))


def planned(pool: Corpus, rows: Ints) -> Corpus:
    """The drawn sentences in their order, without mentions: what is to be annotated."""
    texts = pool.texts.iloc[rows].reset_index(drop=True)
    bare = replace(pool, texts=texts, alternatives=None, features=(), notes=())
    return bare.with_mentions(pool.mentions.iloc[:0].reset_index(drop=True))
