"""Scored runs and all results about them, from which a report is made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from ...harness.running.folder.run_file import list_output_notes
from ...harness.running.folder.runs import Run, read_run
from ...harness.scoring.classes import ALL
from ...harness.scoring.notions import STRICT
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.score_runs import (
    GoldCorpus,
    describe_types,
    score_run,
    score_with_available_alternatives,
)
from ...harness.scoring.scores import Scores
from ...harness.scoring.statistics.sums import SIDES
from ...harness.scoring.table import select_notion_rows
from ...harness.tasks.section import SectionResult
from ..invariance.folder import InvarianceResult


@dataclass(frozen=True)
class ScoredRun:
    """Scores of one tagger on one suite or corpus.

    Attributes
    ----------
    tagger, source : str
        Names of the tagger and of the suite or corpus in the report.
    is_suite : bool
        Whether the source is a suite.
    run : Run or None
        The run, or None if the predictions do not come from a run.
    scores : Scores
        Scores by class.
    notion_scores : Scores
        Scores under all notions; the same object as `scores`, unless ``alternatives="published"`` is set.
    """

    tagger: str
    source: str
    is_suite: bool
    run: Run | None
    scores: Scores
    notion_scores: Scores

    @property
    def label(self) -> str:
        """Name of the run in sentences: tagger and source."""
        return f"{self.tagger} on {self.source}"


@dataclass(frozen=True)
class Findings:
    """Results from which the sections of a report are made.

    Attributes
    ----------
    entries : sequence of ScoredRun
        Scored runs, for example from `score_folders`.
    title, about : str
        Title (default: names of taggers and sources), and purpose of the report.
    comparison : DataFrame
        Comparison of predictions with all runs; empty if there are no predictions.
    estimates : DataFrame
        Estimates of results on corpora, based on suites; see `estimate_entries`.
    calibrated : DataFrame
        Estimates that are calibrated with annotated corpora; see `calibrate_entries`.
    faults : mapping of str to DataFrame
        Faults by run, with the columns `query` and `words`. If there are columns `tagger`, `source` and
        `measure`, each fault links to its cases.
    acceptance : DataFrame
        One row per acceptance criterion, with `verdict`.
    effects : mapping of str to DataFrame
        Effects of options, keyed by the folder of the variants.
    invariance : sequence of InvarianceResult
    evaluations : sequence of SectionResult
        Further score tables with their titles.
    commands : sequence of str
        Commands that reproduce the results.
    notes : sequence of str
        Remarks for the reader.
    min_mentions : int
        Minimum number of gold mentions of a class on the first screen.
    confidence : float
        Confidence level of the intervals.
    """

    entries: Sequence[ScoredRun] = ()
    title: str = ""
    about: str = ""
    comparison: pd.DataFrame = field(default_factory=pd.DataFrame)
    estimates: pd.DataFrame = field(default_factory=pd.DataFrame)
    calibrated: pd.DataFrame = field(default_factory=pd.DataFrame)
    faults: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    acceptance: pd.DataFrame = field(default_factory=pd.DataFrame)
    effects: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    invariance: Sequence[InvarianceResult] = ()
    evaluations: Sequence[SectionResult] = ()
    commands: Sequence[str] = ()
    notes: Sequence[str] = ()
    min_mentions: int = 10
    confidence: float = 0.95

    @property
    def sources(self) -> list[str]:
        """Names of the suites and corpora, in the order of the runs."""
        return list(dict.fromkeys(e.source for e in self.entries))

    @cached_property
    def figures(self) -> pd.DataFrame:
        """Figures by class of all runs; see `collect_class_figures`."""
        return collect_class_figures(self.entries)


def collect_class_figures(entries: Sequence[ScoredRun]) -> pd.DataFrame:
    """Return the results for every class in every run under the main notion, with intervals.

    The columns are `tagger`, `source` and `suite`, followed by those of the score tables. Classes that
    contain all mentions are omitted, except ``all``.
    """
    frames = []
    for entry in entries:
        table = select_notion_rows(entry.scores.table, get_main_notion(entry.scores))
        table = table[(table["class"] == ALL) | ~table["class"].isin(find_whole_classes(entry.scores))]
        named = table.assign(tagger=entry.tagger, source=entry.source, suite=entry.is_suite)
        frames.append(named[["tagger", "source", "suite", *table.columns]])
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def split_by_measure(figures: pd.DataFrame) -> pd.DataFrame:
    """Return one row per class and measure, with `value`, `low`, `high` and `whole` (the denominator)."""
    parts = []
    for measure, whole in SIDES.items():
        names = {measure: "value", f"{measure}_low": "low", f"{measure}_high": "high", whole: "whole"}
        part = figures[["tagger", "source", "class", "notion", *names]].rename(columns=names)
        parts.append(part.astype(dict.fromkeys(names.values(), "float64")).assign(measure=str(measure)))
    return pd.concat(parts, ignore_index=True)


def get_main_notion(scores: Scores) -> str:
    """Return the name of the main notion: strict, or the first notion if strict was not scored."""
    notions = list(scores.tallies)
    return STRICT.name if STRICT.name in notions else notions[0]


def find_whole_classes(scores: Scores) -> set[str]:
    """Return the names of classes that contain all mentions: ``all``, and those with the query ``all``."""
    return {ALL, *(c.name for c in scores.classes if c.query.selects_everything)}


def select_overall(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows for the class of all mentions from a score table, one row per notion."""
    return table[(table["class"] == ALL) & (table["type"] == "all")].drop_duplicates("notion")


