"""Reading the texts of a suite for a run: raw.txt, and its comparison with cases.parquet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.inputs.cases import read_cases
from tagsuite.harness.running.run import run


def suite(folder: Path, texts: list[str | None], raw: str | None) -> str:
    folder.mkdir()
    pq.write_table(
        pa.table({"case_id": pa.array(range(len(texts)), pa.int64()), "text": pa.array(texts, pa.string())}),
        folder / "cases.parquet",
        row_group_size=2,
    )
    (folder / "suite.toml").write_text(
        'format = 1\n[suite]\nname = "s"\nsignature = "suite:abc"\n', encoding="utf-8"
    )
    if raw is not None:
        (folder / "raw.txt").write_text(raw, encoding="utf-8", newline="\n")
    return str(folder)


TEXTS: list[str | None] = ["the p53 gene", "", "β-catenin", "last one", "more"]
RAW = "the p53 gene\n\nβ-catenin\nlast one\nmore\n"


def test_raw_and_cases_are_the_same_input(tmp_path: Path) -> None:
    with_raw = read_cases(suite(tmp_path / "a", TEXTS, RAW))
    without = read_cases(suite(tmp_path / "b", TEXTS, None))
    assert with_raw.texts.to_pylist() == without.texts.to_pylist() == TEXTS
    assert with_raw.digest == without.digest
    assert with_raw.digest.startswith("dc408a81")
    assert with_raw.signature == "suite:abc"


CHANGED = [
    (RAW.replace("last", "lost"), 4, "lost one", "a letter"),
    (RAW.replace("p53 gene", "p53 genes"), 1, "the p53 genes", "a letter more"),
    (RAW + "one\n", 6, "one", "a line more"),
    (RAW[:-1], 6, "", "no line end"),
    ("", 1, "", "nothing"),
]


@pytest.mark.parametrize(("raw", "line", "found", "why"), CHANGED, ids=[c[3] for c in CHANGED])
def test_a_raw_txt_that_was_changed_is_refused_with_its_line(
    raw: str, line: int, found: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read_cases(suite(tmp_path / "s", TEXTS, raw))
    assert caught.value.line == line
    assert caught.value.found == found


DESCRIPTIONS = [
    ("format = 9\n", "a format that this version cannot read", "another format"),
    ("format = 1\n[suite]\nname = 3\n", "suite.name", "a name that is no text"),
]


@pytest.mark.parametrize(("meta", "told", "why"), DESCRIPTIONS, ids=[d[2] for d in DESCRIPTIONS])
def test_a_suite_that_is_badly_described_is_refused_before_it_is_run(
    meta: str, told: str, why: str, tmp_path: Path
) -> None:
    place = suite(tmp_path / "s", TEXTS, RAW)
    (tmp_path / "s" / "suite.toml").write_text(meta, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_cases(place)


def test_a_missing_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="column text"):
        read_cases(suite(tmp_path / "s", ["x", None], "x\n\n"))


def test_a_run_over_a_changed_suite_leaves_no_result(tmp_path: Path, program: Callable[..., Path]) -> None:
    spec = program("import sys\nsys.stdout.write(sys.stdin.read())\n")
    source = suite(tmp_path / "s", TEXTS, RAW.replace("last", "lost"))
    with pytest.raises(InputError):
        run(source, spec, tmp_path / "run", cache=False)
    assert not (tmp_path / "run" / "run.toml").exists()
    assert not (tmp_path / "run" / "predictions.parquet").exists()
    (tmp_path / "s" / "raw.txt").write_text(RAW, encoding="utf-8")
    done = run(source, spec, tmp_path / "run", cache=False, force=True)
    assert done.outcome_counts == {"ok": 5}
