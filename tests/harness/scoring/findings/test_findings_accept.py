"""Tests of acceptance: limits, failing cases, JUnit, pytest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.acceptance.accept import (
    accept,
    describe_check,
    format_junit_xml,
    select_printed_columns,
)
from tagsuite.harness.scoring.acceptance.checks import estimate_alarm_rate
from tagsuite.harness.scoring.acceptance.criteria import Criterion, Limits, read_criteria
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.comparison.predictions import read_predictions_file
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.statistics.design import make_design
from tagsuite.harness.scoring.statistics.sums import estimate_measures, sum_class

from ..conftest import Made, make_pair
from .conftest import scored

EVERYTHING = Class.from_query("all", "all")


def asked(
    notion: str = "strict", one: Class = EVERYTHING, runs: tuple[str, ...] = (), **limits: Any
) -> Criterion:
    return Criterion(one, notion, Limits(**limits), runs)


def chance(share: float, seed: int = 0, shape: tuple[int, int] = (40, 12)) -> np.ndarray[Any, Any]:
    return np.random.Generator(np.random.PCG64(seed)).random(shape) < share


@pytest.mark.parametrize(
    ("limits", "verdict", "bound", "why"),
    [
        # .80 of 480 mentions of 40 entities in 12 contexts: the interval reaches from about .75 to .84
        ({"min_recall": 0.7}, "passed", "low", "the whole interval lies above"),
        ({"min_recall": 0.76}, "passed, uncertain", "low", "the interval crosses the limit"),
        ({"min_recall": 0.9}, "failed", "low", "what was observed lies below"),
        ({"min_precision": 0.7}, "passed", "low", "of the proposed ones"),
        ({"min_f1": 0.9}, "failed", "low", "F1 below"),
        ({"max_false_alarms": 0.9}, "passed", "high", "the whole interval lies below"),
        ({"max_false_alarms": 0.5}, "passed, uncertain", "high", "half of 40 texts: the interval is wide"),
    ],
)
def test_the_bound_is_that_on_the_limit_s_side(
    limits: dict[str, Any], verdict: str, bound: str, why: str
) -> None:
    run = scored(chance(0.8))
    if "max_false_alarms" in limits:
        texts = [f"Sample {i} was cut." for i in range(40)]
        gold, guesses = make_pair(texts, [], [Made(i, ((0, 6),)) for i in range(20)])
        run = score(gold, guesses, notions=["strict"])
    found = accept([asked(**limits)], [run])
    row = found.table.iloc[0]
    assert row["verdict"] == verdict, (why, row.to_dict())
    assert found.passed is (verdict != "failed")
    sign = "<=" if "max_false_alarms" in limits else ">="
    assert row["bound"] == row[bound]
    assert select_printed_columns(found.table)["bound"].iloc[0] == f"{sign} {row['bound']:.3f}"
    assert ("uncertain" in describe_check(row.to_dict())) is (verdict == "passed, uncertain")


@pytest.mark.parametrize(
    ("criterion", "passed", "why"),
    [
        (asked("sloppy", min_recall=1.0), True, "every one is proposed a character short"),
        (asked(one=Class.from_query("none", "length = 1"), min_recall=0.0), False, "no mention"),
        (asked(max_false_alarms=1.0), False, "no case without gold mentions"),
    ],
)
def test_a_limit_of_nothing_is_not_met(criterion: Criterion, passed: bool, why: str) -> None:
    found = accept([criterion], [scored(chance(0.0), classes=[Class.from_query("none", "length = 1")])])
    assert (found.passed, bool(found.describe_failures())) == (passed, not passed), why


@pytest.mark.parametrize(
    ("limits", "confidence", "two_sided", "why"),
    [
        ({"min_recall": 0.76}, 0.9, 0.8, "a tenth may lie below the bound: as below an interval at .8"),
        ({"min_f1": 0.76}, 0.975, 0.95, "the usual interval is one-sided at .975"),
    ],
)
def test_a_bound_at_a_confidence_is_one_sided(
    limits: dict[str, Any], confidence: float, two_sided: float, why: str
) -> None:
    run = scored(chance(0.8, shape=(160, 3)))
    design = make_design(run)
    row = accept([asked(**limits, confidence=confidence)], [run]).table.iloc[0]
    sums = sum_class(run, design, "strict", "all")
    ends, shown = (estimate_measures(sums, design, c)[row["measure"]] for c in (two_sided, 0.95))
    assert row["bound"] == pytest.approx(ends.low), why
    assert (row["observed"], row["low"], row["high"]) == (shown.value, shown.low, shown.high)
    assert row["verdict"] == "failed", "the bound is judged, and lies below the limit"
    assert f"{row['bound']:.3f} with confidence {confidence}" in describe_check(row.to_dict())


@pytest.mark.parametrize(
    ("names", "wrong", "limit", "verdict", "why"),
    [
        # 20 mentions per name; the bound is that of at most three independent mentions per name
        (10, 10, 0.9, "too few names", "10 names cannot show it: the bound of 30 mentions is .83"),
        (10, 10, 0.75, "passed", "10 names can show less"),
        (20, 20, 0.8, "passed", ".15 above the limit"),
        (20, 200, 0.8, "failed", "the observed value is below the limit"),
        (20, 20, 0.9, "too few names", "20 names cannot show it"),
        (40, 40, 0.9, "passed", "40 can"),
    ],
)
def test_few_names_cannot_meet_a_limit_with_confidence(
    names: int, wrong: int, limit: float, verdict: str, why: str
) -> None:
    found = np.ones((names, 20), dtype=bool)
    found.ravel()[np.random.Generator(np.random.PCG64(1)).permutation(found.size)[:wrong]] = False
    result = accept([asked(min_recall=limit, confidence=0.95)], [scored(found)])
    row = result.table.iloc[0].to_dict()
    assert row["verdict"] == verdict, (why, row)
    assert result.passed is (verdict == "passed")
    assert ("too few to be sure" in describe_check(row)) is (verdict == "too few names")


@pytest.mark.parametrize(
    ("first", "second", "margin", "passed", "why"),
    [
        (0.8, 0.8, 0.1, True, "equal, and a tenth is allowed"),
        (0.8, 0.8, 0.0, False, "equal, but not shown to be no worse at all"),
        (0.6, 0.8, 0.1, False, "worse by more"),
    ],
)
def test_no_worse_than(first: float, second: float, margin: float, passed: bool, why: str) -> None:
    runs = [scored(chance(first, 1), run="mine"), scored(chance(second, 2), run="theirs")]
    criterion = asked(no_worse_than="theirs", margin=margin)
    found = accept([criterion], runs)
    assert list(found.table["run"]) == ["mine", "mine"], "a run is not held against itself"
    assert list(found.table["measure"]) == ["recall against theirs", "precision against theirs"]
    assert found.passed is passed, why
    only = asked(no_worse_than="theirs", margin=margin, measures=["f1"])
    assert list(accept([only], runs).table["measure"]) == ["f1 against theirs"]


def test_the_reference_must_be_there_and_of_the_same_texts() -> None:
    run = scored(chance(0.8), run="mine")
    with pytest.raises(InputError, match="unknown run"):
        accept([asked(no_worse_than="theirs", margin=0.1)], [run])
    other = scored(chance(0.8, shape=(12, 40)), run="theirs")
    with pytest.raises(InputError, match="must use the same suite or corpus"):
        accept([asked(no_worse_than="theirs", margin=0.1)], [run], references=[other])
    with pytest.raises(InputError, match="no criterion applies"):
        accept([asked(runs=("others",), min_recall=0.1)], [run])


def test_failing_cases_are_named_and_drawn_by_seed() -> None:
    found = chance(0.5)
    run = scored(found)
    first, again, other = (accept([asked(min_recall=0.9)], [run], max_cases=4, seed=s) for s in (0, 0, 1))
    assert first.describe_failures() == again.describe_failures() != other.describe_failures()
    missed = {str(i) for i in np.flatnonzero(~found.ravel())}
    cases = first.failing_cases[0]
    assert len(cases) == 4
    assert {c.text_id for c in cases} <= missed
    assert all(c.error == "missed" and f"⟦{c.data}⟧" in c.gold for c in cases)
    assert not accept([asked(min_recall=0.9)], [run], max_cases=0).failing_cases


def test_false_alarms_by_class_of_contexts_and_of_mentions() -> None:
    texts = [
        "The CDK2 gene acts.",
        "Total RNA was isolated.",
        "DNA was cut.",
        "Nothing happened.",
        "We slept.",
    ]
    places = [(0, 4, 8), (1, 6, 9), (2, 0, 3), (2, 4, 7)]
    every = [Made(text, ((start, end),)) for text, start, end in places]
    gold, guesses = make_pair(texts, every[:1], every)
    upper = Class.from_query("upper", "data = RNA")
    found = score(gold, guesses, notions=["strict"], classes=[upper])
    rate, size = estimate_alarm_rate(found, EVERYTHING, 0.95)
    assert (rate.value, size) == (0.5, 4), "two of the four texts without gold mentions, counted once each"
    rate, size = estimate_alarm_rate(found, upper, 0.95)
    assert (rate.value, size) == (0.25, 4)
    rate, size = estimate_alarm_rate(found, Class.from_query("of contexts", "sentence_words <= 3"), 0.95)
    assert (rate.value, size) == (1 / 3, 3), "only in the second of the last three"
    outcome = accept([asked(max_false_alarms=0.4)], [found])
    assert [str(c) for c in outcome.failing_cases[0]] == [
        "case t1: false alarm 'RNA' in: Total RNA was isolated.",
        "case t2: false alarm 'DNA; was' in: DNA was cut.",
    ]


def test_junit_is_valid_and_safe() -> None:
    hostile = Class.from_query('<b> & "x" \x07', "all")
    run = scored(chance(0.5), run="a<b>", classes=[hostile])
    found = accept([asked(min_recall=0.9, one=hostile), asked(min_recall=0.1)], [run])
    text = format_junit_xml(found)
    root = etree.fromstring(text.encode("utf-8"))
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    cases = root.findall("testsuite/testcase")
    assert cases[0].get("name") == '<b> & "x" \ufffd: strict recall >= 0.9'
    assert "missed" in (cases[0].findtext("failure") or "")
    assert cases[1].find("failure") is None
    assert format_junit_xml(found) == text


HEAD = 'format = 1\n[[class]]\nname = "a"\n'
LOWER = HEAD + 'query = "case = lower"\n'
LOW = LOWER + 'recall = "low"\n'


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_criteria, HEAD, "a criterion requires"),
        (read_criteria, HEAD + 'min_recall = "high"\n', r"class\[1\].min_recall"),
        (read_criteria, HEAD + 'no_worse_than = "kex"\n', "requires margin"),
        (read_criteria, HEAD + "min_recall = 0.5\nmargin = 0.1\n", "require no_worse_than"),
        (read_criteria, HEAD + 'min_recall = 0.5\nnotion = "exact"\n', "unknown notion.*allowed: strict"),
        (read_predictions_file, LOWER, r"class\[1\].*a prediction needs recall"),
        (read_predictions_file, LOWER + 'recall = "lower"\n', r"class\[1\].recall"),
        (
            read_predictions_file,
            LOWER + "recall = {min = 0.5, max = 0.4}\n",
            "min must not be larger than max",
        ),
        (read_predictions_file, LOWER + 'recal = "low"\n', "allowed: recall"),
        (read_predictions_file, LOW + LOW.partition("\n")[2], "same name"),
    ],
)
def test_wrong_criteria_and_predictions_are_refused(
    tmp_path: Path, read: Callable[[Path], Any], text: str, message: str
) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read(file)
    assert "limits.toml" in str(caught.value)


def test_the_command(tagsuite: Callable[..., Any], two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    kex, dictionary = two_runs
    file, junit = tmp_path / "criteria.toml", tmp_path / "junit.xml"
    file.write_text(HEAD + "min_recall = 0.01\nmax_false_alarms = 1\n", encoding="utf-8")
    done = tagsuite("accept", file, kex, "--junit", junit)
    assert done.returncode == 0, done.stderr
    assert etree.parse(junit).getroot().get("failures") == "0"

    other = f'no_worse_than = "{kex}"\nmargin = 0.05\nconfidence = 0.9\nmeasures = ["recall"]\n'
    file.write_text(HEAD + other, encoding="utf-8")
    done = tagsuite("accept", file, dictionary, "--junit", junit, "--cases", 2, "--format", "json")
    assert done.returncode == 1, done.stderr
    assert "recall against kex" in done.stdout
    assert done.stderr.count("  case ") == 2
    assert etree.parse(junit).getroot().get("failures") == "1"
    assert tagsuite("accept", file, tmp_path).returncode == 2


def test_in_pytest(two_runs: tuple[Path, Path], tmp_path: Path) -> None:
    """The installed package registers the pytest fixture once."""
    (tmp_path / "criteria.toml").write_text(HEAD + "min_recall = 0.01\n", encoding="utf-8")
    (tmp_path / "strict.toml").write_text(HEAD + "min_recall = 1\n", encoding="utf-8")
    (tmp_path / "test_tagger.py").write_text(
        f"""
def test_good(tagsuite_accept):
    assert tagsuite_accept("criteria.toml", {str(two_runs[0])!r}).passed

def test_bad(tagsuite_accept):
    tagsuite_accept("strict.toml", {str(two_runs[0])!r}, cases=1)
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tagger.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "required >= 1" in done.stdout
    assert "case " in done.stdout
