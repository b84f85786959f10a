"""Runs with repetitions, scored: flips, agreement and recall by class, and when there are enough of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from ..catalogues.core.tables import say
from ..sentences.corpus import Corpus
from .evaluation import Finished, Gold, score_run, score_runs
from .running.folder.runs import Run, read_run
from .running.repeats import Enough, repetitions
from .scoring.classes import ALL, Class
from .scoring.false_alarms import of_texts, texts_with
from .scoring.options import ScoringOptions
from .scoring.scores import Scores
from .scoring.statistics.design import CROSSED, Design, clusters, design_of
from .scoring.statistics.repeats import (
    Grouped,
    agreement,
    flip_share,
    flipped,
    found_by,
    half_width,
    mean_recall,
)
from .scoring.statistics.shares import Estimate
from .scoring.verdicts import Verdicts

ANSWERED = ("ok", "unaligned")
"""Outcomes of cases that have an answer."""
COLUMNS = (
    "run",
    "corpus",
    "class",
    "notion",
    "repeats",
    "cases",
    "flips",
    "flip_share",
    "flip_low",
    "flip_high",
    "agreement",
    "gold",
    "recall_any",
    "recall_all",
    "recall_majority",
    "recall",
    "recall_low",
    "recall_high",
    "interval",
    "recall_interval",
    "signature",
)
"""Columns of `repeats_of`; `recall` is the mean over repetitions."""
NOT_SHOWN = ("run", "corpus", "notion", "repeats", "gold", "interval", "recall_interval", "signature")
SHOWN = tuple(c for c in COLUMNS if c not in NOT_SHOWN)
"""What of these is printed for people."""

Numbers = NDArray[np.float64]
Ints = NDArray[np.int64]


def units_of(scores: Verdicts, notion: str) -> tuple[Numbers, Numbers]:
    """The units of each gold mention under a notion, and how many of them are found."""
    size = len(scores.gold)
    nowhere = np.full(len(scores.predicted), -1, dtype=np.int64)
    counts = scores.counts_by(np.arange(size), nowhere, size, notion, ALL)
    return counts.gold, counts.gold_matched


def answers_of(run: Run, corpus: Corpus) -> NDArray[np.uint64]:
    """A number for the answer to each text: equal where the same mentions were proposed, whatever the scores.

    A case without an answer (a crash, a time-out) is not the same as one that was answered with nothing.
    """
    mentions = run.predictions
    places = mentions[["start", "end", "type"]].astype({"type": "str"})
    hashed = pd.util.hash_pandas_object(places, index=False).to_numpy(dtype=np.uint64)
    if run.fragments is not None:
        rows = run.fragments
        each = pd.util.hash_pandas_object(rows[["start", "end"]], index=False).to_numpy(dtype=np.uint64)
        own = np.zeros(len(mentions), dtype=np.uint64)
        np.add.at(own, pd.Index(mentions["mention_id"]).get_indexer(rows["mention_id"]), each)
        # mixed once more, so that fragments belong to their mention
        hashed = pd.util.hash_array(hashed + pd.util.hash_array(own))
    texts = pd.Index(corpus.texts["text_id"])
    found = np.ones(len(texts), dtype=np.uint64)
    # the sum of a text's mentions, modulo 2**64: the same in any order
    np.add.at(found, _rows(texts, mentions["text_id"], run), hashed)
    silent = ~run.outcomes["outcome"].isin(ANSWERED).to_numpy(dtype=bool)
    found[_rows(texts, run.outcomes["case_id"], run)[silent]] = 0
    return found


def _rows(texts: pd.Index, ids: pd.Series, run: Run) -> Ints:
    """The text of each identifier."""
    rows = texts.get_indexer(pd.Index(ids))
    if (rows < 0).any():
        raise InputError("the run has texts that the gold has not", file=run.folder)
    return np.asarray(rows, dtype=np.int64)


@dataclass(frozen=True)
class Repeated:
    """All repetitions of a run, scored.

    Attributes
    ----------
    scores : Scores
        Of the first repetition, with the classes.
    notion : str
    units : array
        Of each gold mention.
    right : array
        Gold mentions × repetitions: the units that were found.
    answers : array
        Texts × repetitions; see `answers_of`.
    """

    scores: Scores
    notion: str
    units: Numbers
    right: Numbers
    answers: NDArray[np.uint64]

    @classmethod
    def of(cls, scores: Scores, run: Run, notion: str = "strict") -> Repeated:
        """The repetitions of a run whose first is scored already.

        Raises
        ------
        InputError
            When the run has none, or their golds differ.
        """
        if run.times < 2:
            raise InputError(
                "the run has no repetitions", file=run.folder, allowed="tagsuite run --times K, finished"
            )
        runs = repetitions(run)
        gold = Gold.of(scores.corpus, scores.gold_part)
        options = replace(scores.options, notions=(notion,))
        units, first = units_of(scores, notion)
        right = [first]
        for other in runs[1:]:
            for line in other.failures_in_words():
                say(f"{run.name}, repetition {len(right) + 1}: {line}")
            own, found = units_of(score_run(other, gold, options), notion)
            if not np.array_equal(own, units):
                raise InputError(
                    "repetitions are counted against the same gold only", allowed="--alternatives none"
                )
            right.append(found)
        answers = np.column_stack([answers_of(r, scores.corpus) for r in runs])
        return cls(scores, notion, units, np.column_stack(right), answers)

    @cached_property
    def design(self) -> Design:
        """What mentions share."""
        return design_of(self.scores)

    def cases(self, name: str) -> tuple[Ints, Grouped]:
        """The texts of a class, and what they share.

        They are those with a gold mention of it, grouped by the first such mention; of everything all texts,
        and of a class of contexts those without gold mentions too.
        """
        scores = self.scores
        mentions = np.flatnonzero(scores.masks(name)[0])
        start = scores.gold["start"].to_numpy(dtype=np.int64)[mentions]
        mentions = mentions[np.lexsort((start, scores.gold_row[mentions]))]
        rows, first = np.unique(scores.gold_row[mentions], return_index=True)
        groups = [way.gold[mentions[first]] for way in self.design.ways]
        more = np.setdiff1d(self._bare(name), rows)
        at = 1 if self.design.name == CROSSED else 0
        for number, way in enumerate(self.design.ways):
            # a text without the mention is in its place, and stands alone otherwise
            alone = self._places[more] if number == at else way.size + np.arange(len(more))
            groups[number] = np.concatenate([groups[number], alone])
        entity, place, pair = groups
        grouped = Grouped((entity, place, pair), self.design.name, self.design.common)
        return np.concatenate([rows, more]), grouped

    @cached_property
    def _places(self) -> Ints:
        """The context or document of each text, numbered as the design does it."""
        corpus = self.scores.corpus
        if self.design.name == CROSSED:
            return np.asarray(
                pd.factorize(corpus.texts["context_id"], use_na_sentinel=False)[0], dtype=np.int64
            )
        return clusters(corpus)[0]

    def _bare(self, name: str) -> Ints:
        """The texts that belong to a class whether or not they have a gold mention of it."""
        texts = np.arange(len(self.scores.corpus.texts))
        if name == ALL:
            return texts
        one = next((c for c in self.scores.classes if c.name == name), None)
        if one is None or not one.query.features or not of_texts(one):
            return texts[:0]
        empty = np.setdiff1d(texts, self.scores.gold_row)
        inside = one.query.evaluate(texts_with(self.scores, empty, one.query.columns))
        return np.asarray(empty[inside], dtype=np.int64)

    def flips(self, name: str, confidence: float) -> tuple[Estimate, int]:
        """The share of a class's cases that were not answered alike, and how many cases it is of."""
        rows, grouped = self.cases(name)
        return flip_share(flipped(self.answers[rows]), grouped, confidence), len(rows)

    def flipping(self, name: str) -> tuple[Ints, Ints]:
        """The texts of a class that flip, in order, and how many different answers each has."""
        rows = np.sort(self.cases(name)[0])
        rows = rows[flipped(self.answers[rows])]
        ordered = np.sort(self.answers[rows], axis=1)
        return rows, 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)

    def row(self, name: str) -> dict[str, object]:
        """A class's row, with the columns from `repeats` on."""
        confidence = self.scores.options.confidence
        rows, grouped = self.cases(name)
        answers = self.answers[rows]
        flips = flipped(answers)
        share = flip_share(flips, grouped, confidence)
        inside = self.scores.masks(name)[0]
        right, units = self.right[inside], self.units[inside]
        ways = Grouped.of(self.design.ways, inside, self.design.name, self.design.common)
        recall = mean_recall(right, units, ways, confidence)
        whole = float(units.sum())
        by = {f"recall_{k}": float(v.sum()) / whole if whole else np.nan for k, v in found_by(right).items()}
        return {
            "repeats": self.right.shape[1],
            "cases": len(rows),
            "flips": int(flips.sum()),
            "flip_share": share.value,
            "flip_low": share.low,
            "flip_high": share.high,
            "agreement": agreement(answers),
            "gold": whole,
            **by,
            "recall": recall.value,
            "recall_low": recall.low,
            "recall_high": recall.high,
            "interval": share.method,
            "recall_interval": recall.method,
        }

    def table(self) -> pd.DataFrame:
        """A row a class; see `COLUMNS`."""
        scores = self.scores
        whole = scores.table
        whole = whole[(whole["notion"] == scores.tally(self.notion).notion.name) & (whole["type"] == "all")]
        signatures = dict(zip(whole["class"], whole["signature"], strict=True))
        own = {"run": scores.run, "corpus": scores.corpus.name, "notion": self.notion}
        rows = [
            {**own, "class": name, **self.row(name), "signature": signatures[name]} for name in scores.names
        ]
        return whole_numbers(pd.DataFrame(rows, columns=list(COLUMNS)))


