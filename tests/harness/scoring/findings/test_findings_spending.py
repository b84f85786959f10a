"""Tests of costs per case: by class, in a report, as a criterion."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tagsuite
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.recording import record_predictions
from tagsuite.harness.running.folder.runs import Run, read_run
from tagsuite.harness.scoring.acceptance.accept_runs import accept_runs
from tagsuite.harness.scoring.options import ClassOptions, ScoringOptions
from tagsuite.harness.scoring.views.case_costs import COST_TABLE_COLUMNS, estimate_slow_seconds
from tagsuite.reports.build import make_report
from tagsuite.reports.sections.acceptance import acceptance_tables

SENTENCES = [
    "The <gp>wee1</gp> gene.",
    "A <gp>Wnt</gp> signal with <gp>cdc25</gp>.",
    "Here is <gp>Notch</gp>.",
    "Nothing at all.",
]
NO = float("nan")
SECONDS = [0.1, 0.4, 0.2, NO]


def criteria(folder: Path, limits: str, query: str = "all") -> Path:
    """Write a criteria file for one class."""
    file = folder / "criteria.toml"
    file.write_text(f'format = 1\n[[class]]\nname = "one"\nquery = "{query}"\n{limits}\n')
    return file


def bare_run(like: Run, folder: Path) -> Run:
    """Return a run of recorded output over the same texts, without costs."""
    record_predictions(like.input, like.input, "old", folder)
    return read_run(folder)


def with_shares(like: Run, folder: Path, shared: list[float]) -> Run:
    """Return a run in which some running times are shares of a batch."""
    done = bare_run(like, folder)
    pd.read_parquet(like.folder / "costs.parquet").assign(shared=shared).to_parquet(folder / "costs.parquet")
    return done


@pytest.fixture(scope="module")
def costly(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run with the costs of four cases, incomplete for the last one."""
    folder = tmp_path_factory.mktemp("costly")
    (folder / "corpus.sgml").write_text("".join(f"{s}\n" for s in SENTENCES), encoding="utf-8")
    done = tagsuite.run(f"sgml:{folder / 'corpus.sgml'}", "kex", folder / "run")
    costs = pd.DataFrame(
        {
            "case_id": done.outcomes["case_id"],
            "seconds": SECONDS,
            "attempts": pd.array([1, 1, 2, 5], dtype="Int64"),
            "input_tokens": pd.array([10, 20, 30, None], dtype="Int64"),
            "output_tokens": pd.array([1, 2, 3, None], dtype="Int64"),
            "price": [0.5, 1.0, 1.5, NO],
        }
    )
    costs.to_parquet(done.folder / "costs.parquet")
    return done


CRITERIA = [
    ("max_price = 3.0", "all", 3.0, "passed", "the sum of what is known"),
    ("max_price = 1.5", "case = lower", 1.5, "passed", "cases with a mention of the class"),
    ("max_seconds_p95 = 9.0", "all", float("inf"), "failed", "a case without an answer is the slowest"),
    ("max_seconds_p95 = 0.4", "case = lower", 0.4, "passed, uncertain", "two cases assure of nothing"),
    ("max_seconds_p95 = 0.4\nconfidence = 0.9", "case = lower", 0.4, "failed", "the bound is judged"),
    ("max_price = 1.0", "length > 100", NO, "failed", "no case"),
]


@pytest.mark.parametrize(
    ("limit", "query", "observed", "verdict", "why"), CRITERIA, ids=[c[4] for c in CRITERIA]
)
def test_criteria(
    limit: str, query: str, observed: float, verdict: str, why: str, costly: Run, tmp_path: Path
) -> None:
    file = criteria(tmp_path, limit, query)
    found = accept_runs(file, [costly.folder], ScoringOptions()).table.iloc[0]
    assert found["verdict"] == verdict, why
    assert found["observed"] == pytest.approx(observed, nan_ok=True)
    assert found["unit"] == "case"


def test_a_run_without_costs_meets_no_limit_of_them(costly: Run, tmp_path: Path) -> None:
    file = criteria(tmp_path, "max_price = 1.0\nmax_seconds_p95 = 1.0")
    bare = bare_run(costly, tmp_path / "bare")
    assert bare.costs is None
    found = accept_runs(file, [bare.folder], ScoringOptions())
    assert found.table["reason"].tolist() == ["undefined: not recorded by the run"] * 2
    assert not found.passed


def test_costs_of_other_cases_are_refused(costly: Run, tmp_path: Path) -> None:
    file = criteria(tmp_path, "max_price = 1.0")
    other = tagsuite.run(costly.input, "kex", tmp_path / "other")
    costs = pd.read_parquet(costly.folder / "costs.parquet")
    costs.iloc[:2].to_parquet(other.folder / "costs.parquet")
    with pytest.raises(InputError, match="does not contain each scored case exactly once"):
        accept_runs(file, [other.folder], ScoringOptions())


def spending_table(run: Run, **asked: Any) -> Any:
    """Return the table of costs in a report, or None."""
    sections = [
        s for s in make_report([run.folder], asked=ClassOptions(**asked)).sections if s.id == "spending"
    ]
    return sections[0].blocks[0] if sections else None


