"""Sections with figures for all mentions and for each class, and lists of classes for the first screen."""

from __future__ import annotations

import pandas as pd

from ...harness.scoring.classes import ALL
from ...harness.scoring.views.types import count_confusions
from ..model import Block, Column, Section, Table, make_identifier, make_name_column
from .cases import MISTAKES, link_cases
from .findings import Findings

WORST_CLASSES, FEWER_CLASSES = 5, 3
"""Number of classes per list on the first screen, for at most two lists and for more lists."""
MAX_WORST_TABLES = 4
"""Maximum number of runs whose classes with the lowest recall are listed on the first screen."""
MAX_SIDE_BY_SIDE = 3
"""Maximum number of taggers in a table that takes only half the page width."""
MAX_INTERVAL_WIDTH = 0.3
"""Classes whose interval for recall is at least this wide are listed separately as uncertain."""
COUNT_COLUMNS = (
    Column("gold", "gold", "count", help="gold mentions in the class"),
    Column("gold_matched", "found", "count", help="gold mentions that were found; found / gold is recall"),
    Column("fn", "missed", "count", help="gold mentions in the class that were not found"),
    Column("predicted", "predicted", "count", help="predicted mentions in the class"),
    Column(
        "predicted_matched", "right", "count", help="correct predictions; correct / predicted is precision"
    ),
    Column("fp", "wrong", "count", help="predicted mentions in the class that are wrong"),
)
"""Counts from which recall and precision are computed."""
CONFUSION_COLUMNS = (
    Column("gold_type", "type"),
    Column("predicted_type", "found as"),
    Column("count", "mentions", "count"),
    Column(
        "share",
        "share of type",
        "share",
        help="percentage of gold mentions of this type that were predicted with this wrong type",
    ),
)


def find_worst_classes(figures: pd.DataFrame, tagger: str, source: str, *, min_mentions: int) -> pd.DataFrame:
    """Return the classes with the lowest recall, in ascending order.

    Classes are omitted if they have fewer than `min_mentions` gold mentions, or if their recall is not lower
    than that of all mentions.
    """
    own = figures[(figures["tagger"] == tagger) & (figures["source"] == source)]
    of_all = own.loc[own["class"] == ALL, "recall"]
    chosen = own[(own["class"] != ALL) & (own["gold"] >= min_mentions) & own["recall"].notna()]
    if len(of_all):
        chosen = chosen[chosen["recall"] < of_all.iloc[0]]
    # classes with the same counts contain the same mentions; only the first is kept
    chosen = chosen.drop_duplicates(["gold", "predicted", "gold_matched", "predicted_matched"])
    return chosen.sort_values(["recall", "recall_high", "class"], kind="stable")


def make_first_tables(findings: Findings) -> list[Table]:
    """Return the tables for the first screen: the classes with the lowest recall, and wrong types."""
    most = WORST_CLASSES if len(findings.entries) <= 2 else FEWER_CLASSES
    tables = []
    for entry in findings.entries[:MAX_WORST_TABLES]:
        names = entry.tagger, entry.source
        rows = find_worst_classes(findings.figures, *names, min_mentions=findings.min_mentions)
        tables += make_worst_tables(rows, *names, most)
        confusions = count_confusions(entry.scores).head(most)
        if len(confusions):
            caption = f"Mentions to which {entry.tagger} gave a wrong type on {entry.source}"
            tables.append(
                Table(make_identifier("wrong-types", *names), caption, confusions, CONFUSION_COLUMNS)
            )
    return tables


def make_worst_tables(rows: pd.DataFrame, tagger: str, source: str, max_classes: int) -> list[Table]:
    """Return a table of the classes with the lowest recall, and a table of classes with wide intervals."""
    unsure = rows["recall_high"] - rows["recall_low"] >= MAX_INTERVAL_WIDTH
    wide = f"{MAX_INTERVAL_WIDTH:g}".lstrip("0")
    return [
        _worst_table(part.head(max_classes), make_identifier(kind, tagger, source), caption)
        for part, kind, caption in (
            (rows[~unsure], "worst", f"Lowest recall of {tagger} on {source}"),
            (rows[unsure], "unsure", f"Also low on {source}, but uncertain: intervals of {wide} or wider"),
        )
        if len(part)
    ]


