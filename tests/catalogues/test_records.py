"""Tests of plain-text records: the two figures of the publication, and lossless reading of random records."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures import FIGURE_1, FIGURE_2  # type: ignore[import-not-found]  # in tests/
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.entities_check import check_entities
from tagsuite.catalogues.entities_xml import make_entity_record, read_entity_file
from tagsuite.catalogues.records import format_records, make_record, parse_records


@pytest.mark.parametrize("text", [FIGURE_1, FIGURE_2, FIGURE_1 + "\n" + FIGURE_2], ids=["1", "2", "both"])
def test_the_figures_are_written_as_they_were_read(text: str) -> None:
    assert format_records(parse_records(text)) == text


def test_figure_1_is_an_entity_whose_stored_features_are_the_computed_ones(tmp_path: Path) -> None:
    path = tmp_path / "figure.txt"
    path.write_text(FIGURE_1, encoding="utf-8")
    (entry,) = read_entity_file(path).entries
    assert (entry.id, entry.data, entry.line) == ("136", "death-associated protein 6", 1)
    assert entry.given["name_vs_symbol"] == "name"
    assert entry.given["original_form_in_source"] == "death-associated protein 6"
    assert entry.stored["Arabic_numeral_position"] == "final"
    assert entry.stored["contains_past_participle"] == "true"
    assert entry.stored["contains_forward_slash"] == "0"
    assert entry.stored["function_word_position"] == ""
    assert check_entities(path)["problem"] == []
    path.write_text(format_records([make_entity_record(entry)]), encoding="utf-8")
    assert read_entity_file(path).entries == (entry,)
    assert "case: a\n" in path.read_text(encoding="utf-8")


FAULTS = [
    ("no colon here\n", 1, "must begin with a field"),
    ("ID: 1\n\n  continuation first\n", 3, "must begin with a field"),
    ("ID: 1\ncase: u\ncase: a\n", 3, "duplicate field"),
]


@pytest.mark.parametrize(("text", "line", "problem"), FAULTS, ids=[f[2] + str(f[1]) for f in FAULTS])
def test_faults_are_told_with_their_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as fault:
        parse_records(text, "some.txt")
    assert (fault.value.file, fault.value.line) == ("some.txt", line)


@pytest.mark.parametrize("value", [" edge", "edge ", "two\nlines", "carriage\rreturn"])
def test_a_value_that_would_be_lost_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="cannot store"):
        make_record([("data", value)])


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.]{0,10}", fullmatch=True)
values = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20).map(str.strip)


@given(st.lists(st.dictionaries(names, values, min_size=1, max_size=5), min_size=1, max_size=4))
def test_any_records_come_back(content: list[dict[str, str]]) -> None:
    records = [make_record(list(pairs.items())) for pairs in content]
    again = parse_records(format_records(records))
    assert [[(f.name, f.value) for f in r] for r in again] == [list(pairs.items()) for pairs in content]
    assert format_records(again) == format_records(records)


def test_line_ends_of_other_systems_are_read() -> None:
    assert parse_records("ID: 1\r\ndata: x\r\n") == [make_record([("ID", "1"), ("data", "x")])]
