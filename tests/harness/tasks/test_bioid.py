"""Tests of BioID: published scores, each difference of the default, rules of the README, and bad input."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.identifiers import count_identifiers
from tagsuite.harness.scoring.table import SCORE_COLUMNS
from tagsuite.harness.tasks.bioid.evaluation import FILE_NAMES, BioIDResult, evaluate_bioid
from tagsuite.harness.tasks.bioid.identifiers import read_equivalence
from tagsuite.harness.tasks.bioid.labels import EXCLUDED, NO_TYPE, UNMAPPED, label_types
from tagsuite.harness.tasks.bioid.pairs import pair_annotations
from tagsuite.harness.tasks.bioid.reading import read_collection
from tagsuite.harness.tasks.options import BioIDOptions
from tagsuite.harness.tasks.tables import write_tables

Folder = Callable[..., Path]
PUBLISHED = BioIDOptions(as_published=True)


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def corpus_row(
    result: BioIDResult,
    label: str = "cellular_component",
    condition: str = "any",
    span: str = "strict",
) -> dict[str, Any]:
    table = result.corpus
    keep = (
        (table["label"] == label) & (table["norm_condition"] == condition) & (table["span_condition"] == span)
    )
    (row,) = table[keep].to_dict("records")
    return {str(k): v for k, v in row.items()}


# --- the published program ---


def test_reference_case_is_equal_to_the_byte(shared_data: Path, tmp_path: Path) -> None:
    case = shared_data / "bioid" / "reference_case"
    options = BioIDOptions(equivalence_classes=case / "in" / "equivalence_classes.json", as_published=True)
    result = evaluate_bioid(case / "in" / "gold", [("A", case / "in" / "run")], options)
    write_tables(result.files, tmp_path / "out", "BioID evaluation", line_end="\r\n")
    for name in FILE_NAMES.values():
        expected = case / "out.firstdoc_fixed" / name
        assert (tmp_path / "out" / name).read_bytes() == expected.read_bytes(), name
        if name != FILE_NAMES["corpus"]:
            assert (case / "out" / name).read_bytes() == expected.read_bytes()
    # the released program without the corrected line omits the first document, which is the only one
    assert cells(case / "out" / FILE_NAMES["corpus"]) == cells(tmp_path / "out" / FILE_NAMES["corpus"])[:1]


def test_default_differs_from_published_only_where_said(shared_data: Path) -> None:
    case = shared_data / "bioid" / "reference_case" / "in"
    classes = case / "equivalence_classes.json"
    runs = [("A", case / "run")]
    ours = evaluate_bioid(case / "gold", runs, BioIDOptions(equivalence_classes=classes))
    theirs = evaluate_bioid(case / "gold", runs, BioIDOptions(equivalence_classes=classes, as_published=True))
    for level in ("caption", "document", "corpus"):
        mine, published = getattr(ours, level), getattr(theirs, level)
        differ = [c for c in mine if not mine[c].equals(published[c])]
        # counts are equal; only undefined precision and recall, and values derived from them, differ
        assert set(differ) <= {
            f"{norm}{measure}{mean}"
            for norm, means in (("", [""]), ("norm_", ["_micro", "_macro"]))
            for mean in means
            for measure in ("precision", "recall", "fmeasure")
        }
        assert mine["precision"].isna().equals(mine["hyptotal"] == 0)
        assert mine["recall"].isna().equals(mine["reftotal"] == 0)
        assert (published["precision"][mine["hyptotal"] == 0] == 1.0).all()
    details = ours.details["any"]
    assert details["reftype"].dropna().eq("gene:abc").any()  # the README: the value of the type infon
    assert not theirs.details["any"]["reftype"].dropna().eq("gene:abc").any()


# --- differences between the default and the published program ---


def test_zero_of_zero(bioid_folder: Folder) -> None:
    text = "Actin and tubulin."
    gold = bioid_folder("gold", a=[("1", "F", text, [("Uniprot:P1", 0, 5, "Actin")]), ("1", "G", text, [])])
    run = bioid_folder("run", a=[("1", "F", text, []), ("1", "G", text, [("GO:1", 0, 5, "Actin")])])
    ours = evaluate_bioid(gold, [("x", run)])
    theirs = evaluate_bioid(gold, [("x", run)], PUBLISHED)
    gene, component = corpus_row(ours, "gene_or_protein"), corpus_row(ours)
    assert np.isnan(gene["precision"])
    assert (gene["recall"], gene["fmeasure"], gene["norm_fmeasure_macro"]) == (0, 0, 0)
    assert np.isnan(component["recall"])
    published = corpus_row(theirs, "gene_or_protein")
    assert (published["precision"], published["recall"], published["fmeasure"]) == (1.0, 0.0, 0.0)
    assert published["norm_precision_macro"] == 1.0


def test_documents_that_come_in_pieces(bioid_folder: Folder) -> None:
    mark = [("GO:1", 0, 5, "Actin")]
    gold = bioid_folder("gold", a=[(d, f, "Actin.", mark) for d, f in (("1", "F"), ("2", "F"), ("1", "G"))])
    ours = evaluate_bioid(gold, [("x", gold)])
    theirs = evaluate_bioid(gold, [("x", gold)], PUBLISHED)
    strict = ours.document.query("norm_condition == 'any' and span_condition == 'strict'")
    assert strict[["document", "caption_count"]].values.tolist() == [["1", 2], ["2", 1]]
    strict = theirs.document.query("norm_condition == 'any' and span_condition == 'strict'")
    assert strict[["document", "caption_count"]].values.tolist() == [["1", 1], ["2", 1], ["1", 1]]


def test_run_names(bioid_folder: Folder) -> None:
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", [("GO:1", 0, 5, "Actin")])])
    assert evaluate_bioid(gold, [("", gold), ("", gold)]).corpus["run"].unique().tolist() == ["run1", "run2"]
    assert evaluate_bioid(gold, [("", gold)], PUBLISHED).corpus["run"].unique().tolist() == ["gold"]
    with pytest.raises(InputError, match="duplicate run name"):
        evaluate_bioid(gold, [("a", gold), ("a", gold)])


MARKS = [
    # annotation on which the released program fails; matches by default; message
    ((None, 0, 5, "Actin"), 0, r"the released program fails: 1 annotations have no type"),
    (("GO:1", 0, 5, ""), 1, "1 annotations have no text"),
    (("GO:1", 3, 0, "x"), None, "an empty annotation at the same offset"),
]


@pytest.mark.parametrize(("mark", "matches", "message"), MARKS, ids=["no type", "no text", "empty span"])
def test_marks_that_lack_something(
    bioid_folder: Folder, mark: tuple[Any, ...], matches: int | None, message: str
) -> None:
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", [("CL:1", 0, 5, "Actin"), mark])])
    with pytest.raises(InputError, match=message):
        evaluate_bioid(gold, [("x", gold)], PUBLISHED)
    if matches is not None:
        counts = evaluate_bioid(gold, [("x", gold)]).corpus.query("span_condition == 'strict'")
        assert counts.query("norm_condition == 'any'")["match"].sum() == 1 + matches


def test_caption_twice(bioid_folder: Folder) -> None:
    once = ("1", "F", "Actin.", [("GO:1", 0, 5, "Actin")])
    gold = bioid_folder("gold", a=[once])
    run = bioid_folder("run", a=[("1", "F", "Actin.", [])], b=[once])
    with pytest.raises(InputError, match="duplicate caption: found '1 F'") as error:
        evaluate_bioid(gold, [("x", run)])
    assert str(error.value.file).endswith("b.xml")
    result = evaluate_bioid(gold, [("x", run)], PUBLISHED)  # the last one read wins
    assert corpus_row(result)["match"] == 1


def test_sentences_and_further_passages(bioid_folder: Folder, tmp_path: Path) -> None:
    gold = bioid_folder("gold", a=[("1", "F", "Actin. Tubulin.", [("GO:1", 0, 5, "Actin")])])
    text = (gold / "a.xml").read_text(encoding="utf-8")

    def passage(offset: int) -> str:
        return (
            f"<offset>{offset}</offset><text>Tubulin.</text>"
            '<annotation id="9"><infon key="type">GO:2</infon>'
            f'<location offset="{offset}" length="7"/><text>Tubulin</text></annotation>'
        )

    more = f"<sentence>{passage(7)}</sentence></passage><passage>{passage(20)}</passage>"
    (gold / "a.xml").write_text(text.replace("</passage>", more, 1), encoding="utf-8")
    assert corpus_row(evaluate_bioid(gold, [("x", gold)]))["match"] == 3
    assert corpus_row(evaluate_bioid(gold, [("x", gold)], PUBLISHED))["match"] == 1


EQCLASSES = [
    # text of both sides, default's and program's class of the reference, class of the run, why
    ("GO:1", "GO:1|GO:2", "GO:1|GO:2", "GO:1|GO:2", "an identifier of a class"),
    ("GO:3", "GO:3", "GO:3", "GO:3", "an identifier without a class"),
    ("GO:1|GO:3", "GO:1|GO:2 ; GO:3", "GO:1|GO:2|GO:3", "GO:1|GO:3", "a run's is looked up whole: unknown"),
    ("GO:2|GO:1", "GO:1|GO:2", "GO:1|GO:2", "GO:2|GO:1", "even where all are one class"),
]


@pytest.mark.parametrize(("text", "ours", "theirs", "run_class", "why"), EQCLASSES)
def test_classes_in_the_pair_details(
    bioid_folder: Folder, tmp_path: Path, text: str, ours: str, theirs: str, run_class: str, why: str
) -> None:
    classes = tmp_path / "classes.json"
    classes.write_text('[["GO:1", "GO:2"]]', encoding="utf-8")
    gold, run = (
        bioid_folder(name, a=[("1", "F", "nucleus", [(text, 0, 7, "nucleus")])]) for name in ("gold", "run")
    )
    for published, reference_class in ((False, ours), (True, theirs)):
        options = BioIDOptions(equivalence_classes=classes, as_published=published)
        result = evaluate_bioid(gold, [("x", run)], options)
        for details in result.details.values():
            found = details[["reftype_eqclass", "hyptype_eqclass"]].values.tolist()
            assert found == [[reference_class, run_class]], why


def test_alternatives_of_a_run(bioid_folder: Folder, tmp_path: Path) -> None:
    classes = tmp_path / "classes.json"
    classes.write_text(json.dumps([["Uniprot:P1", "NCBI gene:1"]]), encoding="utf-8")
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", [("Uniprot:P1", 0, 5, "Actin")])])
    # the text equals the internal name of the class
    run = bioid_folder("run", a=[("1", "F", "Actin.", [("NCBI gene:1|Uniprot:P1", 0, 5, "Actin")])])
    ours = evaluate_bioid(gold, [("x", run)], BioIDOptions(equivalence_classes=classes))
    theirs = evaluate_bioid(gold, [("x", run)], BioIDOptions(equivalence_classes=classes, as_published=True))
    assert [corpus_row(r, "gene_or_protein")["norm_match"] for r in (ours, theirs)] == [0, 1]
    assert any("with alternatives" in note for note in ours.notes)


def test_classes_that_share_an_identifier(tmp_path: Path) -> None:
    path = tmp_path / "classes.json"
    path.write_text('[["a", "b"], ["b", "c"], ["x"]]', encoding="utf-8")
    ours, theirs = read_equivalence(path), read_equivalence(path, as_published=True)
    assert ours == {**dict.fromkeys("abc", "a|b|c"), "x": "x"}
    assert theirs == {"a": "a|b", "b": "b|c", "c": "b|c", "x": "x"}


def test_offsets_are_bytes_and_checked(bioid_folder: Folder) -> None:
    text = "β-actin and γ-tubulin"
    good = bioid_folder("good", a=[("1", "F", text, [("GO:1", 13, 10, "γ-tubulin")])])
    wrong = bioid_folder("wrong", a=[("1", "F", text, [("GO:1", 12, 9, "γ-tubulin")])])
    with pytest.raises(InputError, match="option offsets=characters") as error:
        evaluate_bioid(good, [("x", wrong)])
    assert error.value.line == 4
    mixed = BioIDOptions(offsets="characters", reference_offsets="bytes")
    assert corpus_row(evaluate_bioid(good, [("x", wrong)], mixed))["match"] == 1
    both = evaluate_bioid(wrong, [("x", wrong)], BioIDOptions(offsets="characters"))
    assert both.details["any"][["refstart", "refend"]].values.tolist() == [[13, 23]]
    # the released program compares only the numbers, not the text
    row = corpus_row(evaluate_bioid(good, [("x", wrong)], PUBLISHED))
    assert (row["match"], row["refclash"]) == (0, 1)


def test_captions_of_one_side_only(bioid_folder: Folder) -> None:
    mark = [("GO:1", 0, 5, "Actin")]
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", mark), ("1", "G", "Actin.", mark)])
    run = bioid_folder("run", a=[("1", "H", "Actin.", mark), ("1", "F", "Actin.", mark)])
    result = evaluate_bioid(gold, [("x", run)])
    row = corpus_row(result)
    assert (row["match"], row["missing"], row["spurious"]) == (1, 1, 0)
    assert result.notes == (
        "x: ignored 1 captions that are not in the reference",
        "x: 1 reference captions are not in the run; all their mentions count as missing",
    )


# --- the README's rules ---

TYPES = [
    ("Uniprot:P1", "gene_or_protein", True, None, "a prefix"),
    ("NCBI gene:1|Uniprot:P1", "gene_or_protein", True, None, "the first prefix decides"),
    ("Uberon:UBERON:1", "tissue_or_organ", True, None, "the part before the FIRST colon"),
    ("CVCL_0030", "cell_type_or_line", True, None, "Cellosaurus has an underscore"),
    ("CVCL_6412|CL:0000001", "cell_type_or_line", True, None, "no known prefix before the colon"),
    ("CVCL:0030", None, False, UNMAPPED, "with a colon it is no Cellosaurus id"),
    ("protein", "gene_or_protein", False, None, "a bare word of an unnormalised prefix"),
    ("protein:GFP", "gene_or_protein", False, None, "unnormalised"),
    ("Uniprot", None, False, UNMAPPED, "a bare normalised prefix is none"),
    ("uniprot:P1", None, False, UNMAPPED, "case matters"),
    ("Corum:12", None, False, EXCLUDED, "left out by the program, unknown to the README"),
    ("mRNA:x", None, False, EXCLUDED, "a label of the program that is never scored"),
    (None, None, False, NO_TYPE, "no infon"),
]


@pytest.mark.parametrize(("kind", "label", "grounded", "ignored", "why"), TYPES)
def test_types(kind: str | None, label: str | None, grounded: bool, ignored: str | None, why: str) -> None:
    row = label_types(pd.Series(["GO:1", kind], dtype="str")).iloc[1]
    assert [None if pd.isna(v) else v for v in row] == [label, kind if grounded else None, ignored], why


def count_cells(
    same: dict[str, str], reference: list[tuple[int, str]], run: list[tuple[int, str]]
) -> list[tuple[int, int, int]]:
    """Return the matched, missing and spurious identifiers in each of three cells."""
    gold, proposed = (
        pd.Series([text for _, text in s], [cell for cell, _ in s], "str") for s in (reference, run)
    )
    return list(zip(*count_identifiers(3, gold, proposed, same).values(), strict=True))


names = st.sampled_from("abcdefg")
alternatives = st.lists(names, min_size=1, max_size=3).map("|".join)
CELLS = st.integers(0, 2)


@given(st.lists(st.tuples(CELLS, alternatives), max_size=14), st.lists(st.tuples(CELLS, names), max_size=8))
# six sets, but four identifiers
@example([(1, "|".join(pair)) for pair in itertools.combinations("abcd", 2)], [])
def test_identifiers_by_the_readme_with_plain_sets(
    reference: list[tuple[int, str]], run: list[tuple[int, str]]
) -> None:
    same = {"f": "f|g", "g": "f|g"}
    counts = count_cells(same, reference, run)
    for cell in range(3):
        sets = {frozenset(same.get(i, i) for i in t.split("|")) for c, t in reference if c == cell}
        singles = {i for s in sets if len(s) == 1 for i in s}
        proposed = {same.get(t, t) for c, t in run if c == cell}
        match = proposed & {i for s in sets for i in s}
        missing = singles - match
        rest = {s for s in sets if len(s) > 1 and not s & (match | missing)}
        bump = min(len(rest), len({i for s in rest for i in s}))
        assert counts[cell] == (len(match), len(missing) + bump, len(proposed - match))


def test_spans_and_labels(bioid_folder: Folder) -> None:
    """Check a caption with all outcomes, including adjacent spans."""
    text = "aaaa bbbb cccc dddd eeee ffffgggg"
    gold = [(f"GO:{i + 1}", 5 * i, 4) for i in range(6)]
    run = [("GO:1", 0, 4), ("GO:2", 5, 3), ("CL:3", 10, 4), ("CL:4", 15, 3), ("GO:6", 29, 4)]
    sides = [
        bioid_folder(name, a=[("1", "F", text, [(k, s, n, text[s : s + n]) for k, s, n in marks])])
        for name, marks in (("gold", gold), ("run", run))
    ]
    result = evaluate_bioid(sides[0], [("x", sides[1])])
    names = ["match", "refclash", "missing", "refonly", "reftotal"]
    names += ["hypclash", "spurious", "hyponly", "hyptotal"]
    strict = corpus_row(result)
    assert [strict[n] for n in names] == [1, 3, 2, 5, 6, 1, 1, 2, 3]
    overlap = corpus_row(result, span="overlap")
    assert [overlap[n] for n in names] == [2, 2, 2, 4, 6, 0, 1, 1, 3]
    assert [corpus_row(result, "cell_type_or_line")[n] for n in names] == [0, 0, 0, 0, 0, 2, 0, 2, 2]
    details = result.details["any"]
    assert details["status"].tolist() == [
        "match", "spanclash", "labelclash", "spanclash,labelclash", "missing", "missing", "spurious",
    ]  # fmt: skip
    assert result.table.columns[: len(SCORE_COLUMNS)].tolist() == list(SCORE_COLUMNS)
    assert result.table["signature"].str.startswith("corpus:").all()


marks = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 12), st.integers(0, 5), st.sampled_from("xy")), max_size=6
)


@given(marks, marks)
def test_pairing_by_trying_all_ways(
    reference: list[tuple[int, int, int, str]], run: list[tuple[int, int, int, str]]
) -> None:
    """Check that the pairing has the maximal sum of similarities and no pairs of adjacent spans."""
    tables = [
        pd.DataFrame(
            [(c, s, s + n, label) for c, s, n, label in side], columns=["caption", "start", "end", "label"]
        )
        for side in (reference, run)
    ]

    def alike(a: int, b: int) -> float:
        (c, s, n, label), (d, t, m, other) = reference[a], run[b]
        common = min(s + n, t + m) - max(s, t)
        if c != d or common <= 0:
            return 0.0
        return 0.9 * common / (max(s + n, t + m) - min(s, t)) + (0.1 if label == other else 0.0)

    found = pair_annotations(*tables)
    total = sum(alike(a, b) for a, b in zip(found.reference, found.run, strict=True))
    assert all(alike(a, b) > 0 for a, b in zip(found.reference, found.run, strict=True))
    cells = [alike(a, b) for a in range(len(reference)) for b in range(len(run))]
    table = np.array(cells, dtype=float).reshape(len(reference), len(run))
    rows, columns = linear_sum_assignment(table, maximize=True)
    assert total == pytest.approx(float(table[rows, columns].sum()))
    clashes = zip(found.reference, found.run, found.span_clash, found.label_clash, strict=True)
    for a, b, span, label in clashes:
        assert span == (reference[a][1:3] != run[b][1:3])
        assert label == (reference[a][3] != run[b][3])


def test_labels_option(bioid_folder: Folder) -> None:
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", [("GO:1", 0, 5, "Actin"), ("CL:1", 0, 5, "Actin")])])
    result = evaluate_bioid(gold, [("x", gold)], BioIDOptions(labels=("cell_type_or_line",)))
    assert result.corpus["label"].unique().tolist() == ["cell_type_or_line"]


def test_nothing_to_score(bioid_folder: Folder) -> None:
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", [])])
    result = evaluate_bioid(gold, [("x", gold)])
    assert (len(result.corpus), len(result.table), len(result.details["any"])) == (0, 0, 0)


# --- bad input ---

GOOD = (
    '<collection><document><id>1</id><infon key="pmc_id">1</infon><infon key="figure">F</infon>\n'
    "<passage><offset>0</offset><text>Actin.</text>\n"
    '<annotation id="1"><infon key="type">GO:1</infon>\n'
    '<location offset="0" length="5"/>\n'
    "<text>Actin</text></annotation></passage></document></collection>"
)
FAULTS = [
    ("", "the file is empty", None, "empty"),
    (GOOD[:90], "not well-formed XML", 1, "truncated"),
    ("<corpus/>", "not BioC: found '<corpus>'", 1, "another format"),
    (GOOD.replace('offset="0" ', ""), "start is not an integer", 3, "missing offset"),
    (GOOD.replace('length="5"', 'length="five"'), "length is not an integer", 3, "no number"),
    (GOOD.replace('offset="0"', 'offset="-1"'), "offset is not a valid number: found '-1'", 3, "negative"),
    (GOOD.replace('length="5"', 'length="50"'), "outside the text", 3, "offset outside the text"),
    (
        GOOD.replace("<text>Actin<", "<text>actin<"),
        "has 'Actin' at .*differ: 1.*found 'actin'",
        3,
        "other text",
    ),
    (GOOD.replace('<location offset="0" length="5"/>', ""), "a mention has no location", 3, "no location"),
    (GOOD.replace('<infon key="pmc_id">1</infon>', ""), "has no infon pmc_id", 1, "no document"),
    (GOOD.replace('<infon key="figure">F</infon>', ""), "has no infon figure", 1, "no figure"),
    (GOOD.replace("passage>", "p>"), "this element is not allowed in <document>", 2, "another element"),
    (GOOD[: GOOD.index("<passage>")] + "</document></collection>", "has no passage", 1, "no passage"),
]


@pytest.mark.parametrize(("content", "message", "line", "why"), FAULTS, ids=[f[3] for f in FAULTS])
def test_faults_are_named(tmp_path: Path, content: str, message: str, line: int | None, why: str) -> None:
    (tmp_path / "bad.xml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_collection(tmp_path)
    assert (error.value.file, error.value.line) == (str(tmp_path / "bad.xml"), line), why


def test_no_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder contains no BioC file"):
        read_collection(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        read_collection(tmp_path / "absent")


@pytest.mark.parametrize("content", ["", "{}", '["a"]', "[[1]]"])
def test_bad_equivalence_classes(tmp_path: Path, content: str) -> None:
    (tmp_path / "classes.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"not valid JSON|no list of equivalence|not a list|class 1 is not"):
        read_equivalence(tmp_path / "classes.json")


# --- the command ---


def test_command(tagsuite: Callable[..., Any], bioid_folder: Folder, tmp_path: Path) -> None:
    gold = bioid_folder("gold", a=[("1", "F", "Actin.", [("GO:1", 0, 5, "Actin"), (None, 0, 5, "Actin")])])
    done = tagsuite("evaluate", "bioid", gold, f"mine:{gold}", "--out", tmp_path / "out", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["scores"]
    assert {row["run"] for row in rows} == {"mine"}
    assert list(rows[0])[: len(SCORE_COLUMNS)] == list(SCORE_COLUMNS)
    assert "1 annotations ignored: no type infon" in done.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(
        [".tagsuite.toml", *FILE_NAMES.values()]
    )
    again = tagsuite("evaluate", "bioid", gold, gold, "--out", tmp_path / "out")
    assert (again.returncode, "--force" in again.stderr) == (2, True)
