"""The tables of a report, each from frames of the rooms below."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import pandas as pd

from ...harness.scoring.acceptance.judging import SPENT
from ...harness.scoring.classes import ALL
from ...harness.scoring.notions import TABLE_1
from ..model import Column, Kind, Table
from ..numbers import counted, in_percent
from .entries import Entry
from .figures import overall

SIDE_BY_SIDE = 3
"""Taggers of a matrix that has room beside another."""

COUNT_COLUMNS = (
    Column("gold", "gold", "count", help="gold mentions of the class"),
    Column("gold_matched", "found", "count", help="the found ones: found / gold is recall"),
    Column("fn", "missed", "count", help="gold mentions of the class that were not found"),
    Column("predicted", "predicted", "count", help="predicted mentions of the class, by their own form"),
    Column("predicted_matched", "right", "count", help="the right ones: right / predicted is precision"),
    Column("fp", "wrong", "count", help="predicted mentions of the class that are wrong"),
)
"""The counts behind recall and precision, each within the class of its own side's mentions."""

MISTAKES = {"recall": "fn", "precision": "fp"}
"""What a figure leads to: every mention that it counts as an error, wrong boundaries included."""

TOO_WIDE = 0.3
"""Width of recall's interval from which a class is not ranked among those that a tagger misses most."""

APART = 0.05
"""The rate of false discoveries among the differences that are called real."""


def identifier(*parts: str) -> str:
    """Parts as an identifier: letters, digits and hyphens.

    Examples
    --------
    >>> identifier("worst", "BioCreative (2)")
    'worst-BioCreative-2'
    """
    joined = "-".join(parts)
    clean = "".join(c if c.isascii() and c.isalnum() else "-" for c in joined)
    return "-".join(p for p in clean.split("-") if p)


def address(**filters: str) -> str:
    """The place of filtered cases in the report."""
    return "cases?" + "&".join(f"{k}={quote(v, safe='')}" for k, v in filters.items())


def linked(frame: pd.DataFrame, verdict: str = "") -> pd.Series:
    """For rows of classes, taggers and sources the address of their cases."""
    links = []
    for tagger, source, name in zip(frame["tagger"], frame["source"], frame["class"], strict=True):
        filters = {"source": source, "tagger": tagger}
        if name != ALL:
            filters["class"] = name
        if verdict:
            filters["verdict"] = verdict
        links.append(address(**filters))
    return pd.Series(links, index=frame.index, dtype="str")


CORRECTED = "at a false discovery rate of 5 % over all rows"


def judged(p: pd.Series) -> pd.Series:
    """Of corrected p-values of differences, the verdicts in words."""
    verdict = (p <= APART).map({True: "different", False: "may be chance"})
    return verdict.where(p.notna(), "undefined").astype("str")


def if_several(frame: pd.DataFrame, name: str, label: str) -> tuple[Column, ...]:
    """A column of names, where there is more than one name."""
    return (Column(name, label),) if frame[name].nunique() > 1 else ()


def worst_tables(rows: pd.DataFrame, tagger: str, source: str, most: int) -> list[Table]:
    """Return the classes with the lowest recall, and separately those whose interval is too wide to rank."""
    unsure = rows["recall_high"] - rows["recall_low"] >= TOO_WIDE
    wide = f"{TOO_WIDE:g}".lstrip("0")
    return [
        _worst_table(part.head(most), identifier(kind, tagger, source), caption)
        for part, kind, caption in (
            (rows[~unsure], "worst", f"What {tagger} misses most in {source}"),
            (
                rows[unsure],
                "unsure",
                f"Also below the whole in {source}, interval of {wide} or wider",
            ),
        )
        if len(part)
    ]


def _worst_table(rows: pd.DataFrame, id_: str, caption: str) -> Table:
    frame = rows.reset_index(drop=True).copy()
    frame["link"] = linked(frame, "fn")
    return Table(
        id_,
        caption,
        frame,
        (
            Column("class", "class", link="link"),
            Column("gold", "mentions", "count"),
            Column("recall", "recall", "range"),
        ),
    )


def overview_table(figures: pd.DataFrame) -> Table:
    """Every tagger over every source, as a whole."""
    frame = figures[figures["class"] == ALL].reset_index(drop=True).copy()
    frame["link"] = linked(frame, "wrong")
    return Table(
        "overview",
        "Each tagger over each suite and corpus",
        frame,
        (
            Column("tagger", "tagger", link="link"),
            Column("source", "suite or corpus"),
            *COUNT_COLUMNS,
            Column("precision", "precision", "range"),
            Column("recall", "recall", "range"),
            Column("f1", "F", "range"),
        ),
    )


