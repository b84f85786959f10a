"""Parquet written page by page is read back by others as it was meant."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tagsuite.generator.parquet import Column, PageWriter, coded, fixed, texts
from tagsuite.generator.parquet.pages import (
    Page,
    coded_page,
    data_page_header,
    fixed_page,
    repeated_page,
    stepped_page,
    text_page,
)
from tagsuite.generator.parquet.thrift import Long, struct, varint

POOLS = st.one_of(
    st.lists(st.none() | st.text(max_size=4), min_size=1, max_size=6).map(lambda v: pa.array(v, pa.string())),
    st.lists(st.none() | st.booleans(), min_size=1, max_size=6).map(lambda v: pa.array(v, pa.bool_())),
    st.lists(st.none() | st.integers(-9, 900), min_size=1, max_size=6).map(lambda v: pa.array(v, pa.int32())),
    st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=6).map(lambda v: pa.array(v, pa.int64())),
)


def read(columns: list[Column], blocks: Sequence[Sequence[Page | Sequence[Page]]]) -> pa.Table:
    stream = io.BytesIO()
    with PageWriter(stream, columns) as writer:
        for pages in blocks:
            writer.add(pages)
    table = pq.read_table(io.BytesIO(stream.getvalue()))
    table.validate(full=True)
    return table


@settings(deadline=None, max_examples=60)
@given(
    POOLS,
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=40), min_size=1, max_size=3),
    st.booleans(),
)
def test_any_rows_of_any_pool(pool: pa.Array, blocks: list[list[int]], category: bool) -> None:
    rows = [np.array(block) % len(pool) for block in blocks]
    columns = [coded("value", pool, category=category), fixed("n", "i8"), fixed("x", "f8")]
    pages = [
        [coded_page(columns[0], r), fixed_page(r.astype(np.int64)), fixed_page(r.astype(np.float64))]
        for r in rows
    ]
    table = read(columns, pages)
    expected = [pool[int(i)].as_py() for r in rows for i in r]
    assert table["value"].to_pylist() == expected
    assert table["n"].to_pylist() == [int(i) for r in rows for i in r]


@settings(deadline=None, max_examples=40)
@given(POOLS, st.lists(st.integers(0, 5), min_size=1, max_size=10), st.integers(1, 300))
def test_repeated_values(pool: pa.Array, rows: list[int], times: int) -> None:
    at = np.array(rows) % len(pool)
    column = coded("value", pool)
    table = read([column], [[repeated_page(column, at, times)]])
    assert table["value"].to_pylist() == [pool[int(i)].as_py() for i in at for _ in range(times)]


STEPPED = st.lists(
    st.one_of(st.integers(-3, 3), st.integers(-(2**30), 2**30)), min_size=1, max_size=300
) | st.integers(1, 9000).map(lambda n: list(range(7, 7 + n)))


@settings(deadline=None, max_examples=60)
@given(STEPPED)
def test_numbers_written_as_differences(numbers: list[int]) -> None:
    columns = [fixed("wide", "i8"), fixed("narrow", "i4")]
    page = stepped_page(np.array(numbers))
    table = read(columns, [[page, page], [page, page]])
    assert table["wide"].to_pylist() == table["narrow"].to_pylist() == numbers * 2


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=9), min_size=1, max_size=200), st.integers(1, 200))
def test_texts_in_pages_of_their_own_size(content: list[str], cut: int) -> None:
    parts = [part for part in (content[:cut], content[cut:]) if part]
    encoded = [[t.encode() for t in part] for part in parts]
    pages = [text_page(e, np.array([len(t) for t in e])) for e in encoded]
    numbers = stepped_page(np.arange(len(content)))
    table = read([texts("text"), fixed("n", "i8")], [[pages, numbers]])
    assert table["text"].to_pylist() == content
    assert table.schema.field("text").type == pa.large_string()


def test_steps_too_wide_are_refused() -> None:
    with pytest.raises(ValueError, match="32 bits"):
        stepped_page(np.array([0, 1 << 40, 3]))


def test_columns_of_a_block_must_agree() -> None:
    page = fixed_page(np.arange(3))
    with pytest.raises(ValueError, match="number of rows"):
        read([fixed("a", "i8"), fixed("b", "i8")], [[page, [page, page]]])


def test_a_pool_that_grows_keeps_earlier_codes() -> None:
    column = coded("value", pa.array(["a", "b"]), nullable=True)
    first = coded_page(column, np.array([0, 1]))
    column.extend(pa.array(["c", None, "a"]))
    table = read([column], [[first], [coded_page(column, np.array([2, 3, 4, 0]))]])
    assert table["value"].to_pylist() == ["a", "b", "c", None, "a", "a"]


def test_a_large_dictionary_is_written_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagsuite.generator.parquet.columns.LARGE_DICTIONARY", 10)
    pool = pa.array(["a long form", None, "β", "another one"])
    column = coded("value", pool)
    assert not column.has_dictionary
    table = read([column], [[coded_page(column, np.array([3, 1, 0, 2, 2]))]])
    assert table["value"].to_pylist() == ["another one", None, "a long form", "β", "β"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({1: 1}, b"\x15\x02\x00"),
        ({1: Long(-1)}, b"\x16\x01\x00"),
        ({4: "ab"}, b"\x48\x02ab\x00"),
        ({1: True, 2: False}, b"\x11\x12\x00"),
        ({20: 3}, b"\x05\x28\x06\x00"),
        ({1: {1: 2}}, b"\x1c\x15\x04\x00\x00"),
        ({2: [1, 2]}, b"\x29\x25\x02\x04\x00"),
    ],
)
def test_thrift_compact(content: dict[int, object], expected: bytes) -> None:
    assert struct(content) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "expected"), [(0, b"\x00"), (127, b"\x7f"), (128, b"\x80\x01"), (300, b"\xac\x02")]
)
def test_varint(number: int, expected: bytes) -> None:
    assert varint(number) == expected


@settings(deadline=None, max_examples=40)
@given(*[st.integers(0, 1 << 30)] * 3, st.sampled_from([0, 3, 5, 6, 8]))
def test_headers_of_data_pages_are_what_thrift_says(
    plain: int, packed: int, rows: int, encoding: int
) -> None:
    fields = {1: 0, 2: plain, 3: packed, 5: {1: rows, 2: encoding, 3: 3, 4: 3}}
    assert data_page_header(plain, packed, rows, encoding) == struct(fields)  # type: ignore[arg-type]
