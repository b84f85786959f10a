"""Tests of Bacteria Biotope: published scores, each difference of the default, dev corpora, and bad input."""

from __future__ import annotations

import itertools
import json
import math
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.table import SCORE_COLUMNS
from tagsuite.harness.tasks.bacteria_biotope.evaluation import (
    BacteriaBiotopeResult,
    evaluate_bacteria_biotope,
)
from tagsuite.harness.tasks.bacteria_biotope.knowledge import compute_expected_mean, order_like_java
from tagsuite.harness.tasks.bacteria_biotope.resources import read_concepts
from tagsuite.harness.tasks.bacteria_biotope.similarity import count_published_common
from tagsuite.harness.tasks.bacteria_biotope.task import load_tasks
from tagsuite.harness.tasks.ontology import Ontology, read_obo
from tagsuite.harness.tasks.options import BacteriaBiotopeOptions

Folder = Callable[..., Path]
Documents = Callable[..., tuple[Path, Path]]
PUBLISHED = BacteriaBiotopeOptions(as_published=True)
TEXT = "0123456789" * 10
N1 = "N1\tOntoBiotope Annotation:T1 Referent:O:1\n"


@pytest.fixture(scope="module")
def biotope(shared_data: Path) -> Ontology:
    return read_obo(shared_data / "bacteria_biotope" / "OntoBiotope_BioNLP-OST-2019.obo")


@pytest.fixture(scope="module")
def small() -> Ontology:
    """Write an ontology with a root, two branches, and two leaves under the first branch."""
    edges = [("O:1", "O:0"), ("O:2", "O:0"), ("O:11", "O:1"), ("O:12", "O:1")]
    return Ontology.from_edges(["O:0", "O:1", "O:2", "O:11", "O:12"], edges, name="small")


def value(result: BacteriaBiotopeResult, scoring: str, measure: str, target: str = "") -> float:
    s = result.scores
    keep = (s["target"] == target) & (s["scoring"] == scoring) & (s["measure"] == measure)
    (found,) = s.loc[keep, "value"]
    return float(found)


def entity(name: str, kind: str, span: str, *referents: str) -> str:
    authority = "NCBI_Taxonomy" if kind == "Microorganism" else "OntoBiotope"
    lines = [f"{name}\t{kind} {span}\tx"]
    lines += [f"N{name[1:]}{i}\t{authority} Annotation:{name} Referent:{r}" for i, r in enumerate(referents)]
    return "\n".join(lines) + "\n"


# --- the published program ---


def evaluate_case(shared_data: Path, biotope: Ontology, case: str, **options: Any) -> BacteriaBiotopeResult:
    folder = shared_data / "bacteria_biotope" / "reference_cases" / case
    task = (folder / "TASK").read_text(encoding="utf-8").strip().removeprefix("BB19-")
    return evaluate_bacteria_biotope(
        task, folder / "ref", folder / "pred", biotope, BacteriaBiotopeOptions(force=True, **options)
    )


def test_reference_cases(shared_data: Path, biotope: Ontology) -> None:
    """Check all values that the official program printed, also per document, to 1e-12."""
    data = shared_data / "bacteria_biotope"
    resources = {
        "new_concepts": data / "BB19-norm+ner_new-in-dev.txt",
        "sentences": data / "BB19-rel_sentences.txt",
    }
    folders = sorted((data / "reference_cases").iterdir())
    assert len(folders) == 14
    for folder in folders:
        result = evaluate_case(shared_data, biotope, folder.name, as_published=True, **resources)
        ours = {tuple(r[:4]): r[4] for r in result.scores.itertuples(index=False)}
        theirs: dict[tuple[str, ...], float] = {}
        for line in (folder / "scores.tsv").read_text(encoding="utf-8").splitlines()[2:]:
            target, *rest, told = line.split("\t")
            theirs["" if target.startswith("mini/") else target, *rest] = float(told)
        assert set(ours) == set(theirs), folder.name
        for key, figure in theirs.items():
            assert ours[key] == pytest.approx(figure, abs=1e-12, nan_ok=True), (folder.name, key)


