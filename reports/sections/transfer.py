"""Section that compares results on corpora with estimates from results on suites."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...catalogues.core.errors import InputError
from ...harness.scoring.classes import ALL
from ...harness.scoring.comparison.suite_predictions import list_classes
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.scores import Scores
from ...harness.scoring.statistics.sums import SIDES
from ...harness.scoring.transfer.calibrate_runs import calibrate_runs
from ...harness.scoring.transfer.composition import read_composition
from ...harness.scoring.transfer.estimates import estimate_corpora
from ...harness.scoring.transfer.level_checks import ADVICE
from ...harness.scoring.transfer.options import CalibrationOptions, TransferOptions
from ...harness.scoring.transfer.standardise import COLUMNS
from ..model import Block, Chart, Column, Section, Table, make_identifier, make_name_column
from .findings import (
    Findings,
    ScoredRun,
    collect_class_figures,
    find_whole_classes,
    get_main_notion,
    split_by_measure,
)

MIN_CHART_CLASSES = 2
"""Minimum number of classes for a chart."""
SHOWN_COLUMNS = (
    "tagger",
    "corpus",
    "class",
    "measure",
    "suite_value",
    *COLUMNS,
    "observed",
    "observed_low",
    "observed_high",
    "mentions",
)


def estimate_entries(
    entries: Sequence[ScoredRun], options: TransferOptions, evidence: Sequence[Scores] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Estimate each tagger's results on corpora by class from suites, and add the observed results.

    Parameters
    ----------
    entries : sequence of ScoredRun
    options : TransferOptions
        Options, including the composition of a corpus; if there is none, nothing is estimated.
    evidence : sequence of Scores
        Scores on other annotated corpora; each is used only for its own tagger.

    Returns
    -------
    table : DataFrame
        Columns `suite`, `composition` and `SHOWN_COLUMNS`; one row per tagger, suite, corpus, class and
        measure. Without corpora, only recall is estimated, and `corpus` and observed results are absent.
    notes : tuple of str
        Remarks on the fitted models.

    Raises
    ------
    InputError
        If a composition is given, but none of the runs is on a suite.
    """
    if not options.standardise:
        return pd.DataFrame(), ()
    suites = [e for e in entries if e.is_suite]
    if not suites:
        raise InputError(
            "estimates need a run on a suite; add one to the runs of the report",
            found=", ".join(dict.fromkeys(e.source for e in entries)),
        )
    composition = read_composition(options.standardise)
    blocks: list[pd.DataFrame] = []
    notes: list[str] = []
    for entry in suites:
        whole_classes, notion = find_whole_classes(entry.scores), get_main_notion(entry.scores)
        classes = [c for c in list_classes(entry.scores) if c.name not in whole_classes]
        own = [e for e in entries if not e.is_suite and e.tagger == entry.tagger]
        others = [s for s in evidence if s.tagger_part == entry.scores.tagger_part]
        targets = [(e.source, [e.scores]) for e in own if all(e.scores is not s for s in others)]
        named = {"tagger": entry.tagger, "suite": entry.source, "composition": composition.name}
        # one corpus at a time, because two corpora may have the same name
        for source, corpora in targets or [("", [])]:
            found, lines = estimate_corpora(
                entry.scores, corpora, classes, options, notion=notion, evidence=others
            )
            blocks.append(found[["class", "measure", *COLUMNS]].assign(**named, corpus=source))
        notes += [f"{entry.label}: {line}" for line in lines]
    frame = pd.concat(blocks, ignore_index=True)
    figures = split_by_measure(collect_class_figures(entries)).drop(columns="notion")
    observed = {"value": "observed", "low": "observed_low", "high": "observed_high", "whole": "mentions"}
    for names in ({"source": "suite", "value": "suite_value"}, {"source": "corpus", **observed}):
        own_names = ["tagger", "class", "measure", *names.values()]
        frame = frame.merge(
            figures.rename(columns=names)[own_names],
            on=["tagger", "class", "measure", names["source"]],
            how="left",
        )
    return frame[["suite", "composition", *SHOWN_COLUMNS]], tuple(notes)


