"""Discovery: combinations of features at which a tagger fails, from a scoring or any table of mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ....catalogues.core.errors import InputError
from ....sentences.corpus import Corpus
from ....sentences.suite_file import SUITE_FILE, read_suite_meta
from ...running.folder.runs import Run, read_run
from ..comparison.predictions import write_predictions
from ..options import DiscoverOptions, ScoringOptions
from ..score_runs import RunSource, score_runs
from ..scores import Scores
from ..statistics.design import make_design
from ..statistics.sums import MEASURES, SIDES
from .conditions import build_axes, build_search_table, find_column
from .feature_costs import estimate_feature_costs
from .phrases import describe_finding, format_share
from .split_halves import Finding, derive_seeds, find_by_halves, join_findings, make_groups

COLUMNS = (
    *("measure", "query", "words", "cases", "value", "value_low", "value_high", "rest"),
    *("nearest", "nearest_query", "difference", "difference_low", "difference_high"),
    *("p", "p_bh", "conditions", "also", "interval"),
)
"""Columns of findings; `value` is the class's recall or precision."""


def discover(
    scores: Scores,
    search: DiscoverOptions | None = None,
    *,
    confidence: float = 0.95,
    **choices: Any,
) -> pd.DataFrame:
    """Find the combinations of features that a tagger fails at.

    Parameters
    ----------
    scores : Scores
        A scored suite or corpus.
    search : DiscoverOptions, optional
        What is searched, and how far.
    confidence : float
        Confidence level of the intervals.
    **choices
        Options by name, such as ``depth=2``, in place of those of `search`.

    Returns
    -------
    DataFrame
        `COLUMNS`, the finding that explains most wrong mentions first; `returned` says in how many of the
        `divisions` into halves a finding came back.
    """
    search = replace(search or DiscoverOptions(), **choices)
    found: list[list[Finding]] = [[] for _ in range(search.divisions)]
    for measure in search.measures or MEASURES:
        side = SIDES[measure]
        mentions: pd.DataFrame = getattr(scores, side)
        if not len(mentions):
            continue
        table = build_search_table(scores, mentions, search.features, measure)
        axes = build_axes(table, list(table.columns))
        right, groups = (
            scores.get_tally(search.notion).get_right_mask(side),
            make_design(scores).get_groups(side),
        )
        for number, seed in enumerate(derive_seeds(search.seed, search.divisions)):
            found[number] += find_by_halves(
                axes, right, groups, measure, search, seed=seed, confidence=confidence
            )
    return _build_table(found, search, confidence)


def discover_table(
    table: pd.DataFrame,
    right: ArrayLike,
    search: DiscoverOptions | None = None,
    *,
    entity: ArrayLike | None = None,
    context: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    measure: str = "recall",
    confidence: float = 0.95,
    **choices: Any,
) -> pd.DataFrame:
    """Find the combinations of any table's columns at which something fails; see `discover`.

    Parameters
    ----------
    table : DataFrame
        One row per mention, one column per feature.
    right : array of bool
        Which mentions were found (or were rightly proposed).
    entity, context, cluster : array, optional
        What mentions share: both an entity and a context, or one thing of any kind.
    """
    flags = np.asarray(right, dtype=bool)
    if len(flags) != len(table):
        raise InputError("one verdict per mention is needed", found=f"{len(flags)} for {len(table)} mentions")
    groups = make_groups(len(table), entity=entity, context=context, cluster=cluster)
    search = replace(search or DiscoverOptions(), **choices)
    axes = build_axes(table, search.features or None)
    found = [
        find_by_halves(axes, flags, groups, measure, search, seed=seed, confidence=confidence)
        for seed in derive_seeds(search.seed, search.divisions)
    ]
    return _build_table(found, search, confidence)


def _build_table(divisions: list[list[Finding]], search: DiscoverOptions, confidence: float) -> pd.DataFrame:
    rate = search.false_discoveries
    found = [
        one
        for one in join_findings(divisions, rate)
        # the reported figures themselves must show the effect
        if one.p_bh <= rate
        and 2 * one.returned >= len(divisions)
        and one.is_large
        and one.rest - one.value >= search.effect
    ]
    found.sort(key=lambda one: (-_compute_surplus(one), one.measure != "recall", one.query))
    # what one measure's earlier findings explain is not reported again
    explained = {one.measure: np.zeros(len(one.inside), dtype=bool) for one in found}
    rows = []
    for one in found:
        if one.is_worse_without(explained[one.measure], search):
            rows.append(_build_row(one, confidence))
            explained[one.measure] |= one.inside
    table = pd.DataFrame(rows, columns=[*COLUMNS, "returned"])
    return table.assign(divisions=len(divisions)).astype({"returned": "int64", "divisions": "int64"})


def _compute_surplus(finding: Finding) -> float:
    """Return the surplus of wrong mentions over what the rest's share would give, in standard errors."""
    cases, rest = finding.cases, finding.rest
    return float(cases * (rest - finding.value) / np.sqrt(max(cases * rest * (1.0 - rest), 1e-3)))