def _worst_table(rows: pd.DataFrame, id_: str, caption: str) -> Table:
    frame = rows.reset_index(drop=True).copy()
    frame["link"] = link_cases(frame, "fn")
    columns = (
        Column("class", "class", link="link"),
        Column("gold", "mentions", "count"),
        Column("recall", "recall", "range"),
    )
    return Table(id_, caption, frame, columns)


def figures_section(findings: Findings) -> Section:
    """Return the section with the results of each run for all mentions and for each class."""
    figures = findings.figures
    blocks: list[Block] = []
    if len(figures):
        blocks.append(_overview_table(figures))
    for source in _list_divided_sources(findings):
        if figures.loc[figures["source"] == source, "tagger"].nunique() > 1:
            blocks.append(_matrix_table(figures, source, "recall"))
            blocks.append(_matrix_table(figures, source, "precision"))
    lead = "Precision, recall and F, for all mentions and by class."
    return Section("figures", "Figures", lead, tuple(blocks))


def classes_section(findings: Findings) -> Section:
    """Return the section with recall and precision of each class."""
    blocks = tuple(_forest_table(findings.figures, source) for source in _list_divided_sources(findings))
    lead = "Recall and precision of each class, with confidence intervals."
    return Section("classes", "Recall and precision by class", lead, blocks, "Classes")


def _list_divided_sources(findings: Findings) -> list[str]:
    """Return the suites and corpora that were scored by class."""
    figures = findings.figures
    return [s for s in findings.sources if (figures.loc[figures["source"] == s, "class"] != ALL).any()]


def _overview_table(figures: pd.DataFrame) -> Table:
    frame = figures[figures["class"] == ALL].reset_index(drop=True).copy()
    frame["link"] = link_cases(frame, "wrong")
    columns = (
        Column("tagger", "tagger", link="link"),
        Column("source", "suite or corpus"),
        *COUNT_COLUMNS,
        Column("precision", "precision", "range"),
        Column("recall", "recall", "range"),
        Column("f1", "F", "range"),
    )
    return Table("overview", "Overall figures of each tagger", frame, columns)


def _matrix_table(figures: pd.DataFrame, source: str, measure: str) -> Table:
    """Return a table of a measure on a suite or corpus, with one row per class and one column per tagger."""
    own = figures[figures["source"] == source].copy()
    own["link"] = link_cases(own, MISTAKES[measure])
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
            # the number of predictions differs between taggers
            frame[f"{tagger}_predicted"] = rows["predicted"].to_numpy()
            columns.append(Column(f"{tagger}_predicted", "predicted", "count"))
        columns.append(Column(tagger, tagger, "heat", link=f"{tagger}_link"))
    return Table(
        make_identifier("matrix", measure, source),
        f"{measure.capitalize()} on {source}, by class",
        frame,
        tuple(columns),
        half=own["tagger"].nunique() <= MAX_SIDE_BY_SIDE,
    )


def _forest_table(figures: pd.DataFrame, source: str) -> Table:
    frame = figures[figures["source"] == source]
    order = {name: i for i, name in enumerate(dict.fromkeys(frame["class"]))}
    frame = frame.sort_values("class", key=lambda c: c.map(order), kind="stable").reset_index(drop=True)
    frame["link"] = link_cases(frame, "wrong")
    columns = (
        Column("class", "class", link="link"),
        *make_name_column(frame, "tagger", "tagger"),
        Column("gold", "mentions", "count"),
        Column("recall", "recall", "range"),
        Column("predicted", "predicted", "count"),
        Column("precision", "precision", "range"),
    )
    caption = f"Recall and precision by class on {source}"
    return Table(make_identifier("forest", source), caption, frame, columns)
