"""The choice of the bundled entities: the cover, the made forms, and what the result holds."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.curation.build import Sources, attested_entries
from tagsuite.catalogues.curation.choices import (
    read_appositions,
    read_attested,
    read_chosen,
    read_functions,
)
from tagsuite.catalogues.curation.corpus import Annotations
from tagsuite.catalogues.curation.cover import greedy
from tagsuite.catalogues.curation.coverage import usual
from tagsuite.catalogues.curation.forms import made_forms, transformations
from tagsuite.catalogues.curation.values import LEAST, closed_features, shortages, values
from tagsuite.catalogues.entities import bundled_look_alikes, read_entities
from tagsuite.catalogues.entity_features import entity_features

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "catalogue-coverage.md"


@pytest.fixture(scope="module")
def entities() -> pd.DataFrame:
    return read_entities()


@given(arrays(bool, st.tuples(st.integers(1, 14), st.integers(1, 6))), st.integers(1, 3))
def test_the_cover_has_every_pair_as_often_as_can_be(matrix: np.ndarray, times: int) -> None:
    """Counted pair by pair, without the arrays that the cover uses."""
    size = matrix.shape[1]
    wanted = np.triu(np.full((size, size), times))
    possible = np.zeros((size, size), dtype=int)
    for i in range(size):
        for j in range(i, size):
            possible[i, j] = min(times, sum(bool(row[i] and row[j]) for row in matrix))
    chosen, left = greedy(matrix, np.minimum(wanted, np.triu(possible)))
    assert len(set(chosen)) == len(chosen)
    assert not left.any()
    for i, j in combinations(range(size), 2):
        assert sum(bool(matrix[r, i] and matrix[r, j]) for r in chosen) >= possible[i, j]
    # each chosen row fills something that those before it do not
    for n, row in enumerate(chosen):
        before = chosen[:n]
        assert any(
            matrix[row, i]
            and matrix[row, j]
            and sum(bool(matrix[r, i] and matrix[r, j]) for r in before) < possible[i, j]
            for i in range(size)
            for j in range(i, size)
        )


def test_the_cover_takes_the_first_of_equals_and_keeps_to_its_limit() -> None:
    matrix = np.array([[1, 0], [1, 1], [1, 1], [0, 1]], dtype=bool)
    assert greedy(matrix, np.triu(np.ones((2, 2), dtype=np.int64)))[0] == [1]
    assert greedy(matrix, np.triu(np.full((2, 2), 4)), limit=2)[0] == [1, 2]


def test_values_by_hand() -> None:
    frame = entity_features(pd.Series(["IL-2", "bag of marbles", "14-3-3"], dtype="str"))
    found = values(frame)
    place = {label: i for i, label in enumerate(found.labels)}
    table = {
        ("contains_hyphen", "0"): [0, 1, 0],
        ("contains_hyphen", "1"): [1, 0, 0],
        ("contains_hyphen", "2"): [0, 0, 1],
        ("is_ASCII", "true"): [1, 1, 1],
        ("is_ASCII", "false"): [0, 0, 0],
        ("case", "upper"): [1, 0, 0],
        ("case", "lower"): [0, 1, 0],
        ("Arabic_numeral_position", "initial"): [0, 0, 1],
        ("Arabic_numeral_position", "medial"): [0, 0, 1],
        ("Arabic_numeral_position", "final"): [1, 0, 1],
        ("source_type", "database"): [0, 0, 0],
    }
    for label, expected in table.items():
        assert found.matrix[:, place[label]].astype(int).tolist() == expected, label
    assert sum(len(f.closed_values) for f in closed_features()) == len(found.labels)


MADE = [
    ("Greek letter in square brackets", "integrin alpha 1", "integrin [alpha] 1"),
    ("Greek letter in curly brackets", "alpha-actinin", "{alpha}-actinin"),
    ("Greek letter in Unicode", "NF kappa B", "NF κ B"),
    ("Greek letter in Unicode", "lambda chain", "λ chain"),
    ("Greek letter in Unicode", "alphabet", None),
    ("number as marked subscript", "GP2", "GP_{2}"),
    ("number as Unicode subscript", "GP12", "GP₁₂"),
    ("genitive with apostrophe", "Parkinson disease protein 7", "Parkinson's disease protein 7"),
    ("genitive with apostrophe", "Wilms tumor 1", "Wilms' tumor 1"),
    ("genitive with apostrophe", "kidney disease", None),
    ("name with its symbol", "inner no outer", "inner no outer (SYM)"),
    ("name with its symbol in capitals", "inner no outer", "INNER NO OUTER (SYM)"),
    ("name in title case", "always early", "Always Early"),
    ("symbol with a hyphen before its number", "IL2", "IL-2"),
    ("family with slashes", "SMAD1", "SMAD1/2/3/4"),
    ("three alleles", "CYP2D6", "CYP2D6*1/*2/*3"),
    ("final number in Roman numerals", "collagen type 12", "collagen type XII"),
    ("name with underscores", "heat shock protein 60", "heat_shock_protein_60"),
    ("abbreviated with full stops", "leukemia inhibitory factor", "L.I.F."),
]


@pytest.mark.parametrize(("name", "form", "expected"), MADE, ids=[f"{m[0]}: {m[1]}" for m in MADE])
def test_transformations(name: str, form: str, expected: str | None) -> None:
    (transformation,) = [t for t in transformations() if t.name == name]
    assert transformation.apply(form, "SYM") == expected


def test_made_forms_prefer_the_first_tier_and_make_no_form_twice() -> None:
    frame = pd.DataFrame(
        {
            "data": [f"GENE{i}" for i in range(100)] + ["IL-5", "IL5"],
            "name_vs_symbol": "symbol",
            "source_authority": "X",
            "source_id": [f"X:{i}" for i in range(102)],
            "symbol": "S",
            "tier": [1] * 100 + [0, 0],
        }
    )
    made = made_forms(frame)
    assert made["data"].is_unique
    assert not set(made["data"]) & set(frame["data"])
    spaced = made[made["transformation"] == "symbol with a space before its number"]
    assert len(spaced) == 30
    assert "IL 5" in set(spaced["data"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("HGNC:18\tkinase enzyme\nIL-2\tligand\nprepro-C3\t\n", None),
        ("", "t.tsv: the file has no row; allowed: rows of 2 fields"),
        ("# only a comment\n", "the file has no row"),
        ("IL-2\n", "t.tsv:1: the row does not fit: found '1 fields'"),
        ("IL-2\thormone\n", "t.tsv:1: no such function: found 'hormone'; allowed: regulator, ligand"),
        ("IL-2\tligand\nIL-2\tsecreted\n", "t.tsv:2: stands twice: found 'IL-2'"),
    ],
)
def test_the_table_of_functions(content: str, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(content, encoding="utf-8")
    if message is None:
        assert read_functions(path) == {"HGNC:18": "kinase|enzyme", "IL-2": "ligand", "prepro-C3": ""}
        return
    with pytest.raises(InputError, match=message):
        read_functions(path)


@pytest.mark.parametrize(
    ("form", "record", "function", "why"),
    [
        ("C3", "HGNC:1318", "secreted", "what is said of the record"),
        ("prepro-C3", "HGNC:1318", "", "a form's own line goes before its record's"),
        ("IL-2", "", "ligand", "a form without a record"),
        ("C4", "HGNC:1", "", "nobody has said"),
    ],
)
def test_what_a_product_does(form: str, record: str, function: str, why: str) -> None:
    functions = {"HGNC:1318": "secreted", "prepro-C3": "", "IL-2": "ligand"}
    assert Sources(pd.DataFrame(), Annotations([]), functions).function(form, record) == function, why


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("P1\tinsulin\tINS\tinsulin (INS)\n", None),
        ("P1\tinsulin\tINS\tthe insulin (INS)\n", "not a place of both names"),
        ("P1\tinsulin\tINS\tinsulin (IN)\n", r"not a place of both names: found 'insulin \(IN\)'"),
        ("P1\tinsulin\tINS\tinsulin (INS)\nP1\tinsulin\tI\tinsulin (I)\n", "t.tsv:2: stands twice"),
        ("P1\tinsulin\tINS\n", "found '3 fields'"),
    ],
)
def test_the_table_of_appositions(row: str, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(row, encoding="utf-8")
    if message is None:
        assert read_appositions(path) == {("P1", "insulin"): "insulin (INS)", ("P1", "INS"): "insulin (INS)"}
        return
    with pytest.raises(InputError, match=message):
        read_appositions(path)


def test_an_apposition_is_of_attested_names(entities: pd.DataFrame) -> None:
    """A table that names others is refused; the bundled one joins two names each, in one place."""
    appositions = {("P00000001A0000", "IL-2"): "interleukin-2 (IL-2)"}
    sources = Sources(pd.DataFrame(), Annotations([]), appositions=appositions)
    with pytest.raises(InputError, match="no attested name of this sentence: found 'P00000001A0000 IL-2'"):
        attested_entries([], sources)
    stated = pd.Series(read_appositions())
    found = entities.set_index(["source_id", "data"])["original_form_in_source"]
    assert found.reindex(stated.index).tolist() == stated.tolist()
    assert set(stated.groupby([stated, stated.index.get_level_values(0)]).size()) == {2}


@pytest.mark.parametrize("read", [read_chosen, read_attested])
def test_a_choice_without_rows_is_an_error(read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="the file has no row"):
        read(tmp_path / "t.tsv")


def test_there_are_enough_entities_and_no_form_twice(entities: pd.DataFrame) -> None:
    assert len(entities) >= 3_000
    assert entities["entity_id"].is_unique
    # one form may stand twice where it is both a name and a symbol, or of two fields
    assert entities["data"].duplicated().sum() <= 5


def test_every_value_has_enough_entities_or_a_reason_why_not(entities: pd.DataFrame) -> None:
    found = values(usual(entities))
    rare = {
        label for label, n in zip(found.labels, found.matrix.sum(axis=0).tolist(), strict=True) if n < LEAST
    }
    assert rare == set(shortages("tagsuite.catalogues.curation"))


def test_the_page_tells_the_counts_of_the_bundled_entities(entities: pd.DataFrame) -> None:
    found, everything = values(usual(entities)), values(entities)
    text = PAGE.read_text(encoding="utf-8")
    assert f"- entities: {len(entities)}, of which {len(found.matrix)} are of the default choice\n" in text
    pattern = r"^\| (\w+) \| ([^|]+) \| (\d+) \| (\d+) \| \d+ \| \d+ \| \d+ \|$"
    rows = {(f, v): (int(n), int(m)) for f, v, n, m in re.findall(pattern, text, re.M)}
    counts = zip(found.matrix.sum(axis=0).tolist(), everything.matrix.sum(axis=0).tolist(), strict=True)
    assert rows == dict(zip(found.labels, counts, strict=True))


SEVERAL = [
    ("a list of synonyms", r";"),
    ("a character reference", r"&#"),
    ("a record number", r"MGI:|HGNC:|FBgn"),
    ("the symbol after its name", r"\w \([A-Z][A-Z0-9-]+\)$"),
    ("numbers of several genes", r"\d/\d.*/\d|[A-Z]\d+/[A-Z]+\d+$"),
    ("several genes", r"([A-Z]{2,})\d+[:+]\1\d"),
    ("several alleles", r"\*.*\*"),
    ("underscores for spaces", r"[a-z]_[a-z]"),
    ("nothing but digits", r"^[\d.]+$"),
    ("a pseudogene's description", r"pseudogene|readthrough|non-protein coding"),
    ("white space at an edge", r"^\s|\s$"),
    ("an article", r"^[Tt]he "),
    ("a modifier without its noun", r"[- ]related$|-(like|specific|dependent|containing|mobility-group)$"),
]


@pytest.mark.parametrize(("what", "pattern"), SEVERAL, ids=[w for w, _ in SEVERAL])
def test_an_entity_of_the_default_choice_is_one_name(entities: pd.DataFrame, what: str, pattern: str) -> None:
    forms = usual(entities)["data"]
    assert forms[[re.search(pattern, form) is not None for form in forms]].tolist() == []


def test_look_alikes(entities: pd.DataFrame) -> None:
    look_alikes = bundled_look_alikes()
    assert len(look_alikes) >= 300
    counts = look_alikes["look_alike_category"].value_counts()
    assert counts.min() >= 15
    assert set(look_alikes["kind"]) == {"look_alike"}
    assert look_alikes["data"].is_unique
    assert not set(look_alikes["data"]) & set(entities["data"])


@pytest.fixture(scope="module")
def nomenclatures(shared_data: Path) -> dict[str, set[str]]:
    """The forms of each record, by identifier, read with nothing of ours."""
    forms: dict[str, set[str]] = {}
    path = shared_data / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            columns = ("symbol", "name", "alias_symbol", "alias_name", "prev_symbol", "prev_name")
            forms[row["hgnc_id"]] = {v.strip() for c in columns for v in row[c].split("|")}
    for line in (shared_data / "flybase" / "fbgn_annotation_ID.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            symbol, _, primary, secondary, annotation, *_ = line.split("\t")
            forms[primary] = {symbol, annotation}
            for identifier in filter(None, secondary.split(",")):
                forms.setdefault(identifier, set())
    return forms


def test_every_identifier_is_of_a_source_and_holds_its_form(
    entities: pd.DataFrame, nomenclatures: dict[str, set[str]]
) -> None:
    known = entities[entities["source_id"].notna() & entities["source_authority"].isin(["HGNC", "FlyBase"])]
    assert set(known["source_id"]) <= set(nomenclatures)
    of_sources = known[known["source_type"] == "database"]
    assert len(of_sources) > 1_500
    columns = (of_sources["data"], of_sources["source_id"])
    assert [d for d, i in zip(*columns, strict=True) if d not in nomenclatures[i]] == []
    made = known[known["source_type"] == "invention"]
    columns = (made["original_form_in_source"], made["source_id"])
    assert [d for d, i in zip(*columns, strict=True) if d.strip() not in nomenclatures[i]] == []


def test_look_alikes_are_no_forms_of_nomenclatures_or_of_a_corpus(
    nomenclatures: dict[str, set[str]], shared_data: Path
) -> None:
    forms = set().union(*nomenclatures.values())
    for part in ("train", "test"):
        annotations = (shared_data / "bc2gm" / part / "GENE.eval").read_text(encoding="utf-8")
        forms |= {line.split("|", 2)[2] for line in annotations.splitlines()}
    assert set(bundled_look_alikes()["data"]) & forms == set()
