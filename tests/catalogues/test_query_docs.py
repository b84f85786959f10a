"""Tests of the statements on the documentation page about queries."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.catalogues.query import Query, QueryError

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "queries.md").read_text(encoding="utf-8")
EXAMPLES = PAGE.split("```")[1].strip().splitlines()


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_read_and_print_to_the_same(text: str) -> None:
    query = Query.parse(text)
    assert Query.parse(str(query)) == query


def test_the_table_of_absent_values() -> None:
    header, _, *rows = [
        [cell.strip().strip("`") for cell in line[1:-1].split("|")]
        for line in PAGE.splitlines()
        if line.startswith(("|case|", "|---|---|---|---|---|", "|lower|", "|upper|", "|absent|"))
    ]
    frame = pd.DataFrame({"case": [None if row[0] == "absent" else row[0] for row in rows]})
    for column, text in enumerate(header[1:], 1):
        expected = [row[column] == "yes" for row in rows]
        assert Query.parse(text).evaluate(frame).tolist() == expected, text


def test_the_error_is_printed_as_the_page_shows_it() -> None:
    shown = re.search(r"--entities '(.*)'\ntagsuite: ([^`]*)\n```", PAGE)
    assert shown is not None
    with pytest.raises(QueryError) as caught:
        Query.parse(shown[1], scopes=("entity",))
    assert str(caught.value) == shown[2]