def matrix_table(figures: pd.DataFrame, source: str, measure: str = "recall") -> Table:
    """Return classes by taggers: one measure of one source, with the mentions that it is a share of."""
    own = figures[figures["source"] == source].copy()
    names = list(dict.fromkeys(own["class"]))
    frame = pd.DataFrame({"class": names})
    columns = [Column("class", "class")]
    if measure == "recall":
        first = own.drop_duplicates("class").set_index("class")
        frame["gold"] = first["gold"].reindex(names).to_numpy()
        columns.append(Column("gold", "gold", "count"))
    own["link"] = linked(own, MISTAKES[measure])
    for tagger in dict.fromkeys(own["tagger"]):
        rows = own[own["tagger"] == tagger].set_index("class")
        for part in ("", "_low", "_high"):
            frame[f"{tagger}{part}"] = rows[f"{measure}{part}"].reindex(names).to_numpy()
        frame[f"{tagger}_link"] = rows["link"].reindex(names).to_numpy()
        if measure == "precision":
            # the taggers' predictions differ
            frame[f"{tagger}_predicted"] = rows["predicted"].reindex(names).to_numpy()
            columns.append(Column(f"{tagger}_predicted", "predicted", "count"))
        columns.append(Column(tagger, tagger, "heat", link=f"{tagger}_link"))
    return Table(
        identifier("matrix", measure, source),
        f"{measure.capitalize()} in {source}, by class",
        frame,
        tuple(columns),
        half=own["tagger"].nunique() <= SIDE_BY_SIDE,
    )


def forest_table(figures: pd.DataFrame, source: str) -> Table:
    """Recall and precision of each class with their intervals."""
    frame = figures[figures["source"] == source].copy()
    order = {name: i for i, name in enumerate(dict.fromkeys(frame["class"]))}
    frame["order"] = frame["class"].map(order)
    frame = frame.sort_values("order", kind="stable").drop(columns="order").reset_index(drop=True)
    frame["link"] = linked(frame, "wrong")
    return Table(
        identifier("forest", source),
        f"Recall and precision by class in {source}",
        frame,
        (
            Column("class", "class", link="link"),
            *if_several(frame, "tagger", "tagger"),
            Column("gold", "mentions", "count"),
            Column("recall", "recall", "range"),
            Column("predicted", "predicted", "count"),
            Column("precision", "precision", "range"),
        ),
        form="classes",
    )


def notions_frame(entries: Sequence[Entry], source: str) -> pd.DataFrame:
    """Olsson et al. (2002), table 1: R, P and F of each tagger under each notion, as shares.

    Returns
    -------
    DataFrame
        Columns `notion`, then ``TAGGER R``, ``TAGGER P``, ``TAGGER F``; notions without figures are left out.
    """
    frame = pd.DataFrame({"notion": list(TABLE_1)})
    for entry in entries:
        if entry.source == source:
            rows = overall(entry.notions.table).set_index("notion").reindex(list(TABLE_1))
            for letter, name in (("R", "recall"), ("P", "precision"), ("F", "f1")):
                frame[f"{entry.tagger} {letter}"] = rows[name].astype("float64").to_numpy()
    known = frame.drop(columns="notion").notna().any(axis=1)
    return frame[known].reset_index(drop=True)


def notions_table(entries: Sequence[Entry], source: str) -> Table | None:
    """Recall, precision and F of each tagger under each notion; None where nothing is known."""
    frame = notions_frame(entries, source)
    if frame.empty:
        return None
    figures = [Column(name, name, "share") for name in map(str, frame.columns[1:])]
    return Table(
        identifier("notions", source),
        f"{source} under each notion of correctness",
        frame,
        (Column("notion", "notion"), *figures),
        form="notions",
    )


def compared_table(compared: pd.DataFrame, id_: str, caption: str) -> Table:
    """Predictions beside what was found; the form of Cohen et al. (2004), table 1, with the verdict."""
    frame = compared.reset_index(drop=True).copy()
    frame["tagger"], frame["source"] = frame["run"], frame["corpus"]
    frame["link"] = linked(frame, "wrong")
    frame["predicted_of"] = frame["measure"] + " " + frame["expected"].astype("str")
    frame["remark"] = frame["remark"].replace("", None) if "remark" in frame else None
    columns = [
        *if_several(frame, "run", "tagger"),
        *if_several(frame, "corpus", "on"),
        Column("class", "class", link="link", under="remark"),
        *COUNT_COLUMNS,
        Column("precision", "P", "share"),
        Column("recall", "R", "share"),
        Column("predicted_of", "prediction"),
        Column("difference", "against the rest", "difference"),
        Column("verdict", "verdict", "verdict"),
    ]
    if "standardised" in frame:
        columns.append(Column("standardised", "expected", "range"))
    return Table(id_, caption, frame, tuple(columns), form="classes")


