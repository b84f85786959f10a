"""Tests of word lists in commands and signatures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagsuite.catalogues.word_lists import digest_list
from tagsuite.harness.scoring.acceptance.accept import accept
from tagsuite.harness.scoring.acceptance.criteria import Criterion, Limits
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.discovery.discover import discover
from tagsuite.harness.scoring.score_runs import report_differences

from .conftest import scored

WORDS = ["BRCA1", "TP53", "CDK2"]
CLASS = 'format = 1\n[[class]]\nname = "unseen"\nquery = "in_list.training = false"\n'


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    contents = {
        "words.txt": "\n".join(WORDS) + "\n",
        "classes.toml": CLASS,
        "criteria.toml": CLASS + "min_recall = 0.0\n",
        "predictions.toml": CLASS + 'recall = "low"\n',
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in contents}


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (("score", "RUN", "--classes", "classes.toml", "--notion", "strict"), "scores"),
        (("score", "RUN", "--by", "in_list.training", "--show", "false-alarms"), "scores"),
        (("compare", "RUN", "--predictions", "predictions.toml"), "scores"),
        (("compare", "RUN", "--suite", "RUN", "--by", "in_list.training"), "scores"),
        (("compare", "RUN", "--against", "OTHER", "--by", "in_list.training"), "differences"),
        (("accept", "criteria.toml", "RUN"), "criteria"),
        (("discover", "RUN", "--feature", "in_list.training", "--depth", "1"), "faults"),
    ],
    ids=lambda v: " ".join(v[:1]) if isinstance(v, tuple) else v,
)
def test_every_command_takes_lists(
    tagsuite: Callable[..., Any],
    refused: Callable[..., str],
    two_runs: tuple[Path, Path],
    files: dict[str, Path],
    arguments: tuple[str, ...],
    key: str,
) -> None:
    known = {"RUN": two_runs[0], "OTHER": two_runs[1], **files}
    given = [known.get(a, a) for a in arguments]
    assert "in_list.training" in refused(*given)
    done = tagsuite(*given, "--list", f"training={files['words.txt']}", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)[key]
    if not rows or "signature" not in rows[0]:
        return
    asking = [r["class"] == "unseen" or "in_list" in r["class"] for r in rows]
    told = [f"|lists:training={digest_list(WORDS)}|" in r["signature"] for r in rows]
    assert asking == told, "the whole asks no list"
    assert any(told) or {"false-alarms", "--suite"} & set(arguments)


def test_lists_that_differ_are_said(capsys: Any) -> None:
    found = np.random.Generator(np.random.PCG64(1)).random((6, 4)) < 0.7
    unseen = Class.from_query("unseen", "in_list.training = false")
    words = {"one": ["AB0001", "AB0002"], "other": ["AB0001"]}
    one, other = (scored(found, run=n, classes=[unseen], lists={"training": w}) for n, w in words.items())
    bare = scored(found, run="bare", classes=[Class.from_query("unseen", "length >= 1")])
    for scores, listed in ((one, 2), (other, 1), (bare, 0)):
        row = scores.table.set_index(["class", "notion"]).loc[("unseen", "strict")]
        # what is proposed for a missed name is shorter, and in no list
        assert row["gold"] == 24 - 4 * listed
        assert row["predicted"] == 24 - found[1 : 1 + listed].sum()
    report_differences([one, one])
    assert capsys.readouterr().err == ""
    report_differences([one, other, bare])
    first, second = (f"training={digest_list(w)}" for w in words.values())
    assert capsys.readouterr().err.splitlines() == [
        f"other is not comparable with one: lists: {first}, {second}",
        f"bare is not comparable with one: lists: {first}, none",
    ]
    asked = Criterion(unseen, "strict", Limits(no_worse_than="other", margin=0.5))
    assert "differ in lists" in accept([asked], [one], references=[other]).notes[0]


def test_a_list_is_searched_by_discover_only_when_given() -> None:
    chance = np.random.Generator(np.random.PCG64(7)).random((120, 20))
    entities = np.arange(120)[:, None]
    right = chance < np.where(entities % 3 == 0, 0.95, 0.3)
    known = [f"AB{e:04}" for e in range(0, 120, 3)]
    run = scored(right, lists={"training": known})
    table = discover(run, notion="strict", measures=["recall"])
    assert table["query"].tolist() == ["in_list.training = false"]
    assert "in_list" not in " ".join(discover(scored(right), notion="strict", measures=["recall"])["query"])
