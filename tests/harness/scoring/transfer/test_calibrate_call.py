"""Tests of `tagsuite.calibrate` with frames and corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tagsuite as library


def test_corpora_frames_and_runs_are_taken_alike(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = library.run(f"sgml:{runs / 'gold.sgml'}", "kex", runs / "kex--gold")
    suite = library.run(runs / "suite", "kex", runs / "kex")
    gold = library.read_corpus(f"sgml:{runs / 'gold.sgml'}")
    tables = [
        library.calibrate(suite, known, predicted=predicted, ignore_types=True)
        for known, predicted in (
            (run, None),
            ([runs / "kex--gold"], None),
            (gold, run.predictions),
            (f"sgml:{runs / 'gold.sgml'}", run.predictions),
        )
    ]
    assert "12 mentions in 12 annotated sentences" in capsys.readouterr().err
    assert tables[0]["class"].tolist() == ["all"], "no class is asked"
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


def test_sentences_are_planned_of_a_corpus_or_a_place(runs: Path, tmp_path: Path) -> None:
    pool = library.read_corpus(f"sgml:{runs / 'gold.sgml'}")
    given: dict[str, Any] = {"plan": 3, "seed": 5, "ignore_types": True}
    pools: list[Any] = [pool, f"sgml:{runs / 'gold.sgml'}"]
    plans = [
        library.calibrate(runs / "kex", pool=one, plan_out=f"jsonl:{tmp_path / f'{i}.jsonl'}", **given)
        for i, one in enumerate(pools)
    ]
    pd.testing.assert_frame_equal(plans[0], plans[1])
    assert plans[0]["turn"].tolist() == [1, 2, 3]
    assert set(plans[0]["text_id"]) <= {str(one) for one in pool.texts["text_id"]}
    assert (tmp_path / "0.jsonl").read_bytes() == (tmp_path / "1.jsonl").read_bytes()
    # all annotated, in memory: the plan's weights are named
    chosen = pool.texts["text_id"].astype("str").isin(plans[0]["text_id"])
    texts = pool.texts[chosen].reset_index(drop=True)
    mentions = pool.mentions[pool.mentions["text_id"].isin(texts["text_id"])].reset_index(drop=True)
    sentences = type(pool)("mine", texts, mentions)
    known: dict[str, Any] = {
        "annotated": sentences,
        "predicted": sentences.mentions.assign(side="predicted"),
        "weights": tmp_path / "0.jsonl.weights.csv",
    }
    more = library.calibrate(
        runs / "kex", **known, pool=pool, plan_out=f"jsonl:{tmp_path / 'more.jsonl'}", **given
    )
    assert more["turn"].tolist() == [1, 2, 3, 4, 5, 6]
    assert more["text_sha256"].nunique() == 6
    whole = library.calibrate(runs / "kex", **known, ignore_types=True)
    assert (whole["annotated"].tolist(), whole["found"].tolist()) == ([3], [3])


def test_a_misspelt_choice_is_told_with_what_was_meant(runs: Path) -> None:
    with pytest.raises(TypeError, match="did you mean 'composition'"):
        library.calibrate(runs / "kex", runs / "kex--gold", compositon="genetag-train")
