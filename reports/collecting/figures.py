"""Figures by class with intervals that know how a suite or corpus was put together."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.classes import ALL
from ...harness.scoring.scores import Scores
from .entries import Entry

NOTION = "strict"


def main_notion(scores: Scores) -> str:
    """STRICT where it was scored, else the first notion."""
    return NOTION if NOTION in scores.tallies else next(iter(scores.tallies))


def whole_names(scores: Scores) -> set[str]:
    """Classes that are the whole: ``all``, and those of a file whose query is ``all`` by another name."""
    return {ALL, *(c.name for c in scores.classes if c.query.selects_everything)}


def class_figures(entries: Sequence[Entry]) -> pd.DataFrame:
    """Every class of every entry under its main notion: the score table with resampled intervals.

    The whole is shown once, as ``all``, whatever else a class of everything is called.

    Suites are resampled by entities and contexts, corpora by documents or sentences; see
    ``docs/uncertainty.md``.

    Returns
    -------
    DataFrame
        Columns `tagger`, `source`, `suite`, then the score table's; first the class ``all``.
    """
    frames = []
    for entry in entries:
        scores = entry.scores
        notion = main_notion(scores)
        table = scores.table
        table = table[(table["notion"] == notion) & (table["type"] == "all")].drop_duplicates("class")
        table = table[(table["class"] == ALL) | ~table["class"].isin(whole_names(scores))]
        table = table.reset_index(drop=True).copy()
        table.insert(0, "tagger", entry.tagger)
        table.insert(1, "source", entry.source)
        table.insert(2, "suite", entry.is_suite)
        frames.append(table)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def whole(figures: pd.DataFrame) -> pd.DataFrame:
    """The rows of everything."""
    return figures[figures["class"] == ALL]


def worst_classes(figures: pd.DataFrame, tagger: str, source: str, *, least: int, most: int) -> pd.DataFrame:
    """The classes that a tagger finds least of, by the upper end of recall's interval: the surely bad first.

    A class needs `least` gold mentions and a recall below that of the whole.
    """
    own = figures[(figures["tagger"] == tagger) & (figures["source"] == source)]
    overall = own.loc[own["class"] == ALL, "recall"]
    chosen = own[(own["class"] != ALL) & (own["gold"] >= least) & own["recall"].notna()]
    if len(overall):
        chosen = chosen[chosen["recall"] < overall.iloc[0]]
    # two names for the same mentions are one class here
    chosen = chosen.drop_duplicates(["gold", "predicted", "gold_matched", "predicted_matched"])
    return chosen.sort_values(["recall_high", "recall", "class"], kind="stable").head(most)
