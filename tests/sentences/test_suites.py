"""Tests of the suite reader: keys, feature tables, and suites written by version 0.1.0."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.features import add_features
from tagsuite.sentences.suites import read_suite

OLD = Path(__file__).with_name("suite_of_0_1_0")


def rekeyed(folder: Path) -> Path:
    """Write a suite of version 0.1.0 in the layout with keys, with one entity and one slot per mention."""
    shutil.copytree(OLD, folder)
    mentions = pd.read_parquet(OLD / "mentions.parquet")
    core = [c for c in mentions.columns[:7] if c in mentions] + ["contrast"]
    at = list(mentions.columns).index("slot")
    around = [c for c in mentions if c in ("slot", "position", "context.position", "preceding_word")]
    own = [c for c in mentions if c not in core and c not in around]
    keys = pd.Series(range(10, 10 + len(mentions)), dtype="int32")
    assert mentions.columns[at - 1] == "entity_id"
    mentions[core].assign(entity_key=keys, slot_key=keys[::-1].array).to_parquet(folder / "mentions.parquet")
    mentions[own].assign(entity_key=keys).to_parquet(folder / "entities.parquet")
    mentions[around].assign(slot_key=keys[::-1].array).to_parquet(folder / "slots.parquet")
    toml = (folder / "suite.toml").read_text(encoding="utf-8").partition("[digests]")[0]
    (folder / "suite.toml").write_text(toml, encoding="utf-8")
    return folder


def text_of(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype("str").fillna("?")


def test_a_suite_of_0_1_0_has_its_features_in_every_mention() -> None:
    read = read_suite(OLD)
    assert (len(read.texts), len(read.mentions), read.features) == (14, 19, ())
    assert read.inline_features() is read
    texts = read.texts.set_index("text_id")["text"]
    spans = [texts[t][a:b] for t, a, b in read.mentions[["text_id", "start", "end"]].to_numpy().tolist()]
    assert read.mentions["data"].tolist() == spans
    assert read.mentions["entity_id"].notna().all()
    assert read.mentions["slot"].tolist()[:4] == [0, 0, 1, 0]
    assert read.mentions["contrast"].notna().sum() == 4


def test_features_by_key_are_those_that_stood_in_every_mention(tmp_path: Path) -> None:
    old, new = read_suite(OLD), read_suite(rekeyed(tmp_path / "suite"))
    assert "case" not in new.mentions
    assert [table.key for table in new.features] == ["entity_key", "slot_key"]
    spread = new.inline_features().mentions
    assert set(spread) == set(old.mentions)
    pd.testing.assert_frame_equal(text_of(spread[list(old.mentions)]), text_of(old.mentions))
    some = new.mentions.iloc[[3, 1]]
    asked = new.add_features(some, ["case", "position"])
    assert list(asked.columns) == [*some.columns, "case", "position"]
    assert asked["case"].tolist() == old.mentions["case"].iloc[[3, 1]].tolist()
    query = Query.parse("case = upper and slot.position = initial")
    chosen = query.evaluate(add_features(new, new.mentions, query.features))
    assert chosen.tolist() == query.evaluate(old.mentions).tolist()


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        ("entities.parquet", lambda f: f.iloc[1:], "a mention has an unknown entity_key"),
        ("slots.parquet", lambda f: pd.concat([f, f.iloc[:1]]), "duplicate slot_key"),
        ("slots.parquet", lambda f: f.drop(columns="slot_key"), "columns are missing"),
        ("entities.parquet", lambda f: f.assign(entity_key="x"), "has a value that is not a number"),
        ("entities.parquet", None, "no such file"),
    ],
)
def test_feature_tables_that_do_not_fit_are_refused(
    tmp_path: Path, file: str, change: Callable[[pd.DataFrame], pd.DataFrame] | None, problem: str
) -> None:
    folder = rekeyed(tmp_path / "suite")
    frame = pd.read_parquet(folder / file)
    (folder / file).unlink()
    if change is not None:
        change(frame).to_parquet(folder / file)
    with pytest.raises(InputError, match=problem):
        read_suite(folder)
