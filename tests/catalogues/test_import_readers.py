"""Tests of the readers of sources: entities, dropped records with reasons, and errors in damaged files."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.imports.collector import REPEATED_REASON, EntityCollector
from tagsuite.catalogues.imports.flybase import read_flybase
from tagsuite.catalogues.imports.gene_info import read_gene_info
from tagsuite.catalogues.imports.hgnc import read_hgnc
from tagsuite.catalogues.imports.obo import read_obo
from tagsuite.catalogues.imports.uniprot import read_uniprot, split_parentheses
from tagsuite.catalogues.imports.user_lists import read_csv, read_list

Write = Callable[..., Path]
Read = Callable[[Path], EntityCollector]

HGNC = (
    "hgnc_id\tsymbol\tname\tlocus_group\talias_symbol\talias_name\tprev_symbol\tprev_name\n"
    "HGNC:5\tA1BG\talpha-1-B glycoprotein\tprotein-coding gene\t\t\t\t\n"
    "HGNC:37133\tA1BG-AS1\tA1BG antisense RNA 1\tnon-coding RNA\tFLJ23569\t\t"
    '"NCRNA00181|A1BGAS"\t"one|two, three"\n'
    'HGNC:9\tX1\t"a ""quoted"" name"\tother\t"Q1|Q1| Q2"\t\t\t\n'
)


def rows(collector: EntityCollector) -> list[tuple[str, ...]]:
    """Return data, name_vs_symbol, source_field and source_id of each entity."""
    frame = collector.to_frame()[["data", "name_vs_symbol", "source_field", "source_id"]]
    return [tuple("" if pd.isna(v) else str(v) for v in row) for row in frame.itertuples(index=False)]


def reasons(collector: EntityCollector) -> dict[str, tuple[int, int]]:
    return {why: found for (_, why), found in collector.account.dropped.items()}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(content: str | bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def test_hgnc(write: Write) -> None:
    collector = read_hgnc(write(HGNC))
    assert rows(collector) == [
        ("A1BG", "symbol", "symbol", "HGNC:5"),
        ("alpha-1-B glycoprotein", "name", "name", "HGNC:5"),
        ("A1BG-AS1", "symbol", "symbol", "HGNC:37133"),
        ("A1BG antisense RNA 1", "name", "name", "HGNC:37133"),
        ("FLJ23569", "symbol", "alias_symbol", "HGNC:37133"),
        ("NCRNA00181", "symbol", "previous_symbol", "HGNC:37133"),
        ("A1BGAS", "symbol", "previous_symbol", "HGNC:37133"),
        ("one", "name", "previous_name", "HGNC:37133"),
        ("two, three", "name", "previous_name", "HGNC:37133"),
        ("X1", "symbol", "symbol", "HGNC:9"),
        ('a "quoted" name', "name", "name", "HGNC:9"),
        ("Q1", "symbol", "alias_symbol", "HGNC:9"),
        ("Q2", "symbol", "alias_symbol", "HGNC:9"),
    ]
    account = collector.account
    assert (account.records, account.kept.total(), account.mended_count) == (3, 13, 1)
    assert reasons(collector) == {REPEATED_REASON: (1, 4)}
    frame = collector.to_frame()
    assert frame["entity_id"].tolist() == list(range(1, 14))
    assert set(frame["source_authority"]) == {"HGNC"}
    assert set(frame["source_type"]) == {"database"}
    assert frame["original_form_in_source"].tolist()[-1] == " Q2"


def test_gzip_is_told_by_content_and_a_byte_order_mark_is_no_column(write: Write) -> None:
    plain = rows(read_hgnc(write(HGNC)))
    assert rows(read_hgnc(write(gzip.compress(HGNC.encode()), "without_suffix"))) == plain
    assert rows(read_hgnc(write("﻿" + HGNC))) == plain
    assert rows(read_hgnc(write(HGNC.replace("\n", "\r\n")))) == plain
    assert rows(read_hgnc(write(HGNC.rstrip("\n")))) == plain


GENE_INFO = (
    "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdescription\tSymbol_from_nomenclature_authority"
    "\tFull_name_from_nomenclature_authority\tOther_designations\n"
    '9606\t1\tA1BG\t-\tA1B|ABG\talpha "1" glycoprotein'
    '\tA1BG\talpha "1" glycoprotein\tantigen 1|A1BG protein\n'
    "10090\t2\tPzp\tMtag_1\t-\tpregnancy zone protein\t-\t-\t-\n"
    "9606\t3\tNEWENTRY\t-\t-\tRecord to support submission\t-\t-\t-\n"
)


def test_gene_info(write: Write) -> None:
    collector = read_gene_info(write(GENE_INFO))
    assert rows(collector) == [
        ("A1BG", "symbol", "symbol", "1"),
        ('alpha "1" glycoprotein', "name", "name", "1"),
        ("A1B", "symbol", "alias_symbol", "1"),
        ("ABG", "symbol", "alias_symbol", "1"),
        ("antigen 1", "name", "alias_name", "1"),
        ("A1BG protein", "name", "alias_name", "1"),
        ("Pzp", "symbol", "symbol", "2"),
        ("pregnancy zone protein", "name", "name", "2"),
        ("Mtag_1", "symbol", "other", "2"),
    ]
    assert reasons(collector) == {REPEATED_REASON: (1, 2), "placeholder (NEWENTRY)": (1, 4)}
    assert collector.account.dropped["symbol", REPEATED_REASON] == (1, 2)
    assert collector.account.dropped["name", REPEATED_REASON] == (1, 2)
    mouse = read_gene_info(write(GENE_INFO), taxa={"10090"})
    assert [r[0] for r in rows(mouse)] == ["Pzp", "pregnancy zone protein", "Mtag_1"]
    assert reasons(mouse) == {"another organism": (2, 2)}


ANNOTATIONS = """## a comment

