"""Tables about repeated runs: flips (cases whose answers differ), agreement and measures per class."""

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
from ..running.outcomes import ANSWERED_OUTCOMES
from ..running.repeats import read_repetitions
from .arrays import Ints, Numbers
from .classes import ALL, Class
from .comparison.suite_predictions import list_classes
from .options import ClassOptions, ScoringOptions
from .score_runs import GoldCorpus, RunSource, score_one_notion, score_run
from .scores import Scores
from .statistics.design import Design, make_shared_designs, number_contexts, number_documents
from .statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from .statistics.repeats import (
    compute_agreement,
    count_found,
    estimate_flip_share,
    estimate_mean_share,
    find_flips,
)
from .statistics.shares import Estimate
from .statistics.sums import Measure, adjust_f1, sum_class
from .table import select_notion_rows
from .verdicts import Verdicts
from .views.false_alarms import describe_texts, is_text_class

MEASURES: tuple[Measure, ...] = ("recall", "precision", "f1")
PRINTED_REPEAT_COLUMNS = (
    *("class", "cases", "flips", "flip_share", "flip_low", "flip_high", "agreement"),
    *("recall_any", "recall_all", "recall_majority"),
    *(f"{measure}{end}" for measure in MEASURES for end in ("", "_low", "_high")),
)
"""Columns of `summarise_repeats` that are printed on the terminal."""


def count_gold_units(scores: Verdicts, notion: str) -> tuple[Numbers, Numbers]:
    """Return the number of units, and of matched units, of each gold mention under a notion."""
    size = len(scores.gold)
    nowhere = np.full(len(scores.predicted), -1, dtype=np.int64)
    counts = scores.count_by_code(np.arange(size), nowhere, size, notion, ALL)
    return counts.gold, counts.gold_matched


def score_repetition(
    run: Run, gold: GoldCorpus, options: ScoringOptions, units: Numbers, classes: Sequence[Class]
) -> Scores:
    """Score a repetition or variant of a run; its gold units must be the same as in the first run.

    Raises
    ------
    InputError
        If the gold units differ from those of the first run, which is possible if alternatives are used.
    """
    scores = score_run(run, gold, options, classes=classes)
    own, _ = count_gold_units(scores, options.notions[0])
    if not np.array_equal(own, units):
        raise InputError(
            "with alternative gold mentions, the repetitions or variants of this run differ in the number of "
            "gold mentions; use --alternatives none",
            file=run.folder,
        )
    return scores


def hash_answers(run: Run, corpus: Corpus) -> NDArray[np.uint64]:
    """Return one hash per text; answers with the same spans and types have the same hash.

    The hash of a case without an answer (crash, time-out) differs from that of an answer without mentions.
    """
    mentions = run.predictions
    places = mentions[["start", "end", "type"]].astype({"type": "str"})
    hashed = pd.util.hash_pandas_object(places, index=False).to_numpy(dtype=np.uint64)
    if run.fragments is not None:
        rows = run.fragments
        each = pd.util.hash_pandas_object(rows[["start", "end"]], index=False).to_numpy(dtype=np.uint64)
        fragment_sums = np.zeros(len(mentions), dtype=np.uint64)
        np.add.at(fragment_sums, pd.Index(mentions["mention_id"]).get_indexer(rows["mention_id"]), each)
        # hashed again, so that the hash depends on which fragments belong to which mention
        hashed = pd.util.hash_array(hashed + pd.util.hash_array(fragment_sums))
    texts = pd.Index(corpus.texts["text_id"])
    hashes = np.ones(len(texts), dtype=np.uint64)
    # sum over the mentions of a text, modulo 2**64: does not depend on their order
    np.add.at(hashes, _find_text_rows(texts, mentions["text_id"], run), hashed)
    silent = ~run.outcomes["outcome"].isin(ANSWERED_OUTCOMES).to_numpy(dtype=bool)
    hashes[_find_text_rows(texts, run.outcomes["case_id"], run)[silent]] = 0
    return hashes


def _find_text_rows(texts: pd.Index, ids: pd.Series, run: Run) -> Ints:
    """Return the position of each text of the run in `texts`, the identifiers of the texts in the corpus."""
    rows = texts.get_indexer(pd.Index(ids))
    if (rows < 0).any():
        raise InputError("the run contains texts that are not in the gold corpus", file=run.folder)
    return np.asarray(rows, dtype=np.int64)


