"""Functions that read, score and compare runs, and make the sections of a report from the results."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.messages import MessageFunction, say_nothing
from ..catalogues.core.messages import say as say_on_screen
from ..catalogues.core.options import Options
from ..catalogues.core.version import __version__
from ..catalogues.taxonomy import taxonomy
from ..harness.running.lookup import find_run_tagger
from ..harness.running.variants import has_variants, list_run_folders
from ..harness.scoring.classes import join_classes
from ..harness.scoring.comparison.predictions import read_predictions_file
from ..harness.scoring.effects import estimate_effects
from ..harness.scoring.options import ClassOptions, ScoringOptions
from ..harness.scoring.transfer.estimates import score_evidence
from ..harness.scoring.transfer.options import TransferOptions
from ..harness.tasks.section import SectionResult
from .cells import format_quantity
from .files import read_discovered, read_scores
from .invariance.folder import read_invariance
from .model import Block, Column, Report, Section, Table, TextBlock
from .options import ReportOptions
from .sections.acceptance import acceptance_section
from .sections.cases import collect_case_sources
from .sections.classes import classes_section, figures_section, make_first_tables
from .sections.differences import differences_section, feature_costs_section
from .sections.discovery import discover_entries, discovery_section, make_fault_classes
from .sections.evaluations import evaluations_section
from .sections.findings import Findings, ScoredRun, reading_notes, score_folders, type_notes
from .sections.invariance import invariance_section
from .sections.notions import notions_section
from .sections.predictions import compare_entries, predictions_section
from .sections.runs import effects_section, repeats_section, spending_section, strings_section
from .sections.thresholds import thresholds_section
from .sections.transfer import add_estimates, estimate_entries, transfer_section
from .sections.verdict import describe_findings, describe_tested

DEFAULT_FEATURES = ("name_vs_symbol", "case", "position")
"""Features that define the classes if the user gives no classes, features or predictions."""


def make_report(
    runs: Sequence[Path] = (),
    options: ReportOptions | None = None,
    scoring: ScoringOptions | None = None,
    asked: ClassOptions | None = None,
    transfer: TransferOptions | None = None,
    *,
    say: MessageFunction = say_nothing,
    warn: MessageFunction = say_on_screen,
) -> Report:
    """Make a report: read and score runs, compare them, and build the sections.

    Parameters
    ----------
    runs : sequence of path
        Folders of runs, or of variants of a run.
    options : ReportOptions, optional
    scoring : ScoringOptions, optional
        Options for scoring.
    asked : ClassOptions, optional
        Queries that define classes, and features that define one class per value. By default, the classes
        come from the predictions or, if there are none, from `DEFAULT_FEATURES`.
    transfer : TransferOptions, optional
        Options for estimating results on a corpus from its composition and the results on suites.
    say : callable
        Function called with each progress message.
    warn : callable
        Function called with each warning; the warnings are also included in the report.
    """
    options, scoring = options or ReportOptions(), scoring or ScoringOptions()
    asked, transfer = asked or ClassOptions(), transfer or TransferOptions()
    predictions = read_predictions_file(options.predictions) if options.predictions else []
    listed = [(asked.classes_file, c) for c in asked.class_list]
    named = list(join_classes([*listed, *((options.predictions, p) for p in predictions)]).values())
    if runs:
        say(f"scoring {format_quantity(len(runs), 'run')}")
    folders = [folder for place in runs for folder in list_run_folders(place)]
    divided = ClassOptions(named, asked.by or (() if named else DEFAULT_FEATURES))
    entries = score_folders(folders, scoring, divided)
    effects = {
        place.resolve().name: estimate_effects(place, scoring, divided)
        for place in runs
        if has_variants(place)
    }
    evidence = score_evidence(transfer.evidence, scoring, [e.scores for e in entries if e.is_suite])
    expected, notes = estimate_entries(entries, transfer, evidence)
    compared = add_estimates(compare_entries(entries, predictions, scoring.confidence), expected)
    discovered = {_read_title(p): read_discovered(p) for p in options.discovered}
    if options.discover:
        discovered |= discover_entries(entries, confidence=scoring.confidence, say=say)
    for note in type_notes(entries):
        warn(note)
    findings = Findings(
        entries,
        title=options.title,
        about=options.about,
        comparison=compared,
        estimates=expected,
        faults=discovered,
        effects=effects,
        invariance=[read_invariance(p) for p in options.invariance],
        evaluations=[SectionResult(_read_title(path), read_scores(path), (), ()) for path in options.scores],
        commands=[
            *_list_run_commands(entries),
            _report_command(runs, asked, options, scoring, transfer),
        ],
        notes=notes,
        min_mentions=options.least,
        confidence=scoring.confidence,
    )
    return build_report(findings)


def _read_title(path: Path) -> str:
    return path.parent.name if path.stem in ("scores", "discovered") and path.parent.name else path.stem


def _list_run_commands(entries: Sequence[ScoredRun]) -> list[str]:
    """Return the commands that repeat the runs, except those whose tagger is no longer known."""
    commands = []
    for run in (e.run for e in entries if e.run is not None):
        with suppress(InputError):
            tagger, options = find_run_tagger(run)
            words = ["tagsuite", "run", run.input, "--tagger", tagger]
            words += [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
            words += ["--times", str(run.times)] if run.times > 1 else []
            commands.append(shlex.join([*words, "--out", str(run.folder)]))
    return commands


def _report_command(runs: Sequence[Path], asked: ClassOptions, *others: Options) -> str:
    """Return the command that makes the same report; classes that do not come from a file are omitted."""
    words = ["tagsuite", "report", *map(str, runs)]
    for options in (replace(asked, classes=asked.classes_file), *others):
        words += options.to_arguments()
    return shlex.join([*words, *(word for file in taxonomy().files for word in ("--taxonomy", file))])


def build_report(findings: Findings) -> Report:
    """Build a report from findings.

    Returns
    -------
    Report
        Report for `reports.files.save_report` or `reports.files.render_report`.
    """
    entries = findings.entries
    sections = [make(findings) for make in SECTIONS]
    tables = [*(e.scores.table for e in entries), *(e.table for e in findings.evaluations)]
    return Report(
        title=findings.title or _make_title(findings),
        about=" ".join(findings.about.split()),
        tested=tuple(describe_tested(entries)),
        verdict=tuple(describe_findings(findings)),
        worst=tuple(make_first_tables(findings)),
        sections=tuple(s for s in sections if s.blocks),
        sources=collect_case_sources(entries, make_fault_classes(findings.faults)),
        scores=pd.concat(tables, ignore_index=True) if tables else None,
        version=__version__,
    )


def _make_title(findings: Findings) -> str:
    if findings.entries:
        taggers = dict.fromkeys(e.tagger for e in findings.entries)
        return f"{' and '.join(taggers)} on {' and '.join(findings.sources)}"
    return " and ".join(e.title for e in findings.evaluations) or "Invariance"


def reproduction_section(findings: Findings) -> Section:
    """Return the section on how to reproduce the report: commands, signatures and remarks."""
    entries = findings.entries
    blocks: list[Block] = [TextBlock(tuple(findings.commands), "commands")] if findings.commands else []
    notes = [*findings.notes, *reading_notes(entries), *type_notes(entries)]
    notes += [note for e in findings.evaluations for note in e.notes]
    if entries:
        signatures = [e.scores.make_signature(next(iter(e.scores.tallies.values())).notion) for e in entries]
        named = {"tagger": [e.tagger for e in entries], "source": [e.source for e in entries]}
        columns = (
            Column("tagger", "tagger"),
            Column("source", "suite or corpus"),
            Column("signature", "signature", "query"),
        )
        frame = pd.DataFrame({**named, "signature": signatures})
        caption = "Signatures: settings that must be equal to get the same figures"
        blocks.append(Table("signatures", caption, frame, columns))
        notes.append(
            f"The confidence level of intervals is {100 * findings.confidence:g} %. Intervals of classes are "
            "computed by resampling: entities and contexts in suites, documents or sentences in corpora."
        )
    if notes:
        blocks.append(TextBlock(tuple(notes), "list"))
    return Section("again", "How to reproduce the results", "", tuple(blocks), "Reproduce")


SECTIONS: tuple[Callable[[Findings], Section], ...] = (
    acceptance_section,
    figures_section,
    classes_section,
    strings_section,
    notions_section,
    predictions_section,
    transfer_section,
    differences_section,
    feature_costs_section,
    thresholds_section,
    spending_section,
    repeats_section,
    discovery_section,
    evaluations_section,
    effects_section,
    invariance_section,
    reproduction_section,
)
"""Sections of a report, in order; sections without content are left out."""
