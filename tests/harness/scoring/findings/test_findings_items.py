"""Item response: what was planted is recovered, the errors are honest, the command tells what it needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.items.items import Items, items
from tagsuite.harness.scoring.items.response import respond
from tagsuite.harness.scoring.statistics.influence import grouped_variance

ABILITY = np.array([-1.2, -0.5, 0.0, 0.4, 0.9, 1.6])


def simulated(seed: int, size: int = 1500, spread: float = 1.5) -> tuple[Any, Any, Any]:
    """Answers of six taggers, the difficulties and the discriminations behind them."""
    generator = np.random.Generator(np.random.PCG64(seed))
    difficulty = spread * generator.normal(size=size)
    discrimination = np.exp(0.5 * generator.normal(size=size))
    logit = discrimination[:, None] * (ABILITY - difficulty[:, None])
    answers = (generator.random(logit.shape) < 1 / (1 + np.exp(-logit))).astype(float)
    return answers, difficulty, discrimination


def test_what_was_planted_is_recovered() -> None:
    answers, difficulty, discrimination = simulated(1, 6000)
    found = respond(answers)
    np.testing.assert_allclose(found.ability, ABILITY, atol=0.12)
    assert found.spread == pytest.approx(1.5, abs=0.15)
    assert np.corrcoef(found.difficulty, difficulty)[0, 1] > 0.75
    assert np.corrcoef(found.discrimination, discrimination)[0, 1] > 0.15, "six answers say little of it"
    # the mean given the answers is unbiased, and its error is what it says
    error = (found.difficulty - difficulty) / found.difficulty_error
    assert abs(error.mean()) < 0.1
    assert error.std() == pytest.approx(1.0, abs=0.1)
    again = respond(answers)
    assert (again.ability == found.ability).all()
    assert (again.difficulty == found.difficulty).all()


def test_abilities_lie_within_their_errors() -> None:
    inside = []
    for seed in range(25):
        found = respond(simulated(100 + seed)[0])
        error = np.sqrt(grouped_variance(found.influence, [np.arange(found.influence.shape[1])], 1.0))
        inside.append(np.abs(found.ability - ABILITY) <= 1.96 * error)
    assert 0.89 <= np.mean(inside) <= 0.99


def test_answers_that_do_not_count_are_left_out() -> None:
    answers, _, _ = simulated(2, 6000)
    generator = np.random.Generator(np.random.PCG64(3))
    holes = np.where(generator.random(answers.shape) < 0.3, np.nan, answers)
    np.testing.assert_allclose(respond(holes).ability, ABILITY, atol=0.15)


def test_a_tagger_that_finds_all_or_nothing_has_a_finite_ability() -> None:
    answers = simulated(4, 300)[0]
    answers[:, 0], answers[:, 5] = 0.0, 1.0
    ability = respond(answers).ability
    assert np.isfinite(ability).all()
    assert ability[0] < ability[1:5].min() - 1
    assert ability[5] > ability[1:5].max() + 1


def runs_of(scored: Callable[..., Any], shares: list[tuple[float, float]]) -> list[Any]:
    """Taggers that find some of the lower-case entities (the first half), and some of the others."""
    case = np.repeat(["lower", "upper"], 20)[:, None].repeat(10, axis=1)
    made = []
    for i, (low, high) in enumerate(shares):
        generator = np.random.Generator(np.random.PCG64(i))
        chance = np.repeat([low, high], 20)[:, None]
        made.append(
            scored(
                generator.random((40, 10)) < chance,
                run=f"r{i}",
                features={"case": pd.Categorical(case.ravel())},
                classes=[Class.of("small", "case = lower"), Class.of("large", "case = upper")],
            )
        )
    return made


SHARES = [(0.1, 0.5), (0.2, 0.6), (0.3, 0.7), (0.4, 0.8), (0.5, 0.9)]


def test_tables(scored: Callable[..., Any]) -> None:
    found: Items = items(runs_of(scored, SHARES))
    assert found.taggers["run"].tolist() == ["r4", "r3", "r2", "r1", "r0"], "the ablest first"
    assert (found.taggers["ability_low"] < found.taggers["ability"]).all()
    assert found.taggers["recall"].is_monotonic_decreasing
    assert found.mentions["difficulty"].is_monotonic_decreasing
    assert found.mentions["found"].iloc[0] == 0
    assert found.mentions["found"].iloc[-1] == 5
    assert found.classes["class"].tolist() == ["all", "small", "large"], "the whole, then the hardest first"
    assert found.classes["mentions"].tolist() == [400, 200, 200]
    low, high, mean = (found.classes[f"difficulty{end}"].tolist() for end in ("_low", "_high", ""))
    assert low[1] > high[2]
    assert mean[0] == pytest.approx((mean[1] + mean[2]) / 2, abs=1e-9)


def test_what_is_no_set_of_runs_is_refused(scored: Callable[..., Any]) -> None:
    runs = runs_of(scored, SHARES)
    with pytest.raises(InputError, match=r"too few runs.*found '?4'?; allowed: at least 5"):
        items(runs[:4])
    other = scored(np.ones((30, 10), dtype=bool), run="other")
    with pytest.raises(InputError, match="not over the same texts"):
        items([*runs[:4], other])


def test_the_command(
    tagsuite: Callable[..., Any], refused: Callable[..., str], two_runs: tuple[Path, Path], tmp_path: Path
) -> None:
    kex, dictionary = two_runs
    suite = kex.parent / "suite"
    made = [kex, dictionary]
    for name, tagger, option in (
        ("kex2", "kex", ("--option", "not_names=true")),
        ("yapex", "yapex", ()),
        ("yapex2", "yapex", ("--option", "no_dictionary=true")),
    ):
        done = tagsuite("run", suite, "--tagger", tagger, *option, "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        made.append(tmp_path / name)
    done = tagsuite("items", *made, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["taggers"]
    assert {r["run"] for r in rows} == {"kex", "dictionary", "kex2", "yapex", "yapex2"}
    assert rows[-1]["run"] == "dictionary"
    assert tagsuite("items", *made, "--format", "json").stdout == done.stdout
    classes = tagsuite("items", *made, "--show", "classes", "--by", "case", "--format", "csv")
    assert classes.stdout.startswith("class,mentions,difficulty,difficulty_low")
    hardest = tagsuite("items", *made, "--show", "mentions", "--limit", 3, "--format", "csv")
    assert len(hardest.stdout.splitlines()) == 4
    assert "at least 5" in refused("items", *made[:4])
    assert "taggers, mentions, classes" in tagsuite("items", *made, "--show", "all").stderr
    assert "same run twice" in refused("items", *made, made[0])
