"""The end of a study: its tables on screen and on disk, its report, its verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ...catalogues.core.files import atomic_text
from ...catalogues.core.tables import Format, render
from ...harness.scoring.acceptance.accept import printed
from ...harness.scoring.comparison.compare import COLUMNS, compare
from ...harness.scoring.comparison.predictions import read_predictions_file
from .accepting import judge_study
from .carrying import Outcome, carry_out
from .discovering import discover_study, discovered_tables
from .reporting import write_study_report
from .tables import boundary_table, differences, notion_table

Say = Callable[[str], None]
Show = Callable[[str, pd.DataFrame], None]

TOLD = 5
"""Classes on which two taggers differ that are shown on screen, for each suite or corpus."""


def conclude(file: Path, out: Path, *, data: Path | None = None, jobs: int = 1, say: Say, show: Show) -> int:
    """Carry a study out and show what it found.

    Returns
    -------
    int
        The exit status: 1 when an acceptance criterion failed, 3 when a tagger failed on some input, else 0.
    """
    outcome = carry_out(file, out, data=data, jobs=jobs, say=say)
    tables = study_tables(outcome)
    judged = judge_study(outcome, out)
    if len(judged.table):
        tables["acceptance criteria"] = judged.table
    discovered = discover_study(outcome, out, say)
    tables |= discovered_tables(discovered)
    write_tables(outcome, tables, out)
    accepted = judged.table if len(judged.table) else None
    write_study_report(outcome, tables, out, file=file, data=data, accepted=accepted, discovered=discovered)
    for title, frame in tables.items():
        show(title, brief(frame))
    for line in [*(note for e in outcome.evaluations for note in e.notes), *judged.lines]:
        say(line)
    if not judged.passed:
        return 1
    return 3 if any(s.run.failed for s in outcome.scored) else 0


def study_tables(outcome: Outcome) -> dict[str, pd.DataFrame]:
    """The study's tables by title: notions and boundaries of each source, comparisons, differences."""
    tables: dict[str, pd.DataFrame] = {}
    sources = list(dict.fromkeys(s.source for s in outcome.scored))
    for source in sources:
        tables[f"{source}: recall, precision and F under each notion (%)"] = notion_table(
            outcome.scored, source
        )
        tables[f"{source}: boundaries, given a sloppy match (%)"] = boundary_table(outcome.scored, source)
    for title, suite in (
        ("the predicted classes on the suites", True),
        ("the predictions on the corpora", False),
    ):
        compared = comparison_table(outcome, suite=suite)
        if len(compared):
            tables[title] = compared
    apart = differences(outcome.scored, least=outcome.study.least)
    for source in sources:
        chosen = apart[apart["source"] == source].reset_index(drop=True)
        if len(chosen):
            tables[f"{source}: classes on which the taggers differ most (strict recall)"] = chosen
    for number, found in enumerate(outcome.evaluations, 1):
        title = found.title if found.title not in tables else f"{found.title} ({number})"
        tables[title] = found.table[[c for c in found.shown if c in found.table]]
    return tables


def comparison_table(outcome: Outcome, *, suite: bool) -> pd.DataFrame:
    """The study's predictions against its suites, or its corpora: one block a run, first the whole."""
    scored = outcome.find(suite=suite)
    if not outcome.study.predictions or not scored:
        return pd.DataFrame()
    predictions = read_predictions_file(outcome.places.path(outcome.study.predictions))
    frames = [compare(s.scores, predictions, confidence=outcome.study.score.confidence) for s in scored]
    return pd.concat(frames, ignore_index=True)


def brief(frame: pd.DataFrame) -> pd.DataFrame:
    """What of a table fits a screen."""
    if "required" in frame:
        return frame[["run", "corpus"]].join(printed(frame).drop(columns=["run", "corpus"], errors="ignore"))
    if "verdict" in frame:
        kept = ["run", "corpus", "class", "tp", "fp", "fn", "precision", "recall", *COLUMNS]
        return frame[[c for c in kept if c in frame and c not in ("observed", "rest")]]
    if "recall_one" in frame:
        return frame.head(TOLD)
    return frame


def write_tables(outcome: Outcome, tables: dict[str, pd.DataFrame], out: Path) -> None:
    """Write the score table (CSV and JSON) and every other table (CSV) to the study's folder."""
    named = {"scores": outcome.table} if outcome.scored else {}
    for number, found in enumerate(outcome.evaluations, 1):
        named[f"evaluation-{number}"] = found.table
    for name, scores in named.items():
        with atomic_text(out / f"{name}.csv") as stream:
            stream.write(render(scores, Format.csv))
        with atomic_text(out / f"{name}.json") as stream:
            stream.write(render(scores, Format.json, key="scores"))
    with atomic_text(out / "tables.md") as stream:
        stream.write(f"# {outcome.study.title}\n")
        for title, frame in tables.items():
            stream.write(f"\n## {title}\n\n{render(brief(frame), Format.markdown)}")
    for frame in tables.values():
        if "required" in frame:
            with atomic_text(out / "acceptance.csv") as stream:
                stream.write(render(frame, Format.csv))
    compared = [f for f in tables.values() if "verdict" in f and "required" not in f]
    if compared:
        with atomic_text(out / "comparison.csv") as stream:
            stream.write(render(pd.concat(compared, ignore_index=True), Format.csv))
