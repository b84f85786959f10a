"""Tests of index terms: example in the paper, real MTI output, retrieval, all formats, and bad input."""

from __future__ import annotations

import gzip
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError, MissingExtraError
from tagsuite.harness.scoring.table import SCORE_COLUMNS
from tagsuite.harness.tasks.indexing.comparison import align_sides, compare
from tagsuite.harness.tasks.indexing.evaluation import evaluate_indexing, find_largest_differences
from tagsuite.harness.tasks.indexing.reading import IndexedDocuments, read_indexing
from tagsuite.harness.tasks.indexing.retrieval import SearchIndex, run_cascade
from tagsuite.harness.tasks.indexing.tree import SIMILARITIES, read_frequencies, read_tree
from tagsuite.harness.tasks.options import IndexingOptions, SimilarityMeasure

Files = Callable[[str, str], Path]

TREE = """Body;A01
Head;A01.100
Nose;A01.100.200
Ear;A01.100.300
Foot;A01.200
Disease;C01
Nose Disease;C01.100
Nose;C01.100.200
"""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    def write(name: str, content: str) -> Path:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


def terms(**documents: list[str]) -> str:
    """Return documents with terms as JSON lines."""
    return "".join(json.dumps({"document": d, "terms": t}) + "\n" for d, t in documents.items())


# --- the paper ---