def test_defaults_on_the_reference_cases(shared_data: Path, biotope: Ontology) -> None:
    ner = evaluate_case(shared_data, biotope, "ner-situations")
    published = evaluate_case(shared_data, biotope, "ner-situations", as_published=True)
    where = ("Standard scoring", "Matches")
    # fragments: .75 instead of 3/11; the overlap of taxa: 1/2 instead of 1; and the optimal pairing
    for document, ours, theirs, why in (
        ("h-gold-contiguous-pred-disc", 0.75, 3 / 11, "fragments of the prediction"),
        ("p-micro-gold1-pred2", 0.5, 1.0, "a superfluous taxon costs"),
        ("m-greedy-not-optimal", 2 / 3, 0.6, "two pairs of a third each are more than one of 0.6"),
        ("a-exact", 1.0, 1.0, "the same"),
    ):
        assert value(ner, *where, document) == pytest.approx(ours), why
        assert value(published, *where, document) == pytest.approx(theirs), why
    # entities of different types are not paired, even if only boundaries count
    assert value(ner, "Phenotype boundaries", "Matches") == 0
    assert value(published, "Phenotype boundaries", "Matches") == 1
    # errors without a reference: undefined, not infinite
    assert math.isnan(value(ner, "Phenotypes", "SER"))
    assert value(published, "Phenotypes", "SER") == math.inf

    truncated = evaluate_case(shared_data, biotope, "ser-truncation")
    assert value(truncated, "Standard scoring", "SER") == pytest.approx(0.3)
    assert truncated.table["partial"].iloc[0] == 5

    nan = evaluate_case(shared_data, biotope, "norm-nan")
    assert value(nan, "Main scoring", "Precision") == 0.5  # one right, one wrong, one that nobody normalised
    assert nan.table["undefined"].iloc[0] == 1
    assert any("1 entities have no normalisation: ignored" in note for note in nan.notes)

    norm = evaluate_case(shared_data, biotope, "norm-situations")
    published = evaluate_case(shared_data, biotope, "norm-situations", as_published=True)
    # the published filter for this score has only one of the two types; by default all 13 entities count,
    # with the Jaccard overlap of sets (f and g 1/2, h 0)
    where = ("Habitats and Phenotypes (exact)", "Precision")
    assert value(published, *where) == 1.0
    assert value(norm, *where) == pytest.approx((1 + 0.5 + 0.5 + 1 + 1 + 1) / 13)

    # the ids of predictions have no effect
    for case in ("A-distinct-ids", "B-fp-is-R1", "C-tp-of-other-ref-is-R1"):
        result = evaluate_case(shared_data, biotope, f"rel-id-collision-{case}")
        assert value(result, "Lives_In and Exhibits", "F1") == pytest.approx(0.8)
    # a superfluous equivalent is a false positive; the published program drops one of the four
    for as_published, predictions in ((False, 5), (True, 4)):
        name = "rel-equiv-two-args-all-predicted"
        result = evaluate_case(shared_data, biotope, name, as_published=as_published)
        assert value(result, "Lives_In and Exhibits", "Predictions") == predictions
        assert value(result, "Lives_In and Exhibits", "Recall") == 1


# --- rules of the default, on invented documents ---


@pytest.fixture
def documents(standoff_folder: Folder) -> Documents:
    def write(reference: str, predicted: str, given: str = "") -> tuple[Path, Path]:
        files = {"d.txt": TEXT, "d.a1": given, "d.a2": reference}
        return standoff_folder("ref", files), standoff_folder("pred", {"d.a2": predicted})

    return write


NEW = [
    # task, scoring, default, as published, why
    ("norm", "Habitats only (new in dev)", 1.0, 1.0, "habitats have a list"),
    ("norm", "Phenotypes only (new in dev)", 1.0, math.nan, "the list for phenotypes is empty: 0/0"),
    ("norm", "Habitats and Phenotypes (new in dev)", 1.0, math.nan, "and so for both together"),
    ("norm+ner", "Habitats", 0.5, 0.5, "half of the characters"),
    ("norm+ner", "Habitats (new in dev)", 0.5, 1.0, "no boundaries there"),
    ("norm+ner", "Habitat and Phenotypes (new in dev)", 0.5, 1.0, "nor there"),
]


