"""Tests of calibration with annotated sentences: recalibration, shrinkage, estimates, the command."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

import tagsuite as library
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.statistics.sums import Measure
from tagsuite.harness.scoring.transfer.calibration import COLUMNS, calibrate_classes, shrink_classes
from tagsuite.harness.scoring.transfer.composition import Composition, list_model_features, make_composition
from tagsuite.harness.scoring.transfer.evidence import (
    AnnotatedMentions,
    collect_annotated_mentions,
    make_annotated_composition,
)
from tagsuite.harness.scoring.transfer.standardise import fit_evidence, make_predicted_composition
from tagsuite.sentences.corpus import Corpus

from .conftest import CLASSES, LOWER, UPPER, corpus_of, named


def sentences(upper: int, lower: int, seed: int, *, suite: bool = False) -> Corpus:
    """Return a corpus with one sentence per name, some of them in capitals, with entities and contexts."""
    corpus = corpus_of(*named(upper, lower, 1, seed))
    if suite:
        return corpus
    texts = corpus.texts.drop(columns="context_id")
    return Corpus("made", texts, corpus.mentions.drop(columns="entity_id"))


def tagged(gold: Corpus, upper: float, lower: float, seed: int, measure: Measure = "recall") -> Scores:
    """Score a tagger that is right on upper-case and lower-case names with different probabilities."""
    generator = np.random.Generator(np.random.PCG64(seed))
    chances = np.where([t[7:13].isupper() for t in gold.texts["text"]], upper, lower)
    some = gold.mentions[generator.random(len(chances)) < chances].reset_index(drop=True)
    every = gold.mentions
    if measure == "precision":
        # all are proposed, and some are names
        gold, some = gold.with_mentions(some), every
    guesses = some.drop(columns="entity_id", errors="ignore").assign(side="predicted")
    return score(gold, guesses, notions=["strict"], classes=CLASSES)


@dataclass(frozen=True)
class Tool:
    """A scored suite and the composition of a corpus, for one measure."""

    measure: Measure
    suite: Scores
    over: Composition
    corpora: tuple[Scores, ...] = ()

    def estimate(
        self,
        annotated: AnnotatedMentions,
        over: Composition | None = None,
        classes: Sequence[Class] = CLASSES,
    ) -> pd.DataFrame:
        """Calibrate the estimates with annotated mentions."""
        alone, fitted = (
            fit_evidence(self.suite, self.corpora, mentions, measure=self.measure)
            for mentions in (None, annotated)
        )
        return calibrate_classes(alone, fitted, over or self.over, classes, annotated)


@pytest.fixture(scope="module", params=["recall", "precision"])
def tool(request: pytest.FixtureRequest) -> Tool:
    """Return a suite with recall .6 and .2, and the composition of a corpus of 80 % lower-case names."""
    measure: Measure = request.param
    corpus = sentences(100, 400, 3)
    over = make_composition(corpus)
    if measure == "precision":
        # whose gold nobody knows
        raw = corpus.with_mentions(corpus.mentions.iloc[:0])
        over = make_predicted_composition(
            score(raw, corpus.mentions.assign(side="predicted"), notions=["strict"])
        )
    return Tool(measure, tagged(sentences(400, 400, 1, suite=True), 0.6, 0.2, 2, measure), over)


def known(tool: Tool, size: int, seed: int) -> AnnotatedMentions:
    """Return annotated mentions of a corpus with recall .85 and .45."""
    scores = tagged(sentences(size // 5, size - size // 5, seed), 0.85, 0.45, seed + 1000, tool.measure)
    features = list_model_features(tool.measure)
    return collect_annotated_mentions([scores], CLASSES, features, measure=tool.measure)


@pytest.mark.parametrize(
    ("count", "found", "variance", "value", "spread", "why"),
    [
        (0, 0, 0.0, 0.5, 0.25 / 5, "no annotated mentions: the prediction, with the spread of classes"),
        (50, 50, 0.0, 0.75, 3 * 50 * 0.1875 / 100**2 + 0.25 * 0.1875 / 5, "half of each"),
        (50, 25, 0.01, 0.5, ((37.5**0.5 + 5) / 100) ** 2 + 0.25 * 0.25 / 5, "standard errors are added"),
    ],
)
def test_a_class_is_shrunk(
    count: float, found: float, variance: float, value: float, spread: float, why: str
) -> None:
    many, right, expected, of_it = (np.array([one]) for one in (count, found, 0.5, variance))
    shrunk = shrink_classes(many, right, expected, of_it, 4.0)
    assert np.ravel(shrunk) == pytest.approx([value, spread]), why


def test_without_gold_precision_is_not_calibrated() -> None:
    corpus = sentences(2, 2, 1)
    bare = corpus.with_mentions(corpus.mentions.iloc[:0])
    scores = score(bare, corpus.mentions.assign(side="predicted"), notions=["strict"])
    features = list_model_features("precision")
    with pytest.raises(InputError, match="no gold mention in the annotated"):
        collect_annotated_mentions([scores], (), features, measure="precision")


def test_annotated_mentions_mend_the_level(tool: Tool) -> None:
    table = tool.estimate(known(tool, 100, 5))
    assert tuple(table.columns) == COLUMNS
    table = table.set_index("class")
    truth = pd.Series({"all": 0.2 * 0.85 + 0.8 * 0.45, UPPER: 0.85, LOWER: 0.45})
    assert table.loc[["all", UPPER, LOWER], "annotated"].tolist() == [100, 20, 80]
    off = {c: (table[c] - truth).abs() for c in ("standardised", "calibrated")}
    assert (off["standardised"] > 0.2).all()
    assert (off["calibrated"] < 0.12).all()
    assert ((table["calibrated_low"] < truth) & (truth < table["calibrated_high"])).all()
    more = tool.estimate(known(tool, 1000, 6)).set_index("class")
    reach = [t["calibrated_high"] - t["calibrated_low"] for t in (more, table)]
    assert (reach[0] < reach[1]).all()


def test_intervals_cover_what_is_true_of_such_corpora(tool: Tool) -> None:
    inside: list[bool] = []
    every = known(tool, 40 * 50, 100)
    for first in range(40):
        # a fifth of them are upper-case names
        some = slice(first, 40 * 50, 40)
        part = AnnotatedMentions(
            every.frame.iloc[some].reset_index(drop=True),
            every.is_right[some],
            tuple(pd.factorize(way[some])[0] for way in every.ways),
            every.pair_weight,
            every.class_members[:, some],
            50,
        )
        table = tool.estimate(part).set_index("class")
        for name, true in (("all", 0.53), (UPPER, 0.85), (LOWER, 0.45)):
            low, high = (float(table[f"calibrated_{side}"][name]) for side in ("low", "high"))
            inside.append(low <= true <= high)
    assert sum(inside) >= 0.88 * len(inside)


def test_without_a_composition_the_annotated_mentions_are_averaged_over(tool: Tool) -> None:
    pairs = known(tool, 100, 8)
    nothing = Class("nothing", Query.parse("words >= 9"))
    inside = np.concatenate((pairs.class_members, np.zeros((1, 100), dtype=bool)))
    pairs = replace(pairs, class_members=inside)
    table = tool.estimate(pairs, make_annotated_composition(pairs), [*CLASSES, nothing]).set_index("class")
    assert table.loc["all", "calibrated"] == pytest.approx(pairs.is_right.mean(), abs=0.08)
    assert np.isnan(float(table["calibrated"]["nothing"])), "there is none of it"


def test_command_and_function_give_the_same_table(runs: Path, tagsuite: Call) -> None:
    words = ["--by", "contains_hyphen", "--ignore-types", "--composition", str(runs / "suite.parquet")]
    words += ["--least-support", "0", "--confidence", "0.9", "--format", "json"]
    known = ["--annotated", str(runs / "kex--gold")]
    done = tagsuite("calibrate", str(runs / "kex"), *known, *words)
    assert done.returncode == 0, done.stderr
    assert "12 mentions in 12 annotated sentences" in done.stderr
    table = library.calibrate(
        runs / "kex",
        runs / "kex--gold",
        by="contains_hyphen",
        ignore_types=True,
        composition=str(runs / "suite.parquet"),
        least_support=0,
        confidence=0.9,
    )
    assert tuple(table.columns) == COLUMNS
    assert table["annotated"].iloc[0] == 12
    found = pd.DataFrame(json.loads(done.stdout)["classes"])
    pd.testing.assert_frame_equal(found, table.reset_index(drop=True), check_dtype=False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "give annotated sentences"),
        ("--annotated sgml:{gold}", "output of the tagger on the annotated sentences is missing"),
        ("--annotated {run} --pool sgml:{gold}", "--pool requires --measure precision"),
        ("--annotated {run} --measure precision --pool sgml:{gold}", "--pool requires a run of the tagger"),
        ("--annotated {run} --composition nowhere", "unknown composition"),
        ("--annotated {run} --measure precision --composition genetag-train", "give --pool RUN"),
        ("--annotated {run} --measure precision --pool {none}", "predicted no mention in the pool"),
        ("--annotated {none} --measure precision", "no predicted mention in the annotated sentences"),
    ],
)
def test_bad_calls_are_refused(runs: Path, tagsuite: Call, tmp_path: Path, words: str, told: str) -> None:
    places = {"gold": runs / "gold.sgml", "run": runs / "kex--gold"}
    places["none"] = runs / "nothing"
    filled = words.format(**places).split()
    done = tagsuite("calibrate", str(runs / "kex"), *filled, "--ignore-types", cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr


def test_precision_is_of_what_the_tagger_proposes(runs: Path, tagsuite: Call, tmp_path: Path) -> None:
    """Precision is calibrated on annotated sentences, and averaged over a run without gold mentions."""
    lines = (runs / "gold.sgml").read_text(encoding="utf-8").replace("<gp>", "").replace("</gp>", "")
    (tmp_path / "raw.sgml").write_text(lines.replace("cells", "HeLa cells") * 2, encoding="utf-8")
    library.run(f"sgml:{tmp_path / 'raw.sgml'}", "kex", tmp_path / "kex--raw")
    words = ["calibrate", str(runs / "kex"), "--annotated", str(runs / "kex--gold"), "--measure", "precision"]
    words += ["--by", "contains_hyphen", "--ignore-types", "--least-support", "0", "--format", "csv"]
    tables = {}
    for name, pool in (("alone", []), ("pool", ["--pool", str(tmp_path / "kex--raw")])):
        done = tagsuite(*words, *pool)
        assert done.returncode == 0, done.stderr
        assert "standardised precision: " in done.stderr
        assert ("averaged over the annotated predicted mentions;" in done.stderr) == (not pool)
        tables[name] = pd.read_csv(io.StringIO(done.stdout))
    scores = library.score(runs / "kex--gold", by="contains_hyphen", notions=["strict"], ignore_types=True)
    right = scores.table.set_index("class").reindex(tables["pool"]["class"]).fillna({"predicted": 0})
    for table in tables.values():
        assert tuple(table.columns) == COLUMNS
        assert table["annotated"].tolist() == right["predicted"].tolist()
        assert table["found"].tolist() == right["predicted_matched"].fillna(0).tolist()
    table = tables["pool"].dropna()
    assert len(table) >= 3
    assert table["calibrated"].between(table["calibrated_low"], table["calibrated_high"]).all()
    assert tables["alone"]["standardised"].tolist() != tables["pool"]["standardised"].tolist()
