"""Checks of one criterion on one run: each limit passes, for sure or not, or fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Flags, Ints
from ..classes import ALL, Class
from ..notions import find_notion
from ..scores import Scores
from ..statistics.design import Design, make_shared_designs
from ..statistics.differences import estimate_difference
from ..statistics.groups import Groups
from ..statistics.jackknife import PAIR_WEIGHT
from ..statistics.shares import Estimate, resample_share
from ..statistics.sums import MEASURES, Measure, estimate_measures, sum_class
from ..views.case_costs import align_costs, count_shared_cases, estimate_slow_seconds, find_class_texts
from ..views.false_alarms import describe_texts, find_alarm_cases, is_text_class
from .criteria import Criterion

DEFAULT_CONFIDENCE = 0.95


PASSED, UNSURE, FAILED = "passed", "passed, uncertain", "failed"
"""Verdicts. What passed is not assured where the interval crosses the limit: it may be chance."""


@dataclass(frozen=True)
class Check:
    """One limit of a criterion on one run.

    Attributes
    ----------
    measure : str
        ``recall``, ``precision``, ``f1``, ``false_alarms``, ``flips``, ``seconds_p95``, ``price``, or one
        of the first three ``against`` a run.
    required : str
        The limit in words.
    limit : float
        The limit as a number.
    observed, low, high : float
        What was found, with the two-sided interval that reports show for it.
    bound : float
        The bound on the limit's side: the lower one for ``>=``, the upper one for ``<=``. It is the one-sided
        bound at `confidence`, or where the criterion states none the end of the interval.
    confidence : float
        NaN where the observed value itself is judged.
    cases : float
        How many units it rests on.
    unit : str
        ``mention``, ``token`` or ``case``.
    passed, assured : bool
        Whether the limit is met by what is judged, and whether the bound meets it too.
    reason : str
        Why it failed, where the numbers do not show it.
    interval : str
        How the interval came about.
    basis : str
        Of seconds that were not measured case by case, how many are shares.
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
    assured: bool
    reason: str = ""
    interval: str = ""
    basis: str = ""

    @property
    def verdict(self) -> str:
        """``passed``, ``passed, uncertain`` or ``failed``."""
        return FAILED if not self.passed else PASSED if self.assured else UNSURE


@dataclass(frozen=True)
class FlipStatistics:
    """What ``max_flips`` is held against: the answers of a run's repetitions.

    Attributes
    ----------
    estimate_share : callable
        Of a class and a confidence: the share of its cases that flip, and how many cases it is of.
    find_cases : callable
        Of a class: the texts that flip (places in the corpus), and how many different answers each has.
    repeats : int
        Number of repetitions.
    """

    estimate_share: Callable[[str, float], tuple[Estimate, int]]
    find_cases: Callable[[str], tuple[Ints, Ints]]
    repeats: int


def get_class_name(criterion: Criterion) -> str:
    """The class that is scored: a criterion that asks no query is about everything, whatever it is called."""
    return ALL if criterion.class_.query.selects_everything else criterion.class_.name


def judge_criterion(
    criterion: Criterion,
    scores: Scores,
    design: Design,
    reference: Scores | None = None,
    costs: pd.DataFrame | None = None,
    flips: FlipStatistics | None = None,
) -> list[Check]:
    """Judge a criterion.

    A limit without `confidence` is held against the observed value; where the interval crosses the limit, it
    is met but not assured. With one, the one-sided bound on the limit's side must meet it: the tagger is at
    least so good with that confidence. What cannot be judged, because the class has no mention, fails.

    Parameters
    ----------
    criterion : Criterion
    scores : Scores
        Scored with the criterion's class and notion.
    design : Design
        Of that scoring.
    reference : Scores, optional
        The run of ``no_worse_than``, over the same texts.
    costs : DataFrame, optional
        What the run's cases cost, where it knows.
    flips : Flips, optional
        Of the run's repetitions.
    """
    limits = criterion.limits
    shown = scores.options.confidence
    checks = _check_minimums(criterion, scores, design)
    if limits.max_false_alarms is not None:
        checks.append(
            _check_maximum(
                "false_alarms",
                limits.max_false_alarms,
                lambda confidence: estimate_alarm_rate(scores, criterion.class_, confidence),
                "undefined: no case without gold mentions",
                shown,
                limits.confidence,
            )
        )
    checks += _check_costs(criterion, scores, costs)
    if limits.max_flips is not None:
        if flips is None:
            raise InputError(
                f"class {criterion.class_.name}: max_flips needs repetitions",
                found=f"{scores.run}, run once",
                allowed="tagsuite run --times K",
            )
        share, name = flips.estimate_share, get_class_name(criterion)
        checks.append(
            _check_maximum(
                "flips",
                limits.max_flips,
                lambda confidence: share(name, confidence),
                "undefined: the class has no case",
                shown,
                limits.confidence,
            )
        )
    if reference is not None and limits.margin is not None:
        checks += _check_against_reference(criterion, scores, reference)
    return checks


