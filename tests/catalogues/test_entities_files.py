"""Tests of entity files: forms are preserved, and errors are reported with file and line."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.entities import (
    build_entity_frame,
    read_bundled_entity_files,
    read_entities,
    read_entity_table,
)
from tagsuite.catalogues.entities_check import check_entities
from tagsuite.catalogues.entities_export import write_entities
from tagsuite.catalogues.entities_xml import (
    EntityEntry,
    EntityFile,
    format_entity_xml,
    parse_entity_file,
    read_entity_file,
    write_entity_file,
)
from tagsuite.catalogues.values import format_cell_value


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", "")


@pytest.fixture(scope="module")
def bundled() -> pd.DataFrame:
    """Return the bundled entities, which tests must not modify."""
    return read_entities()


plain = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\t\n\r"),
    min_size=1,
    max_size=30,
)


@given(st.lists(st.tuples(plain, plain), min_size=1, max_size=5))
@example([("tab\tand", "line\nbreak"), ("carriage\rreturn", "both\r\n")])
def test_any_form_comes_back_from_xml(pairs: list[tuple[str, str]]) -> None:
    entries = tuple(
        EntityEntry(
            str(i), form, {"original_form_in_source": source, "in_list.known": "true"}, {"case": "lower"}
        )
        for i, (form, source) in enumerate(pairs)
    )
    assert parse_entity_file(format_entity_xml(EntityFile(entries)).encode(), "memory").entries == entries


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="cannot store"):
        format_entity_xml(EntityFile((EntityEntry("1", "a\x00b"),)))


@pytest.mark.parametrize("suffix", [".xml", ".txt", ".parquet"])
def test_a_table_comes_back(tmp_path: Path, bundled: pd.DataFrame, suffix: str) -> None:
    frame = bundled.iloc[::12].drop_duplicates("data").reset_index(drop=True)
    path = tmp_path / f"some{suffix}"
    write_entities(frame, path)
    again = read_entities(path)
    for column in frame.columns:
        assert again[column].dtype.name == frame[column].dtype.name
        found, asked = ([format_cell_value(v) for v in table[column].tolist()] for table in (again, frame))
        assert found == asked, column
    if suffix != ".parquet":
        assert check_entities(path)["problem"] == []


def test_csv_has_every_column(tmp_path: Path, bundled: pd.DataFrame) -> None:
    write_entities(bundled, tmp_path / "all.csv")
    again = pd.read_csv(tmp_path / "all.csv", dtype=str, keep_default_na=False)
    assert list(again.columns) == list(bundled.columns)
    assert again["data"].tolist() == bundled["data"].tolist()
    assert set(again["contains_a_numeral"]) == {"true", "false"}


def test_an_ending_that_tells_no_format_is_refused(tmp_path: Path, bundled: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="unknown extension"):
        write_entities(bundled, tmp_path / "all.json")
    assert list(tmp_path.iterdir()) == []


def test_several_catalogues_are_read_together(tmp_path: Path) -> None:
    one, two = tmp_path / "one.xml", tmp_path / "two.parquet"
    write_entity_file(EntityFile((EntityEntry("x", "p53"),)), one)
    write_entities(build_entity_frame([EntityEntry("y", "actin")]).assign(entity_id=[7]), two)
    frame = read_entities(one, two)
    assert frame["entity_id"].tolist() == ["x", "7"]
    assert frame["name_vs_symbol"].tolist() == ["symbol", "name"]
    assert frame["length"].tolist() == [3, 1]


def test_an_id_in_two_catalogues_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one.xml", tmp_path / "two.xml"
    for path in (one, two):
        write_entity_file(EntityFile((EntityEntry("x", "p53"),)), path)
    with pytest.raises(InputError, match="duplicate id") as fault:
        read_entities(one, two)
    assert (fault.value.file, fault.value.line) == (str(two), 3)


def test_only_some_columns(tmp_path: Path) -> None:
    assert read_entity_table((), ["case"]).column_names == ["entity_id", "case"]


HEAD = '<?xml version="1.0"?>\n<entities format="1">\n'
TAIL = "\n</entities>"
ENTITY = HEAD + '<entity id="1"'
FAULTS = [
    # content, line, part of the message, part of what is allowed
    (ENTITY + ' lenght="3">x</entity>' + TAIL, 3, "unknown feature", "length"),
    (ENTITY + ' case="big">x</entity>' + TAIL, 3, "case: unknown value", "upper (u)"),
    (ENTITY + '>x</entity>\n<entity id="1">y</entity>' + TAIL, 4, "duplicate id", ""),
    (ENTITY + "></entity>" + TAIL, 3, "has no surface form", ""),
    (HEAD + "<entity>x</entity>" + TAIL, 3, "not valid according to entities.rng", ""),
    (ENTITY + ' corpus_frequency="99999999999">x</entity>' + TAIL, 3, "not a whole number", "0, 1"),
    (ENTITY + ' is_ASCII="maybe">x</entity>' + TAIL, 3, "unknown value", "true"),
    (ENTITY + ' position="initial">x</entity>' + TAIL, 3, "unknown feature", ""),
    (ENTITY + ">x</entity>\n", 4, "not well-formed", ""),
    ('<!DOCTYPE e [<!ENTITY a "b">]>\n<entities format="1">&a;</entities>', None, "declares entities", ""),
    (HEAD + "</entities>", None, "the file contains no entities", ""),
]


@pytest.mark.parametrize(("content", "line", "problem", "allowed"), FAULTS)
def test_faulty_xml_is_told_with_its_line(
    tmp_path: Path, content: str, line: int | None, problem: str, allowed: str
) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as fault:
        read_entities(path)
    assert problem in str(fault.value)
    assert fault.value.line == line
    assert str(path) in str(fault.value)
    assert allowed in (fault.value.allowed or ", ".join(fault.value.near))


def test_other_faulty_files(tmp_path: Path, bundled: pd.DataFrame) -> None:
    def refused(name: str, content: bytes, problem: str) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=rf"{name}.*{problem}"):
            read_entities(tmp_path / name)
        assert len(check_entities(tmp_path / name)["problem"]) == 1

    sink = io.BytesIO()
    pd.DataFrame({"a": [1]}).to_parquet(sink)
    refused("other.parquet", sink.getvalue(), "'entity_id' is missing")
    refused("other.parquet", sink.getvalue()[:40], "not a readable Parquet file")
    write_entities(bundled.iloc[:0], tmp_path / "none.parquet")
    refused("none.parquet", (tmp_path / "none.parquet").read_bytes(), "the file contains no entities")
    refused("blank.txt", b"\n  \n\n", "the file contains no entities")
    refused("nul.txt", b"ID: 1\ndata: IL\0002\n", ":2: the text contains a NUL character")


@pytest.mark.parametrize("name", ["genes.csv", "genes.json", "genes"])
@pytest.mark.parametrize("read", [read_entities, read_entity_file])
def test_tables_are_told_where_they_are_read(
    name: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    (tmp_path / name).write_text("symbol,name\nTNF,tumor necrosis factor\n", encoding="utf-8")
    with pytest.raises(InputError, match="catalogue import"):
        read(tmp_path / name)


def test_xml_may_be_utf_16(tmp_path: Path) -> None:
    (tmp_path / "utf16.xml").write_text(HEAD + '<entity id="1">β</entity></entities>', encoding="utf-16")
    assert read_entities(tmp_path / "utf16.xml")["data"].tolist() == ["β"]


def test_check_tells_every_fault(tmp_path: Path) -> None:
    path = tmp_path / "many.xml"
    path.write_text(
        HEAD
        + '<entity id="1" case="lower" length="2">TNF</entity>\n'
        + '<entity id="2">TNF</entity>\n<entity id="3">TNF</entity>\n'
        + '<entity id="3">again</entity>\n<entity id="4"> edge</entity>\n'
        + '<entity id="5" kind="look_alike">QoL</entity>\n<entity id="6" size="3">x</entity>\n'
        + '<entity id="7">a &lt;gp>b</entity>\n<entity id="8" source_id="5">z</entity>\n'
        + "</entities>",
        encoding="utf-8",
    )
    found = pd.DataFrame(check_entities(path)).to_dict("records")
    told = {(f["line"], f["problem"].split(" (")[0]) for f in found}
    assert told == {
        (3, "stored case differs from the computed value"),
        (3, "stored length differs from the computed value"),
        (4, "duplicate entity"),
        (5, "duplicate entity"),
        (6, "duplicate id of an entity"),
        (7, "the surface form begins or ends with white space"),
        (8, "the look-alike has no category"),
        (9, "unknown feature"),
        (10, "the surface form contains a tag of the gold format"),
        (11, "a source_id needs a source_authority"),
    }
    assert all(f["file"] == str(path) for f in found)


def test_check_tells_rare_values(tmp_path: Path) -> None:
    path = tmp_path / "few.xml"
    write_entity_file(EntityFile((EntityEntry("1", "TNF"), EntityEntry("2", "tnf"))), path)
    findings = check_entities(path, min_count=1)
    problems = dict(zip(findings["problem"], findings["found"], strict=True))
    assert "case = mixed is rare" in problems
    assert "case = upper is rare" not in problems
    assert problems["contains_hyphen = 1 is rare"] == "0"


def test_the_bundled_files_are_whole() -> None:
    assert check_entities()["problem"] == []


def test_the_bundled_files_are_written_as_the_writer_writes() -> None:
    for name, content in (*read_bundled_entity_files(), *read_bundled_entity_files("look_alikes")):
        assert format_entity_xml(parse_entity_file(content, name)).encode() == content, name
