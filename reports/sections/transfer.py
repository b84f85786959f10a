"""What a suite lets expect of a corpus: standardised estimates by class, against what the corpus shows."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...catalogues.core.errors import InputError
from ...harness.running.folder.runs import Run
from ...harness.scoring.classes import ALL
from ...harness.scoring.comparison.predictions import Prediction
from ...harness.scoring.comparison.suite_predictions import list_classes
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.statistics.sums import SIDES
from ...harness.scoring.transfer.calibrate_runs import calibrate_runs
from ...harness.scoring.transfer.composition import read_composition
from ...harness.scoring.transfer.estimates import estimate_corpora, estimate_without_corpus
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
from .predictions import compare_entries

MIN_CHART_CLASSES = 2
"""Classes of a picture."""
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


def compare_and_estimate(
    entries: Sequence[ScoredRun],
    predictions: Sequence[Prediction],
    options: TransferOptions,
    confidence: float,
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Compare predictions with all entries, and estimate corpus results from suites."""
    expected, notes = estimate_entries(entries, options)
    return add_estimates(compare_entries(entries, predictions, confidence), expected), expected, notes


def estimate_entries(
    entries: Sequence[ScoredRun], options: TransferOptions
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """What each tagger's suites let expect of each class, beside what its corpora show.

    Parameters
    ----------
    entries : sequence of Entry
    options : TransferOptions
        With a composition; without one nothing is expected.

    Returns
    -------
    table : DataFrame
        `suite`, `composition` and `SHOWN`: a row a class and measure of every tagger, suite and corpus;
        without corpora those of recall, `corpus` and what was observed being absent.
    notes : tuple of str
        How the models came out.

    Raises
    ------
    InputError
        When a composition is named and no entry is over a suite.
    """
    if not options.standardise:
        return pd.DataFrame(), ()
    suites = [e for e in entries if e.is_suite]
    if not suites:
        raise InputError(
            "nothing to standardise: no run is over a suite",
            found=", ".join(dict.fromkeys(e.source for e in entries)),
            allowed="runs over suites, and over corpora to compare with",
        )
    over = read_composition(options.standardise)
    blocks: list[pd.DataFrame] = []
    notes: list[str] = []
    for entry in suites:
        whole, notion = find_whole_classes(entry.scores), get_main_notion(entry.scores)
        classes = [c for c in list_classes(entry.scores) if c.name not in whole]
        own = [e for e in entries if not e.is_suite and e.tagger == entry.tagger]
        # one at a time: two corpora may have one name
        parts = [
            (e.source, estimate_corpora(entry.scores, [e.scores], classes, options, notion=notion))
            for e in own
        ]
        parts = parts or [("", estimate_without_corpus(entry.scores, classes, options, notion=notion))]
        named = {"tagger": entry.tagger, "suite": entry.source, "composition": over.name}
        blocks += [
            found[["class", "measure", *COLUMNS]].assign(**named, corpus=source)
            for source, (found, _) in parts
        ]
        notes += [f"{entry.label}: {line}" for line in parts[-1][1][1]]
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
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Calibrate the estimates of each tagger's suites with its runs over annotated corpora.

    Returns
    -------
    table : DataFrame
        Columns `tagger`, `suite`, `measure`, and those of `calibrate_runs`; one row per class.
    notes : tuple of str
    """
    blocks: list[pd.DataFrame] = []
    notes: list[str] = []
    for entry in entries:
        annotated: list[Run] = [
            e.run
            for e in entries
            if e.source in corpora and e.tagger == entry.tagger and not e.is_suite and e.run is not None
        ]
        if not entry.is_suite or entry.run is None or not annotated:
            continue
        own = ClassOptions(asked.classes, asked.by, get_main_notion(entry.scores))
        done = calibrate_runs(entry.run, annotated, scoring, calibration, own)
        named = {"tagger": entry.tagger, "suite": entry.source, "measure": calibration.measure}
        blocks.append(done.table.assign(**named)[[*named, *done.table.columns]])
        notes += [f"{entry.label}: {line}" for line in done.notes]
    return pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(), tuple(notes)


def add_estimates(compared: pd.DataFrame, expected: pd.DataFrame) -> pd.DataFrame:
    """Compared predictions with what each tagger's first suite lets expect of their classes."""
    if not len(expected) or not len(compared):
        return compared
    first = expected.drop_duplicates(["tagger", "corpus", "class", "measure"])
    keys = {"tagger": "run", "corpus": "corpus", "class": "class", "measure": "measure"}
    known = first.rename(columns=keys)[[*keys.values(), *COLUMNS]]
    return compared.merge(known, on=list(keys.values()), how="left", validate="m:1")


def transfer_section(findings: Findings) -> Section:
    """Return estimates against observed results for each suite and corpus, as charts and tables."""
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
    name = f" like {expected['composition'].iloc[0]}" if len(expected) else ""
    lead = (
        f"The results on a suite, carried over to a corpus made{name}: a model of the suite's verdicts, "
        "averaged over what the corpus is made of. Where the suite covers too little of a class there is no "
        "figure."
    )
    return Section("expected", "What to expect of a corpus", lead, tuple(blocks), "Expected")


def transfer_chart(rows: pd.DataFrame, suite: str, corpus: str, measure: str) -> Chart | None:
    """Estimate against truth, a point a class with the bar of its interval; None where there are too few."""
    known = rows[(rows["class"] != ALL) & rows["standardised"].notna() & rows["observed"].notna()]
    if known["class"].nunique() < MIN_CHART_CLASSES:
        return None
    frame = pd.DataFrame(
        {
            "label": known["class"],
            "series": known["tagger"],
            "x": known["observed"],
            "y": known["standardised"],
            "low": known["standardised_low"],
            "high": known["standardised_high"],
            "size": known["mentions"],
        }
    ).reset_index(drop=True)
    return Chart(
        make_identifier("figure-expected", suite, corpus, measure),
        f"{measure.capitalize()} of each class in {corpus}: expected from {suite}, and found",
        "points",
        frame,
        x=f"{measure} in {corpus}",
        y="expected",
        note="On the line, a class is as expected; a bar across the line is an interval that holds.",
    )


def _calibrated_table(calibrated: pd.DataFrame) -> Table:
    """Return the estimates that annotated sentences calibrate."""
    columns = (
        *make_name_column(calibrated, "tagger", "tagger"),
        *make_name_column(calibrated, "suite", "suite"),
        Column("class", "class"),
        Column("measure", "of"),
        Column("annotated", "annotated", "count", help="annotated mentions of the class"),
        Column("standardised", "from the suite", "share"),
        Column("calibrated", "expected", "range"),
        Column("support", "support", "share", help="the share of the class that the suite covers"),
    )
    return Table("calibrated", "What suite and annotated sentences let expect", calibrated, columns)


def _table(rows: pd.DataFrame, suite: str, corpus: str) -> Table:
    """The figures of one suite and corpus."""
    frame = rows.reset_index(drop=True)
    on = f" of {corpus}" if corpus else ""
    observed = (
        (
            Column("observed", f"in {corpus}", "range"),
            Column("mentions", "mentions", "count", help="gold mentions for recall, predicted for precision"),
        )
        if corpus
        else ()
    )
    return Table(
        make_identifier("expected", suite, corpus),
        f"What {suite} lets expect{on}",
        frame,
        (
            *make_name_column(frame, "tagger", "tagger"),
            Column("class", "class"),
            Column("measure", "of"),
            Column("suite_value", f"in {suite}", "share"),
            Column("standardised", "expected", "range"),
            Column("support", "support", "share", help="the share of the class that the suite covers"),
            *observed,
        ),
    )
