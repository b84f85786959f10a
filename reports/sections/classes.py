"""Figures of all mentions and by class: the first screen's lists and the report's first tables."""

from __future__ import annotations

import pandas as pd

from ...harness.scoring.classes import ALL
from ..model import Block, Column, Section, Table, identifier, if_several
from .cases import MISTAKES, linked
from .findings import Findings

WORST, FEWER = 5, 3
"""Classes listed on the first screen for each tagger; fewer if there are more than two lists."""
MOST_WORST = 4
"""Lists of classes on the first screen."""
SIDE_BY_SIDE = 3
"""Taggers of a matrix that has room next to another."""
TOO_WIDE = 0.3
"""Width of recall's interval from which a class is not ranked among those that a tagger misses most."""
COUNT_COLUMNS = (
    Column("gold", "gold", "count", help="gold mentions of the class"),
    Column("gold_matched", "found", "count", help="the found ones: found / gold is recall"),
    Column("fn", "missed", "count", help="gold mentions of the class that were not found"),
    Column("predicted", "predicted", "count", help="predicted mentions of the class, by their own form"),
    Column("predicted_matched", "right", "count", help="the right ones: right / predicted is precision"),
    Column("fp", "wrong", "count", help="predicted mentions of the class that are wrong"),
)
"""The counts behind recall and precision, each within the class of its own side's mentions."""


def worst_classes(figures: pd.DataFrame, tagger: str, source: str, *, least: int) -> pd.DataFrame:
    """Return the classes with the lowest recall, in ascending order.

    A class needs `least` gold mentions and a recall below that of the whole.
    """
    own = figures[(figures["tagger"] == tagger) & (figures["source"] == source)]
    of_all = own.loc[own["class"] == ALL, "recall"]
    chosen = own[(own["class"] != ALL) & (own["gold"] >= least) & own["recall"].notna()]
    if len(of_all):
        chosen = chosen[chosen["recall"] < of_all.iloc[0]]
    # two names for the same mentions are one class here
    chosen = chosen.drop_duplicates(["gold", "predicted", "gold_matched", "predicted_matched"])
    return chosen.sort_values(["recall", "recall_high", "class"], kind="stable")


def first_tables(findings: Findings) -> list[Table]:
    """Return the tables of the first screen: the classes that each tagger misses most."""
    most = WORST if len(findings.entries) <= 2 else FEWER
    return [
        table
        for entry in findings.entries[:MOST_WORST]
        for table in worst_tables(
            worst_classes(findings.figures, entry.tagger, entry.source, least=findings.least),
            entry.tagger,
            entry.source,
            most,
        )
    ]


def worst_tables(rows: pd.DataFrame, tagger: str, source: str, most: int) -> list[Table]:
    """Return the classes with the lowest recall, and separately those whose interval is too wide to rank."""
    unsure = rows["recall_high"] - rows["recall_low"] >= TOO_WIDE
    wide = f"{TOO_WIDE:g}".lstrip("0")
    return [
        _worst_table(part.head(most), identifier(kind, tagger, source), caption)
        for part, kind, caption in (
            (rows[~unsure], "worst", f"What {tagger} misses most in {source}"),
            (rows[unsure], "unsure", f"Also below the whole in {source}, interval of {wide} or wider"),
        )
        if len(part)
    ]


def _worst_table(rows: pd.DataFrame, id_: str, caption: str) -> Table:
    frame = rows.reset_index(drop=True).copy()
    frame["link"] = linked(frame, "fn")
    columns = (
        Column("class", "class", link="link"),
        Column("gold", "mentions", "count"),
        Column("recall", "recall", "range"),
    )
    return Table(id_, caption, frame, columns)


def figures_section(findings: Findings) -> Section:
    """Return the figures of each tagger over each source, then classes by taggers."""
    figures = findings.figures
    blocks: list[Block] = []
    if len(figures):
        blocks.append(_overview_table(figures))
    for source in _divided(findings):
        if figures.loc[figures["source"] == source, "tagger"].nunique() > 1:
            blocks.append(_matrix_table(figures, source, "recall"))
            blocks.append(_matrix_table(figures, source, "precision"))
    lead = "Figures of everything, then by class; a cell links to its cases. Bars show the interval."
    return Section("figures", "Figures", lead, tuple(blocks))


def classes_section(findings: Findings) -> Section:
    """Return recall and precision of each class with their intervals."""
    blocks = tuple(_forest_table(findings.figures, source) for source in _divided(findings))
    lead = "Each class with its recall, precision and their intervals; a short bar is a sure figure."
    return Section("classes", "Class by class", lead, blocks, "Classes")


def _divided(findings: Findings) -> list[str]:
    """Return the sources that were scored by class."""
    figures = findings.figures
    return [s for s in findings.sources if (figures.loc[figures["source"] == s, "class"] != ALL).any()]


def _overview_table(figures: pd.DataFrame) -> Table:
    frame = figures[figures["class"] == ALL].reset_index(drop=True).copy()
    frame["link"] = linked(frame, "wrong")
    columns = (
        Column("tagger", "tagger", link="link"),
        Column("source", "suite or corpus"),
        *COUNT_COLUMNS,
        Column("precision", "precision", "range"),
        Column("recall", "recall", "range"),
        Column("f1", "F", "range"),
    )
    return Table("overview", "Each tagger over each suite and corpus", frame, columns)


def _matrix_table(figures: pd.DataFrame, source: str, measure: str) -> Table:
    """Return classes by taggers: one measure of one source, with the mentions that it is a share of."""
    own = figures[figures["source"] == source].copy()
    own["link"] = linked(own, MISTAKES[measure])
    names = list(dict.fromkeys(own["class"]))
    frame = pd.DataFrame({"class": names})
    columns = [Column("class", "class")]
    if measure == "recall":
        frame["gold"] = own.drop_duplicates("class").set_index("class")["gold"].reindex(names).to_numpy()
        columns.append(Column("gold", "gold", "count"))
    for tagger in dict.fromkeys(own["tagger"]):
        rows = own[own["tagger"] == tagger].set_index("class").reindex(names)
        for part in ("", "_low", "_high"):
            frame[f"{tagger}{part}"] = rows[f"{measure}{part}"].to_numpy()
        frame[f"{tagger}_link"] = rows["link"].to_numpy()
        if measure == "precision":
            # the taggers' predictions differ
            frame[f"{tagger}_predicted"] = rows["predicted"].to_numpy()
            columns.append(Column(f"{tagger}_predicted", "predicted", "count"))
        columns.append(Column(tagger, tagger, "heat", link=f"{tagger}_link"))
    return Table(
        identifier("matrix", measure, source),
        f"{measure.capitalize()} in {source}, by class",
        frame,
        tuple(columns),
        half=own["tagger"].nunique() <= SIDE_BY_SIDE,
    )


def _forest_table(figures: pd.DataFrame, source: str) -> Table:
    frame = figures[figures["source"] == source]
    order = {name: i for i, name in enumerate(dict.fromkeys(frame["class"]))}
    frame = frame.sort_values("class", key=lambda c: c.map(order), kind="stable").reset_index(drop=True)
    frame["link"] = linked(frame, "wrong")
    columns = (
        Column("class", "class", link="link"),
        *if_several(frame, "tagger", "tagger"),
        Column("gold", "mentions", "count"),
        Column("recall", "recall", "range"),
        Column("predicted", "predicted", "count"),
        Column("precision", "precision", "range"),
    )
    caption = f"Recall and precision by class in {source}"
    return Table(identifier("forest", source), caption, frame, columns)
