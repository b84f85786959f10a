"""Whole evaluations, of published tasks or from any score table: their sentences, charts and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ...harness.scoring.classes import ALL
from ...harness.scoring.statistics.sums import ALL_MEASURES
from ...harness.tasks.section import SectionResult
from ...harness.tasks.tables import BIOID_COLUMNS, INDEXING_COLUMNS, bacteria_biotope_columns
from ..model import Block, Chart, Column, Section, Table, missing
from ..numbers import counted, listed, percent, spanned
from .charts import bar_chart
from .figures import main_of
from .score_tables import label, score_file_table
from .tables import identifier, if_several

MOST_ROWS = 40
"""Groups of bars in a chart; all are in the table."""
MOST_NAMED = 4
"""Runs of an evaluation whose figures are given in sentences."""
MEANS = {"dice": "Dice", "similarity": "similarity", "mean_references": "mean over references"}
"""Figures that are means over documents or references, and have no interval."""


def evaluations_section(evaluations: Sequence[SectionResult]) -> Section:
    """The section: for each evaluation what its users read first as a chart, then its table."""
    blocks: list[Block] = []
    for i, one in enumerate(evaluations, 1):
        chart = evaluation_chart(one, identifier("figure-evaluation", str(i), one.title))
        blocks += [chart] if chart is not None else []
        blocks.append(
            score_file_table(one.table, identifier("evaluation", str(i), one.title), one.title, one.shown)
        )
    lead = "Score tables of whole evaluations, with the columns particular to each; the CSV has all columns."
    return Section("evaluations", "Evaluations", lead, tuple(blocks))


def main_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that are read first: of one notion (strict, or the first); of one class where types matter."""
    rows = table
    if "notion" in rows and "class" in rows:
        notions = rows["notion"].tolist()
        # where a class stands under one notion only, as in Bacteria Biotope, no notion is chosen
        if rows.duplicated([c for c in ("run", "corpus", "type", "class") if c in rows]).any():
            rows = rows[rows["notion"] == main_of(notions)]
    if "class" in rows and _types(rows) and (rows["class"] == ALL).any():
        rows = rows[rows["class"] == ALL]
    return rows.reset_index(drop=True)


def usual_columns(table: pd.DataFrame) -> tuple[str, ...]:
    """The columns to show, recognised by those that only one of the published evaluations has."""
    if _types(table):
        return BIOID_COLUMNS
    if "dice" in table:
        return INDEXING_COLUMNS
    if "ser" in table or "mean_references" in table:
        base = "mean_references" in table and table["mean_references"].notna().any()
        return bacteria_biotope_columns("kb" if base else "norm")
    return ()


def _types(table: pd.DataFrame) -> bool:
    """Whether rows differ by type, not by class, as in BioID."""
    return "type" in table and "norm_fmeasure_micro" in table


def names_of(rows: pd.DataFrame) -> pd.Series:
    """The names of rows: types or classes."""
    return rows["type" if _types(rows) else "class"].astype("str")


def evaluation_chart(one: SectionResult, id_: str) -> Chart | None:
    """Bars of what the evaluation's users read first; None where there is nothing to draw."""
    table = one.table
    series: list[pd.DataFrame] = []
    runs = list(dict.fromkeys(table["run"])) if "run" in table else [""]
    if "dice" in table:
        series = _indexing(table)
    elif len(runs) > 1:
        rows = main_rows(table)
        measure = _measure(rows)
        series = [_bars(rows[rows["run"] == run], measure, str(run)) for run in runs]
    elif _types(table):
        for notion in dict.fromkeys(table["notion"]):
            rows = table[(table["class"] == ALL) & (table["notion"] == notion)]
            series.append(_bars(rows, "f1", f"F, {notion}"))
        series.append(_bars(main_rows(table), "norm_fmeasure_micro", "F of normalisation"))
    else:
        rows = main_rows(table)
        known = [m for m in (*ALL_MEASURES, *MEANS) if m in rows and rows[m].notna().any()]
        if {"precision", "recall", "f1"} <= set(known) and rows["precision"].equals(rows["recall"]):
            known = ["f1"]
        series = [_bars(rows, m, MEANS.get(m, label(m))) for m in known]
    return bar_chart(id_, f"{one.title} at a glance", series, kind="rows", most=MOST_ROWS)


def _measure(rows: pd.DataFrame) -> str:
    return next((m for m in ("f1", *MEANS) if m in rows and rows[m].notna().any()), "f1")


def _bars(rows: pd.DataFrame, measure: str, series: str) -> pd.DataFrame:
    frame = pd.DataFrame({"group": names_of(rows), "series": series, "value": rows[measure]})
    for end in ("low", "high"):
        column = f"{measure}_{end}"
        frame[end] = rows[column] if column in rows else float("nan")
    return frame


