"""Tests of tables: reading of CSV, printing without pandas, and CSV for spreadsheet programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.tables import (
    OutputFormat,
    escape_formula,
    format_frame,
    read_csv_frame,
    unescape_formula,
)

BROKEN = [
    (b"\n \n", r"t.csv: the file is empty; allowed: a header line with name, number"),
    (b"name,other\nx,1\n", r"t.csv:1: missing column number: found 'name, other'"),
    (b"name,number\nx,1\ny,2,3\n", r"t.csv: not a readable CSV file \(.*line 3, saw 3\); allowed: a header"),
    ("name,number\nx,1\n".encode("utf-16"), r"t.csv:1: the text is not UTF-8 \(it looks like UTF-16\)"),
]


@pytest.mark.parametrize(("content", "told"), BROKEN)
def test_what_is_no_table_is_refused(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_csv_frame(tmp_path / "t.csv", ("name", "number"))


@pytest.mark.parametrize("numbers", [[1], []])
def test_a_table_and_a_head_line_alone_are_read(numbers: list[int], tmp_path: Path) -> None:
    lines = ["name,number", *(f"x,{number}" for number in numbers)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_csv_frame(tmp_path / "t.csv", ("name", "number"))["number"].tolist() == numbers


def test_json_lines_are_the_rows_of_json_one_a_line() -> None:
    rows: dict[str, list[Any]] = {"a": [1, None], "b": ["x\ny", "é"]}
    lines = format_frame(rows, OutputFormat.jsonl).splitlines()
    whole = json.loads(format_frame(rows, OutputFormat.json, key="k"))
    assert [json.loads(line) for line in lines] == whole["k"]


@pytest.mark.parametrize(
    ("cell", "expected", "why"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)", "a formula"),
        ("+1", "'+1", "text, though it looks like a number"),
        ("-ase", "'-ase", "a name that begins with a hyphen"),
        ("@SUM(1)", "'@SUM(1)", "a function"),
        ("\t=1", "'\t=1", "a control character before a formula"),
        ("\x9f", "'\x9f", "a control character of the second block"),
        ("\uff1d1", "'\uff1d1", "a sign in full width"),
        ("a=1", "a=1", "not at the beginning"),
        ("'quoted'", "'quoted'", "an apostrophe of its own"),
        (-1.5, -1.5, "a number"),
        (None, None, "nothing"),
    ],
)
def test_spreadsheets_compute_no_cell(cell: Any, expected: Any, why: str) -> None:
    assert escape_formula(cell) == expected, why
    assert unescape_formula(escape_formula(cell)) == cell, why


FRAME = pd.DataFrame(
    {
        "=name": pd.Series(["=x", "p53", None, "-a,b"], dtype="str"),
        "number": [-1.5, 1e-9, float("nan"), 1 / 3],
        "count": pd.Series([-1, 2, None, 10**12], dtype="Int64"),
        "flag": [True, False, True, False],
        "mixed": ["-x", -1, -1.5, None],
    }
)


@pytest.mark.parametrize("form", list(OutputFormat))
def test_only_text_changes_in_csv_for_spreadsheets(form: OutputFormat) -> None:
    plain = format_frame(FRAME, form)
    if form is OutputFormat.csv:
        for old, new in (("=name", "'=name"), ("=x", "'=x"), ('"-a,b', "\"'-a,b"), ("-x", "'-x")):
            plain = plain.replace(old, new)
    assert format_frame(FRAME, form, spreadsheet=True) == plain
