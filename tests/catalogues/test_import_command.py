"""Tests of ``tagsuite catalogue import``: the catalogues written and the printed account."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tagsuite.catalogues.entities import read_entities

Printed = Callable[..., str]

HGNC = (
    "hgnc_id\tsymbol\tname\talias_symbol\talias_name\tprev_symbol\tprev_name\n"
    "HGNC:5\tA1BG\talpha-1-B glycoprotein\tAB 1|AB 1\t\t\t\n"
    "HGNC:6\tIL2\tinterleukin 2\tTCGF\t\t\tT-cell growth factor\n"
)
FORMS = ["A1BG", "alpha-1-B glycoprotein", "AB 1", "IL2", "interleukin 2", "TCGF", "T-cell growth factor"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "hgnc.txt"
    path.write_text(HGNC, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".xml", ".txt"])
def test_what_is_imported_can_be_read_again(suffix: str, source: Path, call: Printed) -> None:
    out = source.with_name(f"out{suffix}")
    rows = json.loads(call("import", "hgnc", source, "--out", out, "--format", "json"))["rows"]
    account = {(r["field"], r["outcome"]): (r["count"], r["first_line"]) for r in rows}
    assert account == {
        ("record", "read"): (2, None),
        ("symbol", "kept"): (2, None),
        ("name", "kept"): (2, None),
        ("alias_symbol", "kept"): (2, None),
        ("previous_name", "kept"): (1, None),
        ("alias_symbol", "dropped"): (1, 2),
        ("all", "kept"): (7, None),
    }
    frame = read_entities(out)
    assert frame["data"].tolist() == FORMS
    assert "".join(frame["name_vs_symbol"].str[0]) == "snssnsn"
    assert frame["length"].tolist() == [4, 2, 4, 3, 2, 4, 3]
    assert frame["source_id"].tolist() == ["HGNC:5"] * 3 + ["HGNC:6"] * 4
    assert frame["case"].tolist()[:2] == ["upper", "mixed"]


def test_the_same_source_gives_the_same_bytes(source: Path, call: Printed) -> None:
    outs = [source.with_name(f"{n}.parquet") for n in "ab"]
    for out in outs:
        call("import", "hgnc", source, "--out", out)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_table_with_a_map(tmp_path: Path, call: Printed) -> None:
    source = tmp_path / "mine.csv"
    source.write_text("Gene;ID\nKEX1/KEX2;7\n", encoding="utf-8")
    out = tmp_path / "mine.parquet"
    options = ("--map", "data=Gene", "--map", "source_id=ID", "--delimiter", ";", "--split", "/")
    call("import", "csv", source, *options, "--kind", "gene", "--authority", "Mine", "--out", out)
    frame = read_entities(out)
    assert frame[["data", "source_id", "source_authority"]].to_numpy().tolist() == [
        ["KEX1", "7", "Mine"],
        ["KEX2", "7", "Mine"],
    ]


def test_look_alikes(tmp_path: Path, call: Printed) -> None:
    (tmp_path / "lines.txt").write_text("HeLa\nCOS-7\n", encoding="utf-8")
    out = tmp_path / "lines.xml"
    call("import", "list", tmp_path / "lines.txt", "--look-alike", "cell_line", "--out", out)
    frame = read_entities(out)
    assert frame[["data", "kind", "look_alike_category"]].to_numpy().tolist() == [
        ["HeLa", "look_alike", "cell_line"],
        ["COS-7", "look_alike", "cell_line"],
    ]


REFUSED = [
    (("hgnc", "--out", "x.parq"), "unknown file ending", "a suffix of no format"),
    (("hgnc", "--out", "x.parquet", "--taxon", "9606"), "cannot be used with hgnc", "another kind's option"),
    (("csv", "--out", "x.parquet", "--map", "data"), "needs a name and a value", "a map without ="),
    (("csv", "--out", "x.parquet", "--delimiter", ";;"), "one character", "two characters"),
    (("csv", "--out", "x.parquet", "--map", "data=Gene"), "is missing", "a column that does not exist"),
    (("list", "--out", "x.parquet", "--look-alike", "cell"), "unknown category", "an unknown category"),
]


@pytest.mark.parametrize(("arguments", "words", "why"), REFUSED, ids=[r[2] for r in REFUSED])
def test_refused(arguments: tuple[str, ...], words: str, why: str, source: Path, refused: Printed) -> None:
    kind, *rest = [str(source.parent / a) if a.startswith("x.") else a for a in arguments]
    assert words in refused("catalogue", "import", kind, source, *rest)
    assert not list(source.parent.glob("x.*")), why


def test_a_source_without_entities_says_why(tmp_path: Path, refused: Printed) -> None:
    (tmp_path / "empty.txt").write_text("\n\n", encoding="utf-8")
    asked = ("list", tmp_path / "empty.txt", "--out", tmp_path / "x.parquet")
    assert "2 record dropped: blank line" in refused("catalogue", "import", *asked)


@pytest.mark.full
def test_the_whole_of_hgnc_and_a_query_over_it(
    shared_data: Path, tmp_path: Path, tagsuite: Callable[..., CompletedProcess[str]]
) -> None:
    source = shared_data / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    out = tmp_path / "hgnc.parquet"
    done = tagsuite("catalogue", "import", "hgnc", source, "--out", out, "--format", "json")
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout)["rows"][-1]
    assert (last["field"], last["outcome"], last["count"]) == ("all", "kept", 192_981)
    query = "contains_hyphen and name_vs_symbol = name"
    counted = tagsuite(
        "catalogue", "count", "--catalogue", out, "--by", "case", "--entities", query, "--format", "json"
    )
    frame = read_entities(out)
    chosen = frame[(frame["contains_hyphen"] > 0) & (frame["name_vs_symbol"] == "name")]
    expected = chosen["case"].value_counts(dropna=False)
    found = {r["case"]: r["entities"] for r in json.loads(counted.stdout)["counts"]}
    assert found == {k if isinstance(k, str) else None: n for k, n in expected.items() if n}
