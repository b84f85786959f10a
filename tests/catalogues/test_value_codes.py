"""Tests of value codes: DataFrames and Arrow tables give the same codes, regardless of column types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.value_codes import (
    encode_combinations,
    encode_value_texts,
    encode_values,
    iterate_closed_values,
)
from tagsuite.catalogues.values import column_texts

COLUMNS = [
    # feature, column, values that occur, the number of each row's
    ("length", [12, None, 3, 12], ["", "3", "11-"], [2, 0, 1, 2]),
    ("length", [12.0, np.nan, 3.0, 12.0], ["", "3", "11-"], [2, 0, 1, 2]),
    ("length", pd.array([12, None, 3, 0], dtype="Int32"), ["", "0", "3", "11-"], [3, 0, 2, 1]),
    ("is_ASCII", [True, False, True, True], ["false", "true"], [1, 0, 1, 1]),
    ("is_ASCII", pd.array([True, None, None, False], dtype="boolean"), ["", "false", "true"], [2, 0, 0, 1]),
    ("case", ["mixed", "upper", None, "upper"], ["", "upper", "mixed"], [2, 1, 0, 1]),
    ("case", pd.Categorical(["lower"] * 4, categories=["upper", "lower"]), ["lower"], [0, 0, 0, 0]),
    ("function_words", ["of", "the", "in|of", None], ["", "in|of", "of", "the"], [2, 3, 1, 0]),
    ("case", [None] * 4, [""], [0, 0, 0, 0]),
]


@pytest.mark.parametrize(("name", "column", "names", "codes"), COLUMNS)
def test_rows_have_numbers_of_values(name: str, column: Any, names: list[str], codes: list[int]) -> None:
    feature = taxonomy().find(name)
    frame = pd.DataFrame({name: column})
    for table in (frame, pa.Table.from_pandas(frame, preserve_index=False)):
        found, values = encode_value_texts(table, feature)
        assert (values, found.tolist()) == (names, codes)
    for value, flags in iterate_closed_values(frame, feature):
        assert flags.tolist() == [value in names[code].split("|") for code in codes], value


def test_a_missing_column_is_absent_everywhere() -> None:
    frame = pd.DataFrame({"data": ["p53", "x"]})
    found, values = encode_value_texts(frame, taxonomy().find("case"))
    assert (found.tolist(), values) == ([0, 0], [""])
    assert not any(flags.any() for _, flags in iterate_closed_values(frame, taxonomy().find("case")))
    assert column_texts(frame, "case").tolist() == ["", ""]


def test_numbers_and_truths_stay_what_they_are() -> None:
    frame = pd.DataFrame({"words": pd.array([2, None, 1], dtype="Int32"), "is_ASCII": [True, False, True]})
    assert encode_values(frame, taxonomy().find("words"))[1] == [1, 2, None]
    assert encode_values(frame, taxonomy().find("is_ASCII"))[1] == [False, True]


def test_combinations_are_those_that_occur() -> None:
    frame = pd.DataFrame({"case": ["upper", "lower", "upper"], "words": [1, 1, 2]})
    codes, names = encode_combinations(frame, [taxonomy().find("case"), taxonomy().find("words")])
    assert [names[code] for code in codes.tolist()] == [("upper", "1"), ("lower", "1"), ("upper", "2")]
    assert len(names) == 3
