"""Tests of run.toml and suite.toml with values of wrong types: they are read, or an error names the file."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.errors import TagsuiteError
from tagsuite.catalogues.core.toml import write_toml
from tagsuite.generator.recipe_file import read_recipe
from tagsuite.harness.running.folder.run_file import list_output_notes, list_training_notes, list_type_notes
from tagsuite.harness.running.folder.runs import Run, read_run
from tagsuite.sentences.suite_file import read_suite_meta, read_suite_sources
from tagsuite.sentences.suites import read_suite

VALUES: tuple[str, ...] = ("3", "-1", str(2**63), "9" * 5000, "1.5", "nan", "true", "1979-05-27")
VALUES += ('""', '"x"', '"\\u0000"', "[]", "[1]", "[[]]", '["x", 1]', "{}", "{a = 1}", "{a = {b = []}}")
BYTES = (b"", b"\0" * 9, bytes(range(256)), b"\x1f\x8b\x08\0x", "format = 1".encode("utf-16"))

RUN = """format = 1
dropped_types = ["a"]
[run]
label = "t@1"
input = "../suite"
corpus = "c"
signature = "suite:1|tagger:t"
cases = 3
mentions = 1
unplaced = 0
merged = 0
strays = 0
key = "k"
[sources]
names = ["a"]
[tagger]
specification = "t.toml"
digest = "d"
trained_on = ["a"]
[tagger.options]
o = "x"
[outcomes]
ok = 2
crash = 1
[unmapped_types]
a = 1
[foreign_types]
b = 1
[[failure]]
outcome = "crash"
said = "no"
count = 1
cases = [1]
found = ""
stderr = ""
"""
SUITE = """format = 1
[suite]
name = "a"
seed = 1
cases = 3
signature = "suite:1"
[[part]]
entities = "all"
combine = "contrast"
contrast = ["case"]
size = 3
[counts]
part-1 = 3
[sources]
names = ["a"]
[digests]
entities = "x"
"""


def broken(good: str) -> Iterator[bytes]:
    """Yield damaged copies of a file: values and tables replaced, content truncated, and other files."""
    yield from BYTES
    yield good.encode() + b"\xe9\xff"
    yield good[: len(good) // 2].encode()
    yield b"frobnicate = 1\n" + good.encode()
    lines = good.splitlines()
    for number, line in enumerate(lines):
        before, after = lines[:number], lines[number + 1 :]
        key, equals, _ = line.partition(" =")
        others = [f"{key} = {value}" for value in VALUES]
        if not equals:
            name = line.strip("[]")
            end = next((i for i, further in enumerate(after) if further.startswith("[")), len(after))
            yield "\n".join([*before, f"[[{name}]]" if "[[" not in line else f"[{name}]", *after]).encode()
            before, after = [], [*before, *after[end:]]
            others = [f"{name} = {value}" for value in VALUES if "." not in name]
        yield "\n".join([*before, *after]).encode()
        yield from ("\n".join([*before, other, *after]).encode() for other in others)


def make_tables(folder: Path) -> None:
    """Write the tables that a run folder needs, with the numbers of rows stated in RUN."""
    for name, rows in (("predictions", 1), ("outcomes", 3)):
        pq.write_table(pa.table({"id": range(rows)}), folder / f"{name}.parquet")


def whole_run(folder: Path) -> None:
    found: Run = read_run(folder)
    _ = found.name, found.tagger, found.tagger_part, found.gold_part, found.input, found.failed
    found.describe_failures()
    list_output_notes(found.meta)
    list_type_notes(found.meta)
    list_training_notes(found.meta)


def whole_suite(folder: Path) -> None:
    _ = read_suite_meta(folder).get("suite", {}).get("signature", "")
    read_suite_sources(folder)
    # the tables are not there: what is said of that comes after suite.toml was read
    with contextlib.suppress(FileNotFoundError):
        read_suite(folder)


READERS = [
    ("run.toml", RUN, whole_run),
    ("suite.toml", SUITE, whole_suite),
    ("suite.toml", SUITE, read_recipe),
]


@pytest.mark.parametrize(("name", "good", "read"), READERS)
def test_a_file_of_other_kinds_is_read_or_named(
    name: str, good: str, read: Callable[[Path], Any], tmp_path: Path
) -> None:
    file = tmp_path / name
    make_tables(tmp_path)
    refused, unnamed = 0, []
    for content in broken(good):
        file.write_bytes(content)
        try:
            read(tmp_path)
        except TagsuiteError as error:
            refused += 1
            if str(tmp_path) not in str(error):
                unnamed.append((content[:300], str(error)))
    assert refused > 50
    assert not unnamed


def test_what_is_written_is_read(tmp_path: Path) -> None:
    make_tables(tmp_path)
    (tmp_path / "run.toml").write_text(write_toml(tomllib.loads(RUN)), encoding="utf-8")
    whole_run(tmp_path)
    (tmp_path / "run.toml").write_text(re.sub("label = .*", "label = 3", RUN), encoding="utf-8")
    with pytest.raises(TagsuiteError, match=r"run\.toml.*run\.label"):
        read_run(tmp_path)
