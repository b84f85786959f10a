"""The input of a report: scored runs, and what was found in them."""

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
    describe_unknown_types,
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
    """One tagger over one suite or corpus, scored.

    Attributes
    ----------
    tagger, source : str
        The names of the tagger and of the suite or corpus in the report.
    is_suite : bool
        Whether it was run over a suite.
    run : Run or None
        The run, where there is one.
    scores : Scores
        Scored by class.
    notion_scores : Scores
        Scored under all notions; the same scores unless the published counting of alternatives was asked for.
    """

    tagger: str
    source: str
    is_suite: bool
    run: Run | None
    scores: Scores
    notion_scores: Scores

    @property
    def label(self) -> str:
        """The tagger and its input, in words."""
        return f"{self.tagger} on {self.source}"


@dataclass(frozen=True)
class Findings:
    """The content of a report before it is put into sections.

    Attributes
    ----------
    entries : sequence of Entry
        Scored runs, for example those of `entries_of`.
    title, about : str
        The heading, and why this was done. Without a title, taggers and sources are named.
    comparison : DataFrame
        Predictions compared with all runs; empty without predictions.
    estimates : DataFrame
        Estimates of the suites' results on corpora; see `estimate_entries`.
    calibrated : DataFrame
        Estimates that annotated corpora calibrate; see `calibrate_entries`.
    faults : mapping of str to DataFrame
        Faults by run, with a column `words`, or `query` and `note`. Rows with `tagger` and `source` link to
        their cases.
    acceptance : DataFrame
        One row per acceptance criterion, with `verdict`.
    effects : mapping of str to DataFrame
        Effects of options by folder of variants.
    invariance : sequence of Invariance
    evaluations : sequence of SectionResult
        Further score tables with their titles.
    commands : sequence of str
        The commands that give the same results again.
    notes : sequence of str
        Remarks for the reader.
    min_mentions : int
        Gold mentions that a class needs on the first screen.
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
        """The suites and corpora, in order."""
        return list(dict.fromkeys(e.source for e in self.entries))

    @cached_property
    def figures(self) -> pd.DataFrame:
        """The classes of all entries; see `collect_class_figures`."""
        return collect_class_figures(self.entries)


def collect_class_figures(entries: Sequence[ScoredRun]) -> pd.DataFrame:
    """Return every class of every entry under its main notion, with its intervals.

    The rows are those of the score table with the columns `tagger`, `source` and `suite` before them. A class
    of all mentions is listed once, as ``all``.
    """
    frames = []
    for entry in entries:
        table = select_notion_rows(entry.scores.table, get_main_notion(entry.scores))
        table = table[(table["class"] == ALL) | ~table["class"].isin(find_whole_classes(entry.scores))]
        named = table.assign(tagger=entry.tagger, source=entry.source, suite=entry.is_suite)
        frames.append(named[["tagger", "source", "suite", *table.columns]])
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def split_by_measure(figures: pd.DataFrame) -> pd.DataFrame:
    """Return one row per class and measure: `value`, `low`, `high`, and `whole`, its denominator."""
    parts = []
    for measure, whole in SIDES.items():
        names = {measure: "value", f"{measure}_low": "low", f"{measure}_high": "high", whole: "whole"}
        part = figures[["tagger", "source", "class", "notion", *names]].rename(columns=names)
        parts.append(part.astype(dict.fromkeys(names.values(), "float64")).assign(measure=str(measure)))
    return pd.concat(parts, ignore_index=True)


def get_main_notion(scores: Scores) -> str:
    """Return STRICT if it was scored, else the first notion."""
    notions = list(scores.tallies)
    return STRICT.name if STRICT.name in notions else notions[0]


def find_whole_classes(scores: Scores) -> set[str]:
    """Return the names of the classes of all mentions: ``all``, and others with the query ``all``."""
    return {ALL, *(c.name for c in scores.classes if c.query.selects_everything)}


def select_overall(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a score table about all classes and all types, one per notion."""
    return table[(table["class"] == ALL) & (table["type"] == "all")].drop_duplicates("notion")


def score_with_notions(
    run: Run, gold: GoldCorpus, scoring: ScoringOptions, asked: ClassOptions, name: str = ""
) -> tuple[Scores, Scores]:
    """Return a run's `scores` and `notions`; `name` replaces its own name in the score table."""
    with_options = partial(score_run, run, gold, classes=asked.class_list, by=asked.by, name=name)
    return score_with_available_alternatives(with_options, gold, scoring)


def score_folders(
    folders: Sequence[str | os.PathLike[str]],
    scoring: ScoringOptions | None = None,
    asked: ClassOptions | None = None,
) -> list[ScoredRun]:
    """Read and score run folders, in the order given.

    A run is called by its tagger; where two runs over one input have the same tagger, by their folders. Two
    inputs of one name are told apart by a number.
    """
    scoring, asked = scoring or ScoringOptions(), asked or ClassOptions()
    golds: dict[str, GoldCorpus] = {}
    sources: dict[str, str] = {}
    runs = [read_run(folder) for folder in folders]
    places = [run.folder.resolve() for run in runs]
    for run, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise InputError("the same run twice", file=run.folder)
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
            ScoredRun(tagger, source, is_suite, run, *score_with_notions(run, gold, scoring, asked))
        )
    return entries


def reading_notes(entries: Sequence[ScoredRun]) -> list[str]:
    """Return remarks of the readers of suites and corpora, each once, and on the output of the runs."""
    corpora = {e.source: e.scores.corpus for e in entries}
    runs = ((e, note) for e in entries if e.run is not None for note in list_output_notes(e.run.meta))
    return [
        *(note for corpus in corpora.values() for note in corpus.notes),
        *(f"{e.label}: {note}" for e, note in runs),
    ]


def type_notes(entries: Sequence[ScoredRun]) -> list[str]:
    """Return a remark for each run that predicts types which no gold mention has."""
    found = ((e, describe_unknown_types(e.scores)) for e in entries)
    return [f"{e.label}: {unknown}" for e, unknown in found if unknown]


def pair_taggers(entries: Sequence[ScoredRun]) -> list[tuple[ScoredRun, ScoredRun]]:
    """Return every pair of taggers over the same suite or corpus."""
    return [(one, other) for one, other in combinations(entries, 2) if one.source == other.source]
