"""Tests of the commands ``tagsuite catalogue …``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues import entity_queries
from tagsuite.catalogues.core.errors import InputError, MissingExtraError
from tagsuite.catalogues.entities import read_entities
from tagsuite.catalogues.entities_export import write_entities
from tagsuite.catalogues.entities_xml import EntityEntry, EntityFile, write_entity_file
from tagsuite.catalogues.query import Query
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.values import format_cell_value
from tagsuite.catalogues.word_lists import read_lists

Printed = Callable[..., str]
FORMS = ["TNF", "tnf-a", "heat shock protein 60", "14-3-3", "bag of marbles"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.xml"
    entries = tuple(EntityEntry(str(i), form, {"kind": "entity"}) for i, form in enumerate(FORMS, 1))
    write_entity_file(EntityFile(entries), path)
    return path


def test_features_are_listed_with_codes(call: Printed, refused: Printed) -> None:
    rows = json.loads(call("features", "--format", "json"))["features"]
    assert len(rows) == len(taxonomy().features)
    case = next(r for r in rows if r["feature"] == "entity.case")
    assert case["values"] == "upper (u), lower (a), initial (i), title (t), mixed (m)"
    slots = json.loads(call("features", "--scope", "slot", "--format", "json"))["features"]
    assert all(r["feature"].startswith("slot.") for r in slots)
    assert "entity.case" in call("features", "case")
    assert "unknown scope" in refused("catalogue", "features", "--scope", "gene")


def test_list(call: Printed, small: Path) -> None:
    text = call(
        "list", "--catalogue", small, "--entities", "contains_hyphen", "--feature", "case", "--format", "csv"
    )
    assert text == "entity_id,data,case\n2,tnf-a,lower\n4,14-3-3,\n"
    records = call("list", "--catalogue", small, "--entities", "data = TNF", "--records")
    assert records.startswith("ID: 1\n")
    assert records.endswith("data: TNF\n")
    assert len(call("list", "--catalogue", small, "--limit", "2", "--format", "csv").splitlines()) == 3


def test_counts_of_sets_and_in_bins(call: Printed, small: Path) -> None:
    text = call("count", "--catalogue", small, "--by", "Arabic_numeral_position", "--format", "csv")
    assert set(text.splitlines()[1:]) == {",3", "final,2", "initial,1", "medial,1"}
    text = call("count", "--catalogue", small, "--by", "characters", "--bins", "--format", "csv")
    assert set(text.splitlines()[1:]) == {"11-20,1", "21-40,1", "3,1", "5,1", "6-10,1"}


def test_counts_of_the_bundled_catalogue_are_those_of_its_table() -> None:
    frame = read_entities()
    for names in (["case"], ["name_vs_symbol", "postmodifier"], ["length"], ["is_ASCII", "contains_comma"]):
        rows = pd.DataFrame(entity_queries.count_entities([], "contains_a_numeral", names)).to_dict("records")
        chosen = frame[Query.parse("contains_a_numeral").evaluate(frame)]
        expected = (
            pd.DataFrame({n: [format_cell_value(v) for v in chosen[n]] for n in names})
            .value_counts()
            .to_dict()
        )
        assert {tuple(format_cell_value(r[n]) for n in names): r["entities"] for r in rows} == expected
        assert [r["entities"] for r in rows] == sorted((r["entities"] for r in rows), reverse=True)


def test_coverage_names_every_closed_value(call: Printed, small: Path) -> None:
    rows = json.loads(call("features", "--coverage", "--catalogue", small, "--format", "json"))["coverage"]
    found = {(r["feature"], r["value"]): r["entities"] for r in rows}
    assert found["case", "lower"] == 3
    assert found["case", "title"] == 0
    assert found["contains_hyphen", "2"] == 1
    assert found["contains_a_numeral", "true"] == 2
    closed = {f.name for f in taxonomy().select_scopes("entity") if f.is_closed and f.name != "in_list.NAME"}
    assert {r["feature"] for r in rows} == closed


def test_show_by_id_and_by_form(call: Printed, small: Path) -> None:
    for name in ("4", "14-3-3"):
        rows = json.loads(call("show", name, "--catalogue", small, "--format", "json"))["features"]
        values = {r["feature"]: r["value"] for r in rows}
        assert values["data"] == "14-3-3"
        assert values["Arabic_numeral_position"] == "initial|medial|final"


def test_lists_of_the_users(call: Printed, refused: Printed, small: Path, tmp_path: Path) -> None:
    (tmp_path / "training.txt").write_text("TNF\n14-3-3\n", encoding="utf-8")
    known = f"training={tmp_path / 'training.txt'}"
    asked = ("list", "--catalogue", small, "--format", "csv")
    text = call(*asked, "--list", known, "--entities", "in_list.training = false")
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == ["2", "3", "5"]
    problem = refused("catalogue", *asked, "--entities", "in_list.training")
    assert "in_list.training needs the word list 'training'" in problem
    assert "a name and a value" in refused("catalogue", *asked, "--list", "training")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b" \n\n", "the word list is empty"),
        (b"\xef\xbb\xbf", "the word list is empty"),
        ("IL2\n".encode("utf-16-le"), ":1: the text contains a NUL character: found 'byte 0x00'"),
        ("IL2\n".encode("utf-16"), "looks like UTF-16"),
    ],
)
def test_lists_that_hold_nothing(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "l.txt").write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_lists([f"known={tmp_path / 'l.txt'}"])


def test_a_list_of_common_words_takes_the_place_of_the_bundled_one(
    call: Printed, small: Path, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("protein\n", encoding="utf-8")
    query = ("list", "--catalogue", small, "--entities", "contains_common_English_word", "--format", "csv")
    own = call(*query, "--list", f"common_English={tmp_path / 'words.txt'}")
    assert [line.split(",")[0] for line in own.splitlines()[1:]] == ["3"]
    assert [line.split(",")[0] for line in call(*query).splitlines()[1:]] == ["3", "5"]


def test_wordfreq_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingExtraError, match=r"tagsuite\[lexicon\]"):
        read_lists(["common_English=wordfreq:100"])
    fake = ModuleType("wordfreq")
    fake.top_n_list = lambda language, n: {"en": ["the", "of", "to"]}[language][:n]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wordfreq", fake)
    assert read_lists(["common_English=wordfreq:2"]) == {"common_English": frozenset(["the", "of"])}
    for wrong in ("wordfreq:", "wordfreq:0", "wordfreq:many"):
        with pytest.raises(InputError, match="needs a positive whole number"):
            read_lists([f"a={wrong}"])


def test_export_and_count_again(call: Printed, refused: Printed, small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    asked = ("export", "--catalogue", small, "--out", out)
    assert "the query selects no entity" in refused("catalogue", *asked, "--entities", "length > 9999")
    assert not out.exists()
    call(*asked, "--entities", "words > 1")
    assert call("count", "--catalogue", out, "--format", "csv") == "entities\n2\n"


def test_check_tells_and_fails(call: Printed, tagsuite: Call, small: Path) -> None:
    assert call("check", small) == ""
    small.write_text(
        small.read_text(encoding="utf-8").replace('id="1"', 'id="1" case="lower"'), encoding="utf-8"
    )
    result = tagsuite("catalogue", "check", small, "--format", "json")
    assert result.returncode == 2
    assert result.stderr.startswith("tagsuite: ")
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["line"], finding["found"], finding["expected"]) == (3, "lower", "upper")


def test_counting_parquet_imports_no_pandas(tmp_path: Path) -> None:
    path = tmp_path / "some.parquet"
    write_entities(read_entities(), path)
    code = (
        "import sys; from tagsuite.catalogues import entity_queries;"
        f"query = 'contains_hyphen and name_vs_symbol = name'; path = {str(path)!r};"
        "found = entity_queries.count_entities([path], query, ['case']);"
        "print(len(found['entities']), 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "5 False\n"
