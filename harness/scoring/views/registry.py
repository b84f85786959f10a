"""Views: the tables that one scoring can be shown as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import pandas as pd

from ....catalogues.core.errors import InputError, unknown_name_error
from ..classes import ALL
from ..notions import ConditionNotion
from ..options import ScoringOptions, View
from ..scores import Scores
from ..table import add_label_columns
from .boundaries import count_edge_words, count_right_edges
from .case_costs import build_cost_tables
from .errors import list_errors
from .false_alarms import count_false_alarms, list_alarm_tokens
from .thresholds import build_curves

VIEWS: tuple[View, ...] = get_args(View)

VIEWS_BY_OPTION = {
    "limit": ("errors", "words", "alarm-tokens", "thresholds"),
    "seed": ("errors",),
    "pairing": ("scores", "verdicts", "errors"),
    "intervals": ("scores",),
}
"""By option, the views that heed it, where not all do; boundaries and words pair one-to-one by themselves."""


def check_view(name: str, options: ScoringOptions, *, limit: int | None = None, seed: int = 0) -> None:
    """Refuse an unknown view, and an option with another value than the usual one that it would not heed.

    Raises
    ------
    InputError
    """
    if name not in VIEWS:
        raise unknown_name_error("table", name, VIEWS)
    given = {*options.to_table(), *(["limit"] if limit is not None else []), *(["seed"] if seed else [])}
    for option, views in VIEWS_BY_OPTION.items():
        if option in given and name not in views:
            raise InputError(
                f"--{option} is not for this table", found=name, allowed=f"--show {', '.join(views)}"
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
    """One of `VIEWS` of some scorings, put below each other.

    Parameters
    ----------
    name : str
        Which.
    scorings : sequence of Scores
        One or more scorings.
    limit, seed : int
        Of errors, words, tokens and thresholds a class.
    by : sequence of str
        Features of the scoring; those of contexts divide the false alarms too.
    costs : sequence of DataFrame or None
        What the cases of each cost, where that is known; of the view of that name.
    """
    tables: dict[str, Callable[[Scores], list[pd.DataFrame]]] = {
        "scores": lambda s: [s.table],
        "verdicts": lambda s: [add_label_columns(s.verdicts(), run=s.run)],
        "errors": lambda s: [
            list_errors(s, n, c, limit=limit, seed=seed) for c in _view_classes(s) for n in s.tallies
        ],
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
    """The classes that a view has rows of: those that were asked for, or that of everything."""
    return [n for d in scores.divisions for n in d.names] or [ALL]


def _curve_notions(scores: Scores) -> list[str]:
    """The scored notions that have a curve; where there is none, all, so that the reason is shown."""
    names = [n for n, found in scores.tallies.items() if isinstance(found.notion, ConditionNotion)]
    return names or list(scores.tallies)
