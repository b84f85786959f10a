"""Tables printed without pandas look as they do with it."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from tagsuite.catalogues.core.tables import Format, Rows, render

COLUMNS: dict[str, list[Any]] = {
    "name": ["a,b", 'say "x"', "β|γ"],
    "number": [1, 22, 333],
    "share": [0.5, 0.25, 1.0],
    "flag": [True, False, True],
}


@pytest.mark.parametrize("form", list(Format))
def test_rows_are_printed_as_frames_are(form: Format) -> None:
    assert render(Rows(COLUMNS), form) == render(pd.DataFrame(COLUMNS), form)


@pytest.mark.parametrize("form", list(Format))
def test_no_rows(form: Format) -> None:
    empty: dict[str, list[Any]] = {"name": [], "number": []}
    assert render(Rows(empty), form) == render(pd.DataFrame(empty), form)


def test_json_lines_are_the_rows_of_json_one_a_line() -> None:
    rows = Rows({"a": [1, None], "b": ["x\ny", "é"]})
    lines = render(rows, Format.jsonl).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(render(rows, Format.json, key="k"))["k"]
    assert render(Rows({"a": []}), Format.jsonl) == ""
