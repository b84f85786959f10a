"""Results of a study: criteria judged, faults searched for, tables and the report written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ...catalogues.core.files import atomic_text
from ...catalogues.core.messages import Say
from ...catalogues.core.settings import options_of
from ...catalogues.core.tables import Format, render
from ...harness.scoring.acceptance.accept import Accepted, accept, junit_xml
from ...harness.scoring.acceptance.criteria import read_criteria
from ...harness.scoring.acceptance.runs import flips_of
from ...harness.scoring.comparison.predictions import write_predictions
from ...harness.scoring.options import DiscoverOptions
from ..files import save
from ..model import Report
from ..sections.discovered import discover_entries
from ..sections.findings import Entry, Findings
from .file import Places, StudyFile


def judge(study: StudyFile, places: Places, entries: Sequence[Entry]) -> list[Accepted]:
    """Judge the study's acceptance criteria and write ``acceptance-SOURCE.xml`` (JUnit) for each source."""
    if not study.acceptance:
        return []
    criteria = read_criteria(places.path(study.acceptance))
    accepted = []
    for source in study.sources(study.accept_on):
        own = [e for e in entries if e.source == source]
        flips = flips_of(criteria, [(e.notions, e.run) for e in own if e.run is not None])
        accepted.append(accept(criteria, [e.notions for e in own], flips=flips))
        with atomic_text(places.out / f"acceptance-{source}.xml") as stream:
            stream.write(junit_xml(accepted[-1]))
    return accepted


def search(study: StudyFile, places: Places, entries: Sequence[Entry], say: Say) -> dict[str, pd.DataFrame]:
    """Search the runs that the study names for faults, and write ``discovered/TAGGER--SOURCE.toml``.

    `tagsuite compare` reads these files as predictions.

    Returns
    -------
    dict of str to DataFrame
        By run; empty when the study asks for no search.
    """
    asked = study.discover
    if asked is None:
        return {}
    sources = study.sources(asked.on)
    searched = [e for e in entries if e.source in sources]
    options = options_of(DiscoverOptions, asked)
    found = discover_entries(searched, options, confidence=study.score.confidence, say=say)
    for entry, table in zip(searched, found.values(), strict=True):
        about = f"Discovered in {entry.label}"
        path = places.out / "discovered" / f"{entry.tagger}--{entry.source}.toml"
        write_predictions(path, table, about=about, signature=entry.scores.whole_signature)
    return found


def write_results(findings: Findings, report: Report, out: Path) -> None:
    """Write score tables (CSV and JSON), other tables (CSV) and the report to the study's folder."""
    both = [[e.scores] if e.notions is e.scores else [e.scores, e.notions] for e in findings.entries]
    scores = [each.table for pair in both for each in pair]
    named = {"scores": joined(scores)} if scores else {}
    named |= {f"evaluation-{i}": e.table for i, e in enumerate(findings.evaluations, 1)}
    for name, table in named.items():
        with atomic_text(out / f"{name}.json") as stream:
            stream.write(render(table, Format.json, key="scores"))
    for name, table in (
        *named.items(),
        ("acceptance", findings.accepted),
        ("comparison", findings.compared),
        ("expected", findings.expected),
        ("invariance", joined([one.table for one in findings.invariance])),
    ):
        if len(table):
            with atomic_text(out / f"{name}.csv") as stream:
                stream.write(render(table, Format.csv))
    for name in ("report.html", "report.md", "report.tex"):
        save(report, out / name)


def joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables as one; an empty table for none."""
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
