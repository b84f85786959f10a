"""Measure how well estimates of recall per class agree with a corpus, for each source of evidence.

    python benchmarks/transfer.py --data DIR --cache DIR     # DIR: bc2gm/, hgnc/, jnlpba/ of the shared data

The targets are bc2gm/test and jnlpba/test (its proteins, DNA and RNA); each is the other's public corpus.
Five taggers are used: kex, yapex, a dictionary of HGNC, and `pos` trained on bc2gm/train and on jnlpba/train.
Spearman's correlation and the root mean square error (RMSE) are computed per tagger, suite and target, and
then averaged. Taggers trained on one of the two corpora are printed apart. Suites, models and runs are kept
in the cache folder. `--today FILE` adds the estimates of another version, which `--out FILE` has written.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from measuring import DATA, options_of
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import spearmanr
from transfer_data import (
    CONSTRUCTED,
    OTHER,
    SUITES,
    TAGGERS,
    composed,
    kind_of,
    listed,
    prepare,
    recalls,
    scored,
    usable,
)

from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.transfer.composition import Composition
from tagsuite.harness.scoring.transfer.proposals import make_proposed_composition
from tagsuite.harness.scoring.transfer.standardise import fit_evidence, standardise_classes
from tagsuite.sentences.formats import read_corpus

Numbers = NDArray[np.float64]
SHARES = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Shares of the public corpus in the curve."""
DRAWS = 2000


def mean_of(one: Numbers, other: Numbers) -> Numbers:
    """Return the mean of two estimates in log odds."""
    return np.asarray(expit((logit(one.clip(0.01, 0.99)) + logit(other.clip(0.01, 0.99))) / 2))


def describe(value: Numbers, truth: Numbers) -> dict[str, float]:
    """Return the rank correlation, RMSE and bias of estimates."""
    known = np.isfinite(value) & np.isfinite(truth)
    error = value[known] - truth[known]
    return {
        "rho": float(spearmanr(value[known], truth[known]).statistic),
        "rmse": float(np.sqrt(np.mean(error**2))),
        "bias": float(error.mean()),
    }


def part_of(scores: Scores, share: float) -> Scores:
    """Return the scores of the first texts of a corpus."""
    return select_texts(scores, slice(round(share * len(scores.corpus.texts))))


def select_texts(scores: Scores, rows: slice) -> Scores:
    """Return the scores of some texts of a corpus."""
    texts = scores.corpus.texts.iloc[rows]
    names = set(texts["text_id"])
    gold, predicted = (
        f[f["text_id"].isin(names)].reset_index(drop=True) for f in (scores.corpus.mentions, scores.predicted)
    )
    corpus = type(scores.corpus)(scores.corpus.name, texts.reset_index(drop=True), gold)
    return score(corpus, predicted, scores.options, classes=scores.classes, run=scores.run)


def reliability(scores: Scores, names: list[str]) -> float:
    """Return the rank correlation of class recall between two halves of a corpus, corrected for their size.

    The correction is that of Spearman and Brown.
    """
    halves = [recalls(select_texts(scores, slice(first, None, 2)), names) for first in (0, 1)]
    rho = describe(halves[0], halves[1])["rho"]
    return 2 * rho / (1 + rho)


def propose(cache: Path, tagger: str, origin: str) -> Composition:
    """Return the composition of a target without annotations, from the proposals of other taggers.

    The proposers are kex, yapex, the dictionary, and `pos` trained on the public corpus, without `tagger`.
    """
    corpora = (f"{origin}-test", f"{OTHER[origin]}-test")
    others = [name for name in TAGGERS if name not in (tagger, f"pos-{origin}")]
    predictions = {}
    for other in others:
        here, there = (scored(cache, other, name).predicted for name in corpora)
        predictions[other] = here, there
    raw, annotated = (read_corpus(f"jsonl:{cache / name}.jsonl") for name in corpora)
    return make_proposed_composition(raw, annotated, predictions)[0]