##gene_symbol\torganism_abbreviation\tprimary_FBgn#\tsecondary_FBgn#(s)\tannotation_ID
a\tDmel\tFBgn0000008\t\tCG6741
CG3164\tDmel\tFBgn0288229\t\tCG3164
"""
SYNONYMS = """## FlyBase
##primary_FBid\torganism_abbreviation\tcurrent_symbol\tcurrent_fullname\tfullname_synonym(s)\tsymbol_synonym(s)
FBgn0000008\tDmel\ta\tarc\tarch|arc one\tA|α
FBal0000001\tDmel\ta[1]\t\t\t
"""


def test_flybase(write: Write) -> None:
    collector = read_flybase(write(ANNOTATIONS))
    assert rows(collector) == [
        ("a", "symbol", "symbol", "FBgn0000008"),
        ("CG6741", "symbol", "other", "FBgn0000008"),
        ("CG3164", "symbol", "symbol", "FBgn0288229"),
    ]
    assert reasons(collector) == {"annotation identifier equals the symbol": (1, 5)}
    collector = read_flybase(write(SYNONYMS))
    assert [row[:3] for row in rows(collector)] == [
        ("a", "symbol", "symbol"),
        ("arc", "name", "name"),
        ("A", "symbol", "alias_symbol"),
        ("α", "symbol", "alias_symbol"),
        ("arch", "name", "alias_name"),
        ("arc one", "name", "alias_name"),
    ]
    assert reasons(collector) == {"not a gene (identifier without FBgn)": (1, 4)}


def test_uniprot(write: Write) -> None:
    content = (
        "Entry\tReviewed\tProtein names\tGene Names\tGene Names (primary)\n"
        "P1\treviewed\tKinase 1 (EC 2.7.1.-) (Kin (long) form) (Fragment)"
        " [Cleaved into: Chain A (CA); Chain B]\tKIN1 KIN2\tKIN1\n"
        "P2\treviewed\tNAD(P)H oxidase\t\t\n"
    )
    collector = read_uniprot(write(content))
    assert rows(collector) == [
        ("Kinase 1", "name", "name", "P1"),
        ("Kin (long) form", "", "alias_name", "P1"),
        ("Chain A", "", "alias_name", "P1"),
        ("CA", "", "alias_name", "P1"),
        ("Chain B", "", "alias_name", "P1"),
        ("KIN1", "symbol", "symbol", "P1"),
        ("KIN2", "symbol", "alias_symbol", "P1"),
        ("NAD(P)H oxidase", "name", "name", "P2"),
    ]
    assert reasons(collector) == {
        "EC number or (Fragment), not a name": (2, 2),
        "duplicate of another gene column in the same record": (1, 2),
    }


def test_uniprot_with_one_gene_column_begins_with_the_symbol(write: Write) -> None:
    collector = read_uniprot(write("Entry\tEntry name\tGene names\nP1\tX_HUMAN\tKIN1 KIN2; KIN3\n"))
    assert [r[:3] for r in rows(collector)] == [
        ("KIN1", "symbol", "symbol"),
        ("KIN2", "symbol", "alias_symbol"),
        ("KIN3", "symbol", "alias_symbol"),
    ]


PEELED = [
    ("a (b)", "a", ["b"]),
    ("a (b) (c)", "a", ["b", "c"]),
    ("a (b (c)) (d)", "a", ["b (c)", "d"]),
    ("a(b)", "a(b)", []),
    ("a (b) c", "a (b) c", []),
    ("a b)", "a b)", []),
    ("(a)", "(a)", []),
    ("a (b) c(2)", "a (b) c(2)", []),
    ("", "", []),
]


@pytest.mark.parametrize(("text", "name", "others"), PEELED)
def test_peel(text: str, name: str, others: list[str]) -> None:
    assert split_parentheses(text) == (name, others)


OBO = """format-version: 1.2
! a comment

