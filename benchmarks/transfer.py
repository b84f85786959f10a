"""Measure how well default suites estimate recall per class, and differences between taggers, on corpora.

    python benchmarks/transfer.py --data DIR --cache DIR     # DIR: bc2gm/, jnlpba/ as ../shared/data has them

Raw and standardised estimates come from two default suites of 3,000 cases and four taggers: kex, yapex, pos
trained on bc2gm/train, and pos trained on jnlpba/train. Targets are bc2gm/test and jnlpba/test (its proteins,
DNA and RNA). The composition comes from the training part of the other corpus, so that only the true values
come from the target. Suites, models and runs are kept in the cache folder; delete it to make them again.
"""

from __future__ import annotations

import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import DATA, options_of, tagsuite, taken
from numpy.typing import NDArray
from scipy.special import logit
from scipy.stats import spearmanr

from tagsuite.catalogues.core.toml import write_toml
from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class, read_classes
from tagsuite.harness.scoring.division import divide_by_feature
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.statistics.sums import MEASURES, Measure
from tagsuite.harness.scoring.transfer.calibration import Calibration
from tagsuite.harness.scoring.transfer.composition import (
    Composition,
    find_missing_features,
    list_model_features,
    make_composition,
    read_composition,
    write_composition,
)
from tagsuite.harness.scoring.transfer.options import TransferOptions
from tagsuite.harness.scoring.transfer.standardise import (
    COLUMNS,
    FittedModel,
    fit_suite,
    iterate_class_weights,
    make_predicted_composition,
    standardise_classes,
)
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats import read_corpus, write_corpus

SEEDS = (11, 12)
SIZE = 3000
GENES = ("protein", "DNA", "RNA")
"""Types of genes and gene products in the JNLPBA corpus, which also has types of cells."""
BREAK = re.compile(r"(?<=[.?!])\s+(?=[A-Z])|\n")
OTHER = {"bc2gm": "jnlpba", "jnlpba": "bc2gm"}
"""Corpus whose training part provides the composition, by target."""
LISTS = Path(__file__).with_name("transfer_classes")
"""Folder with the fixed list of classes of each target."""
LEAST, FEWEST = 40, 20
FITTED: dict[tuple[str, int, Measure], FittedModel] = {}
OPTIONS = ScoringOptions(notions=("strict",), ignore_types=True)
UNLEARNT = [(o, t) for o in OTHER for t in ("kex", "yapex", f"pos-{OTHER[o]}")]
"""Training parts, each with taggers that were not trained on it; used to measure the allowance."""
TAGGERS = {"kex": "kex", "yapex": "yapex", "pos-bc2gm": "pos", "pos-jnlpba": "pos"}


def genes_only(corpus: Corpus) -> Corpus:
    """Return a corpus with only the mentions of genes and gene products, all with one type."""
    kept = corpus.mentions[corpus.mentions["type"].isin(GENES)].reset_index(drop=True)
    return corpus.with_mentions(kept.assign(type="gp"))


def jnlpba_test(source: Path) -> Corpus:
    """Return the test part of JNLPBA, whose abstracts begin with a separate line."""
    lines: list[str] = []
    document = ""
    begun = False
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("###MEDLINE:"):
            document, begun = line.partition(":")[2], False
        elif line.strip():
            if not begun:
                lines += [f"# text_id = {len(lines)}", f"# document_id = {document}"]
            begun = True
            lines.append(line)
        else:
            begun = False
            lines.append("")
    copy = source_copy("\n".join(lines) + "\n")
    return genes_only(read_corpus(f"conll:{copy}"))


def source_copy(content: str) -> Path:
    """Yield the path of a temporary file with a text."""
    folder = Path(tempfile.mkdtemp())
    (folder / "corpus.conll").write_text(content, encoding="utf-8")
    return folder / "corpus.conll"


