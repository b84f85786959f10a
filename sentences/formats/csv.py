"""Format that stores a corpus as a folder of CSV tables; an empty unquoted cell is a missing value."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_text
from ...catalogues.core.parquet import table_to_frame
from ..suites import check_columns, set_types
from .table_folder import make_table_format


def _load(path: Path, needed: tuple[str, ...]) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.csv

    text = read_text(path)
    if not text.strip():
        raise InputError("the file is empty", file=path, allowed=f"a header line with {', '.join(needed)}")
    head = _read_header(text, path)
    check_columns(head, needed, path, line=1)
    content = text.encode()
    convert = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(head, pa.string()),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        null_values=[""],
    )
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(content),
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=max(len(content), 1) + 1),
            parse_options=pa.csv.ParseOptions(newlines_in_values=True),
            convert_options=convert,
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"not a readable CSV file ({str(error).splitlines()[0]})", file=path) from None
    return table_to_frame(set_types(table, path), path)


def _read_header(text: str, path: Path) -> list[str]:
    """Return the column names, after checking the number of values and the quotes in all rows.

    This check is needed because Arrow's CSV reader accepts an unclosed quote and then reads the following
    rows as one value.
    """
    usual = csv.field_size_limit(len(text) + 1)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    head: list[str] = []
    try:
        for row in rows:
            head = head or row
            if row and len(row) != len(head):
                raise InputError(
                    "the row and the header line have different numbers of values",
                    file=path,
                    line=rows.line_num,
                    found=f"{len(row)} values",
                    allowed=f"{len(head)} values",
                )
    except csv.Error as error:
        raise InputError(f"not a readable CSV file ({error})", file=path, line=rows.line_num) from None
    finally:
        csv.field_size_limit(usual)
    return head


def _save(frame: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.csv

    numbers = frame.select_dtypes("number").columns
    plain = frame.astype(dict.fromkeys(frame.columns.difference(numbers), "str"))
    options = pa.csv.WriteOptions(quoting_style="needed")
    pa.csv.write_csv(pa.Table.from_pandas(plain, preserve_index=False), path, write_options=options)


FORMAT = make_table_format("csv", "CSV", _load, _save)
