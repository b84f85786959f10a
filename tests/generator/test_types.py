"""Types of entities: which slots take them, and what they become in suites."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite import read_corpus

ENTITIES = """<entities format="1">
<entity id="1" type="chemical" source_id="D1" source_authority="MESH">aspirin</entity>
<entity id="2" type="disease" source_id="D2">asthma</entity>
<entity id="3">BRCA1</entity>
</entities>
"""
CONTEXTS = """<contexts format="1">
<context id="1" type="tp">
  <sentence>Patients with <slot accepts="disease"/> took <slot accepts="chemical"/>.</sentence>
</context>
<context id="2" type="tp"><sentence>We studied <slot accepts="any"/> here.</sentence></context>
<context id="3" type="tp"><sentence>Expression of <slot accepts="gene"/> rose.</sentence></context>
</contexts>
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with entities of two types and a gene, and contexts for them."""
    (tmp_path / "e.xml").write_text(ENTITIES, encoding="utf-8")
    (tmp_path / "c.xml").write_text(CONTEXTS, encoding="utf-8")
    return tmp_path


def make_suite(tagsuite: Call, files: Path, *options: str) -> Path:
    """Generate the product of the entities and contexts, and return the suite folder."""
    catalogues = ("--catalogue", "e.xml", "--sentences", "c.xml", "--combine", "product")
    done = tagsuite("generate", *catalogues, *options, "--out", "suite", cwd=files)
    assert done.returncode == 0, done.stderr
    return files / "suite"


SENTENCES = [
    "Patients with <disease>asthma</disease> took <chemical>aspirin</chemical>.",
    "We studied <chemical>aspirin</chemical> here.",
    "We studied <disease>asthma</disease> here.",
    "We studied <gp>BRCA1</gp> here.",
    "Expression of <gp>BRCA1</gp> rose.",
]
SELECTIONS = [
    ((), SENTENCES, "each slot takes its types; an entity without a type gets the tag of the suite"),
    (("--entities", "type = disease"), SENTENCES[2:3], "a query for one type; no chemical fits slot 2"),
    (("--types", "gp"), SENTENCES[3:], "the tag as a type"),
    (
        ("--tag", "gene", "--contexts", "accepts = gene"),
        [SENTENCES[4].replace("gp>", "gene>")],
        "another tag",
    ),
]


@pytest.mark.parametrize(("options", "sentences", "why"), SELECTIONS)
def test_gold_mentions_have_the_types_of_their_entities(
    tagsuite: Call, files: Path, options: tuple[str, ...], sentences: list[str], why: str
) -> None:
    folder = make_suite(tagsuite, files, *options)
    lines = (folder / "gold.sgml").read_text(encoding="utf-8").splitlines()
    assert sorted(set(lines)) == sorted(sentences), why


@pytest.mark.parametrize("form", ["pubtator", "bioc", "jsonl"])
def test_formats_keep_types_and_identifiers(tagsuite: Call, files: Path, form: str) -> None:
    folder = make_suite(tagsuite, files)
    spec = f"{form}:{files / 'copy'}"
    assert tagsuite("sentences", "convert", folder, spec).returncode == 0
    for corpus in (read_corpus(folder), read_corpus(spec)):
        mentions = corpus.mentions.set_index("mention_id")["type"]
        normalised = corpus.normalisations
        assert normalised is not None
        pairs = {
            (mentions[m], i) for m, i in zip(normalised["mention_id"], normalised["identifier"], strict=True)
        }
        assert set(mentions) == {"chemical", "disease", "gp"}
        assert {kind for kind, _ in pairs} == {"chemical", "disease"}
        assert {name.rpartition(":")[2] for _, name in pairs} == {"D1", "D2"}
        features = corpus.inline_features().mentions
        if "characters" in features:
            # formats that store only texts give features their types back
            assert sorted(set(features["characters"])) == [5, 6, 7]
            assert not features["is_ASCII"].astype("boolean").eq(False).any()


WEIGHTS = [
    ("3=type = disease", 3 * 3 + 3, "three of six cases have the type"),
    ("3=type = tp", 3 * 6, "a value of context.type"),
]


@pytest.mark.parametrize(("weight", "cases", "why"), WEIGHTS)
def test_the_value_tells_a_type_of_entities_from_one_of_contexts(
    tagsuite: Call, files: Path, weight: str, cases: int, why: str
) -> None:
    folder = make_suite(tagsuite, files, "--weight", weight)
    assert len((folder / "raw.txt").read_text(encoding="utf-8").splitlines()) == cases, why


def test_a_type_that_is_no_tag_is_refused(tagsuite: Call, files: Path) -> None:
    (files / "e.xml").write_text(ENTITIES.replace('"disease"', '"rare disease"'), encoding="utf-8")
    options = ("--catalogue", "e.xml", "--sentences", "c.xml", "--combine", "product")
    done = tagsuite("generate", *options, "--out", "suite", cwd=files)
    assert done.returncode == 2
    assert "found 'rare disease'" in done.stderr
