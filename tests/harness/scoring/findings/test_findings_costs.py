"""Tests of the costs of features, from the minimal pairs that were made for each."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tagsuite as package
from tagsuite.harness.scoring.discovery.feature_costs import estimate_feature_costs
from tagsuite.harness.scoring.engine import score

from .conftest import crossed_suite

CONTRASTS = {"contains_hyphen": "contains_hyphen", "slot.position": "position"}


@pytest.fixture(scope="module")
def contrasted(tagsuite: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run over a suite of minimal pairs that contrast entities or positions."""
    folder = tmp_path_factory.mktemp("contrasted")
    asked = [word for name in CONTRASTS for word in ("--contrast", name)]
    made = tagsuite("generate", "--combine", "contrast", *asked, "--size", 30, "--out", folder / "suite")
    assert made.returncode == 0, made.stderr
    done = tagsuite("run", folder / "suite", "--tagger", "kex", "--out", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def by_hand(contrasted: Path) -> dict[str, list[tuple[int, float, float]]]:
    """Return pairs and recall before and after each change, by column, computed from keys only."""
    suite = contrasted / "suite"
    mentions = pd.read_parquet(suite / "mentions.parquet").dropna(subset="contrast")
    found = pd.read_parquet(contrasted / "run" / "predictions.parquet")[["text_id", "start", "end"]]
    mentions = mentions.merge(found.drop_duplicates(), how="left", indicator="found")
    for table, key in (("entities", "entity_key"), ("slots", "slot_key")):
        mentions = mentions.merge(pd.read_parquet(suite / f"{table}.parquet"), on=key, suffixes=("", "_own"))
    cases = pd.read_parquet(suite / "cases.parquet")[["case_id", "pair_id"]]
    mentions = mentions.merge(cases, left_on="text_id", right_on="case_id")
    right = (mentions["found"] == "both").astype(float)
    changes: dict[str, list[tuple[int, float, float]]] = {}
    for name, column in CONTRASTS.items():
        own = mentions.assign(right=right, value=mentions[column])[mentions["contrast"] == name]
        order = ["initial", "medial", "final"] if column == "position" else sorted(own["value"].unique())
        own = own.assign(rank=own["value"].map(order.index).astype(int)).sort_values(["pair_id", "rank"])
        pairs = own.groupby("pair_id").agg(rank=("rank", tuple), right=("right", tuple))
        changes[column] = sorted(
            (len(g), *np.mean(g["right"].tolist(), axis=0).tolist()) for _, g in pairs.groupby("rank")
        )
    return changes


@pytest.mark.parametrize("least", [2, 10, 40])
def test_pairs_are_those_that_were_made_for_the_feature(
    contrasted: Path, by_hand: dict[str, list[tuple[int, float, float]]], least: int
) -> None:
    found = package.discover(contrasted / "run", show="costs", least=least)
    expected = {
        (column, size, before, after)
        for column, changes in by_hand.items()
        for size, before, after in changes
        if size >= least
    }
    rows = sorted(found[["feature", "pairs", "recall_from", "recall_to"]].itertuples(index=False, name=None))
    assert len(rows) == len(expected)
    for row, (column, size, before, after) in zip(rows, sorted(expected), strict=True):
        assert row == (column, size, pytest.approx(before), pytest.approx(after))


@pytest.mark.parametrize(
    ("asked", "least", "features"),
    [
        ((), None, {"contains_hyphen", "position"}),
        ((), 40, set()),
        (("--feature", "position"), None, {"position"}),
        (("--feature", "contains_punctuation"), 2, {"contains_punctuation"}),
        (("--feature", "context.type"), None, set()),
    ],
)
def test_the_command_says_which_pairs_it_does_not_show(
    tagsuite: Callable[..., Any],
    contrasted: Path,
    by_hand: dict[str, list[tuple[int, float, float]]],
    asked: tuple[str, ...],
    least: int | None,
    features: set[str],
) -> None:
    words = (*asked, *(() if least is None else ("--least", least)))
    done = tagsuite("discover", contrasted / "run", "--show", "costs", *words, "--format", "csv")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(StringIO(done.stdout))
    assert set(table["feature"]) == features
    assert "no minimal pairs" not in done.stderr
    assert ("context.type: no minimal pair changes this feature" in done.stderr) == ("context.type" in asked)
    assert (table["pairs"] >= (10 if least is None else least)).all()
    for column, changes in by_hand.items():
        if asked and column != asked[1].removeprefix("slot."):
            continue
        few = sum(size for size, *_ in changes if size < (10 if least is None else least))
        said = f"{column}: {few} pairs are not shown (fewer than {least or 10} pairs for the same change)"
        assert (said in done.stderr) == (few > 0)


def test_other_features_that_change_too_are_counted() -> None:
    codes = np.tile(["upper", "lower"], 20).repeat(15)
    hyphens = np.tile([0, 1], 20).repeat(15)
    features_ = {"case": pd.Categorical(codes), "contains_punctuation": hyphens, "contains_hyphen": hyphens}
    made = crossed_suite(np.ones((40, 15), dtype=bool), features_)
    pair = np.arange(600).reshape(40, 15)
    pair[1::2] = pair[::2]
    made.gold.texts["pair_id"] = pair.ravel()
    for contrast in ("case", "contains_hyphen", "contains_punctuation"):
        gold = made.gold.with_mentions(made.gold.mentions.assign(contrast=contrast))
        table = estimate_feature_costs(score(gold, made.predictions, notions=["strict"])).table
        assert table["feature"].tolist() == [contrast]
        assert (table["others"] >= 2).all(), "also those that divide the mentions in the same way"
