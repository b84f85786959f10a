"""Confidence thresholds: precision and recall at each, where predictions carry confidences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...harness.scoring.views.thresholds import build_curve
from ..model import Block, Chart, Column, Section, Table, make_identifier
from .findings import Findings, ScoredRun, get_main_notion

MAX_POINTS = 200
"""Points of a drawn curve; the best threshold is among them always."""


def thresholds_section(findings: Findings) -> Section:
    """Return precision and recall at each threshold, for taggers that give confidences."""
    blocks: list[Block] = []
    for source in findings.sources:
        curves = {e.tagger: _curve(e) for e in findings.entries if e.source == source and has_confidences(e)}
        if curves:
            blocks += [_chart(curves, source), _table(curves, source)]
    lead = (
        "Some taggers give each mention a confidence. Keeping only mentions above a threshold gains "
        "precision and loses recall; the curve shows both."
    )
    return Section("thresholds", "Confidence thresholds", lead, tuple(blocks), "Thresholds")


def has_confidences(entry: ScoredRun) -> bool:
    """Whether a curve can be drawn: every prediction has a confidence, and they differ."""
    options = entry.notion_scores.options
    if (options.pairing, options.alternatives, options.counting) != ("any", "none", "text"):
        return False
    found = entry.notion_scores.predicted["score"].to_numpy(dtype=np.float64)
    return bool(len(found)) and not np.isnan(found).any() and bool((found != found[0]).any())


def _curve(entry: ScoredRun) -> pd.DataFrame:
    return build_curve(entry.notion_scores, get_main_notion(entry.notion_scores), points=MAX_POINTS)


def _chart(curves: dict[str, pd.DataFrame], source: str) -> Chart:
    frames = [
        pd.DataFrame(
            {
                "label": [f"threshold {t:.4g}" for t in found["threshold"]],
                "series": tagger,
                "x": found["recall"],
                "y": found["precision"],
                "marked": found["best"],
            }
        )
        for tagger, found in curves.items()
    ]
    return Chart(
        make_identifier("figure-thresholds", source),
        f"Precision against recall as the threshold falls, {source}",
        "lines",
        pd.concat(frames, ignore_index=True),
        x="recall",
        y="precision",
        note="A ring marks the threshold with the highest F.",
    )


def _table(curves: dict[str, pd.DataFrame], source: str) -> Table:
    rows = []
    for tagger, found in curves.items():
        # the last row has the lowest threshold: everything is kept
        best, every = found[found["best"]], found.iloc[-1]
        row = {"tagger": tagger, "all_f1": every["f1"], "all_precision": every["precision"]}
        row |= {"all_recall": every["recall"], "threshold": np.nan}
        if len(best):
            row |= {c: best.iloc[0][c] for c in ("threshold", "f1", "precision", "recall")}
        rows.append(row)
    columns = (
        Column("tagger", "tagger"),
        Column("all_precision", "precision of all", "share"),
        Column("all_recall", "recall of all", "share"),
        Column("all_f1", "F of all", "share"),
        Column("threshold", "best threshold", "number"),
        Column("precision", "precision", "share"),
        Column("recall", "recall", "share"),
        Column("f1", "F", "share"),
    )
    caption = f"The threshold with the highest F, and its gain, {source}"
    note = "The threshold was chosen on these very mentions: expect a little less elsewhere."
    return Table(make_identifier("thresholds", source), caption, pd.DataFrame(rows), columns, note)