def _check_minimums(criterion: Criterion, scores: Scores, design: Design) -> list[Check]:
    """Hold recall, precision and F1 of the class against what they must reach."""
    limits = criterion.limits
    every: tuple[tuple[Measure, float | None], ...] = (
        ("recall", limits.min_recall),
        ("precision", limits.min_precision),
        ("f1", limits.min_f1),
    )
    floors = [(measure, least) for measure, least in every if least is not None]
    if not floors:
        return []
    sums = sum_class(scores, design, criterion.notion, get_class_name(criterion))
    found = estimate_measures(sums, design, scores.options.confidence)
    bounds = (
        found
        if limits.confidence is None
        else estimate_measures(sums, design, _two_sided_confidence(limits.confidence))
    )
    unit = find_notion(criterion.notion).unit
    checks = []
    for measure, least in floors:
        size = float(sums[measure][0].whole.sum()) * (2 if measure == "f1" else 1)
        why = "" if size else "undefined: the class has no such mention"
        asked = _Limit(measure, least, limits.confidence, unit)
        checks.append(asked.make_check(found[measure], bounds[measure], size, why))
    return checks


@dataclass(frozen=True)
class _Limit:
    """A limit of a criterion; see `Check` for the names."""

    measure: str
    limit: float
    confidence: float | None
    unit: str
    upper: bool = False

    def make_check(self, it: Estimate, bounds: Estimate, size: float, why: str) -> Check:
        """Hold what was found, or with a confidence its bound, against the limit.

        Nothing undefined meets one; `why` says what is undefined.
        """
        bound = bounds.high if self.upper else bounds.low
        passed = self._is_met_by(it.value if self.confidence is None else bound)
        return Check(
            measure=self.measure,
            required=f"{'<=' if self.upper else '>='} {self.limit:g}",
            limit=self.limit,
            observed=it.value,
            low=it.low,
            high=it.high,
            bound=bound,
            confidence=float("nan") if self.confidence is None else self.confidence,
            cases=size,
            unit=self.unit,
            passed=passed,
            assured=passed and self._is_met_by(bound),
            reason=why,
            interval=it.method,
        )

    def _is_met_by(self, value: float) -> bool:
        return bool(value <= self.limit if self.upper else value >= self.limit)


def _check_maximum(
    measure: str,
    most: float,
    of: Callable[[float], tuple[Estimate, float]],
    nothing: str,
    shown: float,
    asked: float | None,
) -> Check:
    """Hold what cases show against a limit that must not be exceeded.

    Parameters
    ----------
    measure : str
    most : float
        The limit.
    of : callable
        Of a confidence: what was found, and how many cases it is of.
    nothing : str
        Why it fails where there is nothing to judge.
    shown : float
        The confidence of reports.
    asked : float, optional
        That of the criterion.
    """
    it, size = of(shown)
    bound = it if asked is None else of(_two_sided_confidence(asked))[0]
    why = "" if size and not np.isnan(it.value) else nothing
    return _Limit(measure, most, asked, "case", upper=True).make_check(it, bound, size, why)


