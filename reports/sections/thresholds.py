"""Section on confidence thresholds, for predictions with confidences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...harness.scoring.views.thresholds import build_curves
from ..model import Block, Chart, Column, Section, Table, make_identifier
from .findings import Findings, ScoredRun, get_main_notion

MAX_POINTS = 200
"""Maximum number of points on a curve; the best threshold is always included."""


def thresholds_section(findings: Findings) -> Section:
    """Return the section on precision and recall at each threshold."""
    blocks: list[Block] = []
    for source in findings.sources:
        curves = {e.tagger: _curve(e) for e in findings.entries if e.source == source and has_confidences(e)}
        if curves:
            blocks += [_chart(curves, source), _table(curves, source)]
    lead = (
        "Some taggers return a confidence with each mention. Keeping only mentions above a threshold usually "
        "increases precision and decreases recall."
    )
    return Section("thresholds", "Confidence thresholds", lead, tuple(blocks), "Thresholds")


def has_confidences(entry: ScoredRun) -> bool:
    """Return True if every prediction of a run has a confidence, and these are not all equal."""
    options = entry.notion_scores.options
    if (options.pairing, options.alternatives, options.counting) != ("any", "none", "text"):
        return False
    values = entry.notion_scores.predicted["score"].to_numpy(dtype=np.float64)
    return bool(len(values)) and not np.isnan(values).any() and bool((values != values[0]).any())


def _curve(entry: ScoredRun) -> pd.DataFrame:
    return build_curves(entry.notion_scores, get_main_notion(entry.notion_scores), points=MAX_POINTS)


def _chart(curves: dict[str, pd.DataFrame], source: str) -> Chart:
    names = {"recall": "x", "precision": "y", "best": "marked"}
    frames = [
        curve[list(names)]
        .rename(columns=names)
        .assign(label=curve["threshold"].map("threshold {:.4g}".format), series=tagger)
        for tagger, curve in curves.items()
    ]
    return Chart(
        make_identifier("figure-thresholds", source),
        f"Precision and recall at all thresholds on {source}",
        "lines",
        pd.concat(frames, ignore_index=True),
        x="recall",
        y="precision",
        note="A ring marks the threshold with the highest F.",
    )


def _table(curves: dict[str, pd.DataFrame], source: str) -> Table:
    rows = []
    for tagger, curve in curves.items():
        # the last row has the lowest threshold, at which all mentions are kept
        best, every = curve[curve["best"]], curve.iloc[-1]
        row = {"tagger": tagger, "all_f1": every["f1"], "all_precision": every["precision"]}
        row |= {"all_recall": every["recall"], "threshold": np.nan}
        if len(best):
            row |= {c: best.iloc[0][c] for c in ("threshold", "f1", "precision", "recall")}
        rows.append(row)
    columns = (
        Column("tagger", "tagger"),
        Column("all_precision", "precision (all)", "share"),
        Column("all_recall", "recall (all)", "share"),
        Column("all_f1", "F (all)", "share"),
        Column("threshold", "best threshold", "number"),
        Column("precision", "precision", "share"),
        Column("recall", "recall", "share"),
        Column("f1", "F", "share"),
    )
    caption = f"Figures without a threshold and at the threshold with the highest F on {source}"
    note = "The threshold was chosen on these mentions; on other texts, F is probably a little lower."
    return Table(make_identifier("thresholds", source), caption, pd.DataFrame(rows), columns, note)
