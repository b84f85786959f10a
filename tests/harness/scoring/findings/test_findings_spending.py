"""What cases cost: by class, in a report, as a criterion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tagsuite
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.acceptance import accept_runs
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.scoring.options import ClassOptions, ScoringOptions
from tagsuite.harness.scoring.spending import slow_estimate
from tagsuite.reports.reporting import report_of

SENTENCES = [
    "The <gp>wee1</gp> gene.",
    "A <gp>Wnt</gp> signal with <gp>cdc25</gp>.",
    "Here is <gp>Notch</gp>.",
    "Nothing at all.",
]
NO = float("nan")
SECONDS = [0.1, 0.4, 0.2, NO]


@pytest.fixture(scope="module")
def costly(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of which the costs of its four cases are known, the last one's in part."""
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
    ("max_price = 2.9", "all", 3.0, "failed", "above"),
    ("max_price = 1.5", "case = lower", 1.5, "passed", "cases with a mention of the class"),
    ("max_seconds_p95 = 9.0", "all", float("inf"), "failed", "a case without an answer is the slowest"),
    ("max_seconds_p95 = 0.4", "case = lower", 0.4, "passed, not assured", "two cases assure of nothing"),
    ("max_seconds_p95 = 0.3", "case = lower", 0.4, "failed", "one took longer"),
    ("max_seconds_p95 = 0.4\nconfidence = 0.9", "case = lower", 0.4, "failed", "the bound is judged"),
    ("max_price = 1.0", "length > 100", NO, "failed", "no case"),
]


@pytest.mark.parametrize(
    ("limit", "query", "observed", "verdict", "why"), CRITERIA, ids=[c[4] for c in CRITERIA]
)
def test_criteria(
    limit: str, query: str, observed: float, verdict: str, why: str, costly: Run, tmp_path: Path
) -> None:
    file = tmp_path / "criteria.toml"
    file.write_text(f'format = 1\n[[class]]\nname = "one"\nquery = "{query}"\n{limit}\n')
    found = accept_runs(file, [costly.folder], ScoringOptions()).table.iloc[0]
    assert found["verdict"] == verdict, why
    assert found["observed"] == pytest.approx(observed, nan_ok=True)
    assert found["unit"] == "case"


def test_a_run_without_costs_meets_no_limit_of_them(costly: Run, tmp_path: Path) -> None:
    file = tmp_path / "criteria.toml"
    file.write_text('format = 1\n[[class]]\nname = "one"\nmax_price = 1.0\nmax_seconds_p95 = 1.0\n')
    bare = tagsuite.run(costly.input, "kex", tmp_path / "bare")
    assert bare.costs is None
    found = accept_runs(file, [bare.folder], ScoringOptions())
    assert found.table["reason"].tolist() == ["undefined: the run does not know it"] * 2
    assert not found.passed


def test_costs_of_other_cases_are_refused(costly: Run, tmp_path: Path) -> None:
    file = tmp_path / "criteria.toml"
    file.write_text('format = 1\n[[class]]\nname = "one"\nmax_price = 1.0\n')
    other = tagsuite.run(costly.input, "kex", tmp_path / "other")
    costs = pd.read_parquet(costly.folder / "costs.parquet")
    costs.iloc[:2].to_parquet(other.folder / "costs.parquet")
    with pytest.raises(InputError, match="other cases"):
        accept_runs(file, [other.folder], ScoringOptions())


def test_the_report_sums_by_class(costly: Run) -> None:
    report = report_of([costly.folder], asked=ClassOptions(by=("case",)))
    (section,) = [s for s in report.sections if s.id == "spending"]
    (table,) = section.blocks
    frame: pd.DataFrame = table.frame.set_index("class")  # type: ignore[union-attr]
    assert frame.loc["all", "cases"] == 4
    assert frame.loc["all", "price"] == 3.0
    lower = next(name for name in frame.index if "lower" in name)
    got: list[Any] = frame.loc[lower, ["cases", "seconds", "input_tokens", "price"]].tolist()
    assert got == pytest.approx([2, 0.5, 30, 1.5])


def test_a_report_of_runs_without_costs_has_no_such_section(costly: Run, tmp_path: Path) -> None:
    bare = tagsuite.run(costly.input, "kex", tmp_path / "bare")
    report = report_of([bare.folder])
    assert "spending" not in [s.id for s in report.sections]


@pytest.mark.parametrize("size", [40, 300])
def test_the_interval_of_the_95th_percentile_holds_it(size: int) -> None:
    draw = np.random.Generator(np.random.PCG64(3))
    true = -np.log(0.05)
    inside = 0
    for _ in range(400):
        found = slow_estimate(draw.exponential(size=size), 0.9)
        inside += found.low <= true <= found.high
    assert 0.86 <= inside / 400 <= 0.99
