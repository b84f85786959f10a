"""Choice of sentences to annotate in a raw corpus, with weights that keep estimates unbiased.

Active testing (Kossen, Farquhar, Gal and Rainforth 2021): sentences are drawn one by one without replacement,
and sentences with a larger expected loss are more likely to be drawn. Weights correct for this, so that
weighted means are unbiased for the pool, even if the model is wrong. A second round continues the draw of the
first round, and may use a model that is recalibrated on the sentences annotated so far.

The file of weights identifies a sentence by the checksum of its text, because annotation tools may change
identifiers and order. It stores the probability of each draw, from which the weights are computed when the
number of annotated sentences is known. The file of a later round includes the earlier rounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text, digest_bytes
from ....catalogues.core.tables import OutputFormat, format_frame, read_csv_frame
from ....catalogues.feature import Feature
from ....sentences.corpus import MENTION_COLUMNS, Corpus
from ..arrays import Ints, Numbers
from .composition import describe_mentions

WORD_PATTERN = re.compile(r"[^\s()\[\]{},;:\"']+")
NAME_PATTERN = re.compile(r"(?=.*[^\W\d_])(?:.*\d|.+[^\W\d_a-z])")
"""Pattern of words that look like names.

Such words contain a letter. They also contain a digit, or a letter other than a to z after the first
character.
"""
UNIFORM_SHARE = 0.2
"""Fraction of the drawing probability that is divided equally among all sentences, to limit the weights."""


def find_candidates(pool: Corpus, proposed: pd.DataFrame | None = None) -> pd.DataFrame:
    """Find possible mentions in a pool: annotated or predicted mentions, and words that look like names.

    Parameters
    ----------
    pool : Corpus
        Sentences. If they have annotated mentions, only the spans of these mentions are used.
    proposed : DataFrame, optional
        Mentions that a tagger predicted in the pool.

    Returns
    -------
    DataFrame
        Columns `MENTION_COLUMNS`, sorted by text.
    """
    sources = [frame for frame in (pool.mentions, proposed) if frame is not None and len(frame)]
    spans: dict[object, set[tuple[int, int]]] = {}
    for frame in sources:
        for name, start, end in zip(*(frame[c].tolist() for c in ("text_id", "start", "end")), strict=True):
            spans.setdefault(name, set()).add((start, end))
    ids: list[object] = []
    places: list[tuple[int, int]] = []
    for name, text in zip(pool.texts["text_id"].tolist(), pool.texts["text"].tolist(), strict=True):
        text_spans = spans.get(name, set())
        for match in WORD_PATTERN.finditer(text):
            start, end = match.start(), match.start() + len(match.group().rstrip(".!?"))
            if NAME_PATTERN.match(text[start:end]) and not any(s < end and start < e for s, e in text_spans):
                text_spans = text_spans | {(start, end)}
        ids += [name] * len(text_spans)
        places += sorted(text_spans)
    frame = pd.DataFrame(places, columns=["start", "end"], dtype=np.int64)
    frame = frame.assign(
        mention_id=np.arange(len(frame)),
        text_id=pd.Series(ids, dtype=pool.texts["text_id"].dtype),
        side=pd.Series(["gold"] * len(frame), dtype="str"),
        type=pd.Series([""] * len(frame), dtype="str"),
        score=np.nan,
    )
    return frame[list(MENTION_COLUMNS)]


def compute_expected_losses(
    predict: Callable[[pd.DataFrame], Numbers],
    features: Sequence[Feature],
    pool: Corpus,
    candidates: pd.DataFrame,
) -> Numbers:
    """Return the expected contribution of each sentence to the error of recall or precision.

    The contribution is √(Σ p (1 − p) + (Σ (p − R))²), where p is the predicted probability that a mention is
    right, R the mean of p over the pool, and the sums are over the mentions of the sentence.

    Parameters
    ----------
    predict : callable
        Function that takes a table of mentions and returns the probability that each mention is right.
    features : sequence of Feature
        Features that `predict` needs.
    pool : Corpus
    candidates : DataFrame
        Possible mentions: the result of `find_candidates` for recall, predicted mentions for precision.
    """
    size = len(pool.texts)
    if not len(candidates):
        return np.zeros(size)
    p = predict(describe_mentions(pool.with_mentions(candidates), candidates, features))
    row = pd.Index(pool.texts["text_id"]).get_indexer(pd.Index(candidates["text_id"]))
    variance = np.bincount(row, p * (1.0 - p), minlength=size)
    apart = np.bincount(row, p - p.mean(), minlength=size)
    return np.asarray(np.sqrt(variance + apart**2))


def draw_sentences(
    losses: Numbers, number: int, seed: int, drawn: Ints | None = None
) -> tuple[Ints, Numbers]:
    """Draw sentences without replacement.

    Parameters
    ----------
    losses : array
        Expected loss of each sentence.
    number : int
        Number of sentences to draw; it must not exceed the number that has not been drawn yet.
    seed : int
        Random seed. With the same seed and losses, two rounds draw the same sentences as one larger round.
    drawn : array, optional
        Row numbers of sentences that were drawn in earlier rounds; they are not drawn again.

    Returns
    -------
    rows : array
        Row numbers of the drawn sentences, in the order of drawing.
    probabilities : array
        Probability of each draw.
    """
    left = np.arange(len(losses))
    generator = np.random.Generator(np.random.PCG64(seed))
    if drawn is not None:
        left = np.delete(left, drawn)
        # skip the random numbers of earlier rounds
        generator.random(len(drawn))
    rows, probabilities = np.zeros(number, dtype=np.int64), np.zeros(number)
    for step, where in enumerate(generator.random(number).tolist()):
        mass, size = losses[left], len(left)
        whole = float(mass.sum())
        chance = (
            UNIFORM_SHARE / size + (1.0 - UNIFORM_SHARE) * mass / whole
            if whole > 0
            else np.full(size, 1 / size)
        )
        ends = chance.cumsum()
        at = min(int(ends.searchsorted(where * ends[-1], side="right")), size - 1)
        rows[step], probabilities[step] = left[at], chance[at]
        left = np.concatenate((left[:at], left[at + 1 :]))
    return rows, probabilities


def compute_lure_weights(probabilities: Numbers, pool: int) -> Numbers:
    """Return the weights of drawn sentences, by the levelled unbiased risk estimator (LURE).

    The weight of the m-th of M sentences, drawn with probability q from a pool of N sentences, is
    1 + (N − M) / (N − m) · (1 / ((N − m + 1) q) − 1).

    Parameters
    ----------
    probabilities : array
        Probability of each draw, in the order of drawing.
    pool : int
        Number of sentences in the pool.
    """
    number = len(probabilities)
    turn = np.arange(1, number + 1)
    # if all sentences are drawn, all weights are 1
    ahead = (pool - number) / np.maximum(pool - turn, 1)
    return np.asarray(1.0 + ahead * (1.0 / ((pool - turn + 1) * probabilities) - 1.0))


def take_sentences(pool: Corpus, rows: Ints) -> Corpus:
    """Return the drawn sentences as a corpus without mentions, in the order of drawing."""
    texts = pool.texts.iloc[rows].reset_index(drop=True)
    bare = replace(pool, texts=texts, alternatives=None, features=(), notes=())
    return bare.with_mentions(pool.mentions.iloc[:0].reset_index(drop=True))


COLUMNS = ("turn", "text_id", "text_sha256", "probability", "pool", "weight")
"""Columns of the file of weights; `weight` is valid if all sentences of the file are annotated."""
WEIGHTS_SUFFIX = ".weights.csv"


@dataclass(frozen=True)
class AnnotationPlan:
    """Sentences drawn from a pool in one or several rounds, in the order of drawing.

    Attributes
    ----------
    sentences : DataFrame
        Columns `text_id` (in the pool), `text_sha256` (checksum of the text) and `probability` (of the draw).
    pool : int
        Number of sentences in the pool.
    path : Path
        File of weights.
    """

    sentences: pd.DataFrame
    pool: int
    path: Path

    def take_first(self, number: int) -> AnnotationPlan:
        """Return a copy of the plan with only its first `number` sentences."""
        return replace(self, sentences=self.sentences.head(number))

    def extend(self, chosen: Corpus, probabilities: Numbers) -> AnnotationPlan:
        """Return a copy of the plan with further sentences at the end."""
        names, digests = chosen.texts["text_id"].astype("str"), _digest_texts(chosen)
        more = pd.DataFrame({"text_id": names, "text_sha256": digests, "probability": probabilities})
        return replace(self, sentences=pd.concat([self.sentences, more], ignore_index=True))

    @property
    def table(self) -> pd.DataFrame:
        """Content of the file of weights: columns `COLUMNS`, one row per sentence."""
        turn, weights = np.arange(1, len(self.sentences) + 1), self.compute_first_weights(len(self.sentences))
        return self.sentences.assign(turn=turn, pool=self.pool, weight=weights)[list(COLUMNS)]

    def compute_first_weights(self, number: int) -> Numbers:
        """Return the weights of the first `number` sentences if no other sentences are annotated."""
        return compute_lure_weights(self.sentences["probability"].to_numpy(np.float64)[:number], self.pool)

    def find_turns(self, corpora: Sequence[Corpus]) -> Ints:
        """Return the position of each annotated sentence in the plan, from 0; −1 if it is not in the plan."""
        place = {key: i for i, key in enumerate(_number_repeats(self.sentences["text_sha256"].tolist()))}
        keys = _number_repeats([digest for corpus in corpora for digest in _digest_texts(corpus)])
        return np.array([place.get(key, -1) for key in keys], dtype=np.int64)

    def compute_weights(self, corpora: Sequence[Corpus]) -> list[Numbers]:
        """Return the weights of annotated sentences, which must be the first sentences of the plan.

        Raises
        ------
        InputError
            If a sentence is not in the plan, or an earlier sentence of the plan is not annotated.
        """
        at = self.find_turns(corpora)
        if (at < 0).any():
            names = [name for corpus in corpora for name in corpus.texts["text_id"].tolist()]
            raise InputError(
                "all annotated sentences must be in the plan, with unchanged text",
                file=self.path,
                found=f"text {names[int(np.argmin(at))]}",
            )
        missing = np.setdiff1d(np.arange(len(at)), at)
        if len(missing):
            first = int(missing[0])
            raise InputError(
                "a sentence of the plan is not annotated, although later ones are; annotate sentences in the "
                "order of the plan, without gaps",
                file=self.path,
                line=first + 2,
                found=f"text {self.sentences['text_id'].iloc[first]}, sentence {first + 1} of the plan",
            )
        weights = self.compute_first_weights(len(at))[at]
        return np.split(weights, np.cumsum([len(corpus.texts) for corpus in corpora])[:-1])

    def find_pool_rows(self, pool: Corpus) -> Ints:
        """Return the row numbers of the drawn sentences in the pool.

        Raises
        ------
        InputError
            If the sentences were drawn from a different pool.
        """
        if len(pool.texts) != self.pool:
            raise InputError(
                f"the sentences were drawn from a different pool; this pool has {len(pool.texts)} sentences",
                file=self.path,
                found=f"a pool of {self.pool} sentences",
            )
        rows_by_digest: dict[str, dict[str, int]] = {}
        for row, (name, digest) in enumerate(
            zip(pool.texts["text_id"].tolist(), _digest_texts(pool), strict=True)
        ):
            rows_by_digest.setdefault(digest, {})[str(name)] = row
        rows = []
        drawn = self.sentences[["text_id", "text_sha256"]].itertuples(index=False, name=None)
        for turn, (name, digest) in enumerate(drawn, start=1):
            left = rows_by_digest.get(digest)
            if not left:
                raise InputError(
                    "a sentence is not in the pool; give the pool it was drawn from, with unchanged texts",
                    file=self.path,
                    line=turn + 1,
                    found=f"text {name}, sentence {turn} of the plan",
                )
            # of equal texts, prefer the one with the same identifier
            rows.append(left.pop(name if name in left else next(iter(left))))
        return np.array(rows, dtype=np.int64)


def make_weights_path(place: Path) -> Path:
    """Return the path of the file of weights that belongs to a file of chosen sentences."""
    return place.with_name(place.name + WEIGHTS_SUFFIX)


def make_empty_plan(pool: int, path: Path) -> AnnotationPlan:
    """Return a plan that has no sentences yet."""
    kinds = {"text_id": "str", "text_sha256": "str", "probability": "float64"}
    return AnnotationPlan(pd.DataFrame(columns=list(kinds)).astype(kinds), pool, path)


def write_plan(plan: AnnotationPlan) -> None:
    """Write a plan to its file of weights."""
    with atomic_text(plan.path) as stream:
        stream.write(format_frame(plan.table, OutputFormat.csv, spreadsheet=False))


def read_plan(path: Path) -> AnnotationPlan:
    """Read a plan from its file of weights.

    Raises
    ------
    InputError
        If the file is not a file of weights, or a row is invalid.
    """
    allowed = "a file that tagsuite calibrate --plan wrote"
    table = read_csv_frame(
        path,
        COLUMNS[:-1],
        f"{allowed}, with {', '.join(COLUMNS)}",
        dtype={"text_sha256": "str", "text_id": "str"},
    )
    numbers = table[["turn", "probability", "pool"]].apply(pd.to_numeric, errors="coerce")
    turn, chance, pool = (numbers[c].to_numpy(dtype=np.float64) for c in numbers)
    is_valid = (turn == np.arange(1, len(table) + 1)) & (chance > 0) & (chance <= 1) & (pool >= len(table))
    is_valid &= pool == pool[:1]
    if not is_valid.all():
        at = int(np.argmin(is_valid))
        found = ", ".join(f"{c} {table[c].iloc[at]}" for c in numbers)
        raise InputError(
            f"invalid row in a file of weights; give {allowed}", file=path, line=at + 2, found=found
        )
    sentences = table[["text_id", "text_sha256"]].assign(probability=chance)
    return AnnotationPlan(sentences, int(pool[0]) if len(pool) else 0, path)


def join_plans(
    plans: Sequence[AnnotationPlan | None], corpora: Sequence[Corpus]
) -> list[tuple[AnnotationPlan, list[int]]]:
    """Group corpora by the plan that contains the weights of their sentences.

    If the sentences of the corpora were drawn in several rounds, the plan of the last round contains the
    weights for all rounds.

    Parameters
    ----------
    plans : sequence of AnnotationPlan or None
        Plan of each corpus; None for a corpus that was not drawn for a plan.
    corpora : sequence of Corpus
    """
    # rounds of the same plan have the same first sentence
    families: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for number, plan in enumerate(plans):
        if plan is not None:
            first = tuple(plan.sentences["text_sha256"].head(1).tolist())
            families.setdefault((plan.pool, first), []).append(number)
    joined = []
    for members in families.values():
        candidates = {plan.path: plan for plan in (plans[i] for i in members) if plan is not None}
        own = [corpora[i] for i in members]
        all_turns = np.arange(sum(len(corpus.texts) for corpus in own))
        # a plan with sentences that are not annotated yet is longer and does not match
        by_length = sorted(candidates.values(), key=lambda plan: len(plan.sentences))
        matching = (p for p in by_length if np.array_equal(np.sort(p.find_turns(own)), all_turns))
        complete = next(matching, None)
        if complete is not None:
            joined.append((complete, members))
        else:
            joined += [
                (p, [i for i in members if (m := plans[i]) and m.path == p.path]) for p in candidates.values()
            ]
    return joined


def _number_repeats(digests: Sequence[str]) -> list[tuple[str, int]]:
    """Return each checksum with the number of its earlier occurrences, to distinguish equal texts."""
    seen: dict[str, count[int]] = {}
    return [(digest, next(seen.setdefault(digest, count()))) for digest in digests]


def _digest_texts(corpus: Corpus) -> list[str]:
    return [digest_bytes(" ".join(text.split()).encode()) for text in corpus.texts["text"].tolist()]
