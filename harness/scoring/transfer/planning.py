"""Planning: which sentences of a raw corpus to annotate next, and the weights that keep estimates unbiased.

Active testing (Kossen, Farquhar, Gal and Rainforth 2021): sentences are drawn one after the other, without
replacement, each with a probability that grows with the loss expected there, and weighed so that weighted
means are those of the whole pool in expectation, however good or bad the model is. What was annotated may
change what is drawn next: a second round goes on where the first ended.

The file of weights beside planned sentences names a sentence by the digest of its text, because tools for
annotation may change identifiers and order. It holds the probability of each draw: weights depend on how many
sentences were annotated in the end. The file of a later round holds the earlier ones too, because the draws
of all rounds are one sequence.
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
from ....catalogues.taxonomy import Feature
from ....sentences.corpus import MENTION_COLUMNS, Corpus
from ..arrays import Ints, Numbers
from .composition import describe_mentions

WORD_PATTERN = re.compile(r"[^\s()\[\]{},;:\"']+")
NAME_PATTERN = re.compile(r"(?=.*[^\W\d_])(?:.*\d|.+[^\W\d_a-z])")
"""A letter, and a digit or, after the first character, a letter that is no small Latin one."""
UNIFORM_SHARE = 0.2
"""The share of the probability that all sentences have alike, so that no weight can grow large."""


def find_candidates(pool: Corpus, proposed: pd.DataFrame | None = None) -> pd.DataFrame:
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
        `MENTION_FEATURE_COLUMNS`, by text.
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
        for match in WORD_PATTERN.finditer(text):
            start, end = match.start(), match.start() + len(match.group().rstrip(".!?"))
            if NAME_PATTERN.match(text[start:end]) and not any(s < end and start < e for s, e in own):
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


def compute_expected_losses(
    predict: Callable[[pd.DataFrame], Numbers],
    features: Sequence[Feature],
    pool: Corpus,
    candidates: pd.DataFrame,
) -> Numbers:
    """What each sentence is expected to add to the error of recall or precision.

    Of a sentence whose mentions have the probabilities p it is the root of what (found − R) squared is in
    expectation, R being their mean over the pool: the sum of p (1 − p), and the square of the sum of p − R.

    Parameters
    ----------
    predict : callable
        The probability that a mention with some features is right: of the suite's model, or recalibrated.
    features : sequence of Feature
        Those that it asks for.
    pool : Corpus
    candidates : DataFrame
        Where mentions may be: for recall its `candidates`, for precision what a tagger proposed there.
    """
    size = len(pool.texts)
    if not len(candidates):
        return np.zeros(size)
    p = predict(describe_mentions(pool.with_mentions(candidates), candidates, features))
    row = pd.Index(pool.texts["text_id"]).get_indexer(pd.Index(candidates["text_id"]))
    doubt = np.bincount(row, p * (1.0 - p), minlength=size)
    apart = np.bincount(row, p - p.mean(), minlength=size)
    return np.asarray(np.sqrt(doubt + apart**2))


def draw_sentences(
    losses: Numbers, number: int, seed: int, drawn: Ints | None = None
) -> tuple[Ints, Numbers]:
    """Draw sentences without replacement.

    Parameters
    ----------
    losses : array
        What each sentence is expected to add.
    number : int
        How many are drawn.
    seed : int
        With the same seed and losses two rounds draw what one of both their numbers draws.
    drawn : array, optional
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
    if drawn is not None:
        left = np.delete(left, drawn)
        # no chance decides twice: the next draw must not hang on those that it follows
        generator.random(len(drawn))
    if number > len(left):
        raise InputError(
            "more sentences are to be annotated than there are", found=number, allowed=str(len(left))
        )
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


def take_sentences(pool: Corpus, rows: Ints) -> Corpus:
    """The drawn sentences in their order, without mentions: what is to be annotated."""
    texts = pool.texts.iloc[rows].reset_index(drop=True)
    bare = replace(pool, texts=texts, alternatives=None, features=(), notes=())
    return bare.with_mentions(pool.mentions.iloc[:0].reset_index(drop=True))