def test_the_report_sums_by_class(costly: Run) -> None:
    table = spending_table(costly, by=("case",))
    shown = [c.name for c in table.columns]
    assert shown[2:4] == ["seconds", "seconds_p95"], "a run of before there were shares was measured"
    frame = table.frame.set_index("class")
    assert frame.loc["all", ["cases", "price"]].tolist() == [4, 3.0]
    lower = next(name for name in frame.index if "lower" in name)
    got: list[Any] = frame.loc[lower, ["cases", "seconds", "input_tokens", "price"]].tolist()
    assert got == pytest.approx([2, 0.5, 30, 1.5])


SHARES = [
    ("max_seconds_p95 = 0.3", "case = lower", [1, 2, 1, NO], "shares in 2 of 2 cases"),
    ("max_seconds_p95 = 0.4", "case = lower", [0, 1, 0, NO], "shares in 1 of 2 cases"),
    ("max_price = 3.0", "all", [1, 1, 1, NO], ""),
]


@pytest.mark.parametrize(("limit", "query", "shared", "basis"), SHARES)
def test_criteria_say_which_seconds_are_shares(
    limit: str,
    query: str,
    shared: list[float],
    basis: str,
    costly: Run,
    tmp_path: Path,
    tagsuite: Callable[..., Any],
) -> None:
    done = with_shares(costly, tmp_path / "run", shared)
    file = criteria(tmp_path, limit, query)
    found = accept_runs(file, [done.folder], ScoringOptions())
    assert found.table["basis"].tolist() == [basis]
    (table,) = acceptance_tables(found.table)
    assert ("basis" in [c.name for c in table.columns]) == bool(basis), (
        "a report shows it where it says something"
    )
    whole = f"not measured for each case: {basis}"
    assert [whole in line for line in found.describe_failures()] == [bool(basis)] * len(
        found.describe_failures()
    )
    printed = tagsuite("accept", file, done.folder, "--junit", tmp_path / "junit.xml")
    assert (basis and basis in printed.stdout) or (
        "basis" not in printed.stdout and "share" not in printed.stdout
    )
    assert (whole in (tmp_path / "junit.xml").read_text()) == bool(basis)


def test_score_shows_the_sums_of_the_report(
    costly: Run, tmp_path: Path, tagsuite: Callable[..., Any]
) -> None:
    frame: pd.DataFrame = spending_table(costly, by=("case",)).frame
    asked = ("score", costly.folder, "--show", "costs", "--by", "case")
    read = pd.read_csv(io.StringIO(tagsuite(*asked, "--format", "csv").stdout))
    assert read.columns.tolist() == ["run", "corpus", "class", *COST_TABLE_COLUMNS]
    assert set(read["run"]) == {"run"}
    pd.testing.assert_frame_equal(read[frame.columns], frame, check_dtype=False)
    rows = json.loads(tagsuite(*asked, "--format", "json").stdout)["costs"]
    assert [row["price"] for row in rows] == frame["price"].tolist()
    assert rows[0]["seconds_p95"] is None, "a case without an answer is the slowest"
    head, _, first, *_ = tagsuite(*asked).stdout.splitlines()
    assert head.split() == ["class", *(c for c in COST_TABLE_COLUMNS if c != "shared")]
    assert first.split() == ["all", "4", "0.700", "inf", "60", "6", "3.000"]


def test_a_report_has_no_seconds_that_are_shares_alone(costly: Run, tmp_path: Path) -> None:
    done = with_shares(costly, tmp_path / "shares", [1, 1, 1, 1])
    shown = [c.name for c in spending_table(done).columns]
    assert shown == ["class", "cases", "input_tokens", "output_tokens", "price"]
    file = done.folder / "costs.parquet"
    nothing = dict.fromkeys(("input_tokens", "output_tokens", "price"), NO)
    pd.read_parquet(file).astype(dict.fromkeys(nothing, "float64")).assign(**nothing).to_parquet(file)
    assert spending_table(done) is None


@pytest.mark.parametrize(
    "arguments",
    [("bare",), ("costly", "bare"), ("--gold", "gold", "--predicted", "gold")],
    ids=["recorded elsewhere", "one of two", "no run"],
)
def test_runs_that_do_not_know_their_costs_are_named(
    arguments: tuple[str, ...], costly: Run, tmp_path: Path, refused: Callable[..., str]
) -> None:
    bare = bare_run(costly, tmp_path / "bare")
    places = {"bare": bare.folder, "costly": costly.folder, "gold": costly.input}
    assert "without costs.parquet" in refused(
        "score", *(places.get(a, a) for a in arguments), "--show", "costs"
    )


@pytest.mark.parametrize("size", [40, 300])
def test_the_interval_of_the_95th_percentile_holds_it(size: int) -> None:
    draw = np.random.Generator(np.random.PCG64(3))
    true = -np.log(0.05)
    inside = 0
    for _ in range(400):
        found = estimate_slow_seconds(draw.exponential(size=size), 0.9)
        inside += found.low <= true <= found.high
    assert 0.86 <= inside / 400 <= 0.99
