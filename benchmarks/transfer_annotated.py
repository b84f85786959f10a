"""Compare methods that use a few annotated sentences of the target, with a suite and a public corpus.

    python benchmarks/transfer_annotated.py --cache DIR    # DIR: as for transfer.py

Sentences are drawn at random with fixed seeds; the true value is the recall or precision of each class in the
rest of the target. RMSE is computed per tagger, suite and target, and then averaged. Methods:

    alone        results on the annotated sentences
    shrunk       the same, shrunk to their mean (50 mentions)
    raw + level  recall on the suite, with the level of the annotated sentences, shrunk to the classes
    simple       the same with standardised recall
    suite        calibrated, from the suite alone
    calibrated   calibrated, from the suite and the public corpus
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from measuring import options_of
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from transfer_data import OTHER, SUITES, TAGGERS, composed, kind_of, listed, scored, usable

from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.statistics.sums import MEASURES, Measure
from tagsuite.harness.scoring.transfer.calibration import STRENGTH, calibrate_classes
from tagsuite.harness.scoring.transfer.composition import Composition
from tagsuite.harness.scoring.transfer.evidence import (
    AnnotatedMentions,
    collect_annotated_mentions,
    list_features,
)
from tagsuite.harness.scoring.transfer.model import compute_probabilities
from tagsuite.harness.scoring.transfer.standardise import (
    OWN_LEVEL_VARIANCE,
    FittedModel,
    fit_evidence,
    iterate_class_weights,
    make_predicted_composition,
)

Numbers = NDArray[np.float64]


def take_mentions(mentions: AnnotatedMentions, rows: np.ndarray, sentences: int) -> AnnotatedMentions:
    """Return the selected mentions, which come from `sentences` sentences."""
    ways = tuple(pd.factorize(way[rows])[0].astype(np.int64) for way in mentions.ways)
    frame, members = mentions.frame.take(rows).reset_index(drop=True), mentions.class_members[:, rows]
    return AnnotatedMentions(frame, mentions.is_right[rows], ways, mentions.pair_weight, members, sentences)


def find_level(z: Numbers, right: Numbers) -> float:
    """Return the level that fits annotated mentions best, given their log odds."""

    def loss(level: float) -> float:
        eta = z + level
        return float((np.logaddexp(0.0, eta) - right * eta).sum() + level**2 / (2 * OWN_LEVEL_VARIANCE))

    return float(minimize_scalar(loss, bounds=(-6, 6), method="bounded").x)


def shrink(known: AnnotatedMentions, expected: Numbers) -> Numbers:
    """Return class results on annotated sentences, shrunk to what is expected."""
    members = known.class_members.astype(np.float64)
    return np.asarray((members @ known.is_right + STRENGTH * expected) / (members.sum(axis=1) + STRENGTH))


def simple_estimates(
    alone: FittedModel, over: Composition, classes: list[Class], known: AnnotatedMentions, raw: Numbers
) -> dict[str, Numbers]:
    """Return the estimates of the methods that use no joint model."""
    members = known.class_members.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        results = members @ known.is_right / members.sum(axis=1)
    overall = float(known.is_right.mean())
    columns = alone.model.make_columns(known.frame)
    z = np.asarray(alone.model.make_design_matrix(columns) @ alone.model.weights)
    level = find_level(z, known.is_right)
    x = alone.model.make_design_matrix(alone.model.make_columns(over.frame))
    shifted = compute_probabilities(x, alone.model.weights + level * (np.arange(x.shape[1]) == 0))
    masses = np.concatenate(list(iterate_class_weights(over, classes)))
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = masses @ shifted / masses.sum(axis=1)
    odds = logit(raw.clip(0.01, 0.99))
    moved = expit(odds + find_level(np.full(len(z), odds[0]), known.is_right))
    return {
        "alone": results,
        "shrunk": shrink(known, np.full(len(results), overall)),
        "raw + level": shrink(known, moved),
        "simple": shrink(known, standardised),
    }


def measure_target(
    cache: Path, tagger: str, suite: str, origin: str, numbers: list[int], draws: int, of: Measure
) -> list[dict[str, object]]:
    """Return one row per number of sentences, draw and method."""
    target = scored(cache, tagger, f"{origin}-test", origin)
    base = scored(cache, tagger, f"suite-{suite}", origin)
    public = scored(cache, tagger, f"{OTHER[origin]}-test", origin)
    own = composed(cache, f"{origin}-test") if of == "recall" else make_predicted_composition(target)
    over = composed(cache, f"{OTHER[origin]}-test") if of == "recall" else own
    known_features = set(own.features)
    classes = [
        c
        for c in (listed(origin)[i] for i in usable(own, origin))
        if {f.column for f in c.query.features} <= known_features
    ]
    whole = collect_annotated_mentions([target], classes, list_features(of), measure=of)
    rows_of = target.gold_row if of == "recall" else target.predicted_row
    side = base.wilson_table.set_index("class")[of]
    raw = side.loc[["all", *(c.name for c in classes)]].to_numpy(dtype=float)
    evidence: dict[str, tuple[Scores, ...]] = {"suite": (), "calibrated": (public,)}
    alone = {way: fit_evidence(base, corpora, measure=of) for way, corpora in evidence.items()}
    found: list[dict[str, object]] = []
    for number in numbers:
        for seed in range(draws):
            generator = np.random.Generator(np.random.PCG64(seed))
            chosen = generator.choice(len(target.corpus.texts), number, replace=False)
            there = np.isin(rows_of, chosen)
            known = take_mentions(whole, np.flatnonzero(there), number)
            if not len(known.is_right):
                continue
            rest = whole.class_members[:, ~there]
            with np.errstate(divide="ignore", invalid="ignore"):
                truth = rest @ whole.is_right[~there] / rest.sum(axis=1)
            estimates = simple_estimates(alone["suite"], over, classes, known, raw)
            tables = {}
            for way, corpora in evidence.items():
                fitted = fit_evidence(base, corpora, known, measure=of)
                tables[way] = calibrate_classes(alone[way], fitted, over, classes, known)
                estimates[way] = tables[way]["calibrated"].to_numpy()
            for way, value in estimates.items():
                row: dict[str, object] = {"target": origin, "tagger": tagger, "suite": suite, "way": way}
                row |= {"kind": kind_of(tagger, origin), "sentences": number, "seed": seed}
                row |= {"square": np.nanmean((value - truth)[1:] ** 2), "all": (value - truth)[0] ** 2}
                if way in tables:
                    low, high = (tables[way][f"calibrated_{end}"].to_numpy() for end in ("low", "high"))
                    told = np.isfinite(low) & np.isfinite(truth)
                    inside = ((low <= truth) & (truth <= high))[told]
                    row |= {"inside": inside[1:].mean(), "width": (high - low)[told][1:].mean()}
                    row |= {"all_inside": float(inside[0])}
                found.append(row)
    return found


def main() -> None:
    """Print the error of each method, and the coverage of the intervals."""
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".cache/transfer"))
    parser.add_argument("--sentences", default="25,100")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--suites", type=int, default=1)
    parser.add_argument("--measure", choices=MEASURES, default="recall")
    given = parser.parse_args()
    numbers = [int(n) for n in given.sentences.split(",")]
    rows = [
        row
        for origin in OTHER
        for tagger in TAGGERS
        for suite in SUITES[: given.suites]
        for row in measure_target(given.cache, tagger, suite, origin, numbers, given.draws, given.measure)
    ]
    pd.set_option("display.width", 200, "display.max_columns", 30)
    found = pd.DataFrame(rows)
    keys = ["kind", "sentences", "way", "target", "tagger", "suite"]
    means = found.groupby(keys, sort=False)[["square", "all", "inside", "width", "all_inside"]].mean()
    means[["rmse", "rmse_all"]] = np.sqrt(means[["square", "all"]])
    shown = ["rmse", "rmse_all", "inside", "width", "all_inside"]
    print(means["rmse"].xs("calibrated", level="way").unstack("tagger").round(3))
    for kind, some in [*means.groupby("kind"), ("all", means)]:
        print(f"\ntaggers trained on: {kind}")
        print(some.groupby(["sentences", "way"], sort=False)[shown].mean().round(3))


if __name__ == "__main__":
    main()