def test_worked_example(files: Files) -> None:
    """Check tables 1 and 2: Dice 2/9 = 0.22 and similarity 5.36/9, given the similarities in table 2."""
    proposed = ["Calcifediol", "Chromatography, Liquid", "Spectrum Analysis, Mass", "Quinoxalines"]
    gold = [
        "Calcifediol",
        "Chromatography, High Pressure Liquid",
        "Spectrometry, Mass, Electrospray Ionization",
        "Humans",
        "Reference Standards",
    ]
    given_by_the_paper = {(proposed[1], gold[1]): 0.86, (proposed[2], gold[2]): 0.82}
    sides = align_sides(
        read_indexing(files("gold.jsonl", json.dumps({"document": "15277348", "terms": gold}))),
        read_indexing(files("mti.jsonl", json.dumps({"document": "15277348", "terms": proposed}))),
    )

    def similarity(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        names = [(sides.names[a], sides.names[b]) for a, b in zip(left, right, strict=True)]
        return np.array([1.0 if a == b else given_by_the_paper.get((a, b), 0.0) for a, b in names])

    documents, pairs = compare(sides, similarity)
    row = documents.iloc[0]
    assert row["dice"] == pytest.approx(2 / 9)
    assert row["similarity"] == pytest.approx(5.36 / 9)
    assert row["similarity"].round(2) == 0.60  # 0.5956: the paper has 0.59 in one place and 0.57 in another
    assert pairs["dice"].sum() == 2
    assert pairs["similarity"].sum() == pytest.approx(5.36)
    table: dict[tuple[str, str], tuple[Any, ...]] = {
        (r["side"], r["term"]): (r["partner"], r["dice"], r["similarity"]) for r in pairs.to_dict("records")
    }
    assert table["proposed", proposed[1]] == (gold[1], 0, 0.86)
    assert table["gold", gold[2]] == (proposed[2], 0, 0.82)
    assert table["proposed", "Quinoxalines"][2] == 0
    assert pd.isna(table["gold", "Humans"][0])


PROSTHESES = """Equipment;E07
Prostheses;E07.695
Dental Prosthesis;E07.695.190
Dental Prosthesis, Implant-Supported;E07.695.190.175
Anesthesia;E03.155
Anesthesia and Analgesia;E03
"""
IMPLANT = ["Dental Prosthesis, Implant-Supported", "Dental Prosthesis"]
SETS = [
    # gold, proposed (of documents 1, 2, …), Dice of each, why
    ([IMPLANT, ["Anesthesia"]], [IMPLANT, ["Anesthesia"]], [1, 1], "the same"),
    ([IMPLANT], [IMPLANT[::-1]], [1], "in another order"),
    ([IMPLANT], [IMPLANT[1:]], [2 / 3], "one of two"),
    ([IMPLANT[:1]], [IMPLANT[1:]], [0], "two that are equally frequent are not the same"),
    ([["Male", "Anesthesia"]], [["Male", "Prostheses"]], [1 / 2], "a term that the tree does not have"),
]


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_dice_knows_no_similarity(files: Files, similarity: SimilarityMeasure) -> None:
    """Check that Dice and precision compare sets and do not depend on the similarity."""
    options, tree = IndexingOptions(similarity=similarity), files("mtrees.bin", PROSTHESES)
    for gold, proposed, expected, why in SETS:
        sides = [terms(**{str(i): own for i, own in enumerate(side, 1)}) for side in (gold, proposed)]
        paths = files("gold.jsonl", sides[0]), files("new.jsonl", sides[1])
        result = evaluate_indexing(*paths, tree, options)
        assert result.documents["dice"].tolist() == pytest.approx(expected), why
        common = [len(set(g) & set(p)) for g, p in zip(gold, proposed, strict=True)]
        assert result.documents["common"].tolist() == common
        assert result.table["tp"][0] == sum(common)
        precision = [n / len(p) for n, p in zip(common, proposed, strict=True)]
        assert result.documents["precision"].tolist() == pytest.approx(precision)
        # the best partner of a common term is the term itself
        same = result.pairs[result.pairs["dice"] == 1]
        assert (same["term"] == same["partner"]).all()
        assert len(same) == 2 * sum(common)


def test_lin_over_trees_by_hand(files: Files) -> None:
    gold = files("gold.jsonl", terms(a=["Nose"], b=["Ear"], c=["Head"], d=["Foot"], e=["Nose Disease"]))
    proposed = files("new.jsonl", terms(a=["Ear"], b=["Ear"], c=["Foot"], d=["Nose"], e=["Nose"]))
    result = evaluate_indexing(gold, proposed, files("mtrees.bin", TREE))
    # tree A: Nose 1/4, Ear 1/4, Head 3/4 (a, b, c), Foot 1/4; tree C: Nose 1/2, Nose Disease 1
    head, quarter = -np.log(3 / 4), -np.log(1 / 4)
    expected = [2 * head / (2 * quarter), 1.0, 0.0, 0.0, 0.0]
    assert result.documents["similarity"].to_numpy() == pytest.approx(expected)
    assert result.documents["dice"].tolist() == [0, 1, 0, 0, 0]
    assert result.documents["document"].tolist() == list("abcde")
    assert find_largest_differences(result.documents, 1)["document"].tolist() == ["a"]


def test_polyhierarchy_takes_the_greatest(files: Files) -> None:
    """Check terms in two trees: Nose and Nose Disease share a parent in tree C, but nothing in tree A."""
    corpus = terms(a=["Nose"], b=["Disease"], c=["Nose Disease"])
    gold, tree = files("gold.jsonl", terms(a=["Nose"])), files("mtrees.bin", TREE)
    proposed = files("new.jsonl", terms(a=["Nose Disease"]))
    options = IndexingOptions(corpus=files("corpus.jsonl", corpus))
    result = evaluate_indexing(gold, proposed, tree, options)
    # tree C: Nose 1/3, Nose Disease 2/3
    disease, nose = -np.log(2 / 3), -np.log(1 / 3)
    assert result.documents["similarity"][0] == pytest.approx(2 * disease / (disease + nose))


def test_frequencies(files: Files) -> None:
    gold, tree = files("gold.jsonl", terms(a=["Nose"])), files("mtrees.bin", TREE)
    proposed = files("new.jsonl", terms(a=["Ear"]))
    table = files("frequencies.tsv", "term\tcount\nNose\t10\near\t10\nFoot\t80\n")
    result = evaluate_indexing(gold, proposed, tree, IndexingOptions(frequencies=table))
    assert result.documents["similarity"][0] == pytest.approx(np.log(0.2) / np.log(0.1))
    # Ear has frequency 0: its similarity is undefined and set to 0; smoothing makes it defined
    without = files("without.csv", "Nose,10\nFoot,90\n")
    undefined = evaluate_indexing(gold, proposed, tree, IndexingOptions(frequencies=without))
    assert undefined.documents["similarity"][0] == 0
    assert any("similarity of 1 pairs of terms is set to 0" in note for note in undefined.notes)
    smoothed = evaluate_indexing(gold, proposed, tree, IndexingOptions(frequencies=without, smoothing=1))
    ear, nose, head = (-np.log((n + 1) / 101) for n in (0, 10, 10))
    assert smoothed.documents["similarity"][0] == pytest.approx(2 * head / (ear + nose))


def test_other_similarities_and_obo(files: Files) -> None:
    obo = "[Term]\nid: X:0\nname: root\n\n" + "".join(
        f"[Term]\nid: X:{i}\nname: {name}\nis_a: X:{parent}\n\n"
        for i, name, parent in ((1, "food", 0), (2, "cheese", 1), (3, "bread", 1))
    )
    gold, proposed = files("gold.jsonl", terms(a=["Cheese"])), files("new.jsonl", terms(a=["X:3"]))
    tree = files("food.obo", obo)
    packed = tree.with_suffix(".obo.gz")
    packed.write_bytes(gzip.compress(tree.read_bytes()))
    assert read_tree(packed).positions.equals(read_tree(tree).positions)
    wang = evaluate_indexing(gold, proposed, tree, IndexingOptions(similarity="wang"))
    assert wang.documents["similarity"][0] == pytest.approx(2 * (0.65 + 0.4225) / (2 * (1 + 0.65 + 0.4225)))
    corpus = files("corpus.jsonl", terms(a=["cheese"], b=["bread"]))
    jiang = evaluate_indexing(
        gold, proposed, tree, IndexingOptions(similarity="jiang-conrath", corpus=corpus)
    )
    assert jiang.documents["similarity"][0] == pytest.approx(1 / (1 + 2 * np.log(2)))


def test_documents_of_one_side_are_counted(files: Files) -> None:
    gold = files("gold.jsonl", terms(a=["Nose"], b=["Ear"], c=[], d=["Male"]))
    proposed = files("new.jsonl", terms(a=["Nose"], b=[], c=["Ear"], e=["Ear"], d=["Male"]))
    result = evaluate_indexing(gold, proposed, files("mtrees.bin", TREE))
    assert result.documents["document"].tolist() == ["a", "d"]
    assert result.notes[:3] == (
        "1 documents ignored because they have no proposed term",
        "1 documents ignored because they have no gold term",
        "1 documents ignored because they are not in the gold file",
    )
    # Male has no position: it is similar only to itself, and a note says so
    assert result.documents["similarity"].tolist() == [1, 1]
    assert result.notes[3] == "the tree contains 1 of 2 gold terms, 1 of 2 distinct terms (missing: Male)"


def test_real_mti_output(shared_data: Path) -> None:
    result = evaluate_indexing(
        shared_data / "mti" / "NLM2007.TiAbMe",
        shared_data / "mti" / "NLM2007_MTI.out",
        shared_data / "mesh" / "mtrees2019.bin",
        IndexingOptions(smoothing=1),
    )
    documents = result.documents
    assert len(documents) == 200
    assert documents["gold"].sum() == 2737
    assert documents["dice"].mean() == pytest.approx(0.362, abs=5e-4)
    assert documents["similarity"].mean() == pytest.approx(0.558, abs=5e-4)
    assert (documents["similarity"] >= documents["dice"] - 1e-12).all()
    coverage = "the tree contains 2530 of 2737 gold terms, 1458 of 1486 distinct terms"
    assert result.notes[0].startswith(coverage)
    exact, soft = (result.table.iloc[i] for i in (0, 1))
    assert exact["tp"] == documents["common"].sum()
    assert list(result.table.columns[: len(SCORE_COLUMNS)]) == list(SCORE_COLUMNS)
    assert soft["recall"] > exact["recall"]


def test_medline_records(shared_data: Path) -> None:
    records = read_indexing(shared_data / "mesh" / "mesh-papers.medline.txt")
    assert len(records.documents) == 284
    first = records.terms[records.terms["document"] == "28422961"]
    assert first["term"].tolist() == [
        "Algorithms", "Cytochrome P-450 Enzyme System", "Drug Interactions", "Humans",
        "Medical Subject Headings", "Prescription Drugs", "PubMed", "ROC Curve",
    ]  # fmt: skip
    assert first.loc[first["check_tag"], "term"].tolist() == ["Humans"]


# --- retrieval ---


def library_of(**documents: list[str]) -> SearchIndex:
    table = pd.DataFrame(
        [(d, t, t.casefold()) for d, own in documents.items() for t in own],
        columns=["document", "term", "key"],
        dtype="str",
    )
    texts = pd.DataFrame(
        {"document": list(documents), "text": [f"about {d}" for d in documents]}, dtype="str"
    )
    return SearchIndex.from_collection(IndexedDocuments("made-up", texts, table.assign(check_tag=False), ""))


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=8),
    st.sets(st.sampled_from("abcde"), min_size=1),
)
def test_one_query_gives_the_order_of_the_papers_queries(collection: list[set[str]], query: set[str]) -> None:
    """Return the documents for all terms, then for each subset with one term less, and so on, once each."""
    library = library_of(**{str(100 + i): sorted(own) for i, own in enumerate(collection)})
    having = {n: set(library.terms[name]) for n, name in enumerate(library.names)}
    expected: list[int] = []
    for size in range(len(query), 0, -1):
        subsets = [{*some, "f"} for some in itertools.combinations(query, size)]
        found = (n for n, own in having.items() if any(some <= own for some in subsets))
        expected += [n for n in found if n not in expected]
    assert run_cascade(library, sorted(query), ["f"]) == expected
    assert run_cascade(library, [], ["f"]) == []