def differences_table(table: pd.DataFrame, one: str, other: str, source: str) -> Table:
    """Where two taggers differ, with the paired difference of their recalls."""
    frame = table.reset_index(drop=True).copy()
    frame["judged"] = judged(frame["p_bh"])
    frame["link"] = [
        address(**{"source": source, "class": name, "verdict": "differ"}) for name in frame["class"]
    ]
    return Table(
        identifier("differences", one, other, source),
        f"Recall of {one} less that of {other} in {source}",
        frame,
        (
            Column("class", "class", link="link"),
            Column("one_whole", "mentions", "count"),
            Column("one_value", one, "share"),
            Column("other_value", other, "share"),
            Column("difference", "difference", "difference"),
            Column("judged", "verdict", help=CORRECTED),
        ),
    )


def costs_table(found: pd.DataFrame, tagger: str, source: str) -> Table:
    """What each change of a feature costs in minimal pairs."""
    columns = (
        Column("feature", "feature"),
        Column("from", "from", "query"),
        Column("to", "to", "query"),
        Column("pairs", "pairs", "count"),
        Column("recall_from", "recall before", "share"),
        Column("recall_to", "after", "share"),
        Column("cost", "cost", "difference"),
        Column("others", "others", "number", help="how many other features change with it, on average"),
    )
    return Table(
        identifier("costs", tagger, source), f"What each change costs {tagger} in {source}", found, columns
    )


def discovered_table(frame: pd.DataFrame, run: str) -> Table:
    """Discovered faults, as queries with their figures where they are known."""
    frame = frame.copy()
    link = ""
    if {"tagger", "source", "measure"} <= set(frame.columns):
        link = "link"
        frame[link] = [
            address(**{"source": s, "tagger": t, "class": q, "verdict": MISTAKES[m]})
            for s, t, q, m in zip(
                frame["source"], frame["tagger"], frame["query"], frame["measure"], strict=True
            )
        ]
    columns = [Column("query", "query", "query", link=link)]
    if "measure" in frame:
        columns.append(Column("measure", "of"))
    if "cases" in frame:
        columns += [
            Column("cases", "cases", "count"),
            Column("value", "value", "range"),
            Column("rest", "of the rest", "share"),
            Column("difference", "against the nearest", "difference"),
        ]
    return Table(identifier("discovered", run), f"Faults discovered: {run}", frame, tuple(columns))


def accepted_tables(accepted: pd.DataFrame) -> list[Table]:
    """Acceptance criteria, a row a check: of shares, and of differences from another run.

    All in per cent and with the intervals of the section Figures; the bound is the one on the limit's side.
    """
    frame = accepted.copy()
    sign = frame["required"].astype("str").str.slice(0, 2).map({"<=": "≤", ">=": "≥"})
    spent = frame["measure"].isin(SPENT)
    for name in ("limit", "bound"):
        number = frame[name].map("{:g}".format).where(spent, frame[name].map(in_percent))
        frame[f"{name}_shown"] = (sign + "\u00a0" + number).where(frame[name].notna(), None)
    frame["rests_on"] = [
        counted(n, unit) for n, unit in zip(frame["cases"].astype("int64"), frame["unit"], strict=True)
    ]
    for name in ("reason", "basis"):
        frame[name] = frame[name].replace("", None)
    against = frame["measure"].str.contains(" against ", regex=False)
    parts: tuple[tuple[str, str, Kind, pd.Series], ...] = (
        ("acceptance-criteria", "Acceptance criteria", "range", ~against & ~spent),
        ("acceptance-spending", "Acceptance criteria: seconds and price", "number", spent),
        ("acceptance-against", "Acceptance criteria: no worse than another run", "difference", against),
    )
    return [
        _accepted_table(frame[rows].reset_index(drop=True), id_, caption, kind)
        for id_, caption, kind, rows in parts
        if rows.any()
    ]


def _accepted_table(frame: pd.DataFrame, id_: str, caption: str, kind: Kind) -> Table:
    columns = (
        Column("run", "tagger"),
        Column("corpus", "on"),
        Column("class", "criterion", under="reason"),
        Column("notion", "notion"),
        Column("measure", "measure"),
        Column("limit_shown", "required"),
        Column("observed", "observed", kind, "low", "high"),
        Column("bound_shown", "bound", help="the end of the interval on the limit's side"),
        Column("confidence", "at confidence", "share"),
        Column("rests_on", "rests on"),
        Column("basis", "seconds", help="those of cases that were asked together are shares, not measured"),
        Column("verdict", "verdict", "verdict"),
    )
    kept = tuple(c for c in columns if frame[c.name].notna().any())
    note = (
        "The bound is the end of the interval on the limit's side; where a criterion states a confidence, it "
        "is the one-sided bound at that confidence, and has to meet the limit. Passed, not assured: the "
        "observed value meets the limit, but the interval crosses it."
    )
    return Table(id_, caption, frame, kept, note=note)
