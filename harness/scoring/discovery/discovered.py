"""What a discovery gives: faults or costs as tables, words and a predictions file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ....catalogues.core.errors import InputError
from ..options import DiscoverOptions
from ..scores import Scores
from .costs import pair_costs
from .discover import column_of, discover
from .predictions_file import write_predictions


@dataclass(frozen=True)
class Discovered:
    """What ``discover`` found.

    Attributes
    ----------
    table : DataFrame
        Faults, or costs.
    show : str
        Which of the two; ``confirmed`` for faults that fresh cases confirmed.
    run : str
    notes : tuple of str
        Remarks for the reader.
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
        if self.show == "confirmed":
            kept[kept.index("rest")] = "nearest"
            return self.table[kept].rename(columns=names)
        shown = self.table[kept].rename(columns=names)
        of = self.table["returned"].astype("str") + " of " + self.table["divisions"].astype("str")
        return shown.assign(returned=of)

    def lines(self) -> list[str]:
        """The findings in words."""
        if self.show == "costs":
            return []
        return [f"{self.run} {words}" for words in self.table["words"].tolist()]


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


def discover_scores(
    scores: Scores,
    search: DiscoverOptions,
    *,
    show: str = "faults",
    out: Path | None = None,
    confidence: float = 0.95,
    recipe: Sequence[str] = (),
) -> Discovered:
    """Discover the faults, or the costs of features (see `pair_costs`), and write the predictions file."""
    if show == "costs":
        costs = pair_costs(
            scores,
            notion=search.notion,
            features=[column_of(name) for name in search.features],
            recipe=recipe,
            least=search.least,
            confidence=confidence,
        )
        remedy = ("--least shows changes of fewer pairs",) if costs.hidden else ()
        return Discovered(costs.table, show, scores.run, (*costs.notes, *remedy))
    table = discover(scores, search, confidence=confidence)
    if out is not None:
        about = (
            f"Discovered in {scores.run}\n"
            f"depth {search.depth}, least {search.fewest}, effect {search.effect:g}, "
            f"false discoveries {search.false_discoveries:g}, seed {search.seed}, "
            f"divisions {search.divisions}"
        )
        write_predictions(out, table, about=about, signature=scores.whole_signature)
    notes = () if len(table) else ("nothing was found that stands up on the half that was not searched",)
    return Discovered(table, show, scores.run, notes)