@dataclass(frozen=True)
class RepeatedScores:
    """Scores of all repetitions of a run.

    Attributes
    ----------
    repetitions : tuple of Scores
        Scores of each repetition.
    notion : str
        Notion under which units are counted.
    units : array
        Number of units of each gold mention.
    matched_units : array
        Number of matched units of each gold mention in each repetition (gold mentions × repetitions).
    answers : array
        Hash of the answer to each text in each repetition (texts × repetitions); see `hash_answers`.
    """

    repetitions: tuple[Scores, ...]
    notion: str
    units: Numbers
    matched_units: Numbers
    answers: NDArray[np.uint64]

    @classmethod
    def from_run(cls, scores: Scores, run: Run, notion: str = "strict") -> RepeatedScores:
        """Score the repetitions of a run, given the scores of the first repetition.

        Raises
        ------
        InputError
            If the run has no repetitions, or the gold units of the repetitions differ.
        """
        if run.times < 2:
            raise InputError("the run has no repetitions; run the tagger with --times K", file=run.folder)
        runs = read_repetitions(run)
        gold = GoldCorpus.from_corpus(scores.corpus, scores.gold_part)
        options = replace(scores.options, notions=(notion,))
        units, first = count_gold_units(scores, notion)
        classes = list_classes(scores)
        found, right = [scores], [first]
        for other in runs[1:]:
            for line in other.describe_failures():
                say(f"{run.name}, repetition {len(right) + 1}: {line}")
            found.append(score_repetition(other, gold, options, units, classes))
            right.append(count_gold_units(found[-1], notion)[1])
        answers = np.column_stack([hash_answers(r, scores.corpus) for r in runs])
        return cls(tuple(found), notion, units, np.column_stack(right), answers)

    @property
    def first_scores(self) -> Scores:
        """Scores of the first repetition."""
        return self.repetitions[0]

    @cached_property
    def designs(self) -> list[Design]:
        """Resampling designs of the repetitions; a group of mentions has the same number in each design."""
        return make_shared_designs(self.repetitions)

    @property
    def design(self) -> Design:
        """Resampling design of the first repetition."""
        return self.designs[0]

    def estimate_measures(self, name: str) -> dict[Measure, Estimate]:
        """Return recall, precision and F1 of a class over all repetitions."""
        sums = [
            sum_class(scores, design, self.notion, name)
            for scores, design in zip(self.repetitions, self.designs, strict=True)
        ]
        confidence = self.first_scores.options.confidence
        return adjust_f1(
            {
                measure: estimate_mean_share([own[measure] for own in sums], self.design, confidence)
                for measure in sums[0]
            }
        )

    def find_cases(self, name: str) -> tuple[Ints, Groups]:
        """Return the positions of the texts that belong to a class, and their groups for resampling.

        A text belongs to a class if the class contains one of its gold mentions. The first such mention
        determines the group of the text. The class ``all`` includes all texts. If the query of a class uses
        only features of the context, the class also includes texts without gold mentions.
        """
        scores = self.first_scores
        mentions = np.flatnonzero(scores.masks(name)[0])
        start = scores.gold["start"].to_numpy(dtype=np.int64)[mentions]
        mentions = mentions[np.lexsort((start, scores.gold_row[mentions]))]
        rows, first = np.unique(scores.gold_row[mentions], return_index=True)
        groups = [way.gold[mentions[first]] for way in self.design.ways]
        more = np.setdiff1d(self._find_texts_without_gold(name), rows)
        place_way = 1 - self.design.name_grouping_index
        for number, way in enumerate(self.design.ways):
            # a text without the mention belongs to its context or document, and to no group of names
            alone = self._place_codes[more] if number == place_way else way.size + np.arange(len(more))
            groups[number] = np.concatenate([groups[number], alone])
        grouped = Groups(self.design.name, tuple(groups))
        return np.concatenate([rows, more]), grouped

    @cached_property
    def _place_codes(self) -> Ints:
        corpus = self.first_scores.corpus
        if self.design.name == ENTITIES_BY_CONTEXTS:
            return number_contexts(corpus)
        return number_documents(corpus)[0]

    def _find_texts_without_gold(self, name: str) -> Ints:
        """Return the positions of texts that belong to a class although they have no gold mention."""
        texts = np.arange(len(self.first_scores.corpus.texts))
        if name == ALL:
            return texts
        class_ = next((c for c in self.first_scores.classes if c.name == name), None)
        if class_ is None or not class_.query.features or not is_text_class(class_):
            return texts[:0]
        empty = np.setdiff1d(texts, self.first_scores.gold_row)
        is_selected = class_.query.evaluate(describe_texts(self.first_scores, empty, class_.query.columns))
        return np.asarray(empty[is_selected], dtype=np.int64)

    def estimate_flips(self, name: str, confidence: float) -> tuple[Estimate, int]:
        """Return the share of cases in a class whose answers differ, and the number of cases in it."""
        rows, grouped = self.find_cases(name)
        return estimate_flip_share(find_flips(self.answers[rows]), grouped, confidence), len(rows)

    def find_flipping_cases(self, name: str) -> tuple[Ints, Ints]:
        """Return the positions of texts whose answers differ, and the number of distinct answers per text."""
        rows = np.sort(self.find_cases(name)[0])
        rows = rows[find_flips(self.answers[rows])]
        ordered = np.sort(self.answers[rows], axis=1)
        return rows, 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)

    def build_row(self, name: str) -> dict[str, object]:
        """Return the row of a class as a dictionary, without names and signature."""
        confidence = self.first_scores.options.confidence
        rows, grouped = self.find_cases(name)
        answers = self.answers[rows]
        flips = find_flips(answers)
        share = estimate_flip_share(flips, grouped, confidence)
        inside = self.first_scores.masks(name)[0]
        matched, gold_total = self.matched_units[inside], float(self.units[inside].sum())
        measured = self.estimate_measures(name)
        recalls = {
            f"recall_{k}": float(v.sum()) / gold_total if gold_total else np.nan
            for k, v in count_found(matched).items()
        }
        return {
            "repeats": self.matched_units.shape[1],
            "cases": len(rows),
            "flips": int(flips.sum()),
            "flip_share": share.value,
            "flip_low": share.low,
            "flip_high": share.high,
            "agreement": compute_agreement(answers),
            "gold": gold_total,
            **recalls,
            **{
                f"{measure}{end}": getattr(measured[measure], name)
                for measure in MEASURES
                for end, name in (("", "value"), ("_low", "low"), ("_high", "high"))
            },
            "interval": share.method,
            "recall_interval": measured["recall"].method,
        }

    def build_table(self) -> pd.DataFrame:
        """Return the table of flips, agreement and measures, one row per class."""
        scores = self.first_scores
        table = select_notion_rows(scores.table, scores.get_tally(self.notion).notion.name)
        signatures = dict(zip(table["class"], table["signature"], strict=True))
        labels = {"run": scores.run, "corpus": scores.corpus.name, "notion": self.notion}
        rows = [
            {**labels, "class": name, **self.build_row(name), "signature": signatures[name]}
            for name in scores.class_names
        ]
        return convert_whole_units(pd.DataFrame(rows))


def convert_whole_units(table: pd.DataFrame) -> pd.DataFrame:
    """Convert the column `gold` to integers if all its values are whole numbers."""
    return table.astype({"gold": "int64"}) if bool((table["gold"] % 1 == 0).all()) else table


def summarise_repeats(
    run: RunSource, options: ScoringOptions, class_options: ClassOptions | None = None
) -> pd.DataFrame:
    """Return flips, agreement and measures over the repetitions of a run, one row per class.

    Parameters
    ----------
    run : Run or path
        A run with repetitions.
    options : ScoringOptions
    class_options : ClassOptions, optional
        Classes, notion and gold corpus. A case belongs to a class if one of its gold mentions does.

    Raises
    ------
    InputError
        If the run has no repetitions, or a repetition is missing.
    """
    found = read_run(run)
    class_options = class_options or ClassOptions()
    (scores,) = score_one_notion([found], options, class_options)
    return RepeatedScores.from_run(scores, found, class_options.notion).build_table()