@pytest.mark.parametrize("task", ["norm", "norm+ner"])
def test_new_concepts(documents: Documents, tmp_path: Path, small: Ontology, task: str) -> None:
    """Return two entities with correct concepts; in norm+ner, predictions cover half of their characters."""
    concepts = tmp_path / "new.txt"
    concepts.write_text("O:1\nO:2\n", encoding="utf-8")
    named = [("T1", "Habitat", 0, "O:1"), ("T2", "Phenotype", 20, "O:2")]
    whole = "".join(entity(n, k, f"{s} {s + 8}", c) for n, k, s, c in named)
    half = "".join(entity(n, k, f"{s} {s + 4}", c) for n, k, s, c in named)
    if task == "norm":
        lines = whole.splitlines(keepends=True)
        given, said = ("".join(line for line in lines if line[0] == kind) for kind in "TN")
        sides = documents(said, said, given)
    else:
        sides = documents(whole, half)
    results = [
        evaluate_bacteria_biotope(
            task, *sides, small, BacteriaBiotopeOptions(as_published=published, new_concepts=concepts)
        )
        for published in (False, True)
    ]
    for _, scoring, *figures, why in [row for row in NEW if row[0] == task]:
        found = [value(result, scoring, "Precision") for result in results]
        assert found == pytest.approx(figures, nan_ok=True), (scoring, why)


def test_without_a_new_phenotype_habitats_have_their_figure(
    documents: Documents, tmp_path: Path, small: Ontology
) -> None:
    concepts = tmp_path / "new.txt"
    concepts.write_text("O:1\n", encoding="utf-8")
    said = N1 + N1.replace("1", "2")
    sides = documents(said, said, "T1\tHabitat 0 4\tx\nT2\tPhenotype 5 9\tx\n")
    options = BacteriaBiotopeOptions(as_published=True, new_concepts=concepts)
    result = evaluate_bacteria_biotope("norm", *sides, small, options)
    assert value(result, "Habitats and Phenotypes (new in dev)", "Precision") == 1.0


FRAGMENTS = [
    ("0 8", "0 8", 1.0, 1.0, "the same"),
    ("0 3;5 8", "0 3;5 8", 1.0, 1.0, "the same, in pieces"),
    ("0 8", "0 3;5 8", 6 / 8, 3 / 11, "the published walk stops after the first piece"),
    ("0 3;5 8", "0 8", 6 / 8, 6 / 8, "but not the other way round"),
    ("0 3;7 10", "2 8", 2 / 10, 2 / 10, "a little of each piece"),
    ("5 8;0 3", "0 3;5 8", 1.0, 1.0, "out of order"),
    ("0 3;3 6", "0 6", 1.0, 3 / 6, "touching pieces are one; as published the second is dropped"),
]


def check_documents(
    write: Folder,
    small: Ontology,
    question: tuple[str, str, str],
    given: str,
    rows: list[tuple[Any, ...]],
) -> None:
    """Check rows (gold, predicted, default value, published value), as documents of the same two corpora."""
    task, scoring, measure = question
    texts = {f"d{i}{end}": text for i in range(len(rows)) for end, text in ((".txt", TEXT), (".a1", given))}
    gold, predicted = ({f"d{i}.a2": row[side] for i, row in enumerate(rows)} for side in (0, 1))
    sides = write("ref", texts | gold), write("pred", predicted)
    for options, column in ((None, 2), (PUBLISHED, 3)):
        result = evaluate_bacteria_biotope(task, *sides, small, options)
        for i, row in enumerate(rows):
            found = value(result, scoring, measure, f"d{i}")
            assert found == pytest.approx(row[column], nan_ok=True), row


def test_boundaries(standoff_folder: Folder, small: Ontology) -> None:
    rows = [
        (*(entity("T1", "Habitat", place, "O:1") for place in (gold, predicted)), ours, theirs)
        for gold, predicted, ours, theirs, _ in FRAGMENTS
    ]
    check_documents(standoff_folder, small, ("norm+ner", "Boundaries scoring", "Matches"), "", rows)


spans = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)), min_size=1, max_size=3)


