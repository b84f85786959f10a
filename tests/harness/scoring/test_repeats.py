"""Results of repetitions and variants: flips, agreement, recall, effects, criteria, sections, studies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tagsuite as package
from tagsuite.harness.scoring.repeat_tables import hash_answers
from tagsuite.harness.scoring.statistics.corrections import add_corrected_p
from tagsuite.harness.scoring.statistics.groups import Groups
from tagsuite.harness.scoring.statistics.repeats import (
    estimate_flip_share,
    estimate_mean_share,
)
from tagsuite.sentences.corpus import Corpus

PROGRAM = """import os, sys
again, word = int(sys.argv[1]), sys.argv[2]
for i, line in enumerate(sys.stdin):
    name, rest = line.split(" ", 1)
    found = {
        "A": word != "never" or i % 4 > 0,   # alike in all repetitions, a quarter lost by the word
        "B": i % 2 == 0 or again == 1,       # every other one by the first repetition alone
        "C": again != 2,                     # by all but the second
        "z": again == 3,                     # a false alarm of the third
    }[name[0]]
    print(f"<gp>{name}</gp> {rest}" if found else line, end="")
"""
SPECIFICATION = """format = 1
name = "t"
version = "1"
command = ["{python}", "-S", "{here}/t.py", "{repeat}", "{option:word}"]
[options.word]
default = "a"
"""
CLASSES = {name: f'data ~ "^{name}"' for name in "ABC"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repeats")
    lines = [f"<gp>{name}{i}</gp> is here.\n" for name in "ABC" for i in range(20)]
    lines += [f"z{i} is none.\n" for i in range(20)]
    (folder / "t.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "t.toml").write_text(SPECIFICATION, encoding="utf-8")
    (folder / "c.sgml").write_text("".join(lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAGSUITE_CACHE", str(folder / "cache"))
        package.run(f"sgml:{folder}/c.sgml", folder / "t.toml", folder / "run", times=3)
    return folder


def test_the_table_has_what_was_planted(place: Path) -> None:
    contexts = {"short": "sentence_words <= 3"}
    table: Any = package.repeats(place / "run", classes=CLASSES | contexts).set_index("class")
    expected = {
        # cases, flips, agreement, any, all, majority, mean
        "all": (80, 50, (20 + 10 + 10 / 3 + 20 / 3 + 20 / 3) / 80, 1.0, 0.5, 5 / 6, (60 + 30 + 50) / 180),
        "A": (20, 0, 1.0, 1.0, 1.0, 1.0, 1.0),
        "B": (20, 10, 2 / 3, 1.0, 0.5, 0.5, 2 / 3),
        "C": (20, 20, 1 / 3, 1.0, 0.0, 1.0, 2 / 3),
    }
    columns = ["cases", "flips", "agreement", "recall_any", "recall_all", "recall_majority", "recall"]
    for name, values in expected.items():
        assert tuple(table.loc[name, columns]) == pytest.approx(values), name
    # predicted mentions: 60, 30, and 50 of which 20 are false positives
    for measure, value in {"precision": 140 / 160, "f1": 2 * 140 / (180 + 160)}.items():
        assert table.loc["all", measure] == pytest.approx(value)
        assert table.loc["all", f"{measure}_low"] < value < table.loc["all", f"{measure}_high"]
    assert table.loc["B", "precision"] == 1.0
    assert (table["repeats"] == 3).all()
    assert (table["flip_low"] <= table["flip_share"]).all()
    assert (table["flip_high"] >= table["flip_share"]).all()
    assert tuple(table.loc["short", ["cases", "flips"]]) == (80, 50), "texts without a name too"
    assert table.loc["A", "flip_high"] > 0.0, "that nothing flipped does not show that nothing can"


def test_runs_without_repetitions_or_variants_are_refused(place: Path, refused: Callable[..., str]) -> None:
    assert "has no repetitions" in refused("repeats", place / "run" / "repeats" / "2")
    assert "the folder has no variants" in refused("effects", place / "run")


def answered(
    mentions: Sequence[tuple[int, int, str]],
    outcome: str = "ok",
    score: float = 0.0,
    fragments: Sequence[tuple[int, int, int]] = (),
) -> Any:
    """Return the hash of the answer to one text."""
    rows = [(i, 0, "predicted", s, e, t, score) for i, (s, e, t) in enumerate(mentions)]
    columns = ["mention_id", "text_id", "side", "start", "end", "type", "score"]
    run: Any = SimpleNamespace(
        predictions=pd.DataFrame(rows, columns=columns),
        outcomes=pd.DataFrame({"case_id": [0], "outcome": [outcome]}),
        fragments=pd.DataFrame(fragments, columns=["mention_id", "start", "end"]) if fragments else None,
    )
    texts = pd.DataFrame({"text_id": [0], "document_id": [""], "text": ["a text of some length"]})
    return hash_answers(run, Corpus("c", texts, run.predictions))[0]


ONE, TWO = (0, 2, "gp"), (5, 7, "gp")
PARTS = [(0, 0, 1), (0, 1, 2)]


@pytest.mark.parametrize(
    ("first", "second", "same", "why"),
    [
        (answered([ONE, TWO]), answered([TWO, ONE]), True, "the order is no matter"),
        (answered([ONE]), answered([ONE], score=0.5), True, "nor is the score"),
        (answered([ONE]), answered([(0, 2, "x")]), False, "another type"),
        (answered([ONE]), answered([ONE, ONE]), False, "a mention twice, where it is kept twice"),
        (answered([ONE], fragments=PARTS), answered([ONE], fragments=PARTS), True, "the same fragments"),
        (answered([ONE], fragments=PARTS), answered([ONE]), False, "fragments of the same hull"),
        (answered([]), answered([], "timeout"), False, "no answer is not the empty one"),
        (answered([], "crash"), answered([], "timeout"), True, "two failures are both no answer"),
        (answered([ONE]), answered([ONE], "unaligned"), True, "what has a place is what counts"),
    ],
)
def test_which_answers_are_the_same(first: int, second: int, same: bool, why: str) -> None:
    assert bool(first == second) is same, why


def crossed(entities: int, contexts: int) -> Groups:
    e, c = np.repeat(np.arange(entities), contexts), np.tile(np.arange(contexts), entities)
    return Groups("entities × contexts", (e, c, e * contexts + c))


def mean_recall(right: Any, groups: Groups) -> Any:
    """Return recall on 600 mentions over all repetitions."""
    return estimate_mean_share(
        [groups.sum_by_group(column, np.ones(600)) for column in right.T], groups, 0.95
    )


def test_repetitions_widen_an_interval_where_they_differ_only() -> None:
    random = np.random.default_rng(1)
    once = (random.random(600) < 0.6).astype(np.float64)[:, None]
    single = mean_recall(once, crossed(30, 20))
    thrice = mean_recall(np.repeat(once, 3, axis=1), crossed(30, 20))
    assert (thrice.low, thrice.high) == pytest.approx((single.low, single.high), abs=1e-6)
    right = (random.random((600, 4)) < np.array([0.4, 0.5, 0.6, 0.7])).astype(np.float64)
    found = mean_recall(right, crossed(30, 20))
    averaged = mean_recall(right.mean(axis=1, keepdims=True), crossed(30, 20))
    assert found.high - found.low > 2.0 * (averaged.high - averaged.low)
    # two standard errors of four recalls, at three degrees of freedom
    error = right.mean(axis=0).std(ddof=1) / 2.0
    assert found.high - found.low > 2.0 * 2.0 * error


@pytest.mark.parametrize(
    ("names", "places", "rate", "by_name", "why"),
    [
        (100, 10, 0.05, 0.5, "few names flip always, and often none of the sample does"),
        (20, 50, 0.05, 0.5, "20 names in many places"),
        (100, 10, 0.05, 0.0, "none does"),
    ],
)
def test_the_interval_holds_a_rate_that_comes_by_name(
    names: int, places: int, rate: float, by_name: float, why: str
) -> None:
    random, grouped, held = np.random.default_rng(5), crossed(names, places), 0
    always, own = rate * by_name, rate * (1.0 - by_name) / (1.0 - rate * by_name)
    for _ in range(300):
        whole = np.repeat(random.random(names) < always, places)
        found = estimate_flip_share(whole | (random.random(names * places) < own), grouped, 0.95)
        held += found.low <= rate <= found.high
    assert held / 300 >= 0.93, why


CRITERIA = 'format = 1\n[[class]]\nname = "{0}"\nquery = \'data ~ "^{0}"\'\nmax_flips = {1}\n{2}'


@pytest.mark.parametrize(
    ("name", "limit", "more", "verdict", "status"),
    [
        ("A", 0.01, "", "passed, uncertain", 0),
        ("A", 0.01, "confidence = 0.95\n", "failed", 1),
        ("B", 0.9, "confidence = 0.95\n", "passed", 0),
        ("B", 0.4, "", "failed", 1),
    ],
)
def test_the_most_flips_are_a_criterion(
    place: Path, tmp_path: Path, tagsuite: Any, name: str, limit: float, more: str, verdict: str, status: int
) -> None:
    (tmp_path / "criteria.toml").write_text(CRITERIA.format(name, limit, more), encoding="utf-8")
    done = tagsuite("accept", str(tmp_path / "criteria.toml"), str(place / "run"), "--format", "json")
    assert done.returncode == status, done.stderr
    (row,) = json.loads(done.stdout)["criteria"]
    found = (row["measure"], row["required"], row["unit"], row["verdict"])
    assert found == ("flips", f"<= {limit:g}", "case", verdict)
    if status:
        assert ("answers in 3 repetitions" in done.stderr) == (name == "B"), "flipping cases are named"


def test_a_report_has_a_section_of_repetitions(place: Path, tmp_path: Path) -> None:
    package.report(place / "run", tmp_path / "r.md", by="case")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "## Variation between repetitions" in text
    assert "3 repetitions: t on c" in text
    assert "--times 3" in text
    package.report(place / "run/repeats/2", tmp_path / "once.md")
    assert "repetition" not in (tmp_path / "once.md").read_text(encoding="utf-8")


@pytest.fixture
def varied(
    place: Path, tmp_path: Path, tagsuite: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Run the tagger with several values of its option."""
    monkeypatch.setenv("TAGSUITE_CACHE", str(place / "cache"))

    def vary(values: str, *options: str) -> Path:
        out = tmp_path / "vary"
        words = ["run", f"sgml:{place}/c.sgml", "--tagger", place / "t.toml", "--out", out]
        done = tagsuite(*words, "--vary", f"word={values}", *options)
        assert done.returncode == 0, done.stderr
        return out

    return vary