def score_with_notions(
    run: Run, gold: GoldCorpus, scoring: ScoringOptions, classes: ClassOptions, name: str = ""
) -> tuple[Scores, Scores]:
    """Return the scores of a run by class and under all notions; `name` is its name in tables."""
    with_options = partial(score_run, run, gold, classes=classes.class_list, by=classes.by, name=name)
    return score_with_available_alternatives(with_options, gold, scoring)


def score_folders(
    folders: Sequence[str | os.PathLike[str]],
    scoring: ScoringOptions | None = None,
    classes: ClassOptions | None = None,
) -> list[ScoredRun]:
    """Read and score run folders, in the given order.

    A run is named after its tagger, or after its folder if several runs of this tagger have the same input.
    If different inputs have the same name, a number is added to the name.
    """
    scoring, classes = scoring or ScoringOptions(), classes or ClassOptions()
    golds: dict[str, GoldCorpus] = {}
    sources: dict[str, str] = {}
    runs = [read_run(folder) for folder in folders]
    places = [run.folder.resolve() for run in runs]
    for run, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise InputError("this run is listed twice", file=run.folder)
        if run.input not in golds:
            corpus = run.load_corpus()
            stem = Path(corpus.name.rpartition(":")[2]).stem or corpus.name
            name, number = stem, 2
            while name in sources.values():
                name, number = f"{stem} ({number})", number + 1
            golds[run.input], sources[run.input] = GoldCorpus.from_corpus(corpus), name
    pairs = [(run.tagger.partition("@")[0], run.input) for run in runs]
    entries = []
    for run, pair in zip(runs, pairs, strict=True):
        gold = golds[run.input]
        tagger = run.name if pairs.count(pair) > 1 else pair[0]
        source, is_suite = sources[run.input], "context_id" in gold.corpus.texts.columns
        entries.append(
            ScoredRun(tagger, source, is_suite, run, *score_with_notions(run, gold, scoring, classes))
        )
    return entries


def reading_notes(entries: Sequence[ScoredRun]) -> list[str]:
    """Return remarks on problems with reading suites and corpora, and with the output of runs."""
    corpora = {e.source: e.scores.corpus for e in entries}
    runs = ((e, note) for e in entries if e.run is not None for note in list_output_notes(e.run.meta))
    return [
        *(note for corpus in corpora.values() for note in corpus.notes),
        *(f"{e.label}: {note}" for e, note in runs),
    ]


def type_notes(entries: Sequence[ScoredRun]) -> list[str]:
    """Return a remark for each run that has several types, or types that are not in the gold standard."""
    found = ((e, describe_types(e.scores)) for e in entries)
    return [f"{e.label}: {remark}" for e, remark in found if remark]


def pair_taggers(entries: Sequence[ScoredRun]) -> list[tuple[ScoredRun, ScoredRun]]:
    """Return all pairs of runs on the same suite or corpus."""
    return [(one, other) for one, other in combinations(entries, 2) if one.source == other.source]
