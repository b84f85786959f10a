"""Cases that a tagger skips: handled together, with the same outcomes as if each were tried singly."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.run import run

Write = Callable[..., Path]
COUNT = 60
QUICK = (["drop", "stop"], ["garbage", "rewrite"])
MIXTURES = [
    (["drop"], 16, "left out without a trace"),
    (["drop", "blank", "stop_inside"], 12, "several ways of leaving out"),
    (["drop", "stop"], 4, "some end the output"),
    (["drop", "garbage", "twice", "swap"], 8, "some print what is no text"),
    (["garbage", "rewrite"], 8, "records that only their order tells apart"),
]


def attempts(done: Run) -> int:
    timings = json.loads((done.folder / "timings.json").read_text(encoding="utf-8"))
    return sum(int(shard["attempts"]) for shard in timings["shards"])


@pytest.mark.parametrize(
    ("faults", "guilty", "why"),
    # each is a dozen seconds: one attempt a case
    [pytest.param(*m, id=m[2], marks=[] if m[0] in QUICK else [pytest.mark.full]) for m in MIXTURES],
)
def test_the_outcomes_are_those_of_each_alone(
    faults: list[str], guilty: int, why: str, tmp_path: Path, corpus: Callable[..., str], faulty: Write
) -> None:
    draw = random.Random(why)
    chosen = {i: draw.choice(faults) for i in draw.sample(range(COUNT), guilty)}
    found = [f"={chosen[i]}=" if i in chosen else "plain" for i in range(COUNT)]
    texts = [f"Case {i}: GENE{i}A binds {fault} here" for i, fault in enumerate(found)]
    source, spec = corpus(texts), faulty("sgml")
    together = run(source, spec, tmp_path / "together", batch_size=COUNT // 2, cache=False)
    alone = run(source, spec, tmp_path / "alone", batch_size=1, jobs=2, cache=False)
    one, other = (done.outcomes.drop(columns="reason") for done in (together, alone))
    pd.testing.assert_frame_equal(one, other)
    pd.testing.assert_frame_equal(together.predictions, alone.predictions)
    assert COUNT - guilty <= together.outcome_counts["ok"] < COUNT


def test_hundreds_of_cases_left_out_cost_a_few_attempts(run_on: Callable[..., Run], faulty: Write) -> None:
    texts = [f"Case {i}: GENE{i}A {'=drop=' if i % 4 == 1 else 'binds'}" for i in range(800)]
    done = run_on(texts, faulty("sgml"), batch_size=800, cache=False)
    assert done.outcome_counts == {"ok": 600, "short": 200}
    assert attempts(done) == 3, "all, those without a record, and these beside others"


def test_more_left_out_than_answered_are_settled_all_the_same(
    run_on: Callable[..., Run], faulty: Write
) -> None:
    texts = [f"Case {i}: GENE{i}A {'binds' if i % 8 == 1 else '=drop='}" for i in range(160)]
    done = run_on(texts, faulty("sgml"), batch_size=160, cache=False)
    assert done.outcome_counts == {"ok": 20, "short": 140}
    assert attempts(done) < 2 * 16 + 8, "halved until there is an answered one for each"
