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


ARTICLE, PLURAL_S, SINGULAR, PLURAL = "This is a <>.", "No <>s here.", "The <> was seen.", "All <> were seen."
NOUNS = [
    ("febrile seizure", 'type="disease"', {ARTICLE, PLURAL_S, SINGULAR}, "last word listed as countable"),
    ("ligand of gout", 'type="chemical"', {SINGULAR}, "the first word decides before a complement"),
    ("mice", 'type="species"', {PLURAL}, "plural in the lexicon"),
    ("aspirin", 'type="chemical"', {SINGULAR}, "not known to be countable"),
    ("Streptomyces", 'type="species"', set(), "neither known as a singular nor as a plural"),
    ("sugar", 'type="chemical" noun_form="countable"', {ARTICLE, PLURAL_S, SINGULAR}, "given"),
    ("glasses", 'type="chemical" noun_form="uncountable"', {SINGULAR}, "given, against the lexicon"),
    ("BRCA1", "", {ARTICLE, PLURAL_S, SINGULAR}, "genes have no noun form"),
    ("SMADs", 'type="protein"', {ARTICLE, PLURAL_S, PLURAL}, "nor have types of genes"),
]


def test_articles_and_numbers_need_entities_known_to_fit_them(tagsuite: Call, tmp_path: Path) -> None:
    entities = [f'<entity id="{form}" {given}>{form}</entity>' for form, given, _, _ in NOUNS]
    (tmp_path / "e.xml").write_text(f'<entities format="1">{"".join(entities)}</entities>', encoding="utf-8")
    slots = {SINGULAR: '<slot number="singular"/>', PLURAL: '<slot number="plural"/>'}
    contexts = [
        f'<context id="{i}" type="tp"><sentence>'
        f"{text.replace(' a ', ' {a} ').replace('<>', slots.get(text, '<slot/>'))}</sentence></context>"
        for i, text in enumerate([ARTICLE, PLURAL_S, SINGULAR, PLURAL, "It was <>."])
    ]
    (tmp_path / "c.xml").write_text(f'<contexts format="1">{"".join(contexts)}</contexts>', encoding="utf-8")
    lines = (make_suite(tagsuite, tmp_path) / "raw.txt").read_text(encoding="utf-8").splitlines()
    for form, _, expected, why in NOUNS:
        found = {line.replace(form, "<>") for line in lines if f" {form}" in line}
        assert found == {*expected, "It was <>."}, (form, why)


CONTROLS = [
    ("Aspirin was given.", False, "a name with four or more letters, in another case"),
    ("An aspirin-free diet was kept.", False, "a hyphen separates words"),
    ("The aspirinase was lost.", True, "not a whole word"),
    ("We thank ALS for help.", False, "a short name"),
    ("We thank als for help.", True, "a short name in another case"),
    ("Rare Diseases of trees.", False, "a type"),
    ("Each protein was lost.", True, "types of genes are ignored"),
    ("A dog barked.", True, "no name"),
]


def test_controls_and_look_alikes_with_names_are_left_out(tagsuite: Call, files: Path) -> None:
    more = '<entity id="4" type="disease">ALS</entity><entity id="5" type="protein">p53</entity></entities>'
    (files / "e.xml").write_text(ENTITIES.replace("</entities>", more), encoding="utf-8")
    texts = [text for text, _, _ in CONTROLS]
    slotted = ["We visited <slot accepts='disease place'/>.", "In asthma, <slot accepts='place'/> was best."]
    added = [
        f'<context id="n{i}" type="fp"><sentence>{text}</sentence></context>'
        for i, text in enumerate(texts + slotted)
    ]
    contexts = CONTEXTS.replace("</contexts>", "".join(added) + "</contexts>")
    (files / "c.xml").write_text(contexts, encoding="utf-8")
    options = ("--catalogue", "e.xml", "--sentences", "c.xml", "--combine", "product")
    done = tagsuite("generate", *options, "--look-alikes", "all", "--out", "suite", cwd=files)
    assert done.returncode == 0, done.stderr
    assert "4 of 8 controls, 1 of 2 sentences for look-alikes, " in done.stderr
    lines = (files / "suite" / "raw.txt").read_text(encoding="utf-8").splitlines()
    for text, is_used, why in CONTROLS:
        assert (text in lines) == is_used, why
    visited = {line[11:-1] for line in lines if line.startswith("We visited ")}
    assert "Ada County" in visited
    assert "COPD" not in visited