COLUMNS = ("turn", "text_id", "text_sha256", "probability", "pool", "weight")
"""Those of the file; the weight is that where all sentences are annotated."""
WEIGHTS_SUFFIX = ".weights.csv"


@dataclass(frozen=True)
class AnnotationPlan:
    """Sentences drawn from a pool, in the order in which they were drawn, in one round or several.

    Attributes
    ----------
    names : tuple of str
        Their identifiers in the pool.
    digests : tuple of str
        Of their texts.
    probabilities : array
        That of each at its turn, among those that were left.
    pool : int
        How many sentences there were.
    path : Path
        The file.
    """

    names: tuple[str, ...]
    digests: tuple[str, ...]
    probabilities: Numbers
    pool: int
    path: Path

    def take_first(self, number: int) -> AnnotationPlan:
        """The first turns of it."""
        names, digests = self.names[:number], self.digests[:number]
        return replace(self, names=names, digests=digests, probabilities=self.probabilities[:number])

    def extend(self, chosen: Corpus, probabilities: Numbers) -> AnnotationPlan:
        """With sentences that were drawn after its own."""
        names = tuple(str(name) for name in chosen.texts["text_id"].tolist())
        every = np.concatenate((self.probabilities, probabilities))
        return replace(
            self,
            names=self.names + names,
            digests=(*self.digests, *_digest_texts(chosen)),
            probabilities=every,
        )

    @property
    def table(self) -> pd.DataFrame:
        """`COLUMNS`, a row a sentence."""
        columns = (
            np.arange(1, len(self.names) + 1),
            pd.Series(self.names, dtype="str"),
            pd.Series(self.digests, dtype="str"),
            self.probabilities,
            self.pool,
            compute_lure_weights(self.probabilities, self.pool),
        )
        return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))

    def find_turns(self, corpora: Sequence[Corpus]) -> Ints:
        """Where each sentence of some corpora stands in it, from 0; −1 where it does not."""
        place = {key: i for i, key in enumerate(_number_repeats(self.digests))}
        asked = _number_repeats([digest for corpus in corpora for digest in _digest_texts(corpus)])
        return np.array([place.get(key, -1) for key in asked], dtype=np.int64)

    def compute_weights(self, corpora: Sequence[Corpus]) -> list[Numbers]:
        """The weights of annotated sentences, the first ones of the plan or all.

        Raises
        ------
        InputError
            When one of them is not in the plan, or one that was drawn before others is not annotated.
        """
        at = self.find_turns(corpora)
        if (at < 0).any():
            names = [name for corpus in corpora for name in corpus.texts["text_id"].tolist()]
            raise InputError(
                "an annotated sentence is not in the plan",
                file=self.path,
                found=f"text {names[int(np.argmin(at))]}",
                allowed="the sentences of the plan, their text unchanged",
            )
        missing = np.setdiff1d(np.arange(len(at)), at)
        if len(missing):
            first = int(missing[0])
            raise InputError(
                "a sentence that was drawn before others is not annotated",
                file=self.path,
                line=first + 2,
                found=f"text {self.names[first]} of turn {first + 1}",
                allowed="the first sentences of the plan, without gaps, in one --annotated or several",
            )
        found = compute_lure_weights(self.probabilities[: len(at)], self.pool)[at]
        return np.split(found, np.cumsum([len(corpus.texts) for corpus in corpora])[:-1])

    def find_pool_rows(self, pool: Corpus) -> Ints:
        """The rows of the pool that were drawn.

        Raises
        ------
        InputError
            When they were drawn from another pool.
        """
        if len(pool.texts) != self.pool:
            raise InputError(
                "the annotated sentences are of another pool",
                file=self.path,
                found=f"weights in a pool of {self.pool} sentences",
                allowed=f"those of this pool, of {len(pool.texts)}",
            )
        alike: dict[str, dict[str, int]] = {}
        for row, (name, digest) in enumerate(
            zip(pool.texts["text_id"].tolist(), _digest_texts(pool), strict=True)
        ):
            alike.setdefault(digest, {})[str(name)] = row
        found = []
        for turn, (name, digest) in enumerate(zip(self.names, self.digests, strict=True), start=1):
            left = alike.get(digest)
            if not left:
                raise InputError(
                    "an annotated sentence is not in the pool",
                    file=self.path,
                    line=turn + 1,
                    found=f"text {name} of turn {turn}",
                    allowed="the pool that it was drawn from, its texts unchanged",
                )
            # of texts that are alike the one that was drawn, where identifiers are as they were
            found.append(left.pop(name if name in left else next(iter(left))))
        return np.array(found, dtype=np.int64)


