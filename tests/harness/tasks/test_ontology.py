"""Tests of ontologies: readers and their errors, ancestors, and similarities compared with other programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.imports.obo import read_obo as import_obo
from tagsuite.harness.tasks.indexing.tree import read_tree
from tagsuite.harness.tasks.ontology import (
    Information,
    Ontology,
    best_match_average,
    information_from_counts,
    information_from_documents,
    jiang_conrath,
    lin,
    read_mesh_trees,
    read_obo,
    resnik,
    wang,
)

OBO = """format-version: 1.2

[Term]
id: X:0
name: root

[Term]
id: X:1
name: food
is_a: X:0 ! root

[Term]
id: X:2
name: dairy product
is_a: X:1
alt_id: X:22

[Term]
id: X:3
name: fermented food
is_a: X:1 {source="made up"} ! food

[Term]
id: X:4
name: fermented dairy product
is_a: X:2
is_a: X:3

[Term]
id: X:5
name: gone
is_obsolete: true

[Typedef]
id: part_of
name: part of
"""

# Results of other programs for this graph: Wang with is_a weight 0.8 from goatools 1.6.7; information content
# (by the number of descendants, Sanchez), Resnik, Lin and Jiang–Conrath from nxontology 0.5.0.
CONTENT = [0.0, 0.2876820724517809, 0.40546510810816444, 0.40546510810816444, 0.5108256237659907]
INDEPENDENT = [
    ("X:0", "X:1", 0.6428571428571429, 0.0, 0.0, 0.7765892073778534),
    ("X:0", "X:4", 0.3181818181818181, 0.0, 0.0, 0.661889753701244),
    ("X:1", "X:2", 0.7641509433962265, 0.2876820724517809, 0.8300749985576874, 0.8946279985478406),
    ("X:2", "X:3", 0.5901639344262294, 0.2876820724517809, 0.7095112913514546, 0.8093456296817195),
    ("X:4", "X:1", 0.5317002881844379, 0.2876820724517809, 0.7205492791476447, 0.817565525261158),
    ("X:4", "X:2", 0.7093023255813954, 0.40546510810816444, 0.88501409869952, 0.9046822152905256),
    ("X:4", "X:4", 1.0, 0.5108256237659907, 1.0, 1.0),
]


@pytest.fixture
def small(tmp_path: Path) -> Ontology:
    path = tmp_path / "small.obo"
    path.write_text(OBO, encoding="utf-8")
    return read_obo(path)


def pairs(ontology: Ontology, names: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    return ontology.locate([a for a, _ in names]), ontology.locate([b for _, b in names])


def list_ancestors(ontology: Ontology, name: str) -> set[str]:
    return set(ontology.ids[ontology.closure[[ontology.locate([name])[0]]].indices])


def test_obo_is_read_whole(small: Ontology) -> None:
    assert list(small.ids) == ["X:0", "X:1", "X:2", "X:3", "X:4"]  # the obsolete one and the Typedef are not
    assert list_ancestors(small, "X:4") == {"X:4", "X:2", "X:3", "X:1", "X:0"}
    assert small.locate(["X:22", "X:2", "X:9"]).tolist() == [2, 2, -1]  # an alternative id, itself, unknown
    assert list(small.labels[[2, 4]]) == ["dairy product", "fermented dairy product"]


WRITTEN = [
    # id as written, name as written, name, why
    ("X:1", "child ! note", "child", "a comment"),
    ('X:2 {source="x"} ! note', 'child {source="x"} ! note', "child", "modifiers and a comment"),
    ('X:3{source="x"}', 'child{source="{a} = b"}', "child", "modifiers without a space"),
    ("X:4", r"what \! an \{a\=b\}", "what ! an {a=b}", "escapes"),
    ("X:5", r"two\Wwords", "two words", "an escaped space"),
    ("X:6", "K+ {open}", "K+ {open}", "braces that hold no modifier"),
    ("X:7", "wow!", "wow!", "no space before it: no comment"),
]


@pytest.mark.parametrize("header", ["[Term]", "[Term] ! of mine"])
def test_graph_and_catalogue_read_the_same(tmp_path: Path, header: str) -> None:
    path = tmp_path / "one.obo"
    path.write_text("".join(f"{header}\nid: {i}\nname: {n}\n\n" for i, n, *_ in WRITTEN), encoding="utf-8")
    graph, entities = read_obo(path), import_obo(path).to_frame()
    names = [name for _, _, name, _ in WRITTEN]
    assert list(graph.ids) == entities["source_id"].tolist() == [f"X:{i}" for i in range(1, 8)]
    assert list(graph.labels) == entities["data"].tolist() == names


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b"", "the file is empty", None),
        (b"[Term]\nid: X:1\nname: caf\xe9\n", "not UTF-8", 3),
        (b"\xff\xfe[\x00T\x00", "looks like UTF-16", 1),
        (b"[Term]\nid: X:1\n\n[Term]\nname: nameless\n", "has no id", 4),
        (b"[Term]\nid: X:1\n\n[Term]\nid: X:1\n", "duplicate id of a", 4),
        (b"[Term]\nid: X:1\nid: X:2\n", "several ids", 3),
        (b"[Term]\nid: X:1\nis_a: X:7 ! nowhere\n", "undefined concept", 3),
        (b"[Term]\nid: X:1\nis_a:\n", "has no parent", 3),
        (b"[Term]\nid: X:1\nsomething else\n", "neither a stanza nor a tag", 3),
        (b"[Term]\nid: X:1\nis_a: X:2\n\n[Term]\nid: X:2\nis_a: X:1\n", "X:1 is_a X:2 is_a X:1", None),
        (b"format-version: 1.2\n\n[Typedef]\nid: part_of\n", "the file has no .Term. stanza", None),
    ],
)
def test_obo_faults_are_named(tmp_path: Path, content: bytes, message: str, line: int | None) -> None:
    path = tmp_path / "bad.obo"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        read_obo(path)
    assert (error.value.file, error.value.line) == (str(path), line)
    if "is_a" not in content.decode("latin-1"):  # which the catalogue does not need
        with pytest.raises(InputError, match=message) as same:
            import_obo(path)
        assert str(same.value) == str(error.value)


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        ("", "the file is empty", None),
        ("Body Regions;A01\nBreast\n", "the tree number is missing", 2),
        ("Body Regions;A01\nBreast;A1\n", "not a tree number", 2),
        ("Body Regions;A01\nBreast;A01\n", "duplicate tree number", 2),
        ("Body Regions;A01\nNipples;A01.236.500\n", "parent A01.236 of this tree number is missing", 2),
    ],
)
def test_mesh_faults_are_named(tmp_path: Path, content: str, message: str, line: int | None) -> None:
    path = tmp_path / "trees.bin"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_mesh_trees(path)
    assert error.value.line == line


def test_mesh_positions(tmp_path: Path) -> None:
    path = tmp_path / "trees.bin"
    path.write_text("Liver;A03\nDrinking;F01\nDrinking;C25\nBinge Drinking;C25.775\n", encoding="utf-8")
    ontology = read_mesh_trees(path)
    assert list_ancestors(ontology, "C25.775") == {"C25.775", "C25", "C"}
    assert sorted(ontology.ids[ontology.labels == "Drinking"]) == ["C25", "F01"]
    positions = read_tree(path).find_positions(pd.Series(["binge drinking", "drinking", "male"]))
    found = zip(positions["row"], ontology.ids[positions["position"]], strict=True)
    assert sorted(found) == [(0, "C25.775"), (1, "C25"), (1, "F01")]


def test_agrees_with_independent_programs(small: Ontology) -> None:
    left, right = pairs(small, [(row[0], row[1]) for row in INDEPENDENT])
    content = np.array(CONTENT)
    information = Information(counts=np.exp(-content), probability=np.exp(-content), content=content)
    found = [wang(small, left, right, weight=0.8)]
    found += [measure(small, information, left, right) for measure in (resnik, lin, jiang_conrath)]
    for place, values in enumerate(found, 2):
        assert values == pytest.approx([row[place] for row in INDEPENDENT], abs=1e-12)


def test_what_was_never_met_is_undefined(small: Ontology) -> None:
    information = information_from_documents(small, [0], small.locate(["X:2"]))
    left, right = pairs(small, [("X:3", "X:2"), ("X:3", "X:3"), ("X:2", "X:1")])
    assert np.isnan(lin(small, information, left, right)).tolist() == [True, False, False]
    assert np.isnan(resnik(small, information, left, right)).tolist() == [True, True, False]
    assert np.isnan(jiang_conrath(small, information, left, right)).tolist() == [True, False, False]
    assert np.isnan(wang(small, [-1, 0], [0, -1])).all()


def test_several_roots_are_measured_apart() -> None:
    # two trees; "both" is in both: its total is the weight under any of its roots
    ontology = Ontology.from_edges(["r", "s", "a", "both"], [("a", "r"), ("both", "r"), ("both", "s")])
    information = information_from_counts(ontology, [0, 1], [2, 3], [3.0, 1.0])
    assert information.probability == pytest.approx([1, 1, 3 / 4, 1 / 4])
    assert lin(ontology, information, [2], [1])[0] == 0
    assert jiang_conrath(ontology, information, [2], [1])[0] == 0  # nothing at all is shared


def test_best_match_average() -> None:
    table = {(0, 0): 1.0, (0, 1): 0.2, (1, 0): 0.5, (1, 1): 0.3}

    def similarity(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.array([table[int(x), int(y)] for x, y in zip(a, b, strict=True)])

    # set 0: {0, 1} and {0, 1}; set 1: {0} twice and {1}; set 2: {0} and {}; set 3: {} and {}
    result = best_match_average(4, [0, 0, 1, 1, 2], [0, 1, 0, 0, 0], [0, 0, 1], [0, 1, 1], similarity)
    assert result[:3] == pytest.approx([(1.0 + 0.5 + 1.0 + 0.3) / 4, 0.2, 0.0])
    assert np.isnan(result[3])


@st.composite
def graphs(draw: st.DrawFn) -> Ontology:
    size = draw(st.integers(1, 12))
    edges = draw(st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=20))
    return Ontology.from_edges(
        [str(i) for i in range(size)], [(str(max(e)), str(min(e))) for e in edges if e[0] != e[1]]
    )


@given(graphs(), st.data())
def test_properties_of_all_measures(ontology: Ontology, data: st.DataObject) -> None:
    size = len(ontology)
    nodes = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=8))
    left, right = np.repeat(np.arange(size), size), np.tile(np.arange(size), size)
    information = information_from_documents(ontology, np.arange(len(nodes)), nodes)
    own = left == right
    for values in (wang(ontology, left, right), lin(ontology, information, left, right)):
        table = values.reshape(size, size)
        known = ~np.isnan(table)
        assert (known == known.T).all()
        assert np.allclose(table[known], table.T[known])
        assert ((values[~np.isnan(values)] >= 0) & (values[~np.isnan(values)] <= 1 + 1e-12)).all()
        assert np.allclose(values[own], 1)
    # a simple upward search finds the same ancestors and the same shortest distances
    above = {i: set(ontology.parent[ontology.child == i].tolist()) for i in range(size)}
    far = ontology.distances.toarray()
    for start in range(size):
        level, seen, step = {start}, {start: 1}, 1
        while level:
            step += 1
            level = {p for node in level for p in above[node]} - set(seen)
            seen |= dict.fromkeys(level, step)
        assert {i: int(d) for i, d in enumerate(far[start]) if d} == seen


def test_real_ontologies(shared_data: Path) -> None:
    biotope = read_obo(shared_data / "bacteria_biotope" / "OntoBiotope_BioNLP-OST-2019.obo")
    assert (len(biotope), len(biotope.child)) == (3602, 3986)
    assert list(biotope.ids[biotope.roots]) == ["OBT:000000"]
    trees = read_mesh_trees(shared_data / "mesh" / "mtrees2019.bin")
    headings = trees.labels[trees.labels != ""]
    assert (len(headings), len(set(headings)), len(trees.roots)) == (59746, 29349, 16)
