"""What a study found: judged by its criteria, searched for faults, and written to its folder."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..catalogues.core.files import atomic_path, atomic_text
from ..catalogues.core.settings import options_of
from ..catalogues.core.tables import Format, Say, render
from ..harness.acceptance import flips_of
from ..harness.scoring.acceptance.accept import accept
from ..harness.scoring.acceptance.criteria import read_criteria
from ..harness.scoring.acceptance.junit import junit_xml
from ..harness.scoring.comparison.predictions import read_predictions_file, write_predictions
from ..harness.scoring.options import DiscoverOptions
from ..harness.tasks.section import SectionResult
from .build import build_report
from .invariance_folder import Invariance
from .saving import save
from .sections.entries import Entry, reading_notes, type_notes
from .sections.expected import expected_entries, with_expected
from .sections.faults import discover_entries
from .sections.figures import compared_entries
from .sections.invariance import invariance_section
from .study import Places, StudyFile, transfer_options
from .study_tables import boundary_table, brief, differences, notion_table


@dataclass(frozen=True)
class Outcome:
    """All that a study found.

    Attributes
    ----------
    study : StudyFile
    places : Places
    entries : list of Entry
        Every tagger over every suite and corpus, scored: suites before corpora, in the study's order.
    invariance : list of Invariance
        Every tagger over perturbed copies of the inputs that the study names for it.
    evaluations : list of SectionResult
        Of the published evaluations.
    """

    study: StudyFile
    places: Places
    entries: list[Entry] = field(default_factory=list)
    invariance: list[Invariance] = field(default_factory=list)
    evaluations: list[SectionResult] = field(default_factory=list)

    @cached_property
    def expected(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        """What the suites let expect of the corpora, and remarks; see `expected_entries`."""
        return expected_entries(self.entries, transfer_options(self.study, self.places))

    @cached_property
    def compared(self) -> pd.DataFrame:
        """The predictions beside what every entry shows and what the suites let expect; empty without any."""
        if not self.study.predictions:
            return pd.DataFrame()
        predictions = read_predictions_file(self.places.path(self.study.predictions))
        found = compared_entries(self.entries, predictions, self.study.score.confidence)
        return with_expected(found, self.expected[0])

    @property
    def table(self) -> pd.DataFrame:
        """The score table of everything; rows counted in different ways differ in their signature."""
        frames = []
        for entry in self.entries:
            frames.append(entry.scores.table)
            if entry.notions is not entry.scores:
                frames.append(entry.notions.table)
        return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True)
class Judged:
    """The acceptance criteria, judged.

    Attributes
    ----------
    table : DataFrame
        A row a check of each suite or corpus; empty when the study has no criteria.
    passed : bool
        Whether every check passed.
    lines : list of str
        The failed checks in sentences, with failing cases.
    """

    table: pd.DataFrame
    passed: bool
    lines: list[str]


def judge(outcome: Outcome) -> Judged:
    """Judge the study's acceptance criteria and write ``acceptance-SOURCE.xml`` (JUnit) for each source."""
    study = outcome.study
    if not study.acceptance:
        return Judged(pd.DataFrame(), True, [])
    criteria = read_criteria(outcome.places.path(study.acceptance))
    tables, lines, passed = [], [], True
    for source in study.sources(study.accept_on):
        judged = [e for e in outcome.entries if e.source == source]
        flips = flips_of(criteria, [(e.notions, e.run) for e in judged if e.run is not None])
        found = accept(criteria, [e.notions for e in judged], flips=flips)
        with atomic_path(outcome.places.out / f"acceptance-{source}.xml") as temporary:
            temporary.write_text(junit_xml(found), encoding="utf-8")
        tables.append(found.table)
        lines += found.lines()
        passed &= found.passed
    return Judged(pd.concat(tables, ignore_index=True), passed, lines)


def search(outcome: Outcome, say: Say) -> dict[str, pd.DataFrame]:
    """Search for faults what the study names, and write ``discovered/TAGGER--SOURCE.toml``.

    `tagsuite compare` reads these files as predictions.

    Returns
    -------
    dict of str to DataFrame
        By run; empty when the study asks for no search.
    """
    study = outcome.study
    asked = study.discover
    if asked is None:
        return {}
    sources = study.sources(asked.on)
    entries = [e for e in outcome.entries if e.source in sources]
    options = options_of(DiscoverOptions, asked)
    found = discover_entries(entries, options, confidence=study.score.confidence, say=say)
    for item, table in zip(entries, found.values(), strict=True):
        about = f"Discovered in {item.tagger} on {item.source}"
        path = outcome.places.out / "discovered" / f"{item.tagger}--{item.source}.toml"
        write_predictions(path, table, about=about, signature=item.scores.whole_signature)
    return found