def _indexing(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Precision, recall and F, exact and soft; then the means over documents."""
    found = []
    for row in table.drop_duplicates("notion").to_dict("records"):
        for measure in ALL_MEASURES:
            ends = {e: row.get(f"{measure}_{e}") for e in ("low", "high")}
            found.append({"group": label(measure), "series": row["notion"], "value": row[measure], **ends})
    first = table.iloc[0]
    found += [
        {"group": MEANS[measure], "series": "mean over documents", "value": first[measure]}
        for measure in ("dice", "similarity")
    ]
    return [pd.DataFrame(found)]


def evaluated(evaluations: Sequence[SectionResult]) -> list[str]:
    """What was evaluated: a sentence for each evaluation."""
    lines = []
    for one in evaluations:
        table = one.table
        runs = [str(r) for r in dict.fromkeys(table["run"])] if "run" in table else []
        corpora = [str(c) for c in dict.fromkeys(table["corpus"])] if "corpus" in table else []
        who = listed(runs) if runs else "predictions"
        on = f" on {listed(corpora)}" if corpora else ""
        lines.append(f"{one.title}: {who}{on}{_size(table)}.")
    return lines


def _size(table: pd.DataFrame) -> str:
    rows = main_rows(table)
    if "gold" not in rows or rows.empty:
        return ""
    unit = str(rows["unit"].iloc[0]) if "unit" in rows else "mention"
    if not _types(rows):
        return f", {counted(int(rows['gold'].iloc[0]), unit)}"
    own = rows[rows["run"] == rows["run"].iloc[0]]
    return f", {counted(int(own['gold'].sum()), unit)} of {counted(len(own), 'type')}"


def evaluations_in_words(evaluations: Sequence[SectionResult]) -> list[str]:
    """What each evaluation found: its main figure, for each run."""
    lines = []
    for one in evaluations:
        rows = main_rows(one.table)
        for run in list(dict.fromkeys(rows["run"]))[:MOST_NAMED]:
            own = rows[rows["run"] == run]
            if len(own):
                lines.append(f"{one.title}, {run}: {_findings(own)}.")
    return lines


def _findings(rows: pd.DataFrame) -> str:
    first = {str(k): v for k, v in rows.iloc[0].to_dict().items()}
    if _types(rows):
        known = rows[rows["f1"].notna()].sort_values("f1", kind="stable")
        if known.empty:
            return "no F is defined"
        ends: list[dict[Any, Any]] = [known.iloc[-1].to_dict(), known.iloc[0].to_dict()]
        named = [f"{r['type']} (F {percent(r['f1'])})" for r in ends]
        return f"best at {named[0]}, worst at {named[1]}" if len(known) > 1 else f"F of {named[0]}"
    name = "" if first.get("class") in (ALL, None) else f"{first['class']}: "
    if not missing(first.get("mean_references")):
        return f"{name}{percent(first['mean_references'])} of a document's references on average"
    parts = [
        f"{label(m)} {spanned(first[m], *(first.get(f'{m}_{end}', float('nan')) for end in ('low', 'high')))}"
        for m in ALL_MEASURES
        if not missing(first.get(m))
    ]
    parts += [f"{MEANS[m]} {first[m]:.3f}" for m in ("dice", "similarity") if not missing(first.get(m))]
    if not missing(first.get("ser")):
        parts.append(f"slot error rate {first['ser']:.3f}")
    return name + (listed(parts) if parts else "no figure is defined")


def worst_of_evaluations(evaluations: Sequence[SectionResult], *, least: int, most: int) -> list[Table]:
    """For each evaluation of several rows those of the lowest F, by the upper end of its interval."""
    tables = []
    for i, one in enumerate(evaluations, 1):
        rows = main_rows(one.table)
        if "f1" not in rows or len(rows) < most or "dice" in rows:
            continue
        frame = rows.assign(name=names_of(rows), bound=rows.get("f1_high", rows["f1"]))
        frame = frame[frame["f1"].notna() & (frame["gold"] >= least)]
        frame = frame.sort_values(["bound", "f1", "name"], kind="stable").head(most).reset_index(drop=True)
        if frame.empty:
            continue
        columns = (
            Column("name", "type" if _types(rows) else "class"),
            *if_several(frame, "run", "run"),
            Column("gold", "gold", "count"),
            Column("f1", "F", "range"),
        )
        caption = f"The lowest F in {one.title}"
        tables.append(Table(identifier("worst-evaluation", str(i)), caption, frame, columns))
    return tables
