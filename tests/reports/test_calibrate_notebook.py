"""`tagsuite.calibrate`: what the command does, with frames and corpora in and a frame out."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pandas as pd
import pytest
import tagsuite as library
from tagsuite.catalogues.core.errors import InputError

Call = Callable[..., CompletedProcess[str]]
NAMES = ("p53", "BRCA1", "wee1", "TNF-alpha", "cdc25", "interleukin 2", "hsp-16", "c-jun")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over a small suite, annotated sentences and a run over these."""
    folder = tmp_path_factory.mktemp("calibrate")
    suite = library.generate(folder / "suite", "contains_hyphen", combine="sample", size=60)
    library.run(suite, "kex", folder / "kex")
    lines = [f"We saw that <gp>{name}</gp> binds it.\n" for name in NAMES]
    (folder / "gold.sgml").write_text("".join(lines), encoding="utf-8")
    library.run(f"sgml:{folder / 'gold.sgml'}", "kex", folder / "kex--gold")
    return folder


def test_the_function_gives_the_table_of_the_command(place: Path, tagsuite: Call, tmp_path: Path) -> None:
    words = ["--by", "contains_hyphen", "--ignore-types", "--composition", "genetag-train"]
    words += ["--least-support", "0", "--confidence", "0.9", "--format", "csv"]
    done = tagsuite("calibrate", str(place / "kex"), "--annotated", str(place / "kex--gold"), *words)
    assert done.returncode == 0, done.stderr
    table = library.calibrate(
        place / "kex",
        place / "kex--gold",
        by="contains_hyphen",
        ignore_types=True,
        composition="genetag-train",
        least_support=0,
        confidence=0.9,
        out=tmp_path / "o.csv",
    )
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(done.stdout)), table.reset_index(drop=True))
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "o.csv"), table)


def test_corpora_frames_and_runs_are_taken_alike(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = library.run(f"sgml:{place / 'gold.sgml'}", "kex", place / "kex--gold")
    suite = library.run(place / "suite", "kex", place / "kex")
    gold = library.read_corpus(f"sgml:{place / 'gold.sgml'}")
    tables = [
        library.calibrate(suite, known, predicted=predicted, ignore_types=True)
        for known, predicted in (
            (run, None),
            ([place / "kex--gold"], None),
            (gold, run.predictions),
            (f"sgml:{place / 'gold.sgml'}", run.predictions),
        )
    ]
    assert "8 mentions in 8 annotated sentences" in capsys.readouterr().err
    assert tables[0]["class"].tolist() == ["all"], "no class is asked"
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


def annotated_as_planned(pool: Any, plan: pd.DataFrame) -> Any:
    """The sentences of a plan with their gold mentions, in memory."""
    chosen = pool.texts["text_id"].astype("str").isin(plan["text_id"])
    texts = pool.texts[chosen].reset_index(drop=True)
    mentions = pool.mentions[pool.mentions["text_id"].isin(texts["text_id"])].reset_index(drop=True)
    return type(pool)("mine", texts, mentions)


def test_sentences_are_planned_of_a_corpus_or_a_place(place: Path, tmp_path: Path) -> None:
    pool = library.read_corpus(f"sgml:{place / 'gold.sgml'}")
    given: dict[str, Any] = {"plan": 3, "seed": 5, "ignore_types": True}
    pools: list[Any] = [pool, f"sgml:{place / 'gold.sgml'}"]
    plans = [
        library.calibrate(place / "kex", pool=one, plan_out=f"jsonl:{tmp_path / f'{i}.jsonl'}", **given)
        for i, one in enumerate(pools)
    ]
    pd.testing.assert_frame_equal(plans[0], plans[1])
    assert plans[0]["turn"].tolist() == [1, 2, 3]
    assert set(plans[0]["text_id"]) <= {str(one) for one in pool.texts["text_id"]}
    assert (tmp_path / "0.jsonl").read_bytes() == (tmp_path / "1.jsonl").read_bytes()
    # all annotated, in memory: the plan's weights are named
    sentences = annotated_as_planned(pool, plans[0])
    known: dict[str, Any] = {
        "annotated": sentences,
        "predicted": sentences.mentions.assign(side="predicted"),
        "weights": tmp_path / "0.jsonl.weights.csv",
    }
    more = library.calibrate(
        place / "kex", **known, pool=pool, plan_out=f"jsonl:{tmp_path / 'more.jsonl'}", **given
    )
    assert more["turn"].tolist() == [1, 2, 3, 4, 5, 6]
    assert more["text_sha256"].nunique() == 6
    whole = library.calibrate(place / "kex", **known, ignore_types=True)
    assert (whole["annotated"].tolist(), whole["found"].tolist()) == ([3], [3])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"annotated": "kex--gold", "pool": "sgml:gold.sgml"}, "--plan"),
        ({"plan": 2, "pool": "sgml:gold.sgml"}, "--plan-out"),
        ({"annotated": "kex--gold", "out": "o.txt"}, "o.txt"),
    ],
)
def test_wrong_choices_are_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], told: str
) -> None:
    monkeypatch.chdir(place)
    with pytest.raises(InputError, match=told):
        library.calibrate("kex", **wrong)
    with pytest.raises(TypeError, match="did you mean 'composition'"):
        library.calibrate("kex", "kex--gold", compositon="genetag-train")
