"""Files without content, or with that of another kind: told with file and line, never read as nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.files import decode, read_text
from tagsuite.catalogues.entities import read_entities
from tagsuite.catalogues.entities_check import check
from tagsuite.catalogues.entities_export import write_entities
from tagsuite.catalogues.word_lists import read_lists

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<entities format="1"'
TABLE = "data,source_id\nIL2,1\n"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("e.txt", "", "the file holds no entity"),
        ("e.txt", "\n  \n\n", "the file holds no entity"),
        ("e.xml", HEAD + "/>\n", "the file holds no entity"),
        ("e.txt", "ID: 1\ndata: IL\0002\n", ":2: the text holds a NUL character"),
    ],
)
def test_catalogues(tmp_path: Path, name: str, content: str, problem: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as caught:
        read_entities(path)
    assert str(path) in str(caught.value)
    assert len(check(path)) == 1


def test_a_table_without_rows(tmp_path: Path) -> None:
    write_entities(read_entities().iloc[:0], tmp_path / "e.parquet")
    with pytest.raises(InputError, match=r"e\.parquet: the file holds no entity"):
        read_entities(tmp_path / "e.parquet")


def test_nothing_is_exported_of_nothing(tmp_path: Path, tagsuite: Callable[..., Any]) -> None:
    out = tmp_path / "none.xml"
    done = tagsuite("catalogue", "export", "--entities", "length > 9999", "--out", out)
    assert done.returncode == 2
    assert "no entity satisfies the query: found 'length > 9999'" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the list holds no entry"),
        (b" \n\n", "the list holds no entry"),
        (b"\xef\xbb\xbf", "the list holds no entry"),
        ("IL2\n".encode("utf-16-le"), ":1: the text holds a NUL character: found 'byte 0x00'"),
        ("IL2\n".encode("utf-16"), "looks like UTF-16"),
    ],
)
def test_lists(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "l.txt").write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_lists([f"known={tmp_path / 'l.txt'}"])


@pytest.mark.parametrize(("content", "line"), [(b"a\0", 1), (b"a\n\n\0", 3), (b"\xef\xbb\xbfa\nb\0\n", 2)])
def test_nul_is_told_with_its_line(tmp_path: Path, content: bytes, line: int) -> None:
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_text(tmp_path / "t")
    assert (caught.value.line, caught.value.found) == (line, "byte 0x00")
    with pytest.raises(InputError, match=":41:"):
        decode(b"\0", "t", first_line=41)
