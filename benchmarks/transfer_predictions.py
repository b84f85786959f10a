"""Count confirmed, refuted and undecided predictions, by the source of the predictions.

    python benchmarks/transfer_predictions.py --cache DIR    # DIR: what transfer.py made

A class whose recall differs from the rest by .1 or more in the source is predicted to be low or high in the
target. Sources are suites (the first one; raw and standardised), `half`, one half of the target's documents
or texts, compared with the other half, and `random`, random pairs of conditions with about as many mentions
as a raw prediction, and its direction. Confirmed predictions are then divided into those also confirmed for
kex and those specific to the tagger, as with `compare --reference`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import options_of
from numpy.typing import NDArray
from transfer_data import (
    LISTS,
    OPTIONS,
    OTHER,
    SUITES,
    TAGGERS,
    composed,
    listed,
    recalls,
    scored,
    usable,
)

from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.comparison.compare_runs import ComparisonOptions, compare_runs
from tagsuite.harness.scoring.comparison.prediction_verdicts import compare
from tagsuite.harness.scoring.comparison.predictions import Prediction
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.options import ClassOptions
from tagsuite.harness.scoring.score_runs import score_runs
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.statistics.design import number_documents
from tagsuite.harness.scoring.transfer.standardise import (
    fit_evidence,
    iterate_class_weights,
    standardise_classes,
)

Numbers = NDArray[np.float64]

APART = 0.1
REFERENCE = "kex"
SEED = 1
NEAR = 0.25
"""Allowed relative difference in size between a random query and the prediction that it replaces."""
TRIED = 4000
VERDICTS = ("confirmed", "refuted", "undecided")


def apart(part: Numbers, whole: float, share: Numbers) -> Numbers:
    """Return the difference in recall between a class and the rest of the mentions."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((part - whole) / (1.0 - share))


def shares(scores: Scores, classes: Sequence[Class]) -> Numbers:
    """Return the share of each class among gold mentions."""
    return np.array([scores.masks(c.name)[0].mean() for c in classes])


def whole(scores: Scores) -> float:
    """Return the recall over all mentions."""
    return float(scores.wilson_table.loc[scores.wilson_table["class"] == "all", "recall"].iloc[0])


def verdicts(scores: Scores, classes: Sequence[Class], difference: Numbers) -> dict[str, Any]:
    """Return the number of predictions and the shares of their verdicts."""
    chosen = [
        Prediction(c.name, c.query, recall="high" if d > 0 else "low")
        for c, d in zip(classes, difference, strict=True)
        if abs(d) >= APART
    ]
    found = compare(scores, chosen)["verdict"].dropna()
    counts = found.value_counts()
    return {"predictions": len(chosen), **{v: counts.get(v, 0) / max(len(chosen), 1) for v in VERDICTS}}


def half(scores: Scores, number: int) -> Scores:
    """Return the scores of every second document (or text, if there is only one document)."""
    groups, _ = number_documents(scores.corpus)
    kept = np.asarray(groups) % 2 == number
    texts = scores.corpus.texts[kept].reset_index(drop=True)
    names = set(texts["text_id"])
    gold, predicted = (
        f[f["text_id"].isin(names)].reset_index(drop=True) for f in (scores.corpus.mentions, scores.predicted)
    )
    corpus = replace(scores.corpus.with_mentions(gold), texts=texts, alternatives=None)
    return score(corpus, predicted, scores.options, classes=scores.classes)


def random_queries(classes: Sequence[Class], sizes: Numbers, masks: NDArray[np.bool_]) -> list[Class]:
    """Return, for each size, a random pair of conditions with about as many mentions."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    pairs = generator.integers(0, len(classes), (TRIED, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    # pairs: how many mentions both conditions select
    both = np.array([np.count_nonzero(masks[a] & masks[b]) for a, b in pairs])
    found: list[Class] = []
    for size in sizes:
        fit = np.flatnonzero(np.abs(both - size) <= NEAR * size)
        if len(fit):
            a, b = pairs[generator.choice(fit)]
            name = f"{len(found)}: {classes[a].name} and {classes[b].name}"
            found.append(Class(name, Query.parse(f"({classes[a].name}) and ({classes[b].name})")))
    return found


def table(cache: Path) -> pd.DataFrame:
    """Return one row per target, tagger and source of predictions."""
    rows = []
    for target, public in OTHER.items():
        over = composed(cache, f"{public}-test")
        classes = [listed(target)[i] for i in usable(composed(cache, f"{target}-test"), target)]
        names = [c.name for c in classes]
        mass = np.concatenate([m.sum(axis=1) for m in iterate_class_weights(over, classes)])
        for tagger in TAGGERS:
            found = scored(cache, tagger, f"{target}-test", target)
            suite = scored(cache, tagger, f"suite-{SUITES[0]}", target)
            carried = standardise_classes(fit_evidence(suite), over, classes)["standardised"].to_numpy()
            raw = apart(recalls(suite, names), whole(suite), shares(suite, classes))
            known = apart(carried[1:], carried[0], mass[1:] / mass[0])
            first, second = half(found, 0), half(found, 1)
            own = apart(recalls(first, names), whole(first), shares(first, classes))
            chosen = np.abs(raw) >= APART
            masks = np.array([found.masks(c.name)[0] for c in classes])
            drawn = random_queries(classes, masks[chosen].sum(axis=1), masks)
            signs = np.resize(np.sign(raw[chosen]), len(drawn))
            path = cache / f"{tagger}--{target}-test"
            other = score_runs([path], OPTIONS, classes=drawn)[0]
            for source, one in {
                "suite, raw": verdicts(found, classes, raw),
                "suite, standardised": verdicts(found, classes, known),
                "half the corpus": verdicts(second, classes, own),
                "random queries": verdicts(other, drawn, signs),
            }.items():
                rows.append({"target": target, "tagger": tagger, "source": source, **one})
                print(
                    "  ".join(f"{v:.2f}" if isinstance(v, float) else str(v) for v in rows[-1].values()),
                    flush=True,
                )
    return pd.DataFrame(rows)


def specificity(cache: Path) -> None:
    """Print how many predictions of a suite are confirmed, and how many of these for the reference too."""
    suite = f"suite-{SUITES[0]}"
    print("target  tagger  predictions  confirmed  general  specific  undecided")
    for target in OTHER:
        for tagger in [t for t in TAGGERS if t != REFERENCE]:
            found = compare_runs(
                [cache / f"{tagger}--{target}-test"],
                OPTIONS,
                ClassOptions(classes=LISTS / f"{target}.toml"),
                ComparisonOptions(
                    suite=cache / f"{tagger}--{suite}",
                    reference=[cache / f"{REFERENCE}--{suite}", cache / f"{REFERENCE}--{target}-test"],
                ),
            ).table
            rows = found[found["measure"] == "recall"]
            held = rows[rows["verdict"] == "confirmed"]["specificity"]
            counts = [int((held == kind).sum()) for kind in ("general", "specific", "undecided")]
            print(
                f"{target}-test  {tagger}  {len(rows)}  {len(held)}  " + "  ".join(map(str, counts)),
                flush=True,
            )


def main() -> None:
    """Run the measurements."""
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".cache/transfer"))
    cache = parser.parse_args().cache
    found = table(cache)
    print(found.groupby(["target", "source"], sort=False)[["predictions", *VERDICTS]].mean().round(2))
    print(found.groupby("source", sort=False)[["predictions", *VERDICTS]].mean().round(2))
    specificity(cache)


if __name__ == "__main__":
    main()