def _build_row(finding: Finding, confidence: float) -> dict[str, object]:
    own, apart = finding.estimate_value(confidence), finding.difference.estimate
    other = f"elsewhere {format_share(finding.rest)}"
    return {
        "measure": finding.measure,
        "query": finding.query,
        "words": describe_finding(finding.measure, finding.conditions, own.value, other, finding.cases),
        "cases": finding.cases,
        "value": own.value,
        "value_low": own.low,
        "value_high": own.high,
        "rest": finding.rest,
        "nearest": finding.difference.second.value,
        "nearest_query": finding.nearest_query,
        "difference": apart.value,
        "difference_low": apart.low,
        "difference_high": apart.high,
        "p": finding.p,
        "p_bh": finding.p_bh,
        "conditions": len(finding.conditions),
        "also": "; ".join(finding.also),
        "interval": apart.method,
        "returned": finding.returned,
    }


@dataclass(frozen=True)
class DiscoveryResult:
    """Result of ``discover``.

    Attributes
    ----------
    table : DataFrame
        Faults, or costs.
    show : str
        ``faults`` or ``costs``; ``confirmed`` for faults that new cases confirmed.
    run : str
    notes : tuple of str
        Remarks for the reader.
    new_cases : int
        Number of new cases that were run.
    """

    table: pd.DataFrame
    show: str
    run: str
    notes: tuple[str, ...] = ()
    new_cases: int = 0

    def select_printed_columns(self) -> pd.DataFrame:
        """Return the columns that are printed."""
        if self.show == "costs":
            shown = self.table.drop(columns=["feature", "p", "interval"])
            return shown.rename(columns={"cost_low": "low", "cost_high": "high"})
        # the difference is from the nearest wider class, not from `rest`, and is left out
        other = "nearest" if self.show == "confirmed" else "rest"
        kept = ["measure", "query", "cases", "value", "value_low", "value_high", other, "p_bh"]
        shown = self.table[kept].rename(columns={"value_low": "low", "value_high": "high"})
        if self.show == "confirmed":
            return shown
        of = self.table["returned"].astype("str") + " of " + self.table["divisions"].astype("str")
        return shown.assign(returned=of)

    def describe_findings(self) -> list[str]:
        """Return the findings in words."""
        return [] if self.show == "costs" else [f"{self.run} {words}" for words in self.table["words"]]


def check_show_option(show: str, out: object) -> None:
    """Raise if neither faults nor costs are asked for, or costs as a predictions file."""
    if show not in ("faults", "costs"):
        raise InputError("only faults and costs are discovered", found=show, allowed="faults, costs")
    if show == "costs" and out is not None:
        raise InputError("costs are no predictions and cannot be written as such", found=out)


def discover_scores(
    scores: Scores,
    search: DiscoverOptions,
    *,
    show: str = "faults",
    out: Path | None = None,
    confidence: float = 0.95,
    contrasted_columns: Sequence[str] = (),
) -> DiscoveryResult:
    """Discover faults or estimate the cost of features, and write the predictions file."""
    check_show_option(show, out)
    if show == "faults":
        table = discover(scores, search, confidence=confidence)
        if out is not None:
            about = (
                f"Discovered in {scores.run}\n"
                f"depth {search.depth}, least {search.min_mentions}, effect {search.effect:g}, "
                f"false discoveries {search.false_discoveries:g}, seed {search.seed}, "
                f"divisions {search.divisions}"
            )
            write_predictions(out, table, comment=about, signature=scores.overall_signature)
        notes = () if len(table) else ("no fault was found that the half that was not searched confirms",)
        return DiscoveryResult(table, show, scores.run, notes)
    features = [find_column(name) for name in search.features]
    costs = estimate_feature_costs(
        scores,
        notion=search.notion,
        features=features,
        contrasted=contrasted_columns,
        min_pairs=search.least,
        confidence=confidence,
    )
    remedy = ("--least shows changes of fewer pairs",) if costs.hidden_pairs else ()
    return DiscoveryResult(costs.table, show, scores.run, (*costs.notes, *remedy))


def discover_run(
    run: RunSource,
    scoring: ScoringOptions,
    search: DiscoverOptions,
    *,
    show: str = "faults",
    out: Path | None = None,
    gold: str | Corpus = "",
) -> DiscoveryResult:
    """Discover the faults of one run, or the costs of features; see `discover_scores`.

    The costs are of the features that are searched, or of those that the run's suite was made to contrast.
    """
    check_show_option(show, out)
    one = read_run(run)
    scores = score_runs([one], replace(scoring, notions=(search.notion,)), gold=gold)[0]
    recipe = list_contrasted_columns(one) if show == "costs" else ()
    return discover_scores(
        scores, search, show=show, out=out, confidence=scoring.confidence, contrasted_columns=recipe
    )


def list_contrasted_columns(run: Run) -> tuple[str, ...]:
    """Return the columns of the features that the recipe of a run's suite contrasts."""
    suite = Path(run.input)
    if not (suite / SUITE_FILE).is_file():
        return ()
    names = [name for part in read_suite_meta(suite).get("part", []) for name in part.get("contrast", [])]
    return tuple(dict.fromkeys(map(find_column, names)))