@given(spans, spans)
def test_published_fragment_walk_is_right_where_nothing_is_discontinuous(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    a, b = ([(s, s + n)] for (s, n), *_ in (one, other))
    covered = [set(range(*span)) for (span,) in (a, b)]
    assert count_published_common(tuple(a), tuple(b)) == len(covered[0] & covered[1])


TAXA = [
    (["1"], ["1"], 1.0, 1.0),
    (["1"], ["1", "2"], 1 / 2, 1.0),
    (["1", "2"], ["1"], 1 / 2, 1 / 3),
    (["1", "2"], ["2", "3"], 1 / 3, 1 / 3),
    (["1", "2"], [], 0.0, 0.0),
    ([], ["1"], 0.0, math.nan),
    ([], [], math.nan, math.nan),
]


def test_taxa(standoff_folder: Folder, small: Ontology) -> None:
    def lines(taxa: list[str]) -> str:
        return entity("T1", "Microorganism", "0 1", *taxa).partition("\n")[2]

    rows = [(lines(gold), lines(predicted), *figures) for gold, predicted, *figures in TAXA]
    given = "T1\tMicroorganism 0 1\t0\n"
    check_documents(standoff_folder, small, ("norm", "Microorganisms", "Precision"), given, rows)


def test_new_forms(documents: Documents, standoff_folder: Folder, small: Ontology) -> None:
    second = N1.replace("1", "2")
    sides = documents(N1 + second, second, "T1\tHabitat 0 4\tsoil\nT2\tHabitat 5 9\tgut\n")
    seen = standoff_folder("train", {"a.txt": "soil", "a.a1": "", "a.a2": "T1\tHabitat 0 4\tsoil\n"})
    result = evaluate_bacteria_biotope("norm", *sides, small, BacteriaBiotopeOptions(seen=(seen,)))
    assert value(result, "Habitats only", "Precision") == 0.5
    assert value(result, "Habitats only (new in test)", "Precision") == 1.0
    without = evaluate_bacteria_biotope("norm", *sides, small)
    assert "new in test" not in " ".join(without.scores["scoring"])
    assert any(note.startswith("scorings omitted (they need the options seen") for note in without.notes)


def test_sentences(documents: Documents, tmp_path: Path, small: Ontology) -> None:
    given = "T1\tMicroorganism 0 4\tx\nT2\tHabitat 5 9\tx\nT3\tHabitat 25 29\tx\n"
    relations = "R1\tLives_In Microorganism:T1 Location:T2\nR2\tLives_In Microorganism:T1 Location:T3\n"
    sides = documents(relations, "R9\tLives_In Microorganism:T1 Location:T3\n", given)
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("d\t0\t20\nd\t21\t40\n", encoding="utf-8")
    result = evaluate_bacteria_biotope("rel", *sides, small, BacteriaBiotopeOptions(sentences=sentences))
    assert value(result, "Lives_In", "Recall") == 0.5
    assert value(result, "Lives_In (inside sentences)", "Recall") == 0.0
    assert value(result, "Lives_In (inside sentences)", "Predictions") == 0


def test_equivalents(documents: Documents, small: Ontology) -> None:
    """Check that Equiv lines with a common member form one set, and are ignored in predictions."""
    given = "".join(f"T{i}\tHabitat {i} {i + 1}\tx\n" for i in range(1, 5)) + "T9\tMicroorganism 50 51\tx\n"
    reference = "R1\tLives_In Microorganism:T9 Location:T1\n*\tEquiv T1 T2\n*\tEquiv T2 T3\n"
    for location, expected in ((1, 1), (2, 1), (3, 1), (4, 0)):
        sides = documents(
            reference, f"R1\tLives_In Microorganism:T9 Location:T{location}\n*\tEquiv T4 T1\n", given
        )
        result = evaluate_bacteria_biotope("rel", *sides, small)
        assert value(result, "Lives_In", "Recall") == expected
        assert any("Equiv is ignored in predictions" in note for note in result.notes)


def test_utf16_offsets(standoff_folder: Folder, small: Ontology) -> None:
    """Check that offsets count UTF-16 units: a letter outside the basic plane counts as two."""
    said = entity("T1", "Habitat", "3 4", "O:1")
    reference = standoff_folder("ref", {"d.txt": "\U0001d6fd-x", "d.a1": "", "d.a2": said})
    result = evaluate_bacteria_biotope("norm+ner", reference, reference, small)
    assert value(result, "Standard scoring", "SER") == 0


# --- the knowledge base ---


def relation(number: int, taxon: str, concept: str) -> str:
    m, h = 2 * number, 2 * number + 1
    return (
        f"T{m}\tMicroorganism {m} {m + 1}\tx\nT{h}\tHabitat {h} {h + 1}\tx\n"
        f"N{m}\tNCBI_Taxonomy Annotation:T{m} Referent:{taxon}\n"
        f"N{h}\tOntoBiotope Annotation:T{h} Referent:{concept}\n"
        f"R{number}\tLives_In Microorganism:T{m} Location:T{h}\n"
    )


def test_knowledge_ties_are_shared(documents: Documents, small: Ontology) -> None:
    """Check the mean over both ways to break a tie: O:1 is equally similar to O:11 and O:12."""
    reference = relation(1, "7", "O:11") + relation(2, "7", "O:12") + relation(3, "8", "O:2")
    predicted = relation(1, "7", "O:1") + relation(2, "7", "O:11") + relation(3, "9", "O:2")
    sides = documents(reference, predicted)
    ours = evaluate_bacteria_biotope("kb+ner", *sides, small)
    near = 2 * (0.65 + 0.4225 + 1 + 0.65) / 2 / (1 + 0.65 + 0.4225 + 1 + 0.65)
    one_way, other_way = ((1 + near) / 2 + 0) / 3, (1 + near) / 3
    assert value(ours, "Standard scoring", "mean-references") == pytest.approx((one_way + other_way) / 2)
    theirs = evaluate_bacteria_biotope("kb+ner", *sides, small, PUBLISHED)
    found = value(theirs, "Standard scoring", "mean-references")
    assert min(abs(found - one_way), abs(found - other_way)) < 1e-12
    assert value(ours, "Standard scoring", "Predictions") == 3
    assert any("1 predicted associations are equally similar" in note for note in ours.notes)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.25, 0.5, 1.0])), min_size=1, max_size=6))
