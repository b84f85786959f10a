"""Figures by class with intervals that know how a suite or corpus was put together."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...harness.scoring.classes import ALL
from ...harness.scoring.comparison.compare import compare
from ...harness.scoring.comparison.predictions import Prediction
from ...harness.scoring.notions import STRICT
from ...harness.scoring.scores import Scores
from ...harness.scoring.statistics.sums import SIDES
from ...harness.scoring.table import rows_under
from .entries import Entry


def main_of(notions: Sequence[str]) -> str:
    """STRICT where it is among some notions, else the first."""
    return STRICT.name if STRICT.name in notions else notions[0]


def main_notion(scores: Scores) -> str:
    """The main one of the notions that were scored."""
    return main_of(list(scores.tallies))


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
        table = rows_under(scores.table, notion)
        table = table[(table["class"] == ALL) | ~table["class"].isin(whole_names(scores))]
        table = table.reset_index(drop=True).copy()
        table.insert(0, "tagger", entry.tagger)
        table.insert(1, "source", entry.source)
        table.insert(2, "suite", entry.is_suite)
        frames.append(table)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def class_points(figures: pd.DataFrame, suite: str, corpus: str) -> pd.DataFrame:
    """Each class's recall and precision on a suite beside those on a corpus, for charts and correlation.

    Returns
    -------
    DataFrame
        The columns of `points_of` in `harness.scoring.comparison.suite_predictions`; a run is a tagger.
    """
    keys = ["tagger", "class", "notion"]
    parts = []
    for measure, whole in SIDES.items():
        sides = []
        for side, source in (("suite", suite), ("corpus", corpus)):
            own = figures[(figures["source"] == source) & figures[measure].notna()]
            names = {measure: f"{side}_value", whole: f"{side}_whole"}
            sides.append(own[[*keys, *names]].rename(columns=names))
        parts.append(sides[0].merge(sides[1], on=keys).assign(corpus=corpus, measure=measure))
    return pd.concat(parts, ignore_index=True).rename(columns={"tagger": "run"})


def overall(table: pd.DataFrame) -> pd.DataFrame:
    """A score table's rows about all classes and all types, a row a notion."""
    return table[(table["class"] == ALL) & (table["type"] == "all")].drop_duplicates("notion")


def compared_entries(
    entries: Sequence[Entry], predictions: Sequence[Prediction], confidence: float
) -> pd.DataFrame:
    """Predictions compared with what every entry shows; empty when there is nothing to compare."""
    frames = [
        compare(e.scores, predictions, confidence=confidence).assign(run=e.tagger, corpus=e.source)
        for e in entries
        if predictions
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


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
