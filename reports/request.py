"""A report of runs and score tables: what may be asked for, and the report made of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..catalogues.core.tables import say as warn_on_screen
from ..harness.effects import effects_of
from ..harness.evaluation import unknown_types
from ..harness.running.variants import has_variants, run_folders
from ..harness.scoring.classes import join_classes, read_classes
from ..harness.scoring.comparison.predictions import read_predictions_file
from ..harness.scoring.options import ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import TransferOptions
from ..harness.tasks.section import SectionResult
from .build import build_report
from .invariance_folder import read_invariance
from .model import Report
from .numbers import counted
from .score_files import read_discovered, read_scores
from .sections.entries import Entry, entries_of
from .sections.evaluations import usual_columns
from .sections.expected import expected_entries, with_expected
from .sections.faults import discover_entries
from .sections.figures import compared_entries
from .sections.invariance import invariance_section
from .sections.varying import effects_section

BY = ("name_vs_symbol", "case", "position")
"""Features that make classes where none are asked for."""


@dataclass(frozen=True)
class FileRequest:
    """The options of a report; see `tagsuite report --help`."""

    runs: tuple[Path, ...] = ()
    classes: Path | None = None
    by: tuple[str, ...] = ()
    predictions: Path | None = None
    discovered: tuple[Path, ...] = ()
    discover: bool = False
    scores: tuple[Path, ...] = ()
    invariance: tuple[Path, ...] = ()
    title: str = ""
    about: str = ""
    least: int = 10
    options: ScoringOptions = field(default_factory=ScoringOptions)
    transfer: TransferOptions = field(default_factory=TransferOptions)


def report_of_files(
    request: FileRequest, say: Callable[[str], None], warn: Callable[[str], None] = warn_on_screen
) -> Report:
    """Read, score, compare and put together; what `warn` gets stands in the report too."""
    predictions = read_predictions_file(request.predictions) if request.predictions else []
    listed = [(request.classes, c) for c in (read_classes(request.classes) if request.classes else ())]
    named = list(join_classes([*listed, *((request.predictions, p) for p in predictions)]).values())
    by = request.by or (() if named else BY)
    if request.runs:
        say(f"scoring {counted(len(request.runs), 'run')}")
    folders = [folder for place in request.runs for folder in run_folders(place)]
    entries = entries_of(folders, named, by, request.options)
    effects = {
        place.resolve().name: effects_of(place, request.options, ClassOptions(named, by))
        for place in request.runs
        if has_variants(place)
    }
    compared = compared_entries(entries, predictions, request.options.confidence)
    expected, carried = expected_entries(entries, request.transfer)
    compared = with_expected(compared, expected)
    discovered = {_title(p): read_discovered(p) for p in request.discovered}
    if request.discover:
        discovered |= discover_entries(entries, confidence=request.options.confidence, say=say)
    notes = [*carried, *(n for e in _first_of_sources(entries) for n in e.scores.corpus.notes)]
    for entry in entries:
        unknown = unknown_types(entry.scores)
        if unknown:
            notes.append(f"{entry.tagger} on {entry.source}: {unknown}")
            warn(notes[-1])
    return build_report(
        entries,
        title=request.title or ("" if request.runs or request.scores else "Invariance"),
        about=request.about,
        compared=compared if len(compared) else None,
        expected=expected,
        discovered=discovered,
        evaluations=[_evaluation(p) for p in request.scores],
        sections=[
            effects_section(effects),
            invariance_section([read_invariance(p) for p in request.invariance]),
        ],
        commands=commands(request, entries),
        notes=notes,
        least=request.least,
        confidence=request.options.confidence,
    )


def _evaluation(path: Path) -> SectionResult:
    table = read_scores(path)
    return SectionResult(_title(path), table, usual_columns(table), ())


def _title(path: Path) -> str:
    return path.parent.name if path.stem in ("scores", "discovered") and path.parent.name else path.stem


def _first_of_sources(entries: list[Entry]) -> list[Entry]:
    return list({e.source: e for e in reversed(entries)}.values())[::-1]


def commands(request: FileRequest, entries: list[Entry]) -> list[str]:
    """The commands that give the same again."""
    lines = []
    for entry in entries:
        if entry.run is not None:
            name = entry.run.tagger.partition("@")[0]
            words = ["tagsuite", "run", entry.run.input, "--tagger", name, "--out", str(entry.run.folder)]
            words += ["--times", str(entry.run.times)] if entry.run.times > 1 else []
            lines.append(shlex.join(words))
    words = ["tagsuite", "report", *map(str, request.runs)]
    if request.classes:
        words += ["--classes", str(request.classes)]
    for feature in request.by:
        words += ["--by", feature]
    if request.predictions:
        words += ["--compare", str(request.predictions)]
    for option, paths in (
        ("--discovered", request.discovered),
        ("--scores", request.scores),
        ("--invariance", request.invariance),
    ):
        for path in paths:
            words += [option, str(path)]
    if request.discover:
        words.append("--discover")
    words += [*request.options.arguments(), *request.transfer.arguments()]
    return [*lines, shlex.join([*words, "--out", "report.html"])]
