"""CSV files read as a frame: what is none is refused with the file, what was found and what is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.tables import read_csv_frame

BROKEN = [
    (b"", r"t.csv: the file is empty; allowed: a head line with name, number"),
    (b"\n \n", r"t.csv: the file is empty"),
    (
        b"name,other\nx,1\n",
        r"t.csv:1: a column is missing, number: found 'name, other'; allowed: a head line",
    ),
    (b"name,number\nx,1\ny,2,3\n", r"t.csv: not a readable CSV file \(.*line 3, saw 3\); allowed: a head"),
    ("name,number\nx,1\n".encode("utf-16"), r"t.csv:1: the text is not UTF-8 \(it looks like UTF-16\)"),
]


@pytest.mark.parametrize(("content", "told"), BROKEN)
def test_what_is_no_table_is_refused(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_csv_frame(tmp_path / "t.csv", ("name", "number"))


def test_a_table_and_a_head_line_alone_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,number\nx,1\n", encoding="utf-8")
    assert read_csv_frame(path, ("name", "number"))["number"].tolist() == [1]
    path.write_text("name,number\n", encoding="utf-8")
    assert len(read_csv_frame(path, ("name", "number"))) == 0