[Term]
id: PR:1
name: kinase 1 {source="x"} ! a note
synonym: "KIN\\"1\\"" EXACT PRO-short-label []
exact_synonym: "old kinase" []

[Typedef]
id: part_of
name: part of

[Term]
id: PR:2
name: gone
is_obsolete: true ! since long
"""


def test_obo(write: Write) -> None:
    collector = read_obo(write(OBO))
    assert rows(collector) == [
        ("kinase 1", "", "name", "PR:1"),
        ('KIN"1"', "", "alias_name", "PR:1"),
        ("old kinase", "", "alias_name", "PR:1"),
    ]
    assert reasons(collector) == {"not a term (Typedef)": (1, 10), "obsolete term": (1, 14)}
    assert collector.to_frame()["source_authority"].tolist() == ["PR"] * 3
    assert read_obo(write(OBO), authority="Mine").to_frame()["source_authority"].tolist() == ["Mine"] * 3


def test_csv_with_a_map(write: Write) -> None:
    path = write('Gene;ID;Sort\n"a;b";1;n\nc/d;2;symbol\n;3;s\n"line\nbreak";4;\n', "mine.csv")
    collector = read_csv(
        path,
        "Mine",
        columns={"data": "Gene", "source_id": "ID", "name_vs_symbol": "Sort"},
        delimiter=";",
        split="/",
    )
    assert rows(collector) == [
        ("a;b", "name", "", "1"),
        ("c", "symbol", "", "2"),
        ("d", "symbol", "", "2"),
        ("line break", "", "", "4"),
    ]
    assert reasons(collector) == {"empty entity": (1, 4)}
    assert collector.account.mended_count == 1
    assert collector.to_frame()["original_form_in_source"].tolist()[-1] == "line\nbreak"


def test_functions_in_csv_are_a_set(write: Write) -> None:
    frame = read_csv(write("data\tfunction\nCDK2\tkinase\nX\tenzyme|kinase\nY\t\n", "mine.tsv")).to_frame()
    # in the taxonomy's order
    assert frame["function"].astype("object").fillna("").tolist() == ["kinase", "kinase|enzyme", ""]
    for written in ("kinase|x", "kinase enzyme", "|"):
        path = write(f"data\tfunction\nCDK2\t{written}\n", "mine.tsv")
        with pytest.raises(InputError, match=r"mine.tsv:2: function: unknown value.*allowed: regulator, l"):
            read_csv(path)


@pytest.mark.parametrize("size", [2_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_a_long_list(size: int, write: Write) -> None:
    lines = [f"gene {i % (size - 10)}" for i in range(size)]
    collector = read_list(write("\n".join([*lines, "", "  "]), "long.txt"))
    assert collector.account.kept.total() == len(collector.to_frame()) == size - 10
    assert reasons(collector) == {"duplicate of an earlier line": (10, size - 9), "blank line": (2, size + 1)}


TRUNCATED = gzip.compress((HGNC + HGNC.partition("\n")[2] * 50).encode())
# faults of OBO files are in the tests of ontologies: both are read by the same reader
BROKEN = [
    # reader, content, place, words, why
    (read_hgnc, "", 1, ["'hgnc_id' is missing"], "an empty file"),
    (read_hgnc, "gene\tname\nA\tB\n", 1, ["'hgnc_id' is missing", "found 'gene, name'"], "wrong columns"),
    (read_hgnc, HGNC.replace("alias_name", "symbol"), 1, ["duplicate column", "symbol"], "a column twice"),
    (
        read_hgnc,
        HGNC + "HGNC:1\tA\n",
        5,
        ["different numbers of fields", "2 fields", "8 fields"],
        "a short row",
    ),
    (read_hgnc, HGNC + 'HGNC:1\t"A\n', 5, ["cannot be read as a table"], "an open quotation mark"),
    (read_hgnc, HGNC.encode("utf-16"), 1, ["UTF-16"], "UTF-16"),
    (read_hgnc, HGNC.encode() + b"HGNC:1\tA\xff\n", 5, ["not UTF-8", "0xff"], "a byte that is no UTF-8"),
    (read_hgnc, TRUNCATED[: len(TRUNCATED) - 20], None, ["is incomplete"], "gzip cut off"),
    (read_hgnc, TRUNCATED[:30] + b"\0" * 20 + TRUNCATED[50:], None, ["damaged"], "gzip damaged"),
    (read_flybase, HGNC, 1, ["has no FlyBase header"], "another source's file"),
    (
        read_uniprot,
        "Entry\tLength\nP1\t3\n",
        1,
        ["has no column of protein or gene names", "Protein names"],
        "no names",
    ),
    (
        read_obo,
        "[Term]\nid: X:1\nsynonym: x EXACT\n",
        3,
        ["synonym is malformed"],
        "no quotation marks",
    ),
    (read_csv, "a,b\n1,2\n", 1, ["has no column `data`", "--map"], "no map"),
    (read_csv, "data,name_vs_symbol\nx,neither\n", 2, ["unknown value", "symbol (s)"], "an unknown value"),
]


@pytest.mark.parametrize("row", BROKEN, ids=[str(row[4]) for row in BROKEN])
def test_broken_files_are_told_with_their_place(
    row: tuple[Read, str | bytes, int | None, list[str], str], write: Write
) -> None:
    read, content, line, words, _ = row
    path = write(content, "broken")
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.file == str(path)
    assert line is None or caught.value.line == line
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_map_to_nothing_is_told(write: Write) -> None:
    path = write("Gene\nx\n", "mine.csv")
    with pytest.raises(InputError, match="allowed: data"):
        read_csv(path, columns={"date": "Gene"})


@pytest.mark.parametrize("read", [read_hgnc, read_list, read_obo])
def test_no_file_and_a_folder(read: Read, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "absent")
    with pytest.raises(InputError, match="a folder"):
        read(tmp_path)


def test_flybase_whole(shared_data: Path) -> None:
    collector = read_flybase(shared_data / "flybase" / "fbgn_annotation_ID.tsv")
    assert collector.account.records == 17_873
    assert collector.account.kept["symbol"] == 17_873
    assert {"a", "by", "for", "if", "so", "up", "w"} <= set(collector.to_frame()["data"])


def test_obo_whole(shared_data: Path) -> None:
    collector = read_obo(shared_data / "bacteria_biotope" / "OntoBiotope_BioNLP-OST-2019.obo")
    assert collector.account.kept["name"] == 3_602