def calibrate_entries(
    entries: Sequence[ScoredRun],
    corpora: Sequence[str],
    calibration: CalibrationOptions,
    scoring: ScoringOptions,
    asked: ClassOptions,
    evidence: Sequence[str] = (),
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Calibrate each tagger's estimates from suites with its runs on annotated corpora.

    `corpora` names the annotated corpora used for calibration, and `evidence` names further ones.

    Returns
    -------
    table : DataFrame
        Columns `tagger`, `suite`, `measure`, and those of `calibrate_runs`; one row per class.
    notes : tuple of str
    """
    blocks: list[pd.DataFrame] = []
    notes: list[str] = []
    for entry in entries:
        runs = {e.source: e.run for e in entries if e.tagger == entry.tagger and not e.is_suite and e.run}
        annotated = [run for source, run in runs.items() if source in corpora]
        others = tuple(str(run.folder) for source, run in runs.items() if source in evidence)
        if not entry.is_suite or entry.run is None or not annotated:
            continue
        own = ClassOptions(asked.classes, asked.by, get_main_notion(entry.scores))
        transfer = TransferOptions(evidence=others)
        table, lines = calibrate_runs(entry.run, annotated, scoring, calibration, own, transfer=transfer)
        named = {"tagger": entry.tagger, "suite": entry.source, "measure": calibration.measure}
        blocks.append(table.assign(**named)[[*named, *table.columns]])
        notes += [f"{entry.label}: {line}" for line in lines]
    return pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(), tuple(notes)


def add_estimates(compared: pd.DataFrame, expected: pd.DataFrame) -> pd.DataFrame:
    """Add estimates from each tagger's first suite to the comparison of predictions."""
    if not len(expected) or not len(compared):
        return compared
    first = expected.drop_duplicates(["tagger", "corpus", "class", "measure"])
    keys = {"tagger": "run", "corpus": "corpus", "class": "class", "measure": "measure"}
    estimates = first.rename(columns=keys)[[*keys.values(), *COLUMNS]]
    return compared.merge(estimates, on=list(keys.values()), how="left", validate="m:1")


def transfer_section(findings: Findings) -> Section:
    """Return the section that compares estimated and observed results in charts and tables."""
    expected = findings.estimates
    blocks: list[Block] = []
    pairs = expected[["suite", "corpus"]].drop_duplicates() if len(expected) else expected
    for suite, corpus in pairs.itertuples(index=False, name=None):
        rows = expected[(expected["suite"] == suite) & (expected["corpus"] == corpus)]
        for measure in SIDES:
            chart = transfer_chart(rows[rows["measure"] == measure], suite, corpus, measure)
            blocks += [chart] if chart is not None else []
        blocks.append(_table(rows, suite, corpus))
    if len(findings.calibrated):
        blocks.append(_calibrated_table(findings.calibrated))
    name = f" with the composition of {expected['composition'].iloc[0]}" if len(expected) else ""
    lead = (
        f"Estimated results on a corpus{name}. A model is fitted to the verdicts on the suite, and its "
        "predictions are averaged over the feature combinations in the corpus. There is no estimate for "
        "classes that the suite covers too little."
    )
    for warning in (note for note in findings.notes if note.endswith(ADVICE)):
        lead += f" Warning: {warning}."
    return Section("expected", "Estimated results on corpora", lead, tuple(blocks), "Estimates")


def transfer_chart(rows: pd.DataFrame, suite: str, corpus: str, measure: str) -> Chart | None:
    """Return a chart of estimated against observed results, or None if there are too few classes."""
    known = rows[(rows["class"] != ALL) & rows["standardised"].notna() & rows["observed"].notna()]
    if known["class"].nunique() < MIN_CHART_CLASSES:
        return None
    names = {"class": "label", "tagger": "series", "observed": "x", "standardised": "y"}
    names |= {"standardised_low": "low", "standardised_high": "high", "mentions": "size"}
    frame = known[list(names)].rename(columns=names).reset_index(drop=True)
    return Chart(
        make_identifier("figure-expected", suite, corpus, measure),
        f"{measure.capitalize()} of each class on {corpus}: observed, and estimated from {suite}",
        "points",
        frame,
        x=f"observed {measure}",
        y=f"estimated {measure}",
        note="For classes on the line, the estimate is exact. An interval that crosses the line is correct.",
    )


def _calibrated_table(calibrated: pd.DataFrame) -> Table:
    """Return the table of estimates from suites and annotated sentences."""
    columns = (
        *make_name_column(calibrated, "tagger", "tagger"),
        *make_name_column(calibrated, "suite", "suite"),
        Column("class", "class"),
        Column("measure", "measure"),
        Column("annotated", "annotated", "count", help="annotated mentions in the class"),
        Column("standardised", "from suite only", "share"),
        Column("calibrated", "estimate", "range"),
        Column("support", "support", "share", help="share of the class's mentions that the suite covers"),
    )
    return Table("calibrated", "Estimates from suite and annotated sentences", calibrated, columns)


def _table(rows: pd.DataFrame, suite: str, corpus: str) -> Table:
    """Return the table of estimates for one suite and corpus."""
    frame = rows.reset_index(drop=True)
    on = f" on {corpus}" if corpus else ""
    observed = (
        Column("observed", f"observed on {corpus}", "range"),
        Column(
            "mentions", "mentions", "count", help="gold mentions (recall) or predicted mentions (precision)"
        ),
    )
    return Table(
        make_identifier("expected", suite, corpus),
        f"Estimates{on}, based on {suite}",
        frame,
        (
            *make_name_column(frame, "tagger", "tagger"),
            Column("class", "class"),
            Column("measure", "measure"),
            Column("suite_value", f"on {suite}", "share"),
            Column("standardised", "estimate", "range"),
            Column("support", "support", "share", help="share of the class's mentions that the suite covers"),
            *(observed if corpus else ()),
        ),
    )