def test_main_effects_are_those_that_were_planted(
    varied: Callable[..., Path], tmp_path: Path, tagsuite: Any
) -> None:
    out = varied("a,b,never")
    table: Any = package.effects(out, classes=CLASSES).set_index(["class", "level"])
    lost = 5 / 20
    expected = {
        ("A", "a"): lost / 3,
        ("A", "b"): lost / 3,
        ("A", "never"): -2 * lost / 3,
        ("B", "never"): 0.0,
        ("all", "never"): -2 * lost / 9,
    }
    for key, effect in expected.items():
        assert table.loc[key, "effect"] == pytest.approx(effect), key
        assert table.loc[key, "effect_low"] <= effect <= table.loc[key, "effect_high"], key
    assert table.loc[("A", "never"), "p"] < 0.05 < table.loc[("B", "never"), "p"]
    assert (table["p_holm"] >= table["p"]).all()
    done = tagsuite("effects", str(out), "--by", "case", "--format", "json")
    assert done.returncode == 0, done.stderr
    package.report(out, tmp_path / "r.md", by="case")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "## Effects of options" in text
    assert "word=never" in text


def test_an_effect_on_precision_and_f1_is_shown_beside_that_on_recall(
    varied: Callable[..., Path], tagsuite: Any
) -> None:
    out = varied("a,never", "--times", "3")
    table: Any = package.effects(out).set_index("level")
    # totals of three repetitions: 180 gold mentions; 160 predicted with one value, 145 with the other
    expected = {
        "recall": (140 / 180, 125 / 180),
        "precision": (140 / 160, 125 / 145),
        "f1": (280 / 340, 250 / 325),
    }
    for measure, (one, other) in expected.items():
        effect = "effect" if measure == "recall" else f"{measure}_effect"
        assert table.loc["a", measure] == pytest.approx(one), measure
        assert table.loc["never", measure] == pytest.approx(other), measure
        assert table.loc["a", effect] == pytest.approx((one - other) / 2)
        assert table.loc["a", f"{effect}_low"] < table.loc["a", effect] < table.loc["a", f"{effect}_high"]
    shown = tagsuite("effects", str(out)).stdout.splitlines()[0].split()
    heads = [head for head in shown if head in ("recall", "precision", "f1") or head.endswith("effect")]
    assert heads == ["recall", "effect", "precision", "precision_effect", "f1", "f1_effect"]


