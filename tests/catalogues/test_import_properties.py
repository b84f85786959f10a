"""Property tests of imports: each form in a source is kept or counted as dropped."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.imports.hgnc import read_hgnc
from tagsuite.catalogues.imports.uniprot import split_parentheses
from tagsuite.catalogues.imports.user_lists import read_csv, read_list

COLUMNS = ("hgnc_id", "symbol", "name", "alias_symbol", "alias_name", "prev_symbol", "prev_name")
FORMS = st.text(alphabet="abP53βé-(),\"' \t;/", max_size=8)
RELAXED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def records(draw: st.DrawFn) -> list[list[list[str]]]:
    """Return rows with one list of forms per column after the identifier; symbol and name have one form."""
    one = FORMS.map(lambda f: [f])
    many = st.lists(FORMS, max_size=3)
    return draw(st.lists(st.tuples(one, one, many, many, many, many).map(list), max_size=5))


@RELAXED
@given(records())
def test_every_form_of_hgnc_is_kept_or_counted(tmp_path: Path, rows: list[list[list[str]]]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows):
        writer.writerow([f"HGNC:{number}", *("|".join(forms) for forms in row)])
    path = tmp_path / "hgnc.tsv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="\n")
    collector = read_hgnc(path)
    account = collector.account
    written = sum(1 for row in rows for forms in row for form in "|".join(forms).split("|") if form)
    assert account.kept.total() + sum(count for count, _ in account.dropped.values()) == written
    assert account.records == len(rows)
    frame = collector.to_frame()
    found = set(zip(frame["source_id"], frame["original_form_in_source"].str.strip(" \t"), strict=True))
    expected = {
        (f"HGNC:{number}", form.strip(" \t"))
        for number, row in enumerate(rows)
        for forms in row
        for form in forms
        if form.strip(" \t")
    }
    assert {(i, " ".join(f.split())) for i, f in found} == {(i, " ".join(f.split())) for i, f in expected}
    assert not frame["data"].str.contains("\t").any()
    assert (frame["data"] == frame["data"].str.strip()).all()


@RELAXED
@given(st.lists(FORMS, max_size=12))
def test_every_line_of_a_list_is_kept_or_counted(tmp_path: Path, forms: list[str]) -> None:
    path = tmp_path / "list.txt"
    path.write_text("".join(f"{form}\n" for form in forms), encoding="utf-8", newline="\n")
    collector = read_list(path)
    dropped = sum(count for count, _ in collector.account.dropped.values())
    assert collector.account.records == len(forms) == len(collector.to_frame()) + dropped
    assert set(collector.to_frame()["original_form_in_source"]) == {f for f in forms if f.strip()}


@RELAXED
@given(st.lists(FORMS, min_size=1, max_size=8), st.sampled_from([",", ";", "\t"]))
def test_a_table_gives_back_its_forms(tmp_path: Path, forms: list[str], delimiter: str) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerows([["note", "data"], *(["x", form] for form in forms)])
    path = tmp_path / "table"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="\n")
    frame = read_csv(path, delimiter=delimiter).to_frame()
    assert frame["original_form_in_source"].tolist() == [f for f in forms if f.strip()]


@RELAXED
@given(st.text(alphabet="ab ()", max_size=14))
def test_peeling_loses_nothing(text: str) -> None:
    name, others = split_parentheses(text)
    whole = " ".join([name, *(f"({other})" for other in others)])
    assert whole.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(("form", "expected"), [("a\tb", "a b"), (" a", "a"), ("a  b", "a  b")])
def test_white_space_is_made_plain_only_where_it_must_be(form: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(form + "\n", encoding="utf-8")
    assert read_list(path).to_frame()["data"].tolist() == [expected]
