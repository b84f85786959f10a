"""Tests of general and specific predictions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tagsuite
from tagsuite.harness.running.folder.runs import read_run
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.comparison.compare_runs import ComparisonOptions, compare_runs
from tagsuite.harness.scoring.comparison.prediction_verdicts import compare, compute_bounds_p, judge_bounds
from tagsuite.harness.scoring.comparison.predictions import Bounds, Prediction
from tagsuite.harness.scoring.comparison.specificity import COLUMNS, ReferenceTagger, add_reference_columns
from tagsuite.harness.scoring.options import ClassOptions, ScoringOptions
from tagsuite.harness.scoring.statistics.corrections import benjamini_hochberg
from tagsuite.harness.scoring.statistics.design import make_shared_designs
from tagsuite.harness.scoring.statistics.differences import EffectDifference, compare_effects
from tagsuite.harness.scoring.statistics.shares import Estimate
from tagsuite.harness.scoring.statistics.sums import subtract_sums, sum_class

from .conftest import scored

CLASSES = [Class.from_query("small", "case = lower"), Class.from_query("large", "case = upper")]


def tagger(low: float, high: float, seed: int, *, size: int = 60, **options: Any) -> Any:
    """Score a tagger that finds lower-case entities with probability `low`, the others with `high`.

    The difficulty of an entity depends on ``seed // 10``, so that several taggers can share it.
    """
    shared = np.random.Generator(np.random.PCG64(seed // 10)).normal(size=(size, 1))
    own = np.random.Generator(np.random.PCG64(seed))
    logit = np.log(np.repeat([low, high], size // 2) / (1 - np.repeat([low, high], size // 2)))
    case = np.repeat(["lower", "upper"], size // 2)[:, None].repeat(12, axis=1)
    return scored(
        own.random((size, 12)) < 1 / (1 + np.exp(-(logit[:, None] + 0.7 * shared))),
        run=f"t{seed}",
        features={"case": pd.Categorical(case.ravel())},
        classes=CLASSES,
        **options,
    )


def effects(one: Any, other: Any, name: str = "small") -> EffectDifference:
    """Return the difference between the effects of a class on two taggers."""
    designs = make_shared_designs([one, other])
    sums = [
        (
            part := sum_class(s, d, "strict", name)["recall"],
            subtract_sums(sum_class(s, d, "strict", "all")["recall"], part),
        )
        for s, d in zip((one, other), designs, strict=True)
    ]
    return compare_effects(sums[0], sums[1], designs[0], 0.95)


def test_equal_effects_are_seldom_called_different_and_others_often() -> None:
    tries = 24
    equal, different = 0, 0

    def drawn(low: float, high: float, seed: int) -> Any:
        return tagger(low, high, seed, notions=["strict"])

    for seed in range(tries):
        one = drawn(0.4, 0.6, 10 * seed + 1)
        equal += effects(one, drawn(0.4, 0.6, 10 * seed + 2)).p < 0.05
        different += effects(one, drawn(0.6, 0.4, 10 * seed + 3)).p < 0.05
    assert equal <= 0.125 * tries
    assert different >= 0.9 * tries


def test_the_difference_of_effects_is_what_it_says() -> None:
    one, other = tagger(0.3, 0.8, 1), tagger(0.5, 0.6, 2)
    found = effects(one, other)
    tables = [s.wilson_table[s.wilson_table["notion"] == "strict"] for s in (one, other)]
    recall = [table.set_index("class")["recall"] for table in tables]
    first, second = (r["small"] - r["large"] for r in recall)
    assert found.first.estimate.value == pytest.approx(first)
    assert found.second.estimate.value == pytest.approx(second)
    assert found.estimate.value == pytest.approx(first - second)
    assert found.estimate.low < found.estimate.value < found.estimate.high
    assert found.estimate.high - found.estimate.low < sum(
        d.estimate.high - d.estimate.low for d in (found.first, found.second)
    ), "what is hard for both does not count as chance"
    assert effects(one, one).p == 1.0


@pytest.mark.parametrize("value", [0.1, 0.3, 0.42, 0.5, 0.7, 0.95])
@pytest.mark.parametrize(
    "bounds",
    [Bounds(max=0.5), Bounds(min=0.3), Bounds(min=0.2, max=0.6), Bounds(min=0.0, max=0.5), Bounds(max=1.0)],
)
def test_the_p_value_of_bounds_agrees_with_the_verdict(bounds: Bounds, value: float) -> None:
    found = Estimate(value, max(value - 0.15, 0.0), min(value + 0.12, 1.0), degrees_of_freedom=40.0)
    assert (compute_bounds_p(bounds, found, 0.95) < 0.05) is (judge_bounds(bounds, found) != "undecided")


def test_verdicts_are_adjusted_together() -> None:
    predictions = [Prediction(c.name, c.query, recall="low", precision=Bounds(max=0.5)) for c in CLASSES]
    table = compare(tagger(0.45, 0.55, 3), predictions)
    assert np.isnan(table["p"].iloc[0])
    np.testing.assert_allclose(table["adjusted_p"], benjamini_hochberg(table["p"]))
    assert (table["adjusted_p"].iloc[1:] >= table["p"].iloc[1:]).all()


LOW = {"recall": "low"}


@pytest.mark.parametrize(
    ("own", "others", "expected", "verdict", "reference", "specificity", "why"),
    [
        ((0.3, 0.8), (0.3, 0.8), LOW, "confirmed", "confirmed", "general", "the same"),
        ((0.2, 0.8), (0.5, 0.5), LOW, "confirmed", "undecided", "specific", "nothing of it in the reference"),
        ((0.1, 0.9), (0.4, 0.7), LOW, "confirmed", "confirmed", "specific", "the same way, and much further"),
        ((0.4, 0.7), (0.1, 0.9), LOW, "confirmed", "confirmed", "general", "the reference is further"),
        ((0.38, 0.62), (0.46, 0.57), LOW, "confirmed", "undecided", "undecided", "neither is sure"),
        ((0.5, 0.5), (0.2, 0.8), LOW, "undecided", "confirmed", "", "nothing held"),
        ((0.2, 0.8), (0.8, 0.2), {"recall": Bounds(max=0.5)}, "confirmed", "refuted", "specific", "a bound"),
        ((0.3, 0.8), (0.1, 0.9), {"recall": Bounds(max=0.5)}, "confirmed", "confirmed", "general", "both"),
    ],
)
def test_specificity(
    own: tuple[float, float],
    others: tuple[float, float],
    expected: dict[str, Any],
    verdict: str,
    reference: str,
    specificity: str,
    why: str,
) -> None:
    one, other = tagger(*own, 11), tagger(*others, 12)
    predictions = [Prediction("small", CLASSES[0].query, **expected)]
    told = ReferenceTagger("other", [other], (Prediction("small", CLASSES[0].query, recall="low"),))
    table, notes = add_reference_columns([compare(one, predictions)], [one], predictions, told)
    row = table.iloc[1]
    assert (row["verdict"], row["reference_verdict"]) == (verdict, reference), why
    assert ("" if pd.isna(row["specificity"]) else row["specificity"]) == specificity, why
    assert (row["reference"], row["reference_expected"]) == ("other", "low")
    assert table.iloc[0][list(COLUMNS)].isna().all(), "of the whole nothing is predicted"
    assert notes[0].startswith(f"{int(verdict == 'confirmed')} predictions confirmed")


def test_the_command(tagsuite: Callable[..., Any], two_runs: tuple[Path, Path]) -> None:
    kex, dictionary = two_runs
    called = ("compare", "--suite", kex, "--by", "case", "--by", "words", kex)
    done = tagsuite(*called, "--reference", dictionary, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["scores"]
    assert list(rows[0])[-len(COLUMNS) :] == list(COLUMNS)
    held = [r for r in rows if r["verdict"] == "confirmed"]
    assert held
    assert {r["reference"] for r in rows[1:]} == {read_run(dictionary).tagger}
    assert all(r["specificity"] in ("general", "specific", "undecided") for r in held)
    assert f"{len(held)} predictions confirmed" in done.stderr
    itself, at_once = (tagsuite(*called, "--reference", r, "--format", "json") for r in (kex, "kex"))
    assert at_once.returncode == 0, at_once.stderr
    assert at_once.stdout == itself.stdout, "the tagger is run here and now"
    assert "so no prediction is specific to it" in itself.stderr
    assert {r["specificity"] for r in json.loads(itself.stdout)["scores"]} == {None, "general"}


def test_in_python_and_without_a_suite(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    kex, dictionary = two_runs
    table = tagsuite.compare(dictionary, suite=dictionary, by="case", reference=kex)
    assert "specificity" in table
    file = tmp_path / "predictions.toml"
    file.write_text(
        'format = 1\n[[class]]\nname = "a"\nquery = "case = upper"\nrecall = "high"\n', encoding="utf-8"
    )
    found = compare_runs(
        [dictionary], ScoringOptions(), ClassOptions(), ComparisonOptions(predictions=file, reference=[kex])
    ).table.iloc[1]
    assert found["reference_expected"] == "", "without a suite the reference predicts nothing"
    assert not np.isnan(found["reference_difference"])


def test_wrong_references_are_refused(
    refused: Callable[..., str], two_runs: tuple[Path, Path], tmp_path: Path
) -> None:
    kex, dictionary = two_runs
    (tmp_path / "c.sgml").write_text("The <gp>p53</gp> gene.\n", encoding="utf-8")
    tagsuite.run(f"sgml:{tmp_path / 'c.sgml'}", "kex", tmp_path / "kex--c")
    called = ("compare", "--suite", dictionary, "--by", "case", dictionary, "--reference")
    assert "must come from the same tagger" in refused(*called, kex, "--reference", dictionary)
    assert "needs a reference run on the same input, suite" in refused(*called, tmp_path / "kex--c")
    assert "unknown reference" in refused(*called, tmp_path / "nowhere")
    assert "bundled tagger" in refused(*called, "kx")
    against = ("compare", kex, "--against", dictionary, "--by", "case", "--reference", kex)
    assert "--reference requires runs on a corpus" in refused(*against)
