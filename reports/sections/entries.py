"""What a report is about: scored runs, however they came about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...harness.running.folder.notes import output_notes
from ...harness.running.folder.runs import Run, read_run
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.runs import Gold, score_as_possible, score_run, unknown_types
from ...harness.scoring.scores import Scores


@dataclass(frozen=True)
class Entry:
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
    notions : Scores
        Scored under all notions; the same scores where nothing is in the way.
    """

    tagger: str
    source: str
    is_suite: bool
    run: Run | None
    scores: Scores
    notions: Scores


def scored(
    run: Run, gold: Gold, scoring: ScoringOptions, asked: ClassOptions, name: str = ""
) -> tuple[Scores, Scores]:
    """A run's `scores` and `notions`; `name` stands in its score table where it is not the run's own."""
    with_options = partial(score_run, run, gold, classes=asked.named, by=asked.by, name=name)
    return score_as_possible(with_options, gold, scoring)


def entries_of(
    folders: Sequence[str | os.PathLike[str]],
    scoring: ScoringOptions | None = None,
    asked: ClassOptions | None = None,
) -> list[Entry]:
    """Read and score run folders, in the order given.

    A run is called by its tagger; where two runs over one input have the same tagger, by their folders. Two
    inputs of one name are told apart by a number.
    """
    scoring, asked = scoring or ScoringOptions(), asked or ClassOptions()
    golds: dict[str, Gold] = {}
    sources: dict[str, str] = {}
    runs = [read_run(folder) for folder in folders]
    seen: dict[Path, Run] = {}
    for run in runs:
        place = run.folder.resolve()
        if place in seen:
            raise InputError("the same run twice", file=run.folder)
        seen[place] = run
    names: list[str] = []
    for run in runs:
        if run.input not in golds:
            corpus = run.corpus()
            stem = Path(corpus.name.rpartition(":")[2]).stem or corpus.name
            name, number = stem, 2
            while name in sources.values():
                name, number = f"{stem} ({number})", number + 1
            golds[run.input], sources[run.input] = Gold.of(corpus), name
        names.append(run.tagger.partition("@")[0])
    pairs = [(name, run.input) for name, run in zip(names, runs, strict=True)]
    entries = []
    for run, pair in zip(runs, pairs, strict=True):
        gold = golds[run.input]
        tagger = run.name if pairs.count(pair) > 1 else pair[0]
        source, is_suite = sources[run.input], "context_id" in gold.corpus.texts.columns
        entries.append(Entry(tagger, source, is_suite, run, *scored(run, gold, scoring, asked)))
    return entries


def reading_notes(entries: Sequence[Entry]) -> list[str]:
    """Remarks of the readers of suites and corpora, each once, and on the output of the runs."""
    corpora = {e.source: e.scores.corpus for e in entries}
    runs = ((e, note) for e in entries if e.run is not None for note in output_notes(e.run.meta))
    return [
        *(note for corpus in corpora.values() for note in corpus.notes),
        *(f"{e.tagger} on {e.source}: {note}" for e, note in runs),
    ]


def type_notes(entries: Sequence[Entry]) -> list[str]:
    """Of each run whose predicted types no gold mention has, which these are."""
    found = ((e, unknown_types(e.scores)) for e in entries)
    return [f"{e.tagger} on {e.source}: {unknown}" for e, unknown in found if unknown]


def pairs_of(entries: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """Every two taggers over the same suite or corpus."""
    return [(one, other) for one, other in combinations(entries, 2) if one.source == other.source]