def measure(cache: Path, suites: tuple[str, ...]) -> pd.DataFrame:
    """Return the accuracy of each source of evidence."""
    rows = []
    for origin, other in OTHER.items():
        own, foreign = composed(cache, f"{origin}-test"), composed(cache, f"{other}-test")
        classes = [listed(origin)[i] for i in usable(own, origin)]
        names = [c.name for c in classes]
        for tagger in TAGGERS:
            truth = recalls(scored(cache, tagger, f"{origin}-test", origin), names)
            public = scored(cache, tagger, f"{other}-test", origin)
            row = {"target": origin, "tagger": tagger, "kind": kind_of(tagger, origin), "suite": ""}
            half = reliability(scored(cache, tagger, f"{origin}-test", origin), names)
            rows.append(row | {"way": "reliability of the target", "rho": half})
            proposed = propose(cache, tagger, origin)
            for suite in suites:
                base = scored(cache, tagger, f"suite-{suite}", origin)
                alone, joint = fit_evidence(base), fit_evidence(base, [public])
                found: dict[str, tuple[Numbers, pd.DataFrame | None]]
                found = {"suite, raw": (recalls(base, names), None)}
                found["public corpus, raw"] = recalls(public, names), None
                places = {
                    "composition of the public corpus": foreign,
                    "raw text of the target": proposed,
                    "composition of the target corpus": own,
                }
                for source, model in (("suite", alone), ("suite and public corpus", joint)):
                    for where, over in places.items():
                        estimated = standardise_classes(model, over, classes).iloc[1:]
                        found[f"{source}, {where}"] = (
                            estimated["standardised"].to_numpy(),
                            estimated,
                        )
                for where in ("public", "target"):
                    value = mean_of(
                        found[f"suite, composition of the {where} corpus"][0], found["public corpus, raw"][0]
                    )
                    found[f"mean of suite and public corpus, composition of the {where} corpus"] = value, None
                for way, (value, table) in found.items():
                    row = {
                        "target": origin,
                        "tagger": tagger,
                        "kind": kind_of(tagger, origin),
                        "suite": suite,
                    }
                    row |= {"way": way, **describe(value, truth)}
                    if table is not None:
                        low, high = (table[f"standardised_{end}"].to_numpy() for end in ("low", "high"))
                        row |= {
                            "inside": np.mean((low <= truth) & (truth <= high)),
                            "width": np.mean(high - low),
                        }
                    rows.append(row)
    return pd.DataFrame(rows)


def curve(cache: Path, suites: tuple[str, ...]) -> pd.DataFrame:
    """Return the accuracy with a part of the public corpus and the composition of the target."""
    rows = []
    for origin, other in OTHER.items():
        own = composed(cache, f"{origin}-test")
        classes = [listed(origin)[i] for i in usable(own, origin)]
        names = [c.name for c in classes]
        for tagger in TAGGERS:
            truth = recalls(scored(cache, tagger, f"{origin}-test", origin), names)
            whole = scored(cache, tagger, f"{other}-test", origin)
            for share in SHARES:
                public = part_of(whole, share) if share else None
                found: list[tuple[str, Numbers]] = []
                if public is not None:
                    found.append(("public corpus, raw", recalls(public, names)))
                for suite in suites:
                    base = scored(cache, tagger, f"suite-{suite}", origin)
                    model = fit_evidence(base, [public] if public is not None else [])
                    value = standardise_classes(model, own, classes)["standardised"].to_numpy()[1:]
                    found.append(("with the suite", value))
                for way, value in found:
                    row = {"kind": kind_of(tagger, origin), "share": share, "way": way}
                    rows.append(row | describe(value, truth))
    return pd.DataFrame(rows)


def differences(found: pd.DataFrame, today: pd.DataFrame) -> pd.DataFrame:
    """Return the differences from another version, with bootstrap intervals over taggers × suites."""
    keys = ["target", "tagger", "kind", "suite", "way"]
    both = found.merge(today, on=keys, suffixes=("", "_today"))
    generator = np.random.Generator(np.random.PCG64(1))
    rows = []
    for way, some in both.groupby("way", sort=False):
        row = {"way": way}
        for name in ("rho", "rmse"):
            change = (some[name] - some[f"{name}_today"]).groupby([some["tagger"], some["suite"]]).mean()
            drawn = generator.choice(change.to_numpy(), (DRAWS, len(change))).mean(axis=1)
            row |= {name: change.mean(), f"{name}_low": np.quantile(drawn, 0.025)}
            row |= {f"{name}_high": np.quantile(drawn, 0.975)}
        rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Run the selected measurements."""
    parser = options_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cache", type=Path, default=Path(".cache/transfer"))
    parser.add_argument("--constructed", action="store_true", help="use the suite without attested contexts")
    parser.add_argument("--curve", action="store_true", help="vary the size of the public corpus")
    parser.add_argument("--suites", type=int, default=len(SUITES), help="number of suites")
    parser.add_argument("--out", type=Path, help="write the table to a CSV file")
    parser.add_argument("--today", type=Path, help="print the differences from a table of another version")
    given = parser.parse_args()
    prepare(given.data, given.cache)
    suites = (CONSTRUCTED,) if given.constructed else SUITES[: given.suites]
    pd.set_option("display.width", 200, "display.max_columns", 30, "display.max_colwidth", 70)
    if given.curve:
        found = curve(given.cache, suites)
        print(found.groupby(["kind", "way", "share"], sort=False)[["rho", "rmse"]].mean().round(3))
        return
    found = measure(given.cache, suites)
    for kind, some in [*found.groupby("kind"), ("all", found)]:
        print(f"\ntaggers trained on: {kind}")
        print(some.groupby("way", sort=False)[["rho", "rmse", "bias", "inside", "width"]].mean().round(3))
    if given.out:
        found.to_csv(given.out, index=False)
    if given.today:
        for kind, some in [*found.groupby("kind"), ("all", found)]:
            print(f"\ndifferences, taggers trained on: {kind}")
            print(differences(some, pd.read_csv(given.today, dtype={"suite": str})).round(3).to_string())


if __name__ == "__main__":
    main()
