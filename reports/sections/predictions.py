"""Section that compares predictions with observed results, and suites with corpora."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.classes import ALL
from ...harness.scoring.comparison.prediction_verdicts import compare
from ...harness.scoring.comparison.predictions import Prediction
from ...harness.scoring.comparison.suite_predictions import correlate_ranks
from ..model import Block, Chart, Column, Section, Table, make_identifier, make_name_column
from .cases import link_cases
from .classes import COUNT_COLUMNS
from .findings import Findings, ScoredRun, split_by_measure


def compare_entries(
    entries: Sequence[ScoredRun], predictions: Sequence[Prediction], confidence: float
) -> pd.DataFrame:
    """Compare predictions with each run; the result is empty if there are no predictions."""
    frames = [
        compare(e.scores, predictions, confidence=confidence).assign(run=e.tagger, corpus=e.source)
        for e in entries
        if predictions
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def predictions_section(findings: Findings) -> Section:
    """Return the section with verdicts on predictions, and a comparison of recall on suites and corpora."""
    blocks: list[Block] = []
    suites, corpora = (
        list(dict.fromkeys(e.source for e in findings.entries if e.is_suite is kind))
        for kind in (True, False)
    )
    compared = findings.comparison
    for kind, names in (("corpora", corpora), ("suites", suites)) if len(compared) else ():
        rows = compared[compared["corpus"].isin(names)]
        if len(rows):
            blocks.append(_table(rows, kind))
    for suite in suites:
        for corpus in corpora:
            points = _points(findings.figures, suite, corpus)
            shown = points[points["measure"] == "recall"].reset_index(drop=True)
            if len(shown) > 1:
                blocks += [_scatter_chart(shown, suite, corpus), *_correlation(points, suite, corpus)]
    lead = "A prediction is confirmed if the whole interval of the difference is on the predicted side."
    title = "Predictions, and suites compared with corpora"
    return Section("predictions", title, lead, tuple(blocks), "Predictions")


def _table(compared: pd.DataFrame, kind: str) -> Table:
    """Return the table of predictions with verdicts (like table 1 in Cohen et al. 2004)."""
    frame = compared.reset_index(drop=True).copy()
    frame["tagger"], frame["source"] = frame["run"], frame["corpus"]
    frame["link"] = link_cases(frame, "wrong")
    frame["predicted_of"] = frame["measure"] + " " + frame["expected"].astype("str")
    frame["remark"] = frame["remark"].replace("", None) if "remark" in frame else None
    columns = [
        *make_name_column(frame, "run", "tagger"),
        *make_name_column(frame, "corpus", "on"),
        Column("class", "class", link="link", under="remark"),
        *COUNT_COLUMNS,
        Column("precision", "P", "share"),
        Column("recall", "R", "share"),
        Column("predicted_of", "prediction"),
        Column("difference", "difference from others", "difference"),
        Column("verdict", "verdict", "verdict"),
    ]
    if "standardised" in frame:
        columns.append(Column("standardised", "expected", "range"))
    return Table(make_identifier("predictions", kind), f"Predictions on {kind}", frame, tuple(columns))


def _points(figures: pd.DataFrame, suite: str, corpus: str) -> pd.DataFrame:
    """Return recall and precision of each class on a suite and on a corpus.

    The columns are those of `collect_points` in `harness.scoring.comparison.suite_predictions`.
    """
    keys = ["tagger", "class", "notion", "measure"]
    known = split_by_measure(figures).dropna(subset="value")
    sides = [
        known.loc[known["source"] == source, [*keys, "value", "whole"]].rename(
            columns={"value": f"{side}_value", "whole": f"{side}_whole", "tagger": "run"}
        )
        for side, source in (("suite", suite), ("corpus", corpus))
    ]
    return sides[0].merge(sides[1], on=["run", *keys[1:]]).assign(corpus=corpus)


def _scatter_chart(points: pd.DataFrame, suite: str, corpus: str) -> Chart:
    names = {"class": "label", "run": "series", "suite_value": "x", "corpus_value": "y"}
    names |= {"corpus_whole": "size"}
    return Chart(
        make_identifier("figure-scatter", suite, corpus),
        f"Recall of each class on {suite} and on {corpus}",
        "points",
        points[list(names)].rename(columns=names),
        x=f"recall on {suite}",
        y=f"recall on {corpus}",
        note=f"Classes on the line have equal recall on both; classes below it are harder on {corpus}.",
    )


def _correlation(points: pd.DataFrame, suite: str, corpus: str) -> list[Block]:
    correlations = correlate_ranks(points[points["class"] != ALL])
    correlations = correlations[correlations["rho"].notna()].reset_index(drop=True)
    columns = (
        Column("run", "tagger"),
        Column("measure", "measure"),
        Column("classes", "classes", "count"),
        Column("rho", "rho", "number", help="Spearman's rank correlation"),
        Column("rho_low", "low", "number", help="lower limit of the interval"),
        Column("rho_high", "high", "number", help="upper limit of the interval"),
    )
    caption = f"Rank correlation of classes between {suite} and {corpus}"
    id_ = make_identifier("correlation", suite, corpus)
    return [Table(id_, caption, correlations, columns, half=True)] if len(correlations) else []