def study_tables(outcome: Outcome) -> dict[str, pd.DataFrame]:
    """The study's tables by title: notions and boundaries of each source, comparisons, differences."""
    tables: dict[str, pd.DataFrame] = {}
    sources = list(dict.fromkeys(s.source for s in outcome.entries))
    for source in sources:
        tables[f"{source}: recall, precision and F under each notion (%)"] = notion_table(
            outcome.entries, source
        )
        tables[f"{source}: boundaries, given a sloppy match (%)"] = boundary_table(outcome.entries, source)
    study = outcome.study
    expected, _ = outcome.expected
    for title, is_suite in (
        ("the predicted classes on the suites", True),
        ("the predictions on the corpora", False),
    ):
        names = {e.source for e in outcome.entries if e.is_suite is is_suite}
        if len(outcome.compared):
            own = outcome.compared[outcome.compared["corpus"].isin(names)]
            if len(own):
                tables[title] = own.reset_index(drop=True)
    for suite in dict.fromkeys(expected["suite"]) if len(expected) else ():
        own = expected[expected["suite"] == suite].reset_index(drop=True)
        tables[f"{suite}: what to expect of a corpus like {own['composition'].iloc[0]}"] = own
    apart = differences(outcome.entries, least=study.least)
    for source in sources:
        own = apart[apart["source"] == source].reset_index(drop=True)
        if len(own):
            tables[f"{source}: classes on which the taggers differ most (strict recall)"] = own
    for one in outcome.invariance:
        title = f"{one.tagger} on {one.corpus}: answers that change when texts are perturbed"
        tables[title] = one.printed()
    for number, found in enumerate(outcome.evaluations, 1):
        title = found.title if found.title not in tables else f"{found.title} ({number})"
        tables[title] = found.table[[c for c in found.shown if c in found.table]]
    return tables


def write_tables(outcome: Outcome, tables: Mapping[str, pd.DataFrame], judged: Judged) -> None:
    """Write the score table (CSV and JSON) and every other table (CSV) to the study's folder."""
    out = outcome.places.out
    named = {"scores": outcome.table} if outcome.entries else {}
    for number, found in enumerate(outcome.evaluations, 1):
        named[f"evaluation-{number}"] = found.table
    for name, scores in named.items():
        _write_csv(out / f"{name}.csv", scores)
        with atomic_text(out / f"{name}.json") as stream:
            stream.write(render(scores, Format.json, key="scores"))
    with atomic_text(out / "tables.md") as stream:
        stream.write(f"# {outcome.study.title}\n")
        for title, frame in tables.items():
            stream.write(f"\n## {title}\n\n{render(brief(frame), Format.markdown)}")
    rates = [one.table for one in outcome.invariance]
    for name, frame in (
        ("acceptance", judged.table),
        ("comparison", outcome.compared),
        ("expected", outcome.expected[0]),
        ("invariance", pd.concat(rates, ignore_index=True) if rates else pd.DataFrame()),
    ):
        if len(frame):
            _write_csv(out / f"{name}.csv", frame)


def _write_csv(file: Path, frame: pd.DataFrame) -> None:
    with atomic_text(file) as stream:
        stream.write(render(frame, Format.csv))


def write_report(
    outcome: Outcome, judged: Judged, discovered: Mapping[str, pd.DataFrame], command: Sequence[str]
) -> None:
    """Write ``report.html``, ``report.md`` and ``report.tex`` to the study's folder.

    Parameters
    ----------
    outcome : Outcome
    judged : Judged
    discovered : mapping of str to DataFrame
        By run, the faults that were found.
    command : sequence of str
        The command that gives the same again.
    """
    study = outcome.study
    expected, notes = outcome.expected
    report = build_report(
        outcome.entries,
        title=study.title,
        about=study.about,
        compared=outcome.compared,
        expected=expected,
        notes=[*notes, *reading_notes(outcome.entries), *type_notes(outcome.entries)],
        accepted=judged.table,
        discovered=discovered,
        evaluations=outcome.evaluations,
        sections=[invariance_section(outcome.invariance)],
        commands=[shlex.join(command)],
        least=study.least,
        confidence=study.score.confidence,
    )
    for name in ("report.html", "report.md", "report.tex"):
        save(report, outcome.places.out / name)
