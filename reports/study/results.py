"""Functions that check the acceptance criteria of a study, and write its tables and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ...catalogues.core.files import atomic_text
from ...catalogues.core.tables import OutputFormat, format_frame
from ...harness.scoring.acceptance.accept import AcceptanceResult, accept, format_junit_xml
from ...harness.scoring.acceptance.accept_runs import collect_flips
from ...harness.scoring.acceptance.criteria import read_criteria
from ..files import save_report
from ..model import Report
from ..sections.findings import Findings, ScoredRun
from .study_file import StudyFile, StudyPaths


def judge_criteria(
    study: StudyFile, places: StudyPaths, entries: Sequence[ScoredRun]
) -> list[AcceptanceResult]:
    """Check the acceptance criteria of a study, and write ``acceptance-SOURCE.xml`` (JUnit) per input."""
    if not study.acceptance:
        return []
    criteria = read_criteria(places.resolve_path(study.acceptance))
    accepted = []
    for source in study.select_sources(study.accept_on):
        own = [e for e in entries if e.source == source]
        flips = collect_flips(criteria, [(e.notion_scores, e.run) for e in own if e.run is not None])
        accepted.append(accept(criteria, [e.notion_scores for e in own], flips=flips))
        with atomic_text(places.out / f"acceptance-{source}.xml") as stream:
            stream.write(format_junit_xml(accepted[-1]))
    return accepted


def write_results(findings: Findings, report: Report, out: Path) -> None:
    """Write score tables as CSV and JSON, other tables as CSV, and the report to the output folder."""
    both = [
        [e.scores] if e.notion_scores is e.scores else [e.scores, e.notion_scores] for e in findings.entries
    ]
    scores = [each.table for pair in both for each in pair]
    named = {"scores": join_tables(scores)} if scores else {}
    named |= {f"evaluation-{i}": e.table for i, e in enumerate(findings.evaluations, 1)}
    for name, table in named.items():
        with atomic_text(out / f"{name}.json") as stream:
            stream.write(format_frame(table, OutputFormat.json, key="scores"))
    for name, table in (
        *named.items(),
        ("acceptance", findings.acceptance),
        ("comparison", findings.comparison),
        ("expected", findings.estimates),
        ("calibrated", findings.calibrated),
        ("invariance", join_tables([one.table for one in findings.invariance])),
    ):
        if len(table):
            with atomic_text(out / f"{name}.csv") as stream:
                stream.write(format_frame(table, OutputFormat.csv))
    for name in ("report.html", "report.md", "report.tex"):
        save_report(report, out / name)


def join_tables(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate tables; return an empty table if there are none."""
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
