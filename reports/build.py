"""A report put together from what was scored, compared and discovered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ..catalogues.core.version import __version__
from ..harness.scoring.acceptance.judging import FAILED, UNSURE
from ..harness.scoring.classes import ALL
from ..harness.scoring.comparison.correlation import rank_correlation
from ..harness.scoring.discovery.costs import pair_costs
from ..harness.scoring.discovery.run import contrasted
from ..harness.scoring.statistics.paired import paired
from ..harness.tasks.section import SectionResult
from .model import Block, Column, Report, Section, Table, Words
from .sections.cases import case_sources
from .sections.charts import boundary_chart, notion_chart, scatter_chart
from .sections.entries import Entry, pairs_of
from .sections.evaluations import evaluated, evaluations_in_words, evaluations_section, worst_of_evaluations
from .sections.expected import expected_section
from .sections.faults import discovered_classes, discovered_in_words, discovered_section
from .sections.figures import class_figures, class_points, main_notion, whole_names, worst_classes
from .sections.prose import MOST_PAIRS, accepted_in_words, tested, verdict
from .sections.spending import spending_section
from .sections.strings import strings_section
from .sections.tables import (
    accepted_tables,
    compared_table,
    costs_table,
    differences_table,
    forest_table,
    identifier,
    matrix_table,
    notions_table,
    overview_table,
    worst_tables,
)
from .sections.thresholds import thresholds_section
from .sections.varying import repeats_section

WORST, FEWER = 5, 3
"""Classes on the first screen, for each tagger; fewer where there are more than two lists."""
MOST_WORST = 4
"""Lists of classes on the first screen."""


def build_report(
    entries: Sequence[Entry] = (),
    *,
    title: str = "",
    about: str = "",
    compared: pd.DataFrame | None = None,
    expected: pd.DataFrame | None = None,
    discovered: Mapping[str, pd.DataFrame] | None = None,
    accepted: pd.DataFrame | None = None,
    evaluations: Sequence[SectionResult] = (),
    sections: Sequence[Section] = (),
    commands: Sequence[str] = (),
    notes: Sequence[str] = (),
    least: int = 10,
    confidence: float = 0.95,
) -> Report:
    """Put a report together.

    Parameters
    ----------
    entries : sequence of Entry
        Scored runs: what `entries_of` makes of run folders, or a study's.
    title, about : str
        The heading, and the purpose of it all.
    compared : DataFrame, optional
        What `compare` found, of all runs.
    expected : DataFrame, optional
        What suites let expect of corpora: of `expected_entries`.
    discovered : mapping of str to DataFrame, optional
        By run, what `discover` found: with a column `words`, or `query` and `note`; with `tagger` and
        `source` too, rows lead to their cases.
    accepted : DataFrame, optional
        A row a criterion, with `verdict`.
    evaluations : sequence of SectionResult
        Further score tables with their titles: of published evaluations.
    sections : sequence of Section
        Sections of one's own, before the cases.
    commands : sequence of str
        The commands that give the same again.
    notes : sequence of str
        Remarks for the reader.
    least : int
        Gold mentions of a class on the first screen.
    confidence : float
        Of the intervals.

    Returns
    -------
    Report
        Write it with `reports.saving.save`, or as text with `reports.saving.content`.
    """
    figures = class_figures(entries)
    taggers = list(dict.fromkeys(e.tagger for e in entries))
    sources = list(dict.fromkeys(e.source for e in entries))
    found: list[Section] = []
    findings: list[str] = []
    worst: list[Table] = []
    if len(figures):
        findings = verdict(entries, figures, compared, confidence)
        most = WORST if len(entries) <= 2 else FEWER
        for entry in entries[:MOST_WORST]:
            rows = worst_classes(figures, entry.tagger, entry.source, least=least)
            worst += worst_tables(rows, entry.tagger, entry.source, most)
        found += _classes(figures, sources)
        found.append(strings_section(entries))
        found.append(_notions(entries, sources))
        found.append(_against(figures, entries, compared))
        if expected is not None and len(expected):
            found.append(expected_section(expected))
        found.append(_differences(entries, least, confidence))
        found.append(_costs(entries, confidence))
        found.append(thresholds_section(entries))
        found.append(spending_section(entries))
        found.append(repeats_section(entries))
    if accepted is not None and len(accepted):
        found.insert(0, Section("acceptance", "Acceptance", blocks=tuple(accepted_tables(accepted))))
        failed, unsure = (int((accepted["verdict"] == v).sum()) for v in (FAILED, UNSURE))
        findings.insert(0, accepted_in_words(failed, len(accepted), unsure))
    findings += discovered_in_words(discovered or {})
    found.append(discovered_section(discovered or {}))
    findings += evaluations_in_words(evaluations)
    worst += worst_of_evaluations(evaluations, least=least, most=FEWER)[: max(MOST_WORST - len(worst), 0)]
    found.append(evaluations_section(evaluations))
    found += list(sections)
    remarks = [*notes, *(note for e in evaluations for note in e.notes)]
    found.append(_again(entries, commands, remarks, confidence))
    tables = [*(e.scores.table for e in entries), *(e.table for e in evaluations)]
    name = title or (
        f"{' and '.join(taggers)} on {' and '.join(sources)}"
        if entries
        else " and ".join(e.title for e in evaluations)
    )
    return Report(
        title=name,
        about=" ".join(about.split()),
        tested=(*tested(entries), *evaluated(evaluations)),
        verdict=tuple(findings),
        worst=tuple(worst),
        sections=tuple(s for s in found if s.blocks),
        sources=case_sources(entries, discovered_classes(discovered or {})),
        scores=pd.concat(tables, ignore_index=True) if tables else None,
        version=__version__,
    )


def _classes(figures: pd.DataFrame, sources: Sequence[str]) -> list[Section]:
    blocks: list[Block] = [overview_table(figures)]
    forests: list[Block] = []
    for source in sources:
        if (figures.loc[figures["source"] == source, "class"] != ALL).any():
            if figures.loc[figures["source"] == source, "tagger"].nunique() > 1:
                blocks.append(matrix_table(figures, source, "recall"))
                blocks.append(matrix_table(figures, source, "precision"))
            forests.append(forest_table(figures, source))
    lead = "Figures of everything, then by class; a cell links to its cases. Bars show the interval."
    found = [Section("figures", "Figures", lead, tuple(blocks))]
    if forests:
        note = "Each class with its recall, precision and their intervals; a short bar is a sure figure."
        found.append(Section("classes", "Class by class", note, tuple(forests), "Classes"))
    return found


def _notions(entries: Sequence[Entry], sources: Sequence[str]) -> Section:
    blocks: list[Block] = []
    for source in sources:
        parts = (
            notion_chart(entries, source),
            boundary_chart(entries, source),
            notions_table(entries, source),
        )
        blocks += [part for part in parts if part is not None]
    return Section(
        "notions",
        "Notions of correctness",
        "What counts as right changes the figures; where they differ, boundaries are the problem.",
        tuple(blocks),
        "Notions",
    )


def _against(figures: pd.DataFrame, entries: Sequence[Entry], compared: pd.DataFrame | None) -> Section:
    blocks: list[Block] = []
    suites = list(dict.fromkeys(e.source for e in entries if e.is_suite))
    corpora = list(dict.fromkeys(e.source for e in entries if not e.is_suite))
    if compared is not None and len(compared):
        for kind, names in (("corpora", corpora), ("suites", suites)):
            rows = compared[compared["corpus"].isin(names)]
            if len(rows):
                caption = f"The predictions on the {kind}"
                blocks.append(compared_table(rows, identifier("predictions", kind), caption))
    for suite in suites:
        for corpus in corpora:
            both = class_points(figures, suite, corpus)
            chart = scatter_chart(both, suite, corpus)
            if chart is None:
                continue
            blocks.append(chart)
            blocks += _correlation(both, suite, corpus)
    lead = "A prediction is held when the whole interval of the difference lies on the predicted side."
    title = "Predictions, and suites against corpora"
    return Section("predictions", title, lead, tuple(blocks), "Predictions")


def _correlation(both: pd.DataFrame, suite: str, corpus: str) -> list[Block]:
    found = rank_correlation(both[both["class"] != ALL])
    found = found[found["rho"].notna()].reset_index(drop=True)
    if found.empty:
        return []
    columns = (
        Column("run", "tagger"),
        Column("measure", "of"),
        Column("classes", "classes", "count"),
        Column("rho", "rho", "number"),
        Column("rho_low", "from", "number"),
        Column("rho_high", "to", "number"),
    )
    caption = f"Rank correlation over classes: {suite} and {corpus}"
    return [Table(identifier("correlation", suite, corpus), caption, found, columns, half=True)]


def _differences(entries: Sequence[Entry], least: int, confidence: float) -> Section:
    blocks: list[Block] = []
    for one, other in pairs_of(entries)[:MOST_PAIRS]:
        notion = main_notion(one.scores)
        if notion not in other.scores.tallies or not one.scores.divisions:
            continue
        table = paired(one.scores, other.scores, notion=notion, measures=["recall"], confidence=confidence)
        table = table[
            ~table["class"].isin(whole_names(one.scores))
            & (table["one_whole"] >= least)
            & table["difference"].notna()
        ]
        if len(table):
            blocks.append(differences_table(table, one.tagger, other.tagger, one.source))
    lead = (
        "Two taggers on the same mentions: the difference of their recalls, class by class. The verdicts "
        "are corrected for the number of rows: one in twenty of those called different may be chance."
    )
    return Section("differences", "Where the taggers differ", lead, tuple(blocks), "Differences")


def _costs(entries: Sequence[Entry], confidence: float) -> Section:
    blocks: list[Block] = []
    for entry in entries:
        recipe = () if entry.run is None else contrasted(entry.run)
        notion = main_notion(entry.scores)
        found = pair_costs(entry.scores, notion=notion, recipe=recipe, confidence=confidence)
        if len(found.table):
            blocks.append(costs_table(found.table, entry.tagger, entry.source))
        if found.pairs and found.notes:
            blocks.append(Words(tuple(f"{entry.tagger} on {entry.source}: {note}" for note in found.notes)))
    lead = (
        "A minimal pair is two cases that were made to differ in one feature; the cost is the recall lost by "
        "the change. Where other features change with it, the cost is not that feature's alone."
    )
    return Section("costs", "What changing one feature costs", lead, tuple(blocks), "Costs")


def _again(
    entries: Sequence[Entry], commands: Sequence[str], notes: Sequence[str], confidence: float
) -> Section:
    blocks: list[Block] = []
    if commands:
        blocks.append(Words(tuple(commands), "commands"))
    signatures = pd.DataFrame(
        [
            {
                "tagger": e.tagger,
                "source": e.source,
                "signature": e.scores.signature(next(iter(e.scores.tallies.values())).notion),
            }
            for e in entries
        ]
    )
    if len(signatures):
        columns = (
            Column("tagger", "tagger"),
            Column("source", "suite or corpus"),
            Column("signature", "signature", "query"),
        )
        blocks.append(
            Table("signatures", "What must be the same to get the same figures", signatures, columns)
        )
    lines = [*notes]
    if entries:
        lines.append(
            f"Intervals are at {100 * confidence:g} % confidence. Those of figures by class are resampled: "
            "suites by entities and contexts, corpora by documents or sentences."
        )
    if lines:
        blocks.append(Words(tuple(lines), "list"))
    return Section("again", "How to get the same results again", "", tuple(blocks), "Reproducing")
