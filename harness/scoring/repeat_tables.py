"""Tables of repetitions and variants: flips, agreement and measures, and effects of options, by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.core.messages import say
from ...sentences.corpus import Corpus
from ..running.folder.runs import Run, read_run
from ..running.outcomes import ANSWERED
from ..running.repeats import repetitions
from .arrays import Ints, Numbers
from .classes import ALL, Class
from .comparison.suite_predictions import classes_of
from .options import ClassOptions, ScoringOptions
from .runs import Finished, Gold, score_asked, score_run
from .scores import Scores
from .statistics.design import Design, clusters, contexts, shared_design
from .statistics.groups import CROSSED, Groups
from .statistics.repeats import (
    agreement,
    flip_share,
    flipped,
    found_by,
    mean_share,
)
from .statistics.shares import Estimate
from .statistics.sums import Measure, class_sums, with_exact_f1
from .verdicts import Verdicts
from .views.false_alarms import of_texts, texts_with

MEASURES: tuple[Measure, ...] = ("recall", "precision", "f1")
REPEATS_SHOWN = (
    *("class", "cases", "flips", "flip_share", "flip_low", "flip_high", "agreement"),
    *("recall_any", "recall_all", "recall_majority"),
    *(f"{measure}{end}" for measure in MEASURES for end in ("", "_low", "_high")),
)
"""Columns of `repeats_of` that are printed for people; the measures are those of all repetitions together."""


def units_of(scores: Verdicts, notion: str) -> tuple[Numbers, Numbers]:
    """The units of each gold mention under a notion, and how many of them are found."""
    size = len(scores.gold)
    nowhere = np.full(len(scores.predicted), -1, dtype=np.int64)
    counts = scores.counts_by(np.arange(size), nowhere, size, notion, ALL)
    return counts.gold, counts.gold_matched


def score_alike(
    run: Run, gold: Gold, options: ScoringOptions, units: Numbers, classes: Sequence[Class]
) -> Scores:
    """Score a run under one notion; the units of the gold mentions are known from another run.

    Raises
    ------
    InputError
        When alternatives make the units of the two runs differ.
    """
    scores = score_run(run, gold, options, classes=classes)
    own, _ = units_of(scores, options.notions[0])
    if not np.array_equal(own, units):
        raise InputError(
            "repetitions and variants are counted against the same gold only",
            file=run.folder,
            allowed="--alternatives none",
        )
    return scores


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
class RepeatedScores:
    """All repetitions of a run, scored.

    Attributes
    ----------
    all_scores : tuple of Scores
        Of each repetition, with the classes.
    notion : str
    units : array
        Of each gold mention.
    right : array
        Gold mentions × repetitions: the units that were found.
    answers : array
        Texts × repetitions; see `answers_of`.
    """

    all_scores: tuple[Scores, ...]
    notion: str
    units: Numbers
    right: Numbers
    answers: NDArray[np.uint64]

    @classmethod
    def of(cls, scores: Scores, run: Run, notion: str = "strict") -> RepeatedScores:
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
        classes = classes_of(scores)
        found, right = [scores], [first]
        for other in runs[1:]:
            for line in other.failures_in_words():
                say(f"{run.name}, repetition {len(right) + 1}: {line}")
            found.append(score_alike(other, gold, options, units, classes))
            right.append(units_of(found[-1], notion)[1])
        answers = np.column_stack([answers_of(r, scores.corpus) for r in runs])
        return cls(tuple(found), notion, units, np.column_stack(right), answers)

    @property
    def scores(self) -> Scores:
        """The first repetition's."""
        return self.all_scores[0]

    @cached_property
    def designs(self) -> list[Design]:
        """What the mentions of each repetition share, by the same groups."""
        return shared_design(self.all_scores)

    @property
    def design(self) -> Design:
        """What the mentions of the first repetition share."""
        return self.designs[0]

    def measures(self, name: str) -> dict[Measure, Estimate]:
        """Recall, precision and F1 of a class over all repetitions."""
        sums = [
            class_sums(scores, design, self.notion, name)
            for scores, design in zip(self.all_scores, self.designs, strict=True)
        ]
        confidence = self.scores.options.confidence
        return with_exact_f1(
            {
                measure: mean_share([own[measure] for own in sums], self.design, confidence)
                for measure in sums[0]
            }
        )

    def cases(self, name: str) -> tuple[Ints, Groups]:
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
        at = 1 - self.design.names
        for number, way in enumerate(self.design.ways):
            # a text without the mention is in its place, and stands alone otherwise
            alone = self._places[more] if number == at else way.size + np.arange(len(more))
            groups[number] = np.concatenate([groups[number], alone])
        grouped = Groups(self.design.name, tuple(groups))
        return np.concatenate([rows, more]), grouped

    @cached_property
    def _places(self) -> Ints:
        """The context or document of each text, numbered as the design does it."""
        corpus = self.scores.corpus
        if self.design.name == CROSSED:
            return contexts(corpus)
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
        right, whole = self.right[inside], float(self.units[inside].sum())
        measured = self.measures(name)
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
            **{
                f"{measure}{end}": getattr(measured[measure], name)
                for measure in MEASURES
                for end, name in (("", "value"), ("_low", "low"), ("_high", "high"))
            },
            "interval": share.method,
            "recall_interval": measured["recall"].method,
        }

    def table(self) -> pd.DataFrame:
        """Return one row per class."""
        scores = self.scores
        whole = scores.table
        whole = whole[(whole["notion"] == scores.tally(self.notion).notion.name) & (whole["type"] == "all")]
        signatures = dict(zip(whole["class"], whole["signature"], strict=True))
        own = {"run": scores.run, "corpus": scores.corpus.name, "notion": self.notion}
        rows = [
            {**own, "class": name, **self.row(name), "signature": signatures[name]} for name in scores.names
        ]
        return whole_numbers(pd.DataFrame(rows))


def whole_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its number of gold units as whole numbers, where they are."""
    return table.astype({"gold": "int64"}) if bool((table["gold"] % 1 == 0).all()) else table


def repeats_of(run: Finished, options: ScoringOptions, asked: ClassOptions | None = None) -> pd.DataFrame:
    """Return flips, agreement and measures of a run's repetitions, a row per class; see ``docs/repeats.md``.

    Parameters
    ----------
    run : Run or path
        A run with repetitions.
    options : ScoringOptions
    asked : ClassOptions, optional
        Cases are those with a mention of the class.

    Raises
    ------
    InputError
        When the run has no repetitions, or one is missing.
    """
    found = read_run(run)
    asked = asked or ClassOptions()
    (scores,) = score_asked([found], options, asked)
    return RepeatedScores.of(scores, found, asked.notion).table()
