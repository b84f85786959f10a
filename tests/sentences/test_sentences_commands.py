"""Tests of the command group `sentences`."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.sentences import context_queries
from tagsuite.sentences.context_queries import export_contexts
from tagsuite.sentences.contexts import read_contexts
from tagsuite.sentences.contexts_check import check_contexts


def test_count_by_features(tagsuite: Call) -> None:
    done = tagsuite(
        "sentences", "count", "--by", "list_type", "--contexts", "context.type = tp", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    rows = {row["slot.list_type"]: row for row in json.loads(done.stdout)["counts"]}
    assert set(rows) == {"none", "coordination", "asyndetic_coordination", "complex_coordination"}
    assert sum(row["slots"] for row in rows.values()) == sum(
        len(entry.slots) for entry in read_contexts().entries if entry.type == "tp"
    )


def test_list_as_records(tagsuite: Call, tmp_path: Path) -> None:
    query = 'slot.left_punctuation = "(" and position = final'
    chosen = context_queries.choose_contexts(read_contexts(), query)
    records = tagsuite("sentences", "list", "--contexts", query, "--records")
    (tmp_path / "some.txt").write_text(records.stdout, encoding="utf-8")
    assert len(read_contexts(tmp_path / "some.txt")) == len(chosen) > 1


def test_a_set_counts_under_each_value() -> None:
    contexts = read_contexts()
    table = context_queries.count_contexts(contexts, "context.type = fp", ["morphological_features"])
    by_value = dict(zip(table["context.morphological_features"], table["contexts"], strict=True))
    column = contexts.contexts["morphological_features"]
    holds = column.astype("str").str.split("|").map(lambda v: isinstance(v, list) and "ine" in v)
    fp = contexts.contexts["context.type"] == "fp"
    assert by_value["ine"] == int((holds & fp).sum())


@pytest.mark.parametrize("suffix", [".xml", ".txt", ".csv", ".parquet"])
def test_export(suffix: str, tmp_path: Path) -> None:
    contexts = read_contexts()
    chosen = context_queries.choose_contexts(
        contexts, "list_type = asyndetic_coordination or keyword contains gene"
    )
    out = tmp_path / f"some{suffix}"
    assert str(len(chosen)) in export_contexts(contexts, chosen, out)
    if suffix in (".xml", ".txt"):
        again = read_contexts(out)
        assert again.contexts["context_id"].tolist() == chosen
        assert check_contexts(out).empty
        assert "MIT" in again.notes[0]
    else:
        frame = pd.read_csv(out) if suffix == ".csv" else pd.read_parquet(out)
        assert frame["context_id"].unique().tolist() == chosen
        assert frame["slot"].notna().sum() == contexts.slots["context_id"].isin(chosen).sum()


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--contexts", "position = final", "--out", "{out}.txt"),
        ("harvest", "{corpus}", "--out", "{out}.xml"),
        ("annotate", "{corpus}", "--out", "{out}.csv", "--feature", "case"),
        # CoNLL loses the ids of sentences, and reports this unless comment lines are written
        ("convert", "{corpus}", "conll:{out}.conll"),
    ],
)
def test_quiet_says_nothing(tagsuite: Call, tmp_path: Path, words: tuple[str, ...]) -> None:
    corpus = tmp_path / "some.sgml"
    corpus.write_text("The <gp>Abc1</gp> gene was deleted in yeast .\n", encoding="utf-8")
    filled = [w.format(corpus=f"sgml:{corpus}", out=tmp_path / "out") for w in words]
    loud = tagsuite("sentences", *filled)
    assert loud.returncode == 0, loud.stderr
    assert loud.stderr
    quiet = tagsuite("sentences", *filled, "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
