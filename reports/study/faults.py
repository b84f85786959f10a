"""Function that searches the runs of a study for faults, and tests these faults on new cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ...catalogues.core.messages import MessageFunction
from ...catalogues.core.settings import make_options
from ...catalogues.query import Query
from ...harness.running.engines import Progress
from ...harness.running.tagger import Tagger
from ...harness.scoring.arrays import Flags
from ...harness.scoring.comparison.predictions import write_predictions
from ...harness.scoring.discovery.search import MIN_JACCARD
from ...harness.scoring.discovery.split_halves import jaccard_index
from ...harness.scoring.features import add_features
from ...harness.scoring.options import ScoringOptions
from ...harness.scoring.scores import Scores
from ...harness.scoring.search_options import ConfirmOptions, DiscoverOptions
from ...harness.scoring.statistics.sums import SIDES, Measure
from ..confirmation import confirm_run
from ..sections.discovery import EVIDENCE_COLUMN, discover_entries
from ..sections.findings import ScoredRun, get_main_notion
from .study_file import StudyFile, StudyPaths

NEW_CASES, OTHER_HALF = "new cases", "other half"
"""Origins of a fault's figures: new cases, or the half of the mentions that the search did not use."""


def search_faults(
    study: StudyFile,
    places: StudyPaths,
    entries: Sequence[ScoredRun],
    taggers: Mapping[str, Tagger],
    scoring: ScoringOptions,
    *,
    jobs: int = 1,
    say: MessageFunction,
    progress: Progress | None = None,
) -> tuple[dict[str, pd.DataFrame], int, list[str]]:
    """Search runs for faults, with the options in the study, and write ``discovered/TAGGER--SOURCE.toml``.

    With ``confirm``, faults that lower the recall on suites are tested on new cases, which are kept in
    ``confirmations/TAGGER--SOURCE``. The written files are predictions files for `tagsuite compare`.

    Parameters
    ----------
    taggers : mapping of str to Tagger
        Prepared taggers of the study by name.

    Returns
    -------
    tables : dict of str to DataFrame
        Faults by run; empty if the study has no table ``[discover]``.
    new_cases : int
        Number of new cases on which faults were tested.
    notes : list of str
        Remarks on the tests.
    """
    asked = study.discover
    if asked is None:
        return {}, 0, []
    sources = study.select_sources(asked.on)
    searched = [e for e in entries if e.source in sources]
    search, confirming = make_options(DiscoverOptions, asked), make_options(ConfirmOptions, asked)
    tables = discover_entries(searched, search, confidence=study.score.confidence, say=say)
    new_cases = 0
    notes: list[str] = []
    for entry, table in zip(searched, list(tables.values()), strict=True):
        name = f"{entry.tagger}--{entry.source}"
        if confirming.confirm and entry.tagger in taggers and _can_be_confirmed(entry, search):
            say(f"testing the faults of {entry.label} on new cases")
            done = confirm_run(
                entry.run or "",
                scoring,
                replace(search, notion=get_main_notion(entry.scores), measures=("recall",)),
                replace(confirming, folder=places.out / "confirmations" / name, jobs=jobs),
                tagger=taggers[entry.tagger],
                reuse=True,
                say=say,
                progress=progress,
            )
            new_cases += done.new_cases
            notes += [f"{entry.label}: {note}" for note in done.notes]
            table = tables[entry.label] = _join_faults(entry, done.table, table)
        path = places.out / "discovered" / f"{name}.toml"
        about = f"Discovered in {entry.label}"
        write_predictions(path, table, comment=about, signature=entry.scores.overall_signature)
    return tables, new_cases, notes


def _can_be_confirmed(entry: ScoredRun, search: DiscoverOptions) -> bool:
    """Return True if recall on a suite was searched for faults and the tagger answered some cases."""
    if entry.run is None or not entry.is_suite or "recall" not in (search.measures or ("recall",)):
        return False
    return entry.run.failed < len(entry.scores.corpus.texts)


def _join_faults(entry: ScoredRun, confirmed: pd.DataFrame, discovered: pd.DataFrame) -> pd.DataFrame:
    """Join confirmed and discovered faults, and sort them by the number of errors that they explain.

    A discovered fault is omitted if new cases confirm a fault that concerns nearly the same mentions.
    """
    labels = {"tagger": entry.tagger, "source": entry.source}
    tables = [
        confirmed.assign(**labels, **{EVIDENCE_COLUMN: NEW_CASES}),
        discovered.assign(**{EVIDENCE_COLUMN: OTHER_HALF}),
    ]
    both = pd.concat([t for t in tables if len(t)] or tables[1:], ignore_index=True)
    masks: list[tuple[str, Flags]] = []
    kept: list[int] = []
    errors: list[float] = []
    for row in both.to_dict("records"):
        measure, inside = row["measure"], match_mentions(entry.scores, row["query"], row["measure"])
        if not any(m == measure and jaccard_index(inside, other) >= MIN_JACCARD for m, other in masks):
            kept.append(len(masks))
        masks.append((measure, inside))
        errors.append(float(inside.mean() * (row["rest"] - row["value"])) if len(inside) else 0.0)
    order = [i for i in np.argsort(-np.array(errors), kind="stable").tolist() if i in kept]
    columns = ["tagger", "source", *(c for c in both.columns if c not in labels)]
    return both.loc[order, columns].reset_index(drop=True)


def match_mentions(scores: Scores, query: str, measure: Measure) -> Flags:
    """Return a boolean array that is True for mentions that a query selects.

    The mentions are gold mentions for recall, and predicted mentions for precision.
    """
    parsed = Query.parse(query)
    mentions: pd.DataFrame = getattr(scores, SIDES[measure])
    return parsed.evaluate(
        add_features(scores.corpus, mentions.reset_index(drop=True), parsed.features, scores.options.lists)
    )