def make_weights_path(place: Path) -> Path:
    """Where the weights of planned sentences stand: beside them."""
    return place.with_name(place.name + WEIGHTS_SUFFIX)


def make_empty_plan(pool: int, path: Path) -> AnnotationPlan:
    """A plan of which nothing is drawn yet."""
    return AnnotationPlan((), (), np.zeros(0), pool, path)


def write_plan(plan: AnnotationPlan) -> None:
    """Write the file of a plan."""
    with atomic_text(plan.path) as stream:
        stream.write(format_frame(plan.table, OutputFormat.csv, spreadsheet=False))


def read_plan(path: Path) -> AnnotationPlan:
    """Read the file of a plan.

    Raises
    ------
    InputError
        When it is none that was written for a plan.
    """
    allowed = "what tagsuite calibrate --plan wrote"
    table = read_csv_frame(
        path,
        COLUMNS[:-1],
        f"{allowed}, with {', '.join(COLUMNS)}",
        dtype={"text_sha256": "str", "text_id": "str"},
    )
    numbers = table[["turn", "probability", "pool"]].apply(pd.to_numeric, errors="coerce")
    turn, chance, pool = (numbers[c].to_numpy(dtype=np.float64) for c in numbers)
    right = (turn == np.arange(1, len(table) + 1)) & (chance > 0) & (chance <= 1) & (pool >= len(table))
    right &= pool == pool[:1]
    if not right.all():
        at = int(np.argmin(right))
        found = ", ".join(f"{c} {table[c].iloc[at]}" for c in numbers)
        raise InputError("not a row of a plan", file=path, line=at + 2, found=found, allowed=allowed)
    names, digests = (tuple(map(str, table[c].tolist())) for c in ("text_id", "text_sha256"))
    return AnnotationPlan(names, digests, chance, int(pool[0]) if len(pool) else 0, path)


def join_plans(
    plans: Sequence[AnnotationPlan | None], corpora: Sequence[Corpus]
) -> list[tuple[AnnotationPlan, list[int]]]:
    """Which corpora are weighed together, and by which plan.

    Rounds of the same draws are weighed by the file that holds them all.

    Parameters
    ----------
    plans : sequence of Plan
        That beside each corpus; None where there is none.
    corpora : sequence of Corpus
    """
    # rounds of the same draws begin with the same one
    families: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for number, plan in enumerate(plans):
        if plan is not None:
            families.setdefault((plan.pool, plan.digests[:1]), []).append(number)
    found = []
    for members in families.values():
        own = {plan.path: plan for plan in (plans[i] for i in members) if plan is not None}
        every = np.arange(sum(len(corpora[i].texts) for i in members))
        # one that was planned further without all of it being annotated is longer, and is not the one
        by_length = sorted(own.values(), key=lambda plan: len(plan.names))
        whole = next(
            (
                p
                for p in by_length
                if np.array_equal(np.sort(p.find_turns([corpora[i] for i in members])), every)
            ),
            None,
        )
        if whole is not None:
            found.append((whole, members))
        else:
            found += [(p, [i for i in members if (m := plans[i]) and m.path == p.path]) for p in own.values()]
    return found


def _number_repeats(digests: Sequence[str]) -> list[tuple[str, int]]:
    """Each with how often it stood before: the same text may be there more than once."""
    seen: dict[str, count[int]] = {}
    return [(digest, next(seen.setdefault(digest, count()))) for digest in digests]


def _digest_texts(corpus: Corpus) -> list[str]:
    return [digest_bytes(" ".join(text.split()).encode()) for text in corpus.texts["text"].tolist()]