def _two_sided_confidence(confidence: float) -> float:
    """The confidence of the two-sided interval whose ends are the one-sided bounds at `confidence`."""
    return 2.0 * confidence - 1.0 if confidence > 0.5 else 0.0001


COST_MEASURES = ("seconds_p95", "price")
"""Measures of what a run's cases cost."""
UNKNOWN_COST = "undefined: the run does not know it"


def _check_costs(criterion: Criterion, scores: Scores, costs: pd.DataFrame | None) -> list[Check]:
    """Hold what a class's cases cost against its limits; the price is a sum, which no interval surrounds."""
    limits, shown = criterion.limits, scores.options.confidence
    if limits.max_seconds_p95 is None and limits.max_price is None:
        return []
    cases = find_class_texts(scores, get_class_name(criterion))
    size = float(len(cases))
    own = None if costs is None else align_costs(costs, scores).take(cases)
    checks = []
    if limits.max_seconds_p95 is not None:
        seconds = None if own is None or own["seconds"].isna().all() else own["seconds"].to_numpy()

        def slow(confidence: float) -> tuple[Estimate, float]:
            return Estimate() if seconds is None else estimate_slow_seconds(seconds, confidence), size

        shares = 0 if own is None else count_shared_cases(own)
        basis = f"shares in {shares} of {len(cases)} cases" if shares else ""
        held = _check_maximum(
            "seconds_p95", limits.max_seconds_p95, slow, UNKNOWN_COST, shown, limits.confidence
        )
        checks.append(replace(held, basis=basis))
    if limits.max_price is not None:
        total = float("nan") if own is None else float(own["price"].sum(min_count=1))
        it = Estimate(total, total, total, "none: a sum")
        why = UNKNOWN_COST if np.isnan(total) else ""
        checks.append(
            _Limit("price", limits.max_price, None, "case", upper=True).make_check(it, it, size, why)
        )
    return checks


def _check_against_reference(criterion: Criterion, scores: Scores, reference: Scores) -> list[Check]:
    """No worse than another run: the bound of the paired difference lies above the margin's negative."""
    margin = float(criterion.limits.margin or 0.0)
    asked = criterion.limits.confidence or DEFAULT_CONFIDENCE
    designs = make_shared_designs([scores, reference])
    name = get_class_name(criterion)
    sums = [
        sum_class(s, d, criterion.notion, name) for s, d in zip((scores, reference), designs, strict=True)
    ]
    unit = find_notion(criterion.notion).unit
    checks = []
    for measure in criterion.limits.measures or MEASURES:
        one, other = sums[0][measure], sums[1][measure]
        it, bound = (
            estimate_difference(one, other, designs[0], c).estimate
            for c in (scores.options.confidence, _two_sided_confidence(asked))
        )
        size = float(one[0].whole.sum())
        why = "undefined: one of the two has no such mention" if np.isnan(it.value) else ""
        limit = _Limit(f"{measure} against {reference.run}", 0.0 - margin, asked, unit)
        checks.append(limit.make_check(it, bound, size, why))
    return checks


def estimate_alarm_rate(scores: Scores, class_: Class, confidence: float) -> tuple[Estimate, float]:
    """The rate of false alarms of a class, and how many texts it is a share of.

    A class of contexts (its query asks features of the context only) is a class of texts: the rate is of
    those. Any other is a class of predicted mentions: the share of all texts without gold mentions that have
    one of the class. Texts of one context, or of one document, are left out together.
    """
    rows, alarmed = find_alarmed_texts(scores, class_)
    groups = _group_texts(scores, rows)
    sums = groups.sum_by_group(alarmed.astype(np.float64), np.ones(len(rows)))
    return resample_share(sums, PAIR_WEIGHT, confidence, groups.name), float(len(rows))


def find_alarmed_texts(scores: Scores, class_: Class) -> tuple[Ints, Flags]:
    """Positions of the texts that the rate is of, and which of them have a false alarm."""
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
        codes, known = pd.factorize(texts[column])
        if len(known) > 1 and (codes >= 0).all():
            return Groups(name, (codes.astype(np.int64),))
    return Groups("texts", (np.arange(len(rows), dtype=np.int64),))