@pytest.mark.parametrize(
    ("tests", "p", "holms", "bhs"),
    [
        (None, [0.005, 0.005, 0.02], [0.015, 0.015, 0.02], [0.0075, 0.0075, 0.02]),
        (["a", "a", "b"], [0.005, 0.005, 0.02], [0.01, 0.01, 0.02], [0.01, 0.01, 0.02]),
        (["b", "a", "b"], [0.02, 0.005, 0.02], [0.02, 0.01, 0.02], [0.02, 0.01, 0.02]),
        (["a", "a", "b"], [np.nan, np.nan, 0.02], [np.nan, np.nan, 0.02], [np.nan, np.nan, 0.02]),
    ],
)
def test_rows_of_one_test_count_once(
    tests: list[str] | None, p: list[float], holms: list[float], bhs: list[float]
) -> None:
    table = add_corrected_p(pd.DataFrame({"p": p}), tests)
    assert table["p_holm"].tolist() == pytest.approx(holms, nan_ok=True)
    assert table["p_bh"].tolist() == pytest.approx(bhs, nan_ok=True)


STUDY = """format = 1
title = "t"
acceptance = "criteria.toml"
[[corpus]]
name = "c"
gold = "sgml:c.sgml"
[[tagger]]
name = "t"
tagger = "t.toml"
{}
"""


@pytest.mark.parametrize(
    ("keys", "status", "said"),
    [
        ("times = 3", 0, ""),
        ("", 2, "max_flips needs repetitions"),
    ],
)
def test_studies_repeat_runs(
    place: Path,
    tmp_path: Path,
    tagsuite: Any,
    monkeypatch: pytest.MonkeyPatch,
    keys: str,
    status: int,
    said: str,
) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", str(place / "cache"))
    for name in ("t.py", "t.toml", "c.sgml"):
        (tmp_path / name).write_bytes((place / name).read_bytes())
    (tmp_path / "criteria.toml").write_text(CRITERIA.format("A", 0.5, ""), encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY.format(keys), encoding="utf-8")
    done = tagsuite("study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"))
    assert done.returncode == status, (done.stdout, done.stderr)
    assert said in done.stderr
    if not status:
        assert "Variation between repetitions" in (tmp_path / "out/report.md").read_text(encoding="utf-8")
