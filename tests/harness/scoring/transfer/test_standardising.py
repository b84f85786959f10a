"""Tests of compositions and standardised estimates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import tagsuite as library
from tagsuite.__main__ import build_app
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.features import add_features
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.transfer.composition import (
    Composition,
    list_bundled,
    make_composition,
    read_composition,
    write_composition,
)
from tagsuite.harness.scoring.transfer.estimates import add_estimates, estimate_without_corpus
from tagsuite.harness.scoring.transfer.level_checks import check_levels
from tagsuite.harness.scoring.transfer.options import TransferOptions
from tagsuite.harness.scoring.transfer.standardise import (
    COLUMNS,
    FittedModel,
    fit_evidence,
    standardise_classes,
)
from tagsuite.sentences.corpus import Corpus

from .conftest import CLASSES, LOWER, UPPER, corpus_of, named


@pytest.fixture(scope="module")
def suite() -> Scores:
    """Return the scores of a suite with recall .9 for upper-case names and .2 for the others."""
    names, contexts = named(100, 100, 5, 1)
    gold = corpus_of(names, contexts)
    generator = np.random.Generator(np.random.PCG64(2))
    found = generator.random(len(names)) < np.where([n.isupper() for n in names], 0.9, 0.2)
    guesses = gold.mentions[found].drop(columns="entity_id").assign(side="predicted").reset_index(drop=True)
    return score(gold, guesses, notions=["strict"], classes=CLASSES)


@pytest.fixture(scope="module")
def by(suite: Scores) -> FittedModel:
    """Return the model of recall for `suite`."""
    return fit_evidence(suite)


@pytest.fixture(scope="module")
def target() -> Composition:
    """Return a corpus of 80 % lower-case names."""
    return make_composition(corpus_of(*named(40, 160, 3, 3), "target"))


def test_a_composition_holds_features_and_counts_but_no_text(tmp_path: Path) -> None:
    corpus = corpus_of(["BRCA1", "BRCA1", "p53"], ["x", "x", "y"], "own")
    corpus = replace(corpus, texts=corpus.texts.assign(document_id=pd.Series(["1", "1", "2"], dtype="str")))
    found = make_composition(corpus)
    assert found.frame["count"].tolist() == [2, 1], "what is alike in one document is one row"
    assert found.frame["case"].tolist() == ["upper", "lower"]
    assert [way.tolist() for way in found.ways] == [[0, 1], [0, 1], [0, 1]]
    for name in ("a", "b"):
        write_composition(found, tmp_path / name)
    content = (tmp_path / "a").read_bytes()
    assert content == (tmp_path / "b").read_bytes()
    assert b"BRCA1" not in content
    assert b"p53" not in content
    back = read_composition(tmp_path / "a")
    assert back.name == "own"
    pd.testing.assert_frame_equal(back.frame, found.frame, check_dtype=False)


def test_what_is_no_composition_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown composition.*nowhere.*bc2gm-train, genetag-train"):
        read_composition("nowhere")
    pd.DataFrame({"count": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="not written by tagsuite composition"):
        read_composition(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="requires a corpus with gold mentions"):
        make_composition(corpus_of([], []))


WRONG_COLUMNS: dict[str, tuple[Callable[[list[Any]], list[Any]], str]] = {
    # what stands in each row, or takes the place of each value; the columns of which kinds that is wrong for
    "a date": (lambda column: [datetime(2000, 1, 1)] * len(column), "all"),
    "a list": (lambda column: [[1]] * len(column), "all"),
    "a fraction": (lambda column: [1.5] * len(column), "all"),
    "text": (lambda column: ["x"] * len(column), "numeric"),
    "a missing value": (lambda column: [*column[:-1], None], "numeric"),
    "nothing but missing values": (lambda column: [None] * len(column), "numeric"),
    "a number": (lambda column: [7] * len(column), "textual"),
    "a count of nothing": (lambda column: [*column[:-1], 0], "count"),
}


@pytest.mark.parametrize("what", WRONG_COLUMNS)
def test_a_column_of_the_wrong_kind_is_named(what: str, tmp_path: Path) -> None:
    make, kind = WRONG_COLUMNS[what]
    with resources.as_file(
        resources.files("tagsuite.harness.scoring.transfer") / "compositions/genetag-train.parquet"
    ) as file:
        whole = pq.read_table(file).slice(0, 20)
    path = tmp_path / "c.parquet"
    for place, field in enumerate(whole.schema):
        sort = "textual" if pa.types.is_large_string(field.type) else "numeric"
        if kind not in ("all", sort, field.name) or (what, field.name) == ("a fraction", "count"):
            continue
        column = pa.array(make(whole.column(place).to_pylist()))
        pq.write_table(whole.set_column(place, field.name, column), path)
        with pytest.raises(InputError) as error:
            read_composition(path)
        assert f"{path}: column {field.name} of the composition" in str(error.value)
        assert error.value.found
        assert error.value.allowed
    pq.write_table(whole, path)
    assert len(read_composition(path).frame) == 20


@pytest.mark.parametrize(("name", "mentions"), [("bc2gm-train", 18265), ("genetag-train", 8935)])
def test_bundled_compositions(name: str, mentions: int) -> None:
    assert name in list_bundled()
    found = read_composition(name)
    assert found.mention_count == mentions
    assert {"case", "words", "position", "left_punctuation"} <= set(found.features)
    assert not {"data", "preceding_word", "following_word"} & set(found.features)


def test_the_mixture_of_the_corpus_counts_not_that_of_the_suite(
    suite: Scores, by: FittedModel, target: Composition
) -> None:
    table = standardise_classes(by, target, CLASSES).set_index("class")
    raw = suite.wilson_table.set_index("class")["recall"]
    assert raw["all"] == pytest.approx(0.55, abs=0.04)
    assert table.loc["all", "standardised"] == pytest.approx(0.34, abs=0.04), ".2 × .9 + .8 × .2"
    assert table.loc[UPPER, "standardised"] == pytest.approx(0.9, abs=0.04)
    assert table.loc[LOWER, "standardised"] == pytest.approx(0.2, abs=0.04)
    assert (table["support"] > 0.9).all()
    narrow, wide = (
        standardise_classes(by, target, CLASSES, TransferOptions(allowance=a)) for a in (0.0, 1.0)
    )
    for low, high in ((narrow, table), (table, wide)):
        reach = [t["standardised_high"] - t["standardised_low"] for t in (low, high)]
        assert (reach[0].to_numpy() < reach[1].to_numpy()).all()


def test_where_the_suite_has_nothing_like_it_there_is_no_figure(by: FittedModel) -> None:
    over = make_composition(corpus_of(["BRCA1"] * 20 + ["beta-1 (C/EBP) [x]"] * 30, ["now"] * 50))
    hyphen = Class("hyphen", Query.parse("contains_hyphen >= 1"))
    nothing = Class("nothing", Query.parse("words >= 9"))
    table = standardise_classes(by, over, [hyphen, nothing]).set_index("class")
    assert table.loc["hyphen", "support"] == 0.0
    assert table.loc["hyphen", list(COLUMNS[:3])].isna().all()
    assert table.loc["nothing", list(COLUMNS)].isna().all()
    unseen = by.model.find_unseen(by.model.make_columns(over.frame))
    assert unseen[over.frame["contains_hyphen"] >= 1].all(), "of the marks in it the suite has none"


def test_intervals_without_allowance_cover_what_is_true_of_such_corpora(target: Composition) -> None:
    """The interval covers the true recall in simulated suites with random effects of entities."""
    draws = np.random.Generator(np.random.PCG64(0)).normal(size=100_000)
    means = [float((1 / (1 + np.exp(-(m + draws)))).mean()) for m in (1.5, -1.0)]
    inside = 0
    tries = 15
    for seed in range(tries):
        names, contexts = named(60, 60, 5, 100 + seed)
        gold = corpus_of(names, contexts)
        generator = np.random.Generator(np.random.PCG64(seed))
        effect = dict(zip(names, generator.normal(size=len(names)), strict=True))
        logit = np.array([(1.5 if n.isupper() else -1.0) + effect[n] for n in names])
        found = generator.random(len(names)) < 1 / (1 + np.exp(-logit))
        guesses = gold.mentions[found].drop(columns="entity_id").assign(side="predicted")
        scores = score(gold, guesses.reset_index(drop=True), notions=["strict"])
        row = standardise_classes(fit_evidence(scores), target, [], TransferOptions(allowance=0.0)).iloc[0]
        inside += row["standardised_low"] <= 0.2 * means[0] + 0.8 * means[1] <= row["standardised_high"]
    assert inside >= 0.8 * tries


def test_beside_a_comparison_and_alone(suite: Scores, target: Composition, tmp_path: Path) -> None:
    write_composition(target, tmp_path / "c")
    options = TransferOptions(standardise=str(tmp_path / "c"))
    rows: list[tuple[str, Any]] = [("all", None), (UPPER, "recall"), (UPPER, "precision")]
    table = pd.DataFrame(rows, columns=["class", "measure"]).astype("str")
    table = table.assign(measure=[m for _, m in rows], run=suite.run, corpus=suite.corpus.name)
    without = Class("very long", Query.parse("length >= 500"))
    found, notes = add_estimates(table, suite, [suite], [*CLASSES, without], options)
    assert found["standardised"].notna().tolist() == [False, True, True]
    assert found["standardised"].iloc[2] == pytest.approx(1.0, abs=0.05), "nothing spurious was proposed"
    none = "no estimate for very long: the composition has no mentions in these classes"
    assert none in notes
    queries = {"worded": "preceding_word = saw", "otherwise": "not preceding_word = saw"}
    asked = [*CLASSES, *(Class(name, Query.parse(q)) for name, q in queries.items()), without]
    only, notes = estimate_without_corpus(suite, asked, options)
    assert only["class"].tolist() == ["all", UPPER, LOWER, *queries, "very long"]
    assert only["standardised"].isna().tolist() == [False, False, False, True, True, True], "nothing is known"
    assert only["suite_value"].iloc[0] == pytest.approx(suite.wilson_table["recall"].iloc[0])
    for name in queries:
        told = f"class {name}: no estimate, because the composition does not have preceding_word"
        assert [n for n in notes if name in n] == [told], "one remark, the one that says why"
    assert none in notes


def test_a_public_corpus_is_used_together_with_the_suite(target: Composition) -> None:
    """The level of the target lies between that of the suite and that of the corpus."""

    def tagged(corpus: Corpus, upper: float, lower: float, seed: int) -> Scores:
        generator = np.random.Generator(np.random.PCG64(seed))
        texts = corpus.texts["text"]
        chances = np.where([t[7:13].isupper() for t in texts], upper, lower)
        found = corpus.mentions[generator.random(len(texts)) < chances]
        guesses = found.drop(columns="entity_id", errors="ignore").assign(side="predicted")
        return score(corpus, guesses.reset_index(drop=True), notions=["strict"])

    suite = tagged(corpus_of(*named(200, 200, 2, 1)), 0.9, 0.5, 2)
    made = corpus_of(*named(200, 200, 1, 5), "public")
    public = tagged(
        Corpus("public", made.texts.drop(columns="context_id"), made.mentions.drop(columns="entity_id")),
        0.6,
        0.2,
        6,
    )
    found = {
        name: standardise_classes(fit_evidence(suite, corpora), target, CLASSES)
        .set_index("class")["standardised"]
        .to_dict()
        for name, corpora in (("alone", ()), ("both", (public,)))
    }
    assert found["alone"][LOWER] == pytest.approx(0.5, abs=0.06)
    assert found["both"][UPPER] == pytest.approx(0.77, abs=0.06)
    assert found["both"][LOWER] == pytest.approx(0.33, abs=0.06)
    warnings = check_levels(suite, [public], target)
    assert len(warnings) == 1
    assert "in the suite" in warnings[0]
    assert check_levels(suite, [tagged(public.corpus, 0.9, 0.5, 7)], target) == []


@pytest.mark.parametrize(
    ("known", "warned"),
    [("source_type = database", True), ("source_type = literature", True), ("case = upper", False)],
)
def test_a_tagger_that_knows_a_list_is_reported(known: str, warned: bool, tmp_path: Path) -> None:
    """It finds names from one kind of source, and misses other names with the same features."""
    suite = library.generate(tmp_path / "suite", combine="sample", size=800, seed=3)
    query = Query.parse(known)
    gold = add_features(suite.corpus, suite.corpus.mentions, query.features)
    found = suite.corpus.mentions[query.evaluate(gold)].assign(side="predicted")
    scores = score(suite.corpus, found.reset_index(drop=True), notions=["strict"])
    warnings = check_levels(scores, [], read_composition("bc2gm-train"))
    assert [("nomenclature" in w) for w in warnings] == [True] * warned


def test_commands(tmp_path: Path) -> None:
    corpus = tmp_path / "c.sgml"
    corpus.write_text("The <gp>p53</gp> gene.\nSo <gp>BRCA1</gp> is.\n", encoding="utf-8")
    runner = CliRunner()
    done = runner.invoke(build_app(), ["composition", f"sgml:{corpus}", "--out", str(tmp_path / "c.parquet")])
    assert done.exit_code == 0, done.output
    assert "2 mentions of 2 surface forms in 2 documents or texts" in done.stderr
    assert read_composition(tmp_path / "c.parquet").mention_count == 2
    refused = runner.invoke(
        build_app(), ["compare", "x", "--predictions", "y", "--standardise", "bc2gm-train"]
    )
    assert isinstance(refused.exception, InputError)
    assert "--standardise requires --suite" in str(refused.exception)
