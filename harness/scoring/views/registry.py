"""Registry of views: the tables that can be made from scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import pandas as pd

from ....catalogues.core.errors import InputError
from ..classes import ALL
from ..notions import ConditionNotion
from ..options import ScoringOptions, View
from ..scores import Scores
from ..table import add_label_columns
from .boundaries import count_edge_words, count_right_edges
from .case_costs import build_cost_tables
from .errors import list_errors
from .false_alarms import count_false_alarms, list_alarm_tokens
from .identifiers import score_document_identifiers
from .thresholds import build_curves
from .types import count_confusions

VIEWS: tuple[View, ...] = get_args(View)

VIEWS_BY_OPTION = {
    "limit": ("errors", "words", "alarm-tokens", "thresholds"),
    "seed": ("errors",),
    "pairing": ("scores", "verdicts", "errors"),
    "intervals": ("scores",),
}
"""For each option that affects only some views, the names of these views."""


def check_view(name: str, options: ScoringOptions, *, limit: int | None = None, seed: int = 0) -> None:
    """Raise InputError if an option is set that does not affect the view."""
    given = {*options.to_table(), *(["limit"] if limit is not None else []), *(["seed"] if seed else [])}
    for option, views in VIEWS_BY_OPTION.items():
        if option in given and name not in views:
            raise InputError(
                f"--{option} has no effect on this table", found=name, allowed=f"--show {', '.join(views)}"
            )


def build_view(
    name: str,
    scorings: Sequence[Scores],
    *,
    limit: int | None = None,
    seed: int = 0,
    by: Sequence[str] = (),
    costs: Sequence[pd.DataFrame | None] = (),
) -> pd.DataFrame:
    """Return a view of one or more runs as one table.

    Parameters
    ----------
    name : str
        Name of the view, one of `VIEWS`.
    scorings : sequence of Scores
        Scores, one per run.
    limit, seed : int
        Maximum number of rows per class (errors, words, tokens, thresholds), and random seed of the sample.
    by : sequence of str
        Features whose values are classes; for the view ``false-alarms``, only context features.
    costs : sequence of DataFrame or None
        Costs per case of each run, or None if they are unknown; used by the view ``costs``.
    """
    tables: dict[str, Callable[[Scores], list[pd.DataFrame]]] = {
        "scores": lambda s: [s.table],
        "verdicts": lambda s: [add_label_columns(s.verdicts(), run=s.run)],
        "errors": lambda s: [
            list_errors(s, n, c, limit=limit, seed=seed) for c in _view_classes(s) for n in s.tallies
        ],
        "confusions": lambda s: [count_confusions(s, c) for c in _view_classes(s)],
        "identifiers": lambda s: [score_document_identifiers(s)],
        "boundaries": lambda s: [count_right_edges(s, c) for c in _view_classes(s)],
        "words": lambda s: [count_edge_words(s, c, limit=limit) for c in _view_classes(s)],
        "false-alarms": lambda s: [count_false_alarms(s, by)],
        "alarm-tokens": lambda s: [list_alarm_tokens(s, limit=limit)],
        "thresholds": lambda s: [
            build_curves(s, n, _view_classes(s), points=limit) for n in _curve_notions(s)
        ],
    }
    if name == "costs":
        return build_cost_tables(scorings, costs)
    return pd.concat([table for s in scorings for table in tables[name](s)], ignore_index=True)


def _view_classes(scores: Scores) -> list[str]:
    """Return the names of the requested classes, or ``all`` if no class was requested."""
    return [n for d in scores.divisions for n in d.names] or [ALL]


def _curve_notions(scores: Scores) -> list[str]:
    """Return the scored notions for which threshold curves can be computed.

    If there are none, all scored notions are returned, for which `build_curves` raises an error.
    """
    names = [n for n, tally in scores.tallies.items() if isinstance(tally.notion, ConditionNotion)]
    return names or list(scores.tallies)
