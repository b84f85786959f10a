"""The command ``discover``, from a run folder to its tables and its predictions file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ....catalogues.core.errors import InputError
from ..how import How
from ..requests import scored_runs
from ..scores import Scores
from ..statistics.sums import MEASURES
from .costs import pair_costs
from .discover import column_of, discover
from .writing import write_predictions

if TYPE_CHECKING:
    from ...running.runs import Run


@dataclass(frozen=True)
class Discovered:
    """What ``discover`` found.

    Attributes
    ----------
    table : DataFrame
        Faults, or costs.
    show : str
        Which of the two.
    run : str
    notes : tuple of str
        What the reader has to be told.
    """

    table: pd.DataFrame
    show: str
    run: str
    notes: tuple[str, ...] = ()

    def printed(self) -> pd.DataFrame:
        """What of the table is printed."""
        if self.show == "costs":
            shown = self.table.drop(columns=["feature", "p", "interval"])
            return shown.rename(columns={"cost_low": "low", "cost_high": "high"})
        # the difference is one from the nearest wider class, not from the rest: beside `rest` it would puzzle
        kept = ["measure", "query", "cases", "value", "value_low", "value_high", "rest", "p_bh"]
        names = {"value_low": "low", "value_high": "high"}
        return self.table[kept].rename(columns=names)

    def lines(self) -> list[str]:
        """The findings in words."""
        if self.show == "costs":
            return []
        return [f"{self.run} {words}" for words in self.table["words"].tolist()]


def contrasted(run: Path | Run) -> list[str] | None:
    """The columns of the features that a run's suite was made to contrast; None where it does not say."""
    from ....sentences.suites import META, read_suite_meta
    from ...running.runs import Run, read_run

    suite = Path((run if isinstance(run, Run) else read_run(run)).input)
    if not (suite / META).is_file():
        return None
    parts = read_suite_meta(suite).get("part", [])
    names = [name for part in parts for name in part.get("contrast", [])]
    return list(dict.fromkeys(map(column_of, names))) or None


def check_show(show: str, out: object) -> None:
    """Refuse what is neither faults nor costs, and costs as predictions.

    Raises
    ------
    InputError
    """
    if show not in ("faults", "costs"):
        raise InputError("nothing of that name is discovered", found=show, allowed="faults, costs")
    if show == "costs" and out is not None:
        raise InputError("costs are no predictions: they go into no predictions file", found=out)


def discover_run(
    folder: Path, how: How, *, gold: str = "", notion: str = "strict", **search: Any
) -> Discovered:
    """Discover the faults, or the costs of features, of one run; see `discover_scores`."""
    scores = scored_runs([folder], [], how, notions=[notion], gold=gold)[0]
    return discover_scores(scores, notion=notion, confidence=how.confidence, suite=folder, **search)


def discover_scores(
    scores: Scores,
    *,
    show: str,
    out: Path | None = None,
    notion: str = "strict",
    measures: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    depth: int = 3,
    least: int = 20,
    effect: float = 0.1,
    false_discoveries: float = 0.05,
    seed: int = 0,
    confidence: float = 0.95,
    suite: Path | Run | None = None,
) -> Discovered:
    """Discover the faults, or the costs of features, and write the predictions file.

    The costs are of `features`, or of those that the suite of the run `suite` was made to contrast.
    """
    run = scores.settings.run
    if show == "costs":
        told = [column_of(f) for f in features] if features else contrasted(suite) if suite else None
        table = pair_costs(scores, notion=notion, features=told, confidence=confidence)
        notes = () if len(table) else ("no minimal pairs: generate a suite with --combine contrast",)
        return Discovered(table, show, run, notes)
    table = discover(
        scores,
        notion=notion,
        measures=measures or MEASURES,
        features=features,
        depth=depth,
        least=least,
        effect=effect,
        false_discoveries=false_discoveries,
        seed=seed,
        confidence=confidence,
    )
    if out is not None:
        about = (
            f"Discovered in {run}\n"
            f"depth {depth}, least {least}, effect {effect:g}, false discoveries {false_discoveries:g}, "
            f"seed {seed}"
        )
        write_predictions(out, table, about=about, signature=scores.whole_signature)
    notes = () if len(table) else ("nothing was found that stands up on the half that was not searched",)
    return Discovered(table, show, run, notes)