def jnlpba_train(source: Path) -> Corpus:
    """Return the training part of JNLPBA, one sentence per text."""
    folder = Path(tempfile.mkdtemp())
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    whole = genes_only(read_corpus(f"brat:{folder}"))
    shutil.rmtree(folder)
    texts, mentions = [], []
    spans = zip(*(whole.mentions[c] for c in ("text_id", "start", "end")), strict=True)
    of_text: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in spans:
        of_text.setdefault(name, []).append((start, end))
    for document, text in zip(whole.texts["text_id"], whole.texts["text"], strict=True):
        pairs = of_text.get(document, [])
        cuts = [m.span() for m in BREAK.finditer(text)]
        cuts = [c for c in cuts if not any(s < c[1] and c[0] < e for s, e in pairs)]
        begins = [0, *(c[1] for c in cuts)]
        ends = [*(c[0] for c in cuts), len(text)]
        for number, (low, high) in enumerate(zip(begins, ends, strict=True)):
            if not text[low:high].strip():
                continue
            name = f"{document}.{number}"
            texts.append((name, str(document), text[low:high]))
            mentions += [(name, s - low, e - low) for s, e in pairs if low <= s and e <= high]
    frame = pd.DataFrame(mentions, columns=["text_id", "start", "end"])
    frame = frame.assign(mention_id=range(len(frame)), side="gold", type="gp", score=float("nan"))
    return Corpus(
        "jnlpba-train",
        pd.DataFrame(texts, columns=["text_id", "document_id", "text"]).astype("str"),
        frame[["mention_id", "text_id", "side", "start", "end", "type", "score"]],
    )


def prepare(data: Path, cache: Path) -> None:
    """Make the corpora, suites, models and runs that do not yet exist."""
    cache.mkdir(parents=True, exist_ok=True)
    readers: dict[str, Callable[[], Corpus]] = {
        "bc2gm-train": lambda: read_corpus(f"bc2gm:{data / 'bc2gm/train'}"),
        "bc2gm-test": lambda: read_corpus(f"bc2gm:{data / 'bc2gm/test'}"),
        "jnlpba-train": lambda: jnlpba_train(data / "jnlpba/train_standoff.tar.gz"),
        "jnlpba-test": lambda: jnlpba_test(data / "jnlpba/Genia4EReval2.iob2"),
    }
    for name, read in readers.items():
        if not (cache / f"{name}.jsonl").exists():
            write_corpus(read(), f"jsonl:{cache / name}.jsonl")
    for seed in SEEDS:
        if not (cache / f"suite-{seed}").exists():
            draw = ["--combine", "sample", "--size", str(SIZE), "--seed", str(seed)]
            taken(tagsuite("generate", *draw, "--out", str(cache / f"suite-{seed}")))
    for origin in ("bc2gm", "jnlpba"):
        if not (cache / f"pos-{origin}.model").exists():
            learnt = ["--corpus", f"jsonl:{cache / origin}-train.jsonl"]
            taken(tagsuite("taggers", "train", "pos", *learnt, "--out", str(cache / f"pos-{origin}.model")))
    for name in ("bc2gm-test", "jnlpba-test", *(f"suite-{s}" for s in SEEDS)):
        place = str(cache / name) if name.startswith("suite") else f"jsonl:{cache / name}.jsonl"
        for tagger, program in TAGGERS.items():
            out = cache / f"{tagger}--{name}"
            if not out.exists():
                model = ["--option", f"model={cache / tagger}.model"] if program == "pos" else []
                options = [*model, "--quiet", "--no-cache", "--out", str(out)]
                taken(tagsuite("run", place, "--tagger", program, *options))


def runs_for_allowance(cache: Path) -> None:
    """Make runs on the training parts with taggers that were not trained on them."""
    for origin, tagger in UNLEARNT:
        out = cache / f"{tagger}--{origin}-train"
        if not out.exists():
            program = TAGGERS[tagger]
            model = ["--option", f"model={cache / tagger}.model"] if program == "pos" else []
            options = [*model, "--quiet", "--no-cache", "--out", str(out)]
            taken(tagsuite("run", f"jsonl:{cache / origin}-train.jsonl", "--tagger", program, *options))


def scored(cache: Path, tagger: str, name: str, classes: list[Class]) -> Scores:
    """Return the scores of a run under the strict notion."""
    return score_runs([cache / f"{tagger}--{name}"], OPTIONS, classes=classes)[0]


def composed(cache: Path, origin: str) -> Composition:
    """Return the composition of a training part, computed once."""
    path = cache / f"{origin}-train.composition"
    if not path.exists():
        write_composition(make_composition(read_corpus(f"jsonl:{cache / origin}-train.jsonl")), path)
    return read_composition(path)


def listed(origin: str) -> list[Class]:
    """Return the fixed list of classes of a target."""
    return read_classes(LISTS / f"{origin}.toml")