def test_expected_mean_by_trying_all_ways(members: list[tuple[float, float]]) -> None:
    total = 0.0
    for come in itertools.product([True, False], repeat=len(members)):
        chance = math.prod(p if c else 1 - p for (_, p), c in zip(members, come, strict=True))
        values = [v for (v, _), c in zip(members, come, strict=True) if c]
        total += chance * (sum(values) / len(values) if values else 0.0)
    ours = compute_expected_mean(np.array([v for v, _ in members]), np.array([p for _, p in members]))
    assert ours == pytest.approx(total)


def test_java_order() -> None:
    """Check the order against values computed by hand: the hash code is 97 for "a", 98 for "b", 0 for ""."""
    table = pd.DataFrame({"taxon": ["b", "a", "a"], "concept": ["", "b", ""]})
    # 31 * (31 + h(taxon)) + h(concept): 3999, 4066, 3968; modulo 16: 15, 2, 0
    assert order_like_java(table).tolist() == [2, 1, 0]


# --- dev corpora with predictions from the training corpora ---


def predict(data: Path, task: str, out: Path, seed: int) -> Path:
    """Make predictions for a dev corpus by adding random noise (with a seed) to the gold."""
    rng = np.random.default_rng(seed)
    dev = zipfile.ZipFile(data / f"BioNLP-OST-2019_BB-{task}_dev.zip")
    answers = {name: dev.read(name).decode() for name in sorted(dev.namelist()) if name.endswith(".a2")}
    concepts = sorted(set(re.findall(r"Referent:(OBT:\d+)", " ".join(answers.values()))))
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in answers.items():
            lines = []
            for line in content.splitlines():
                luck = rng.random()
                if line.startswith("N") and luck < 0.3 and "OntoBiotope" in line:
                    line = f"{line.rsplit(' ', 1)[0]} Referent:{concepts[rng.integers(len(concepts))]}"
                elif line.startswith("R") and luck < 0.2:
                    continue
                elif line.startswith("T") and luck < 0.2 and ";" not in line:
                    ident, middle, form = line.split("\t")
                    kind, start, end = middle.split(" ")
                    if luck < 0.1:  # another entity, within this one
                        lines.append(f"T9{ident[1:]}\t{kind} {start} {int(start) + 1}\t{form}")
                    end = str(max(int(start) + 1, int(end) - int(rng.integers(1, 5))))
                    line = f"{ident}\t{kind} {start} {end}\t{form}"
                lines.append(line)
            archive.writestr(name, "\n".join(lines) + "\n")
    return out


