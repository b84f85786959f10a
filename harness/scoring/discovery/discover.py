"""Discovery of faults: combinations of features for which a tagger has low recall or precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ....catalogues.core.errors import InputError
from ....catalogues.core.text_table import TableLayout
from ....sentences.corpus import Corpus
from ..comparison.predictions import write_predictions
from ..options import ScoringOptions
from ..score_runs import RunSource, score_runs
from ..scores import Scores
from ..search_options import DiscoverOptions
from ..statistics.design import make_design
from ..statistics.sums import MEASURES, SIDES
from ..views.types import find_error_kinds
from .conditions import build_axes, build_search_table, find_column
from .feature_costs import estimate_feature_costs
from .phrases import describe_finding, find_main_error, format_share
from .split_halves import Finding, derive_seeds, find_by_halves, join_findings, make_groups

COLUMNS = (
    *("measure", "query", "words", "cases", "value", "value_low", "value_high", "rest"),
    *("nearest", "nearest_query", "difference", "difference_low", "difference_high"),
    *("p", "p_bh", "conditions", "also", "interval"),
)
"""Columns of a table of findings; `value` is the recall or precision of the class."""


def discover(
    scores: Scores,
    search: DiscoverOptions | None = None,
    *,
    confidence: float = 0.95,
    **choices: Any,
) -> pd.DataFrame:
    """Find combinations of features for which a tagger has low recall or precision.

    Parameters
    ----------
    scores : Scores
        Scores on a suite or corpus.
    search : DiscoverOptions, optional
        Options of the search.
    confidence : float
        Confidence level of the intervals.
    **choices
        Options by name, such as ``depth=2``; they override those of `search`.

    Returns
    -------
    DataFrame
        One row per finding; the finding that explains most wrong mentions is first. The columns are
        `COLUMNS`, `divisions` (how many times the mentions were divided into halves) and `returned` (in how
        many of these divisions the finding was significant).
    """
    search = replace(search or DiscoverOptions(), **choices)
    divisions: list[list[Finding]] = [[] for _ in range(search.divisions)]
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
            divisions[number] += find_by_halves(
                axes, right, groups, measure, search, seed=seed, confidence=confidence
            )
    return _build_table(divisions, search, confidence, find_error_kinds(scores))


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
    """Find combinations of column values with many wrong mentions, in any table; see `discover`.

    Parameters
    ----------
    table : DataFrame
        One row per mention, one column per feature.
    right : array of bool
        True for mentions that were found (recall) or predicted correctly (precision).
    entity, context, cluster : array, optional
        Group of each mention: its entity and its context, or its cluster (of any kind). Mentions in the same
        group are treated as dependent.
    """
    flags = np.asarray(right, dtype=bool)
    if len(flags) != len(table):
        raise InputError(
            "`right` must have one value per row", found=f"{len(flags)} values for {len(table)} rows"
        )
    groups = make_groups(len(table), entity=entity, context=context, cluster=cluster)
    search = replace(search or DiscoverOptions(), **choices)
    axes = build_axes(table, search.features or None)
    divisions = [
        find_by_halves(axes, flags, groups, measure, search, seed=seed, confidence=confidence)
        for seed in derive_seeds(search.seed, search.divisions)
    ]
    return _build_table(divisions, search, confidence)


def _build_table(
    divisions: list[list[Finding]],
    search: DiscoverOptions,
    confidence: float,
    error_kinds: Mapping[str, NDArray[np.str_]] = MappingProxyType({}),
) -> pd.DataFrame:
    """Return the table of findings; `error_kinds` is the result of `find_error_kinds`."""
    rate = search.false_discoveries
    findings = [
        finding
        for finding in join_findings(divisions, rate)
        # the reported figures themselves must show the effect
        if finding.p_bh <= rate
        and 2 * finding.returned >= len(divisions)
        and finding.is_large
        and finding.rest - finding.value >= search.effect
    ]
    findings.sort(key=lambda f: (-_compute_surplus(f), f.measure != "recall", f.query))
    # mentions that earlier findings of a measure explain are not reported again
    explained = {f.measure: np.zeros(len(f.inside), dtype=bool) for f in findings}
    rows = []
    for finding in findings:
        if finding.is_worse_without(explained[finding.measure], search):
            rows.append(_build_row(finding, confidence, error_kinds.get(finding.measure)))
            explained[finding.measure] |= finding.inside
    table = pd.DataFrame(rows, columns=[*COLUMNS, "returned"])
    return table.assign(divisions=len(divisions)).astype({"returned": "int64", "divisions": "int64"})


def _compute_surplus(finding: Finding) -> float:
    """Return the excess of wrong mentions over the expected number, in standard errors."""
    cases, rest = finding.cases, finding.rest
    return float(cases * (rest - finding.value) / np.sqrt(max(cases * rest * (1.0 - rest), 1e-3)))


def _build_row(
    finding: Finding, confidence: float, error_kinds: NDArray[np.str_] | None
) -> dict[str, object]:
    estimate, difference = finding.estimate_value(confidence), finding.difference.estimate
    other = f"elsewhere {format_share(finding.rest)}"
    errors = finding.inside & ~finding.judging_half.right
    error = "" if error_kinds is None else find_main_error(error_kinds[errors])
    words = describe_finding(
        finding.measure, finding.conditions, estimate.value, other, finding.cases, error=error
    )
    return {
        "measure": finding.measure,
        "query": finding.query,
        "words": words,
        "cases": finding.cases,
        "value": estimate.value,
        "value_low": estimate.low,
        "value_high": estimate.high,
        "rest": finding.rest,
        "nearest": finding.difference.second.value,
        "nearest_query": finding.nearest_query,
        "difference": difference.value,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "p": finding.p,
        "p_bh": finding.p_bh,
        "conditions": len(finding.conditions),
        "also": "; ".join(finding.also),
        "interval": difference.method,
        "returned": finding.returned,
    }


@dataclass(frozen=True)
class DiscoveryResult:
    """Result of ``discover``.

    Attributes
    ----------
    table : DataFrame
        One row per fault or, for costs, one row per feature change.
    show : str
        ``faults``, ``costs``, or ``confirmed`` for faults that new cases confirmed.
    run : str
        Name of the run.
    notes : tuple of str
        Notes for the reader.
    new_cases : int
        Number of new cases that were run.
    """

    table: pd.DataFrame
    show: str
    run: str
    notes: tuple[str, ...] = ()
    new_cases: int = 0

    def select_printed_columns(self) -> pd.DataFrame:
        """Return the columns of the table that are printed."""
        if self.show == "costs":
            shown = self.table.drop(columns=["feature", "p", "interval"])
            shown.attrs["layout"] = TableLayout(["query"])
            return shown
        # `difference` compares with the nearest class, not with `rest`, and would confuse
        other = "nearest" if self.show == "confirmed" else "rest"
        kept = ["measure", "query", "cases", "value", "value_low", "value_high", other, "p_bh"]
        shown = self.table[kept]
        if self.show != "confirmed":
            counts = self.table["returned"].astype("str") + " of " + self.table["divisions"].astype("str")
            shown = shown.assign(returned=counts)
        shown.attrs["layout"] = TableLayout(["query"], ["measure", "value", other, "cases", "p_bh"])
        return shown

    def describe_findings(self) -> list[str]:
        """Return one sentence per fault, or an empty list for costs."""
        return [] if self.show == "costs" else [f"{self.run} {words}" for words in self.table["words"]]


def check_show_option(show: str, out: object) -> None:
    """Raise InputError if `show` is unknown, or if costs are combined with a predictions file."""
    if show not in ("faults", "costs"):
        raise InputError("unknown value of `show`", found=show, allowed="faults, costs")
    if show == "costs" and out is not None:
        raise InputError("costs of features cannot be written to a predictions file", found=out)


def discover_scores(
    scores: Scores,
    search: DiscoverOptions,
    *,
    show: str = "faults",
    out: Path | None = None,
    confidence: float = 0.95,
) -> DiscoveryResult:
    """Find faults, or estimate the costs of features.

    Faults are also written to a predictions file if `out` is given. Costs are estimated for the features that
    `search` names. By default, these are the features for which the minimal pairs of the suite were made.
    """
    check_show_option(show, out)
    if show == "faults":
        table = discover(scores, search, confidence=confidence)
        if out is not None:
            comment = (
                f"Discovered in {scores.run}\n"
                f"depth {search.depth}, least {search.min_mentions}, effect {search.effect:g}, "
                f"false discoveries {search.false_discoveries:g}, seed {search.seed}, "
                f"divisions {search.divisions}"
            )
            write_predictions(out, table, comment=comment, signature=scores.overall_signature)
        notes = (
            ()
            if len(table)
            else ("no fault was found in one half of the mentions and confirmed in the other",)
        )
        return DiscoveryResult(table, show, scores.run, notes)
    features = [find_column(name) for name in search.features]
    costs = estimate_feature_costs(
        scores,
        notion=search.notion,
        features=features,
        min_pairs=search.least,
        confidence=confidence,
    )
    remedy = ("use --least N to show changes with fewer pairs",) if costs.has_hidden_pairs else ()
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
    """Find the faults of a run, or estimate the costs of features; see `discover_scores`."""
    check_show_option(show, out)
    scores = score_runs([run], replace(scoring, notions=(search.notion,)), gold=gold)[0]
    return discover_scores(scores, search, show=show, out=out, confidence=scoring.confidence)
