"""CSV for spreadsheet programs: text that they would compute is made harmless, numbers never."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from tagsuite.catalogues.core.tables import Format, Rows, harmless, original, render


@pytest.mark.parametrize(
    ("cell", "expected", "why"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)", "a formula"),
        ("+1", "'+1", "text, though it looks like a number"),
        ("-ase", "'-ase", "a name that begins with a hyphen"),
        ("@SUM(1)", "'@SUM(1)", "a function"),
        ("\t=1", "'\t=1", "a control character before a formula"),
        ("\r=1", "'\r=1", "a line's end"),
        ("\n=1", "'\n=1", "a line's end"),
        ("\x00=1", "'\x00=1", "a null character"),
        ("\x9f", "'\x9f", "a control character of the second block"),
        ("\uff1d1", "'\uff1d1", "a sign in full width"),
        ("p53", "p53", "a name"),
        ("a=1", "a=1", "not at the beginning"),
        ("'quoted'", "'quoted'", "an apostrophe of its own"),
        ("", "", "nothing"),
        (-1, -1, "a number"),
        (-1.5, -1.5, "a number"),
        (None, None, "nothing"),
    ],
)
def test_cells(cell: Any, expected: Any, why: str) -> None:
    assert harmless(cell) == expected, why
    assert original(harmless(cell)) == cell, why


FRAME = pd.DataFrame(
    {
        "=name": pd.Series(["=x", "p53", None, "-a,b"], dtype="str"),
        "number": [-1.5, 1e-9, float("nan"), 1 / 3],
        "count": pd.Series([-1, 2, None, 10**12], dtype="Int64"),
        "flag": [True, False, True, False],
        "mixed": ["-x", -1, -1.5, None],
    }
)


def test_only_text_changes() -> None:
    plain = render(FRAME, Format.csv)
    asked = render(FRAME, Format.csv, spreadsheet=True)
    assert asked == (
        plain.replace("=name", "'=name").replace("=x", "'=x").replace('"-a,b', "\"'-a,b").replace("-x", "'-x")
    )
    safe = FRAME[["number", "count", "flag"]]
    assert render(safe, Format.csv, spreadsheet=True) == render(safe, Format.csv)
    rows = Rows({"a": ["=1", -1]})
    assert render(rows, Format.csv, spreadsheet=True) == "a\n'=1\n-1\n"


@pytest.mark.parametrize("form", [f for f in Format if f is not Format.csv])
def test_other_forms_are_left_alone(form: Format) -> None:
    assert render(FRAME, form, spreadsheet=True) == render(FRAME, form)