def test_retrieval(files: Files) -> None:
    collection = terms(**{str(i): ["Nose" if i % 2 else "Ear", f"Term {i}"] for i in range(1, 31)})
    gold = files("gold.jsonl", terms(**{"3": ["Nose", "Term 3"], "4": ["Ear", "Term 4"], "99": ["Ear"]}))
    proposed = files("new.jsonl", terms(**{"3": ["Nose"], "4": ["Foot"], "99": ["Ear"]}))
    tree = files("mtrees.bin", TREE)
    options = IndexingOptions(documents=files("collection.jsonl", collection), related=12)
    result = evaluate_indexing(gold, proposed, tree, options)
    assert result.retrieval is not None
    assert result.tops is not None
    three, four = result.retrieval.to_dict("records")
    # fifteen documents have Nose: 29, 27, … come first, 3 is number 14
    assert (three["retrieved"], three["rank"]) == (15, 14)
    assert (four["retrieved"], pd.isna(four["rank"])) == (0, True)
    assert result.tops.to_dict("list")["top"] == ["10", "25", "any"]
    assert result.tops["originals"].tolist() == [0, 1, 1]
    assert three["nearest"] == 10
    assert result.tops["nearest_found"].tolist()[-1] == three["nearest_found"]
    assert any("no retrieval for 1 documents that are not in the collection" in note for note in result.notes)
    row = result.table.set_index("class").loc["original, top 25"]
    assert (row["gold"], row["tp"], row["recall"]) == (2, 1, 0.5)


