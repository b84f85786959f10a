"""Tables for people: intervals in one column, fitting to a width, sections, colours, complete pipes."""

from __future__ import annotations

import io
import os
from typing import Any

import pandas as pd
import pytest

from tagsuite.catalogues.core.tables import OutputFormat, format_frame, print_frame
from tagsuite.catalogues.core.text_table import TableLayout, format_text, make_text_table

SCORES: dict[str, list[Any]] = {
    "corpus": ["one", "one", "two"],
    "class": ["all", "context.position = initial", "all"],
    "notion": ["strict"] * 3,
    "gold": [673, 92, 7],
    "recall": [0.498, 0.326, 1.0],
    "recall_low": [0.445, 0.219, 0.646],
    "recall_high": [0.55, 0.455, 1.0],
    "precision": [0.456, 0.5, None],
    "precision_low": [0.408, 0.337, None],
    "precision_high": [0.505, 0.663, None],
}
LAYOUT = TableLayout(("class", "notion"), ("recall", "precision", "gold"), section="corpus")
WIDE = """
class                       notion  gold           recall      precision
--------------------------  ------  ----  ---------------  -------------
one:
all                         strict   673   .50 [.45–.55]   .46 [.41–.51]
context.position = initial  strict    92   .33 [.22–.46]   .50 [.34–.66]

two:
all                         strict     7  1.00 [.65–1.00]
"""
NARROW = """
class                       gold           recall      precision
--------------------------  ----  ---------------  -------------
one:
all                          673   .50 [.45–.55]   .46 [.41–.51]
context.position = initial    92   .33 [.22–.46]   .50 [.34–.66]

two:
all                            7  1.00 [.65–1.00]
"""
TWO_LINES = """
class
  gold           recall      precision
--------------------------------------
one:
all
   673   .50 [.45–.55]   .46 [.41–.51]
context.position = initial
    92   .33 [.22–.46]   .50 [.34–.66]

two:
all
     7  1.00 [.65–1.00]
"""


def frame(columns: dict[str, list[Any]], layout: TableLayout) -> pd.DataFrame:
    made = pd.DataFrame(columns)
    made.attrs["layout"] = layout
    return made


@pytest.mark.parametrize(
    ("width", "expected", "why"),
    [
        (None, WIDE, "a pipe gets all columns"),
        (200, WIDE, "everything fits"),
        (72, WIDE, "fits exactly"),
        (66, NARROW, "the least important column is left out, class names are whole"),
        (40, TWO_LINES, "no room beside the names: two lines per row"),
    ],
)
def test_scores_at_a_width(width: int | None, expected: str, why: str) -> None:
    assert format_frame(frame(SCORES, LAYOUT), OutputFormat.table, width=width) == expected[1:], why


@pytest.mark.parametrize("width", range(20, 140, 7))
def test_names_are_never_cut_and_lines_fit(width: int) -> None:
    table = make_text_table(SCORES, LAYOUT)
    text, omitted = format_text(table, LAYOUT, width=width)
    assert "context.position = initial" in text
    heads = {column.head for column in table.columns}
    assert set(omitted) <= heads - {"class"}
    if width >= 30:
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(
    ("value", "low", "high", "expected", "why"),
    [
        (0.474, 0.42, 0.53, ".47 [.42–.53]", "no leading zeros"),
        (-0.3, -0.48, -0.09, "-.30 [-.48, -.09]", "a comma where an end is negative"),
        (1.0, 0.9, 1.0, "1.00 [.90–1.00]", "one keeps its digit"),
        (-0.001, 0.0, 0.1, ".00 [.00–.10]", "zero has no sign"),
        (0.5, None, None, ".50", "no interval is known"),
        (None, None, None, "", "no value is known"),
    ],
)
def test_an_interval(
    value: float | None, low: float | None, high: float | None, expected: str, why: str
) -> None:
    columns: dict[str, list[Any]] = {"class": ["all"], "f1": [value], "f1_low": [low], "f1_high": [high]}
    table = make_text_table(columns, TableLayout())
    assert [column.name for column in table.columns] == ["class", "f1"]
    assert table.columns[1].cells[0].strip() == expected, why


def test_p_values_and_other_numbers_of_a_table_with_intervals() -> None:
    columns: dict[str, list[Any]] = {"class": ["a", "b"], "p_bh": [0.0001, 0.0114], "x": [0.5, 2.0]}
    table = make_text_table(columns | {"x_low": [0.4, 1.0], "x_high": [0.6, 3.0]}, TableLayout())
    assert table.columns[1].cells == ["<.001", ".011"]
    assert [cell.strip() for cell in table.columns[2].cells] == [".50 [.40–.60]", "2.00 [1.00–3.00]"]


def test_markdown_has_sections_and_all_columns() -> None:
    lines = format_frame(frame(SCORES, LAYOUT), OutputFormat.markdown).splitlines()
    assert lines[0] == "| class | notion | gold | recall | precision |"
    assert lines[2] == "| **one** |  |  |  |  |"
    assert lines[3] == "| all | strict | 673 | .50 [.45–.55] | .46 [.41–.51] |"
    assert lines[5] == "| **two** |  |  |  |  |"


@pytest.mark.parametrize("form", [OutputFormat.csv, OutputFormat.json, OutputFormat.jsonl])
def test_formats_for_programs_keep_all_columns(form: OutputFormat) -> None:
    assert format_frame(frame(SCORES, LAYOUT), form) == format_frame(pd.DataFrame(SCORES), form)


def test_a_long_text_is_broken_into_lines() -> None:
    columns = {"name": ["case"], "definition": ["upper case at the first letter of each word"]}
    text = format_frame(frame(columns, TableLayout()), OutputFormat.table, width=30)
    assert text.splitlines()[2:] == ["case  upper case at the first", "      letter of each word"]


class Terminal(io.StringIO):
    """Standard output that is a terminal, or not."""

    encoding = "utf-8"

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "no_colour", "has_colour", "is_complete"),
    [(True, "", True, False), (True, "1", False, False), (False, "", False, True)],
)
def test_terminal_and_pipe(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_terminal: bool,
    no_colour: str,
    has_colour: bool,
    is_complete: bool,
) -> None:
    monkeypatch.setattr("sys.stdout", stdout := Terminal(is_terminal))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 24)))
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setenv("TERM", "xterm")
    print_frame(frame({**SCORES, "verdict": ["held", "refuted", ""]}, LAYOUT), OutputFormat.table)
    text = stdout.getvalue()
    assert ("\x1b[1m" in text) is has_colour
    assert ("verdict" in text) is is_complete
    assert ("columns not shown at this width: " in capsys.readouterr().err) is not is_complete


def test_colours_of_verdicts_and_intervals() -> None:
    columns: dict[str, list[Any]] = {
        "class": ["a", "b"],
        "x": [0.5, 0.5],
        "x_low": [0.4] * 2,
        "x_high": [0.6] * 2,
    }
    table = make_text_table({**columns, "verdict": ["held", "refuted"]}, TableLayout())
    text, _ = format_text(table, TableLayout(), colour=True)
    assert "\x1b[32mheld   \x1b[0m" in text
    assert "\x1b[31mrefuted\x1b[0m" in text
    assert "\x1b[2m[.40–.60]\x1b[0m" in text