def write_lists(cache: Path) -> None:
    """Write the lists of classes: values of single features with 40 to n - 40 mentions in the target."""
    for origin, other in OTHER.items():
        corpus = read_corpus(f"jsonl:{cache / origin}-test.jsonl")
        target = make_composition(corpus)
        over = composed(cache, other)
        chosen = []
        for feature in list_model_features()[:-1]:
            frames = target.frame, over.frame
            for name in divide_by_feature(feature, *frames).names:
                query = Query.parse(name)
                sizes = [
                    c.weights[query.evaluate(f)].sum() for c, f in zip((target, over), frames, strict=True)
                ]
                if LEAST <= sizes[0] <= target.mention_count - LEAST and sizes[1] >= FEWEST:
                    chosen.append({"name": name, "query": name})
        LISTS.mkdir(exist_ok=True)
        (LISTS / f"{origin}.toml").write_text(write_toml({"format": 1, "class": chosen}), encoding="utf-8")


def recalls(scores: Scores, classes: list[Class]) -> NDArray[np.float64]:
    """Return the recall of each class."""
    return (
        scores.wilson_table.set_index("class").loc[[c.name for c in classes], "recall"].to_numpy(dtype=float)
    )


def rho(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return Spearman's rank correlation of the pairs without missing values."""
    known = np.isfinite(one) & np.isfinite(other)
    return float(spearmanr(one[known], other[known]).statistic)


def model_of(tagger: str, seed: int, suite: Scores, measure: Measure = "recall") -> FittedModel:
    """Return the model of a scored suite, made once per tagger and suite."""
    if (tagger, seed, measure) not in FITTED:
        FITTED[tagger, seed, measure] = fit_suite(suite, measure)
    return FITTED[tagger, seed, measure]


def proposed(target: Scores, classes: list[Class]) -> tuple[Composition, list[Class]]:
    """Return the predictions of a tagger on a target, and the classes with 40 to n - 40 of them.

    Features of sentences are excluded from these classes, because the models of precision exclude them.
    """
    over = make_predicted_composition(target)
    known = [c for c in classes if not find_missing_features(over, c.query.features)]
    sizes = np.concatenate([block.sum(axis=1) for block in iterate_class_weights(over, known)])[1:]
    return over, [c for c, n in zip(known, sizes, strict=True) if LEAST <= n <= over.mention_count - LEAST]


def estimates(cache: Path, tagger: str, seed: int, origin: str, allowance: float) -> dict[str, Any]:
    """Return the estimates of one suite for the classes of a target: raw, and standardised with intervals."""
    classes = listed(origin)
    suite = scored(cache, tagger, f"suite-{seed}", classes)
    options = TransferOptions(allowance=allowance)
    model = model_of(tagger, seed, suite)
    table = standardise_classes(model, composed(cache, OTHER[origin]), classes, options).iloc[1:]
    choice = f"{'crossed' if model.model.has_name_interactions else 'plain'} {model.model.penalty}"
    return {"raw": recalls(suite, classes), "model": choice, **{c: table[c].to_numpy() for c in COLUMNS}}


def measure(cache: Path, allowance: float) -> None:
    """Print the accuracy of the estimates for both targets."""
    print(
        "target       tagger      seed  raw rho  standardised  RMSE raw  RMSE  bias   coverage  none  model"
    )
    summary, apart = [], {}
    for origin in OTHER:
        classes = listed(origin)
        truth = {t: recalls(scored(cache, t, f"{origin}-test", classes), classes) for t in TAGGERS}
        for seed in SEEDS:
            found = {t: estimates(cache, t, seed, origin, allowance) for t in TAGGERS}
            for tagger, it in found.items():
                true, value = truth[tagger], it["standardised"]
                error, raw = value - true, it["raw"] - true
                inside = (it["standardised_low"] <= true) & (true <= it["standardised_high"])
                known = np.isfinite(value)
                row = [
                    rho(it["raw"], true),
                    rho(value, true),
                    float(np.sqrt(np.nanmean(raw**2))),
                    float(np.sqrt(np.nanmean(error**2))),
                    float(np.nanmean(error)),
                    float(inside[known].mean()),
                ]
                summary.append(row)
                none = np.count_nonzero(~known)
                print(
                    f"{origin + '-test':12s} {tagger:11s} {seed:4d}  {row[0]:7.2f}  {row[1]:12.2f}  "
                    f"{row[2]:8.3f}  {row[3]:.3f}  {row[4]:+.2f}  {row[5]:8.2f}  {none:4d}  {it['model']}",
                    flush=True,
                )
            pairs = [
                [
                    rho(found[a][kind] - found[b][kind], truth[a] - truth[b])
                    for kind in ("raw", "standardised")
                ]
                for a, b in combinations(TAGGERS, 2)
            ]
            mean = np.mean(pairs, axis=0)
            apart[origin, seed] = mean
            print(
                f"{origin + '-test':12s} differences {seed:4d}  {mean[0]:7.2f}  {mean[1]:12.2f}  "
                f"({len(classes)} classes, {len(pairs)} pairs of taggers)",
                flush=True,
            )
    print("mean of all " + "  ".join(f"{v:.3f}" for v in np.mean(summary, axis=0)))
    for origin in OTHER:
        mean = np.mean([apart[origin, seed] for seed in SEEDS], axis=0)
        print(f"differences {origin}-test {mean[0]:.3f}  {mean[1]:.3f}")


def implied_allowance(cache: Path) -> None:
    """Print how much results on training parts differ from estimates, in log odds, beyond chance."""
    runs_for_allowance(cache)
    squares = []
    for origin, tagger in UNLEARNT:
        classes = listed(origin)
        truth = recalls(scored(cache, tagger, f"{origin}-train", classes), classes).clip(0.01, 0.99)
        for seed in SEEDS:
            it = estimates(cache, tagger, seed, origin, 0.0)
            known = np.isfinite(it["standardised"])
            value, low, high = (it[c][known].clip(0.005, 0.995) for c in COLUMNS[:3])
            chance = (logit(high) - logit(low)) / (2 * 1.96)
            beyond = (logit(value) - logit(truth[known])) ** 2 - chance**2
            squares.append(float(beyond.mean()))
            print(f"{tagger:11s} {origin}-train {seed}  {np.sqrt(max(squares[-1], 0)):.2f}", flush=True)
    print(f"allowance {np.sqrt(np.mean(squares)):.2f}")


def annotate(cache: Path, numbers: list[int], part: str, of: Measure) -> None:
    """Print the benefit of a few annotated sentences of each target, for each method of using them."""
    # the module is in the folder of this file
    ways = import_module("transfer_annotated")
    print(
        "target        tagger      sentences  "
        + "  ".join(f"{way:>12s}" for way in ways.WAYS)
        + "  inside  width"
    )
    blocks = []
    if part == "train":
        runs_for_allowance(cache)
    for origin, tagger in UNLEARNT if part == "train" else [(o, t) for o in OTHER for t in TAGGERS]:
        classes = listed(origin)
        target = scored(cache, tagger, f"{origin}-{part}", classes)
        if of == "recall":
            over = composed(cache, OTHER[origin])
        else:
            over, classes = proposed(target, classes)
        for seed in SEEDS:
            model = model_of(tagger, seed, scored(cache, tagger, f"suite-{seed}", []), of)
            tool = Calibration(model, over, classes)
            found = ways.with_annotation(tool, target, classes, numbers)
            blocks.append(found.assign(target=origin, tagger=tagger))
        ways.print_annotated(pd.concat(blocks[-len(SEEDS) :]), f"{origin}-{part}", tagger)
    for origin in OTHER:
        ways.print_annotated(
            pd.concat(b for b in blocks if b["target"].iloc[0] == origin), f"{origin}-{part}", "all"
        )
    ways.print_annotated(pd.concat(blocks), "all", "")


def main() -> None:
    """Run the selected measurements."""
    parser = options_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--cache", type=Path, default=Path(".cache/transfer"))
    parser.add_argument("--write-lists", action="store_true", help="write new lists of classes")
    parser.add_argument("--implied-allowance", action="store_true", help="measure the allowance too")
    parser.add_argument("--allowance", type=float, default=TransferOptions().allowance)
    parser.add_argument(
        "--annotated", default="", help="measure only annotated sentences; their numbers, such as 25,100"
    )
    parser.add_argument(
        "--part", choices=("test", "train"), default="test", help="with --annotated: part of the target"
    )
    parser.add_argument(
        "--measure", choices=MEASURES, default="recall", help="with --annotated: measure per class"
    )
    given = parser.parse_args()
    prepare(given.data, given.cache)
    if given.annotated:
        annotate(given.cache, [int(n) for n in given.annotated.split(",")], given.part, given.measure)
        return
    if given.write_lists:
        write_lists(given.cache)
    if given.implied_allowance:
        implied_allowance(given.cache)
    measure(given.cache, given.allowance)


if __name__ == "__main__":
    main()