def test_related_documents_begin_with_the_document_itself() -> None:
    library = library_of(**{"1": ["Nose", "Ear"], "2": ["Nose", "Ear"], "3": ["Foot"]})
    assert [library.names[n] for n in library.find_related("1", 2)] == ["1", "2"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tagsuite\[indexing\]'"):
        library_of(a=["b"])


# --- formats ---

FORMATS = {
    "medline.txt": (
        "PMID- 7\nOWN - NLM\nTI  - A title that\n      goes on.\nMH  - *Nose/*injuries\nMH  - Humans\n"
    ),
    "pubmed.xml": (
        "<?xml version='1.0'?><!DOCTYPE PubmedArticleSet SYSTEM 'pubmed.dtd'>"
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID>"
        "<Article><ArticleTitle>A title that <i>goes</i> on.</ArticleTitle></Article>"
        "<MeshHeadingList><MeshHeading><DescriptorName>Nose</DescriptorName>"
        "<QualifierName>injuries</QualifierName></MeshHeading>"
        "<MeshHeading><DescriptorName>Humans</DescriptorName></MeshHeading></MeshHeadingList>"
        "</MedlineCitation></PubmedArticle></PubmedArticleSet>"
    ),
    "set.TiAbMe": "7|t|A title that goes on.\n7|a|\n7|m|Nose!|Nose!injuries*|Humans!|\n",
    "mti.out": (
        "------\n7|*Nose|C0028429|100|MH|x|TI|MM\n"
        '7|Beak|C0000001|9|ET|Entry Term Replacement for "Nose";x|TI|MM\n'
        "7|injuries|C0000002|5|SH|x|TI|MM\n7|some chemical|C0000003|5|NM|x|TI|MM\n"
        "7|Humans|C0086418|1000|CT|x|TI|MM\n"
    ),
    "table.csv": "document,term\n7,Nose/injuries\n7,Humans\n",
    "lines.jsonl": (
        '{"document": 7, "terms": ["Nose", "Humans", "nose"], '
        '"title": "A title that", "abstract": "goes on."}\n'
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_say_the_same(files: Files, name: str) -> None:
    path = files(name, FORMATS[name])
    found, lenient = read_indexing(path), read_indexing(path, skip_bad_lines=True)
    assert found.terms[["document", "key", "check_tag"]].values.tolist() == [
        ["7", "nose", False],
        ["7", "humans", True],
    ]
    text = found.documents["text"].tolist()
    assert text == ["" if name in ("mti.out", "table.csv") else "A title that goes on."]
    # nothing is skipped in a good file
    assert lenient.terms.equals(found.terms)
    assert (lenient.digest, lenient.left_out) == (found.digest, ())


def test_qualifiers_of_test_sets(files: Files) -> None:
    """Check headings with and without qualifier, as major topic or not; each heading counts once."""
    printed = "ear!|foot*|head!injuries|eye!injuries*|arm*injuries|leg*injuries*|ear*|humans!"
    found = read_indexing(files("set.TiAbMe", f"7|t|A title\n7|m|{printed}|\n"))
    assert found.terms["term"].tolist() == ["ear", "foot", "head", "eye", "arm", "leg", "humans"]


FAULTS = [
    ("x.txt", "------\n\n", "the file is empty", None),
    ("x.txt", "something else\n", "unknown format", 1),
    ("x.xml", "<html/>", "the file contains no MedlineCitation: found '<html>'", 1),
    ("x.xml", "<a><MedlineCitation/></a>", "a citation has no PMID", 1),
    ("x.csv", "document,term\n7," + "x" * 200_000 + "\n", "malformed CSV row", 2),
    ("x.csv", 'document,term,"x\n7,Nose,\n', "malformed CSV row", 1),
    ("x.jsonl", '{"document": "7", "terms": "Nose"}\n', "malformed", 1),
]
# faults of single lines are in the table SKIPPED


@pytest.mark.parametrize(("name", "content", "message", "line"), FAULTS)
def test_faults_are_named(files: Files, name: str, content: str, message: str, line: int | None) -> None:
    path = files(name, content)
    with pytest.raises(InputError, match=message) as error:
        read_indexing(path)
    assert (error.value.file, error.value.line) == (str(path), line)


MTI_LINE = "|C0028429|100|MH|x|TI|MM"
SKIPPED = [
    # name, content, result (document, term), skipped lines, why
    ("a.out", f"7|Nose{MTI_LINE}\n7|Nose\n7|Ear{MTI_LINE}\n", "7 Nose, 7 Ear", [2], "too few cells"),
    ("b.out", f"7|No\n7|Nose{MTI_LINE}\n", "7 Nose", [1], "the first line says no format"),
    ("c.TiAbMe", "7|t|title\nelse\n7|m|nose!|\n", "7 nose", [2], "no such line in a test set"),
    ("d.csv", "document,term\n7,Nose,Ear\n7\n8,Ear\n", "8 Ear", [2, 3], "too many cells, too few"),
    ("e.csv", 'document,term\n7,"Nose\n8,Ear\n9,Foot\n', "8 Ear, 9 Foot", [2], "an open quotation mark"),
    ("f.csv", 'document,term\n7,"Nose\n8,Ear\n9,"\n', "8 Ear", [2, 4], "one that is closed below"),
    ("g.csv", "x\ndocument,term\n7,Nose\n", "7 Nose", [1], "a line above the header"),
    ("h.jsonl", '{"document": "7"\n{"document": "8", "terms": ["Ear"]}\n', "8 Ear", [1], "cut off"),
    ("i.jsonl", terms(a=["Nose"]) + terms(a=["Ear"]), "a Nose", [2], "a document twice: the first counts"),
    ("j.txt", "PMID- 7\nnonsense\n      more\nMH  - Nose\n", "7 Nose", [2], "a field, with its rest"),
    ("k.txt", "PMID- 7\nMH  - Nose\n\nPMID 8\nMH  - Ear\n", "7 Nose", [4, 5], "a record without identifier"),
    ("l.csv", "document,term\n7,No\0se\n8,Ear\n", "8 Ear", [2], "a NUL"),
]


@pytest.mark.parametrize(
    ("name", "content", "expected", "lines", "why"), SKIPPED, ids=[row[-1] for row in SKIPPED]
)
def test_bad_lines_are_left_out_and_named(
    files: Files, name: str, content: str, expected: str, lines: list[int], why: str
) -> None:
    path = files(name, content)
    with pytest.raises(InputError) as caught:
        read_indexing(path)
    assert (caught.value.file, caught.value.line) == (str(path), lines[0])
    found = read_indexing(path, skip_bad_lines=True)
    assert ", ".join(found.terms["document"] + " " + found.terms["term"]) == expected, why
    assert [error.line for error in found.left_out] == lines, why
    assert {error.file for error in found.left_out} == {str(path)}


SKIP = IndexingOptions(skip_bad_lines=True)


def test_bad_lines_are_counted(files: Files, tmp_path: Path) -> None:
    gold, tree = files("gold.jsonl", terms(a=["Nose"], b=["Ear"])), files("mtrees.bin", TREE)
    bad = "".join(f"{number}\n" for number in range(12))
    proposed = files("new.csv", f"document,term\na,Nose\n{bad}b,Ear\n")
    with pytest.raises(InputError, match=r"new\.csv:3: the row does not match the header"):
        evaluate_indexing(gold, proposed, tree)
    result = evaluate_indexing(gold, proposed, tree, SKIP)
    assert result.documents["dice"].tolist() == [1, 1]
    assert result.notes[0] == "skipped 12 malformed lines of the predictions"
    assert result.notes[1].startswith(f"skipped: {proposed}:3: the row does not match the header")
    assert result.notes[11] == "also skipped: lines 13, 14"
    # one line that is not UTF-8
    proposed.write_bytes("document,term\na,Nés\n".encode("latin-1") + b"b,Ear\n")
    assert "not UTF-8" in evaluate_indexing(gold, proposed, tree, SKIP).notes[1]
    # no line is left; lines of the gold are never skipped
    only_bad = files("bad.csv", "document,term\na\n")
    with pytest.raises(InputError, match=r"bad\.csv:2: the file contains no document; 1 malformed lines"):
        evaluate_indexing(gold, only_bad, tree, SKIP)
    with pytest.raises(InputError, match=r"bad\.csv:2"):
        evaluate_indexing(only_bad, gold, tree, SKIP)
    with pytest.raises(InputError, match="no such file"):
        read_indexing(tmp_path / "absent.csv", skip_bad_lines=True)


OTHER = [
    (read_indexing, "document,term\n7,Nés\n".encode("latin-1"), "not UTF-8"),
    (read_frequencies, b"Nose\t3\nEar\tmany\n", ":2: malformed line"),
    (read_frequencies, b"Nose\t3\nEar\t4\t5\n", ":2: malformed line"),
    (read_frequencies, b"Nose\t3\rEar\t4\r", "the file contains no lines term<tab>number"),
    (read_frequencies, b"\n", "the file contains no lines term<tab>number"),
    (read_tree, b"Nose\n", "the tree number is missing"),
]


@pytest.mark.parametrize(("read", "content", "message"), OTHER)
def test_other_faults(read: Callable[[Path], Any], content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "f.csv")


def test_no_document_in_common(files: Files) -> None:
    gold, other = files("a.jsonl", terms(a=["Nose"])), files("b.jsonl", terms(b=["Nose"]))
    with pytest.raises(InputError, match="no document has both gold terms and proposed terms"):
        evaluate_indexing(gold, other, files("mtrees.bin", TREE))


# --- the command ---


def test_command(tagsuite: Callable[..., Any], files: Files, tmp_path: Path) -> None:
    gold = files("gold.jsonl", terms(a=["Nose", "Ear"]))
    proposed = files("new.jsonl", terms(a=["Ear", "Foot"]))
    common = ["evaluate", "indexing", "--gold", gold, "--predicted", proposed]
    common += ["--tree", files("mtrees.bin", TREE)]
    done = tagsuite(*common, "--out", tmp_path / "out", "--documents", gold, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["scores"]
    assert (rows[0]["notion"], rows[0]["tp"], rows[0]["dice"]) == ("exact", 1, 0.5)
    written = {"documents.csv", "pairs.csv", "retrieval.csv", "tops.csv"}
    assert {p.name for p in (tmp_path / "out").iterdir()} == {".tagsuite.toml", *written}
    pairs = json.loads(tagsuite(*common, "--detailed", "--format", "json").stdout)["pairs"]
    assert [p["term"] for p in pairs] == ["Ear", "Foot", "Nose", "Ear"]
    assert tagsuite(*common, "--similarity", "x").returncode == 2
    proposed.write_text(terms(a=["Ear", "Foot"]) + "broken\n", encoding="utf-8")
    assert tagsuite(*common).returncode == 2
    mended = tagsuite(*common, "--skip-bad-lines", "--format", "json")
    assert json.loads(mended.stdout)["scores"][0]["dice"] == 0.5
    assert "skipped 1 malformed lines of the predictions" in mended.stderr
    assert "new.jsonl:2: not valid JSON" in mended.stderr
