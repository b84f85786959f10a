"""A report of runs and score tables: read, scored, compared and put together."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..catalogues.core.options import Options
from ..catalogues.core.tables import Say, say_nothing
from ..catalogues.core.tables import say as say_on_screen
from ..harness.repeat_tables import effects_of
from ..harness.running.folder.runs import Run
from ..harness.running.variants import has_variants, run_folders
from ..harness.scoring.classes import join_classes
from ..harness.scoring.comparison.predictions import read_predictions_file
from ..harness.scoring.options import ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import TransferOptions
from ..harness.tasks.section import SectionResult
from .build import build_report
from .invariance_folder import read_invariance
from .model import Report
from .numbers import counted
from .options import ReportOptions
from .score_files import read_discovered, read_scores
from .sections.entries import entries_of, reading_notes, type_notes
from .sections.evaluations import usual_columns
from .sections.expected import expected_entries, with_expected
from .sections.faults import discover_entries
from .sections.figures import compared_entries
from .sections.invariance import invariance_section
from .sections.varying import effects_section

BY = ("name_vs_symbol", "case", "position")
"""Features that make classes where none are asked for."""


def report_of(
    runs: Sequence[Path] = (),
    options: ReportOptions | None = None,
    scoring: ScoringOptions | None = None,
    asked: ClassOptions | None = None,
    transfer: TransferOptions | None = None,
    *,
    say: Say = say_nothing,
    warn: Say = say_on_screen,
) -> Report:
    """Read, score, compare and put together.

    Parameters
    ----------
    runs : sequence of path
        Run folders, and folders of variants.
    options : ReportOptions, optional
    scoring : ScoringOptions, optional
        How mentions are counted.
    asked : ClassOptions, optional
        Classes, and features whose values are classes; `BY` where neither they nor predictions make any.
    transfer : TransferOptions, optional
        With a composition, what the suites let expect of the corpora.
    say : callable
        Told what is done.
    warn : callable
        Told what stands in the report too.
    """
    options, scoring = options or ReportOptions(), scoring or ScoringOptions()
    asked, transfer = asked or ClassOptions(), transfer or TransferOptions()
    predictions = read_predictions_file(options.predictions) if options.predictions else []
    listed = [(asked.file, c) for c in asked.named]
    named = list(join_classes([*listed, *((options.predictions, p) for p in predictions)]).values())
    if runs:
        say(f"scoring {counted(len(runs), 'run')}")
    folders = [folder for place in runs for folder in run_folders(place)]
    divided = ClassOptions(named, asked.by or (() if named else BY))
    entries = entries_of(folders, scoring, divided)
    effects = {
        place.resolve().name: effects_of(place, scoring, divided) for place in runs if has_variants(place)
    }
    compared = compared_entries(entries, predictions, scoring.confidence)
    expected, carried = expected_entries(entries, transfer)
    compared = with_expected(compared, expected)
    discovered = {_title(p): read_discovered(p) for p in options.discovered}
    if options.discover:
        discovered |= discover_entries(entries, confidence=scoring.confidence, say=say)
    unlike = type_notes(entries)
    for note in unlike:
        warn(note)
    return build_report(
        entries,
        title=options.title or ("" if runs or options.scores else "Invariance"),
        about=options.about,
        compared=compared,
        expected=expected,
        discovered=discovered,
        evaluations=[_evaluation(p) for p in options.scores],
        sections=[
            effects_section(effects),
            invariance_section([read_invariance(p) for p in options.invariance]),
        ],
        commands=[
            *(_run_command(e.run) for e in entries if e.run is not None),
            _report_command(runs, asked, options, scoring, transfer),
        ],
        notes=[*carried, *reading_notes(entries), *unlike],
        least=options.least,
        confidence=scoring.confidence,
    )


def _evaluation(path: Path) -> SectionResult:
    table = read_scores(path)
    return SectionResult(_title(path), table, usual_columns(table), ())


def _title(path: Path) -> str:
    return path.parent.name if path.stem in ("scores", "discovered") and path.parent.name else path.stem


def _run_command(run: Run) -> str:
    """The command that gives a run again."""
    name = run.tagger.partition("@")[0]
    words = ["tagsuite", "run", run.input, "--tagger", name, "--out", str(run.folder)]
    words += ["--times", str(run.times)] if run.times > 1 else []
    return shlex.join(words)


def _report_command(runs: Sequence[Path], asked: ClassOptions, *others: Options) -> str:
    """The command that gives the report again; classes that are no file have no place in it."""
    words = ["tagsuite", "report", *map(str, runs)]
    for options in (replace(asked, classes=asked.file), *others):
        words += options.arguments()
    return shlex.join([*words, "--out", "report.html"])
