"""Comparison of the results of a run with the limits of a criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Flags, Ints
from ..classes import ALL, Class
from ..notions import find_notion
from ..repeat_tables import RepeatedScores
from ..scores import Scores
from ..statistics.design import Design, make_shared_designs
from ..statistics.differences import estimate_difference
from ..statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from ..statistics.jackknife import PAIR_WEIGHT
from ..statistics.shares import Estimate, compute_lower_bound, count_required_groups, resample_share
from ..statistics.sums import MEASURES, Measure, estimate_measures, sum_class
from ..views.case_costs import align_costs, count_shared_cases, estimate_slow_seconds, find_class_texts
from ..views.false_alarms import describe_texts, find_alarm_cases, is_text_class
from .criteria import Criterion

DEFAULT_CONFIDENCE = 0.95


PASSED, UNCERTAIN, FAILED = "passed", "passed, uncertain", "failed"
"""Verdicts on a check. The verdict is uncertain if the value meets the limit but the interval crosses it."""
TOO_FEW = "too few names"
"""Verdict on a check that fails only because the class has too few names for the confidence."""
NOT_PASSED = (FAILED, TOO_FEW)


@dataclass(frozen=True)
class Check:
    """Result of checking one limit of a criterion on a run.

    Attributes
    ----------
    measure : str
        ``recall``, ``precision``, ``f1``, ``false_alarms``, ``flips``, ``seconds_p95`` or ``price``; or a
        difference from another run, such as ``recall against NAME``.
    required : str
        The limit as text, such as ``>= 0.5``.
    limit : float
        The limit as a number.
    observed, low, high : float
        Observed value, and the ends of the two-sided interval that reports show.
    bound : float
        Lower bound for ``>=``, upper bound for ``<=``. It is the one-sided bound at `confidence`, or the end
        of the interval if the criterion has no confidence.
    confidence : float
        Confidence of the criterion; NaN if the observed value itself is compared with the limit.
    cases : float
        Number of units (mentions, tokens or cases) on which the observed value is based.
    unit : str
        ``mention``, ``token`` or ``case``.
    passed : bool
        True if the limit is met.
    is_certain : bool
        True if the bound meets the limit too.
    reason : str
        Reason for a failure, if the numbers do not explain it.
    interval : str
        Name of the method that computed the interval.
    basis : str
        Number of cases whose running time is a share of a batch's time; empty if each case was timed.
    shortage : str
        For the verdict `TOO_FEW`, the number of names, and the number that is needed.
    """

    measure: str
    required: str
    limit: float
    observed: float
    low: float
    high: float
    bound: float
    confidence: float
    cases: float
    unit: str
    passed: bool
    is_certain: bool
    reason: str = ""
    interval: str = ""
    basis: str = ""
    shortage: str = ""

    @property
    def verdict(self) -> str:
        """Verdict on the check: ``passed``, ``passed, uncertain``, ``too few names`` or ``failed``."""
        if self.passed:
            return PASSED if self.is_certain else UNCERTAIN
        return TOO_FEW if self.shortage else FAILED


def get_class_name(criterion: Criterion) -> str:
    """Return the name of the class to score, which is ``all`` if the query selects all mentions."""
    return ALL if criterion.class_.query.selects_everything else criterion.class_.name


def judge_criterion(
    criterion: Criterion,
    scores: Scores,
    design: Design,
    reference: Scores | None = None,
    costs: pd.DataFrame | None = None,
    flips: RepeatedScores | None = None,
) -> list[Check]:
    """Check all limits of a criterion on a run.

    If the criterion has no `confidence`, the observed value must meet the limit; the check is uncertain if
    the interval crosses the limit. If the criterion has a `confidence`, the one-sided bound must meet the
    limit. A check of a class without mentions fails.

    Parameters
    ----------
    criterion : Criterion
    scores : Scores
        Scores of the run, with the class and notion of the criterion.
    design : Design
        Statistical design of these scores.
    reference : Scores, optional
        Scores of the run that ``no_worse_than`` names, on the same texts.
    costs : DataFrame, optional
        Costs per case of the run.
    flips : RepeatedScores, optional
        Scores of the repetitions of the run.
    """
    limits, name = criterion.limits, get_class_name(criterion)
    checks = _check_minimums(criterion, scores, design)
    if limits.max_false_alarms is not None:
        checks.append(
            _check_limit(
                "false_alarms",
                limits.max_false_alarms,
                lambda confidence: estimate_alarm_rate(scores, criterion.class_, confidence),
                "undefined: no case without gold mentions",
                scores.options.confidence,
                limits.confidence,
            )
        )
    checks += _check_costs(criterion, scores, costs)
    if limits.max_flips is not None:
        if flips is None:
            raise InputError(
                f"class {criterion.class_.name}: max_flips requires a run with repetitions "
                "(tagsuite run --times 3)",
                found=f"{scores.run}, run once",
            )
        checks.append(
            _check_limit(
                "flips",
                limits.max_flips,
                partial(flips.estimate_flips, name),
                "undefined: the class has no case",
                scores.options.confidence,
                limits.confidence,
            )
        )
    if reference is not None and limits.margin is not None:
        checks += _check_against_reference(criterion, scores, reference)
    return checks


def _check_minimums(criterion: Criterion, scores: Scores, design: Design) -> list[Check]:
    limits = criterion.limits
    minimums: tuple[tuple[Measure, float | None, str], ...] = (
        ("recall", limits.min_recall, "gold mention"),
        ("precision", limits.min_precision, "predicted mention"),
        ("f1", limits.min_f1, "mention"),
    )
    if all(minimum is None for _, minimum, _ in minimums):
        return []
    sums = sum_class(scores, design, criterion.notion, get_class_name(criterion))
    checks = []
    for measure, minimum, units in minimums:
        if minimum is None:
            continue
        size = float(sums[measure][0].whole.sum()) * (2 if measure == "f1" else 1)

        def estimate_at(
            confidence: float, measure: Measure = measure, size: float = size
        ) -> tuple[Estimate, float]:
            return estimate_measures(sums, design, confidence)[measure], size

        check = _check_limit(
            measure,
            minimum,
            estimate_at,
            "" if size else f"undefined: the class has no {units}",
            scores.options.confidence,
            limits.confidence,
            find_notion(criterion.notion).unit,
            upper=False,
        )
        kind = "names" if design.name == ENTITIES_BY_CONTEXTS else design.name.partition(" × ")[0]
        checks.append(_allow_for_few_names(check, sums[measure][0].used_groups, kind, estimate_at))
    return checks


def _allow_for_few_names(
    check: Check,
    groups: int,
    kind: str,
    estimate_at: Callable[[float], tuple[Estimate, float]],
) -> Check:
    """Lower the bound of a check if the class has few names (documents in a corpus).

    If the bound cannot meet the limit with so few names, the result contains the number that is needed.
    """
    if np.isnan(check.confidence) or groups < 2:
        return check
    confidence = _two_sided_confidence(check.confidence)
    bound = compute_lower_bound(estimate_at(confidence)[0], groups, confidence)
    passed = bound >= check.limit
    needed = count_required_groups(check.observed, check.limit, confidence)
    shortage = f"{groups} {kind}, but at least {needed} are needed" if needed > groups else ""
    return replace(check, bound=bound, passed=passed, is_certain=passed, shortage=shortage)


def _check_limit(
    measure: str,
    limit: float,
    estimate_at: Callable[[float], tuple[Estimate, float]],
    undefined_reason: str,
    report_confidence: float,
    confidence: float | None,
    unit: str = "case",
    *,
    upper: bool = True,
) -> Check:
    """Check that a value (or its bound, if the criterion has a confidence) meets a limit.

    An undefined value does not meet any limit.

    Parameters
    ----------
    measure : str
    limit : float
    estimate_at : callable
        Function that takes a confidence level, and returns the estimate and the number of units.
    undefined_reason : str
        Reason for the failure if the value is undefined.
    report_confidence : float
        Confidence level of the interval that reports show.
    confidence : float, optional
        Confidence level of the criterion.
    unit : str
        Unit of counting.
    upper : bool
        Whether the limit is a maximum.
    """
    estimate, size = estimate_at(report_confidence)
    bounds = estimate if confidence is None else estimate_at(_two_sided_confidence(confidence))[0]
    bound = bounds.high if upper else bounds.low

    def is_met_by(value: float) -> bool:
        return bool(value <= limit if upper else value >= limit)

    passed = is_met_by(estimate.value if confidence is None else bound)
    return Check(
        measure=measure,
        required=f"{'<=' if upper else '>='} {limit:g}",
        limit=limit,
        observed=estimate.value,
        low=estimate.low,
        high=estimate.high,
        bound=bound,
        confidence=float("nan") if confidence is None else confidence,
        cases=size,
        unit=unit,
        passed=passed,
        is_certain=passed and is_met_by(bound),
        reason="" if size and not np.isnan(estimate.value) else undefined_reason,
        interval=estimate.method,
    )


def _two_sided_confidence(confidence: float) -> float:
    """Return the level of the two-sided interval whose ends equal one-sided bounds at level `confidence`."""
    return 2.0 * confidence - 1.0 if confidence > 0.5 else 0.0001


COST_MEASURES = ("seconds_p95", "price")
"""Measures of running time and price."""
UNKNOWN_COST = "undefined: not recorded by the run"


def _check_costs(criterion: Criterion, scores: Scores, costs: pd.DataFrame | None) -> list[Check]:
    """Check the running time and the price of the cases of a class; the price has no interval."""
    limits, report_confidence = criterion.limits, scores.options.confidence
    if limits.max_seconds_p95 is None and limits.max_price is None:
        return []
    cases = find_class_texts(scores, get_class_name(criterion))
    size = float(len(cases))
    unknown = pd.DataFrame(np.nan, index=range(len(cases)), columns=["seconds", "price", "shared"])
    class_costs = unknown if costs is None else align_costs(costs, scores).take(cases)
    checks = []
    if limits.max_seconds_p95 is not None:
        seconds = class_costs["seconds"]

        def estimate_at(confidence: float) -> tuple[Estimate, float]:
            known = bool(seconds.notna().any())
            return estimate_slow_seconds(seconds.to_numpy(), confidence) if known else Estimate(), size

        shares = count_shared_cases(class_costs)
        basis = f"shares in {shares} of {len(cases)} cases" if shares else ""
        check = _check_limit(
            "seconds_p95",
            limits.max_seconds_p95,
            estimate_at,
            UNKNOWN_COST,
            report_confidence,
            limits.confidence,
        )
        checks.append(replace(check, basis=basis))
    if limits.max_price is not None:
        total = float(class_costs["price"].sum(min_count=1))
        price = Estimate(total, total, total, "none: a sum")
        checks.append(
            _check_limit(
                "price", limits.max_price, lambda _: (price, size), UNKNOWN_COST, report_confidence, None
            )
        )
    return checks


def _check_against_reference(criterion: Criterion, scores: Scores, reference: Scores) -> list[Check]:
    """Check that a run is worse than the reference by at most the margin, using the paired difference."""
    designs = make_shared_designs([scores, reference])
    name = get_class_name(criterion)
    sums = [
        sum_class(s, d, criterion.notion, name) for s, d in zip((scores, reference), designs, strict=True)
    ]
    checks = []
    for measure in criterion.limits.measures or MEASURES:

        def estimate_at(confidence: float, measure: Measure = measure) -> tuple[Estimate, float]:
            one, other = sums[0][measure], sums[1][measure]
            difference = estimate_difference(one, other, designs[0], confidence)
            return difference.estimate, float(one[0].whole.sum())

        checks.append(
            _check_limit(
                f"{measure} against {reference.run}",
                0.0 - float(criterion.limits.margin or 0.0),
                estimate_at,
                "undefined: one of the two runs has no mention in the class",
                scores.options.confidence,
                criterion.limits.confidence or DEFAULT_CONFIDENCE,
                find_notion(criterion.notion).unit,
                upper=False,
            )
        )
    return checks


def estimate_alarm_rate(scores: Scores, class_: Class, confidence: float) -> tuple[Estimate, float]:
    """Return the rate of false alarms of a class, with its interval, and the number of counted texts.

    If the query uses features of the context only, the rate is the share of texts with a predicted mention
    among the texts without gold mentions that the query selects. Otherwise it is the share of texts with a
    predicted mention of the class among all texts without gold mentions. Texts that have the same context, or
    belong to the same document, are resampled together.
    """
    rows, alarmed = find_alarmed_texts(scores, class_)
    groups = _group_texts(scores, rows)
    sums = groups.sum_by_group(alarmed.astype(np.float64), np.ones(len(rows)))
    return resample_share(sums, PAIR_WEIGHT, confidence, groups.name), float(len(rows))


def find_alarmed_texts(scores: Scores, class_: Class) -> tuple[Ints, Flags]:
    """Return the texts that `estimate_alarm_rate` counts, and an array that is True for false alarms.

    Texts are given by their positions in the corpus.
    """
    rows, alarmed = find_alarm_cases(scores)
    if class_.query.selects_everything:
        return rows, alarmed
    if class_.query.features and is_text_class(class_):
        inside = class_.query.evaluate(describe_texts(scores, rows, class_.query.columns))
        return rows[inside], alarmed[inside]
    members = scores.predicted_row[scores.masks(class_.name)[1]]
    return rows, np.isin(rows, members)


def _group_texts(scores: Scores, rows: Ints) -> Groups:
    texts = scores.corpus.texts.take(rows)
    for column, name in (("context_id", "contexts"), ("document_id", "documents")):
        if column not in texts:
            continue
        codes, names = pd.factorize(texts[column])
        if len(names) > 1 and (codes >= 0).all():
            return Groups(name, (codes.astype(np.int64),))
    return Groups("texts", (np.arange(len(rows), dtype=np.int64),))
