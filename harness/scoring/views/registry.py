"""Views: the tables that one scoring can be shown as."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from ....catalogues.core.errors import InputError
from ..classes import ALL
from ..notions import Condition
from ..options import ScoringOptions
from ..scores import Scores
from ..table import labelled
from .boundaries import confusion, edges
from .errors import errors
from .false_alarms import alarm_tokens, false_alarms
from .spending import spending_of
from .thresholds import curves

VIEWS = (
    "scores",
    "verdicts",
    "errors",
    "boundaries",
    "words",
    "false-alarms",
    "alarm-tokens",
    "thresholds",
    "costs",
)

HEEDED = {
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
        raise InputError("unknown table", found=name, allowed=", ".join(VIEWS))
    given = {*options.table(), *(["limit"] if limit is not None else []), *(["seed"] if seed else [])}
    for option, views in HEEDED.items():
        if option in given and name not in views:
            raise InputError(
                f"--{option} is not for this table", found=name, allowed=f"--show {', '.join(views)}"
            )


def view(
    name: str,
    found: Sequence[Scores],
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
    found : sequence of Scores
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
        "verdicts": lambda s: [labelled(s.verdicts(), run=s.run)],
        "errors": lambda s: [errors(s, n, c, limit=limit, seed=seed) for c in _classes(s) for n in s.tallies],
        "boundaries": lambda s: [edges(s, c) for c in _classes(s)],
        "words": lambda s: [confusion(s, c, limit=limit) for c in _classes(s)],
        "false-alarms": lambda s: [false_alarms(s, by)],
        "alarm-tokens": lambda s: [alarm_tokens(s, limit=limit)],
        "thresholds": lambda s: [curves(s, n, _classes(s), points=limit) for n in _with_curve(s)],
    }
    if name == "costs":
        return spending_of(found, costs)
    return pd.concat([table for s in found for table in tables[name](s)], ignore_index=True)


def _classes(scores: Scores) -> list[str]:
    """The classes that a view has rows of: those that were asked for, or that of everything."""
    return [n for d in scores.divisions for n in d.names] or [ALL]


def _with_curve(scores: Scores) -> list[str]:
    """The scored notions that have a curve; where there is none, all, so that the reason is shown."""
    names = [n for n, found in scores.tallies.items() if isinstance(found.notion, Condition)]
    return names or list(scores.tallies)
