"""Tests of predictions: verdicts on a corpus, power, predictions from a suite, the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.comparison.prediction_verdicts import COLUMNS, EXTRA_COLUMNS, compare
from tagsuite.harness.scoring.comparison.predictions import Bounds, Prediction
from tagsuite.harness.scoring.comparison.suite_predictions import (
    collect_points,
    correlate_ranks,
    list_classes,
    predict_from_suite,
)
from tagsuite.harness.scoring.table import SCORE_COLUMNS

from .conftest import scored


def two_classes(low: float, high: float, size: int = 40, seed: int = 4) -> Any:
    """Score a suite in which lower-case entities are found with probability `low`, the others with `high`."""
    generator = np.random.Generator(np.random.PCG64(seed))
    chance = np.repeat([low, high], size // 2)[:, None]
    case = np.repeat(["lower", "upper"], size // 2)[:, None].repeat(12, axis=1)
    return scored(
        generator.random((size, 12)) < chance,
        features={"case": pd.Categorical(case.ravel())},
        classes=[Class.from_query("small", "case = lower"), Class.from_query("large", "case = upper")],
    )


def predict(name: str, **expected: Any) -> Prediction:
    query = {"small": "case = lower", "large": "case = upper"}[name]
    return Prediction(name, Query.parse(query), **expected)


@pytest.mark.parametrize(
    ("low", "high", "prediction", "verdict", "why"),
    [
        (0.2, 0.8, predict("small", recall="low"), "confirmed", "wholly below the rest"),
        (0.2, 0.8, predict("small", recall="high"), "refuted", "wholly on the other side"),
        (0.2, 0.8, predict("large", recall="high"), "confirmed", "wholly above the rest"),
        (0.5, 0.5, predict("small", recall="low"), "undecided", "no difference"),
        (0.0, 0.8, predict("small", recall="low"), "confirmed", "nothing found: no empty interval"),
        (1.0, 1.0, predict("small", recall="low"), "undecided", "everything found on both sides"),
        (0.2, 0.8, predict("small", recall=Bounds(max=0.5)), "confirmed", "the interval within the bounds"),
        (0.2, 0.8, predict("small", recall=Bounds(min=0.5)), "refuted", "the interval outside"),
        (0.2, 0.8, predict("small", recall=Bounds(min=0.1, max=0.2)), "undecided", "the interval across one"),
        (0.2, 0.8, predict("small", precision="low"), "confirmed", "of the proposed mentions, too"),
    ],
)
def test_verdicts(low: float, high: float, prediction: Prediction, verdict: str, why: str) -> None:
    scores = two_classes(low, high)
    table = compare(scores, [prediction])
    assert list(table["class"]) == ["all", prediction.name]
    assert table["verdict"].iloc[1] == verdict, why
    assert set(SCORE_COLUMNS) | set(COLUMNS) | set(EXTRA_COLUMNS) == set(table.columns)
    row = table.iloc[1]
    other = "large" if prediction.name == "small" else "small"
    whole = scores.table.set_index(["class", "notion"])
    assert row["rest"] == pytest.approx(whole.loc[(other, "strict"), row["measure"]], nan_ok=True)
    assert row["difference"] == pytest.approx(row["observed"] - row["rest"])
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]


def test_a_small_class_is_said_to_show_little() -> None:
    small = compare(two_classes(0.5, 0.5, size=4), [predict("small", recall="low")]).iloc[1]
    large = compare(two_classes(0.5, 0.5, size=400), [predict("small", recall="low")]).iloc[1]
    assert small["detectable"] > 3 * large["detectable"]
    assert small["power"] < 0.3 < large["power"]
    assert "can be detected" in small["remark"]
    assert "24 gold mentions" in small["remark"]


def test_power_is_what_simulation_finds() -> None:
    """Compare the power with the share of simulated suites in which a difference of .1 is detected."""
    seen, told = 0, []
    for seed in range(40):
        row = compare(two_classes(0.4, 0.5, seed=seed), [predict("small", recall="low")]).iloc[1]
        seen += row["verdict"] != "undecided"
        told.append(row["power"])
    assert np.mean(told) == pytest.approx(seen / 40, abs=0.2)
    assert 0.2 < np.mean(told) < 0.9


def test_a_suite_s_results_become_predictions() -> None:
    suite = two_classes(0.2, 0.8)
    classes = list_classes(suite)
    found = predict_from_suite(suite, classes)
    assert [(p.name, p.recall, p.precision) for p in found] == [
        ("small", "low", "low"),
        ("large", "high", "high"),
    ]
    row = compare(two_classes(0.3, 0.7), found).iloc[1]
    assert row["predicted_value"] == pytest.approx(found[0].get_suite_value("recall"))
    assert not predict_from_suite(two_classes(0.5, 0.5), classes), "equal classes predict nothing"
    points = collect_points(suite, two_classes(0.3, 0.7), classes)
    assert list(points["class"]) == ["small", "small", "large", "large"]
    assert (points["suite_whole"] == 240).all()


def test_rank_correlation_agrees_with_scipy() -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    first = generator.random(20).round(1)
    second = (first + generator.random(20)).round(1)
    points = pd.DataFrame({"suite_value": first, "corpus_value": second})
    points = points.assign(run="r", corpus="c", notion="strict", measure="recall")
    row = correlate_ranks(points).iloc[0]
    assert row["rho"] == pytest.approx(stats.spearmanr(first, second).statistic)
    assert row["rho_low"] < row["rho"] < row["rho_high"] <= 1
    assert row["classes"] == 20
    assert np.isnan(correlate_ranks(points.head(1)).iloc[0]["rho"])
    assert np.isnan(correlate_ranks(points.head(3)).iloc[0]["rho_low"])


HEAD = 'format = 1\n[[class]]\nname = "a"\nquery = "case = lower"\n'


def test_the_command(tagsuite: Callable[..., Any], two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    kex, dictionary = two_runs
    file = tmp_path / "predictions.toml"
    file.write_text(HEAD + 'recall = "low"\nprecision = {max = 0.9}\n', encoding="utf-8")
    done = tagsuite("compare", "--predictions", file, kex, dictionary, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["scores"]
    assert [(r["run"], r["class"], r["measure"]) for r in rows] == [
        (run, name, measure)
        for run in ("kex", "dictionary")
        for name, measure in (("all", None), ("a", "recall"), ("a", "precision"))
    ]
    assert all(r["interval"].startswith("jackknife: ") for r in rows)

    found = tmp_path / "found.toml"
    # nobody misses by more than .9: a search that finds nothing writes a file that can be compared
    done = tagsuite("discover", kex, "--effect", 0.9, "--notion", "sloppy", "--out", found)
    assert done.returncode == 0, done.stderr
    assert "class = []" in found.read_text(encoding="utf-8")
    done = tagsuite("compare", "--predictions", found, kex, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert [(r["class"], r["verdict"]) for r in json.loads(done.stdout)["scores"]] == [("all", None)]
    assert "no predictions: the table" in done.stderr
    assert "found.toml and kex differ in notion: sloppy, strict" in done.stderr

    points = tmp_path / "points.csv"
    done = tagsuite("compare", "--suite", kex, "--by", "case", "--scatter", points, dictionary)
    assert done.returncode == 0, done.stderr
    assert "differ from the rest of the suite" in done.stderr
    assert "kex and dictionary differ in tagger" in done.stderr, (
        "another tagger's suite predicts nothing here"
    )
    assert points.read_text(encoding="utf-8").startswith("run,corpus,class,notion,measure,suite_value")

    done = tagsuite("compare", kex, "--against", dictionary, "--by", "case", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("class,notion,measure,one,other,difference")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "--predictions", "p.toml"),
        ("compare", "run"),
        ("compare", "--predicted", "sgml:x", "--predictions", "p.toml"),
        ("compare", "run", "--predictions", "p.toml", "--by", "case"),
        ("compare", "run", "--against", "other", "--suite", "run", "--by", "case"),
    ],
)
def test_wrong_usage(refused: Callable[..., str], arguments: tuple[str, ...]) -> None:
    assert refused(*arguments)