@pytest.mark.parametrize("task", ["norm", "norm+ner", "rel", "rel+ner", "kb", "kb+ner"])
def test_dev_corpora(shared_data: Path, biotope: Ontology, tmp_path: Path, task: str) -> None:
    """Check for no warnings, values within bounds, and an optimal pairing not worse than the greedy one."""
    data = shared_data / "bacteria_biotope"
    reference = data / f"BioNLP-OST-2019_BB-{task}_dev.zip"
    predicted = predict(data, task, tmp_path / "pred.zip", seed=20)
    resources: dict[str, Any] = {
        "seen": [data / f"BioNLP-OST-2019_BB-{task}_train.zip"],
        "new_concepts": data / "BB19-norm+ner_new-in-dev.txt",
        "sentences": data / "BB19-rel_sentences.txt",
    }
    results = [
        evaluate_bacteria_biotope(
            task, reference, predicted, biotope, BacteriaBiotopeOptions(as_published=published, **resources)
        )
        for published in (False, True)
    ]
    main = load_tasks()[[task in t.names for t in load_tasks()].index(True)].scoring[0].name
    entities = {"norm": 1173, "norm+ner": 1173, "rel": 608, "rel+ner": 608, "kb": 438, "kb+ner": 438}
    for result in results:
        row = result.table.iloc[0]
        assert (row["class"], row["gold"]) == (main, entities[task])
        assert list(result.table.columns[: len(SCORE_COLUMNS)]) == list(SCORE_COLUMNS)
        shares = result.table[["precision", "recall"]].to_numpy(dtype=float)
        assert ((shares[~np.isnan(shares)] >= 0) & (shares[~np.isnan(shares)] <= 1 + 1e-12)).all()
        assert 0.3 < row["recall"] < 1
    if not task.startswith("kb") and task != "norm":
        greedy, best = (value(r, main, "Recall") for r in reversed(results))
        assert best >= greedy - 1e-12


# --- bad input ---

FAULTS = [
    # task, predictions, message, line
    ("norm+ner", "T2\tHabitats 0 4\tx\n", "unknown type of entity.*Habitats", 1),
    ("norm", N1.replace("OntoBiotope", "NCBI"), "unknown authority.*NCBI", 1),
    ("norm", "N1\tOntoBiotope Annotation:T1\n", "not a normalisation line", 1),
    ("norm", N1.replace("T1", "T7"), "reference to an unknown id.*T7", 1),
    ("norm", N1.replace("O:1", "O:9"), "small does not contain this concept.*O:9", 1),
    ("norm+ner", "T2\tHabitat 0 400\tx\n", "an offset lies outside the text.*400.*0 to 100", 1),
    ("norm+ner", "T2\tHabitat 9 4\tx\n", "a span ends before it starts", 1),
    ("norm+ner", "T2\tHabitat 0 4\tx\n\nT2\tHabitat 5 9\tx\n", "duplicate id T2", 3),
    ("norm+ner", "T1\tHabitat 0 4\tx\n", "duplicate id T1", 1),  # it is one of the .a1
    ("norm+ner", "E1\tBinding:T1\n", "unsupported type of line", 1),
    ("rel", "R1\tLives_In Microorganism:T1 Location:T8\n", "reference to an unknown id.*T8", 1),
    ("rel", "R1\tLives_In Microorganism:T1\n", "a relation has no Location argument", 1),
    ("rel", "R1\tEats Microorganism:T1 Location:T1\n", "unknown type of relation", 1),
    ("rel", "R1\tLives_In Location:T1 Location:T1\n", "two arguments with the same role", 1),
    ("norm", N1 + N1, "duplicate id.*N1", 2),
]


@pytest.mark.parametrize(("task", "content", "message", "line"), FAULTS)
def test_faults_are_named(
    standoff_folder: Folder, small: Ontology, task: str, content: str, message: str, line: int
) -> None:
    reference = standoff_folder("ref", {"d.txt": TEXT, "d.a1": "T1\tHabitat 0 4\tx\n", "d.a2": ""})
    predicted = standoff_folder("pred", {"d.a2": content})
    with pytest.raises(InputError, match=message) as error:
        evaluate_bacteria_biotope(task, reference, predicted, small)
    assert (error.value.file, error.value.line) == (str(predicted / "d.a2"), line)