def whole_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its number of gold units as whole numbers, where they are."""
    return table.astype({"gold": "int64"}) if bool((table["gold"] % 1 == 0).all()) else table


def repeats_of(
    run: Finished,
    options: ScoringOptions,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
    notion: str = "strict",
    gold: str | Corpus = "",
) -> pd.DataFrame:
    """Flips, agreement and recall of a run's repetitions, a row a class; see ``docs/repeats.md``.

    Parameters
    ----------
    run : Run or path
        A run with repetitions.
    options : ScoringOptions
    classes, by
        What divides mentions; cases are those with a mention of the class.
    notion : str
    gold : str or Corpus
        What is scored against, where it is not the run's own input.

    Raises
    ------
    InputError
        When the run has no repetitions, or one is missing.
    """
    found = read_run(run)
    options = replace(options, notions=(notion,))
    scores = score_runs([found], options, classes=classes, by=by, gold=gold)[0]
    return Repeated.of(scores, found, notion).table()


def looks(times: int) -> list[int]:
    """After how many repetitions it is looked whether they are enough: a schedule that is fixed beforehand.

    Examples
    --------
    >>> looks(10), looks(2)
    ([2, 4, 8], [])
    """
    return [2**k for k in range(1, times.bit_length()) if 2**k < times]


def enough_when(until: float, times: int, source: str, *, confidence: float = 0.95) -> Enough:
    """Whether the interval of mean recall over repetitions is narrow enough, at one of the `looks`.

    Each look has its part of the error (Bonferroni), so that the interval at which it stops holds as promised
    although it was looked at several times. The interval is of these very cases: what repetitions differ by.

    Parameters
    ----------
    until : float
        Half the width of the interval.
    times : int
        Repetitions at most.
    source : str
        What the tagger is run over; it needs gold mentions.
    confidence : float
        Of the interval.

    Raises
    ------
    InputError
        When `until` is out of range, there is nothing to stop early, or no gold mention.
    """
    if not 0.0 < until < 1.0:
        raise InputError("--until is out of range", found=until, allowed="more than 0, less than 1")
    if times < 2:
        raise InputError(
            "--until stops repetitions early", found=f"{times} of them", allowed="--times K with it"
        )
    gold = Gold.read(source)
    if not len(gold.corpus.mentions):
        raise InputError("--until needs gold mentions: recall is of these", file=source)
    options = ScoringOptions(notions=("strict",))
    planned = looks(times)
    level = 1.0 - (1.0 - confidence) / max(len(planned), 1)
    columns: list[Numbers] = []

    def enough(done: Sequence[Run]) -> str:
        if len(done) not in planned:
            return ""
        for run in done[len(columns) :]:
            units, right = units_of(score_run(run, gold, options), "strict")
            columns.append(right)
        right = np.column_stack(columns)
        half = half_width(right, units, level)
        if half > until:
            return ""
        recall = float(right.sum()) / float(units.sum()) / len(done)
        return (
            f"stopped after {len(done)} of {times} repetitions: mean recall {recall:.4f}, give or take "
            f"{half:.4f} (asked: {until:g}); confidence {confidence:g} over looks after "
            f"{', '.join(map(str, planned))}, {level:.4g} at each"
        )

    return enough