def test_faulty_files(tmp_path: Path, standoff_folder: Folder, small: Ontology) -> None:
    def refused(reference: Path, predicted: Path, message: str, task: str = "norm") -> None:
        with pytest.raises(InputError, match=message):
            evaluate_bacteria_biotope(task, reference, predicted, small)

    good = standoff_folder("good", {"d.txt": TEXT, "d.a1": "", "d.a2": ""})
    refused(tmp_path / "absent", good, "no such file or folder")
    refused(standoff_folder("empty", {}), good, "no annotation files")
    refused(standoff_folder("no_text", {"d.a1": "", "d.a2": ""}), good, "a reference file is missing")
    refused(good, standoff_folder("other", {"e.a2": ""}), "the file with the predictions is missing")
    refused(good, good, "unknown task: found 'cat'; allowed: norm, norm.ner, rel, rel.ner, kb, kb.ner", "cat")
    latin = standoff_folder("latin", {"d.txt": TEXT, "d.a1": ""})
    (latin / "d.a2").write_bytes(b"T1\tHabitat 0 4\tcaf\xe9\n")
    refused(latin, good, "not UTF-8")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 and no more")
    refused(good, broken, "nor a readable zip file")
    twice = tmp_path / "twice.zip"
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("a/d.a2", "")
        archive.writestr("b/d.a2", "")
    refused(good, twice, "duplicate document")


def test_an_entity_without_its_text(documents: Documents, small: Ontology) -> None:
    """Check that the text on the line of an entity is not needed, because its offsets define it."""
    sides = documents("T1\tHabitat 0 4\tx\n" + N1, "T1\tHabitat 0 4\n" + N1)
    result = evaluate_bacteria_biotope("norm+ner", *sides, small)
    assert value(result, "Standard scoring", "SER") == 0


def test_force_evaluates_what_is_left(documents: Documents, small: Ontology) -> None:
    wrong = N1.replace("O:1", "O:9") + "N2\tOntoBiotope Annotation:T4 Referent:O:1\n"
    sides = documents(N1, wrong, "T1\tHabitat 0 4\tx\n")
    with pytest.raises(InputError, match="problems: 2; the option force"):
        evaluate_bacteria_biotope("norm", *sides, small)
    result = evaluate_bacteria_biotope("norm", *sides, small, BacteriaBiotopeOptions(force=True))
    assert value(result, "Main scoring", "Precision") == 0
    assert sum(note.startswith("ignored because of the option force: ") for note in result.notes) == 2


# --- the command ---


def test_command(tagsuite: Callable[..., Any], documents: Documents, tmp_path: Path) -> None:
    obo = tmp_path / "small.obo"
    obo.write_text("[Term]\nid: O:0\n\n[Term]\nid: O:1\nis_a: O:0\n", encoding="utf-8")
    reference, predicted = documents(
        entity("T1", "Habitat", "0 4", "O:1"), entity("T5", "Habitat", "0 3", "O:1")
    )
    common = ["evaluate", "bacteria-biotope", "--task", "norm+ner", "--reference", reference]
    common += ["--predicted", predicted, "--ontology", obo, "--format", "json"]
    done = tagsuite(*common, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)["scores"][0]
    assert (row["class"], row["ser"], row["substitutions"]) == ("Standard scoring", 0.25, 0.25)
    assert {p.name for p in (tmp_path / "out").iterdir()} == {".tagsuite.toml", "pairs.csv", "scores.csv"}
    pair = json.loads(tagsuite(*common, "--detailed").stdout)["pairs"][0]
    assert (pair["status"], pair["reference_name"], pair["predicted_span"]) == ("pair", "T1", "0 3")
    refused = tagsuite(*common[:-4], "--ontology", reference / "d.txt")
    assert refused.returncode == 2
    assert refused.stderr.startswith("tagsuite: ")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ("O:1\n<p>404 Not Found</p>\n", ":2: a line has more than one concept"),
    ],
)
def test_a_file_of_new_concepts(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "new.txt").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read_concepts(tmp_path / "new.txt")
