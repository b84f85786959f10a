"""Tests of slot rules: kinds, names and symbols, species, number, and names of one entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.organisms import is_compatible
from tagsuite.generator.fitting.genes import number_genes
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.suite_plan import plan_suite_parts

from .conftest import entities, made, written_contexts

# form, kind, species, name or symbol, entry, frequency
ENTITIES = [
    ("TP53", "gene", "human", "symbol", "1", 30),
    ("tumor protein p53", "gene", "human", "name", "1", 2),
    ("Trp53", "gene", "mouse", "symbol", "2", 1),
    ("transformation related protein 53", "gene", "mouse", "name", "2", 0),
    ("let-7a", "RNA", "", "symbol", "3", 1),
    ("proteasome", "complex", "", "name", "4", 6),
    ("protein kinases", "family", "", "name", "5", 25),
    ("SH2 domains", "domain", "", "name", "6", 3),
    ("SP1/2/3/4", "compound", "", "symbol", "7", 0),
    ("hsp70", "gene", "", "symbol", "8", 8),
    ("white", "gene", "fly", "symbol", "9", 0),
    ("lacZ", "gene", "bacterium", "symbol", "10", 0),
    ("human cyclin D1", "gene", "human", "name", "11", 0),
]
CONTEXTS = [
    ("g", '<slot accepts="gene"/> maps to chromosome 3.', ""),
    ("p", "The half-life of <slot accepts='protein complex'/> was measured.", "title"),
    ("r", "<slot accepts='RNA'/> was sequenced.", ""),
    ("m", "Human <slot accepts='gene protein' species='human'/> was cloned.", "title"),
    ("v", "Vertebrate <slot accepts='gene' species='vertebrate'/> is conserved.", ""),
    ("n", "All <slot accepts='gene family' number='plural'/> are active.", ""),
    ("s", "<slot accepts='gene' expects='symbol'/>-/- mice are fertile.", ""),
    ("a", "<slot accepts='gene' expects='name'/> (<slot accepts='gene' expects='symbol'/>) is rare.", ""),
    ("x", "We discuss <slot accepts='any'/>.", ""),
    ("b", "<slot accepts='gene'/> binds <slot accepts='gene'/>.", ""),
]
MAY = {
    "g": {"TP53", "tumor protein p53", "Trp53", "transformation related protein 53", "hsp70", "white", "lacZ"},  # noqa: E501
    "r": {"let-7a"},
    "m": {"TP53", "tumor protein p53", "hsp70"},
    "v": {"TP53", "tumor protein p53", "Trp53", "transformation related protein 53", "hsp70", "human cyclin D1"},  # noqa: E501
    "n": {"protein kinases"},
    # *white* is a symbol that reads as a name
    "s": {"TP53", "Trp53", "hsp70", "lacZ"},
    "a": {"TP53", "tumor protein p53", "Trp53", "transformation related protein 53"},
    "x": {e[0] for e in ENTITIES} - {"SP1/2/3/4"},
}  # fmt: skip
# a name that begins with an organism follows no organism and does not begin a sentence
MAY |= {name: MAY["g"] | {"human cyclin D1", *more} for name, more in (("b", ()), ("p", ["proteasome"]))}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> SuiteOptions:
    """Write a catalogue of entities with properties, and sentences with requirements."""
    folder = tmp_path_factory.mktemp("fitting")
    frame = entities([(form, which, entry) for form, _, _, which, entry, _ in ENTITIES]).assign(
        kind=[e[1] for e in ENTITIES],
        species=pd.array([e[2] or None for e in ENTITIES], dtype="str"),
        corpus_frequency=pd.array([e[5] for e in ENTITIES], dtype="Int64"),
    )
    frame.to_parquet(folder / "e.parquet")
    sentences = [
        f'<context id="{i}" type="tp"{f" source_type={kind!r}" if kind else ""}>'
        f"<sentence>{text}</sentence></context>"
        for i, text, kind in CONTEXTS
    ]
    (folder / "c.xml").write_text(
        '<contexts format="1" licence="MIT">' + "".join(sentences) + "</contexts>", encoding="utf-8"
    )
    return SuiteOptions(catalogue=(str(folder / "e.parquet"),), sentences=(str(folder / "c.xml"),), seed=3)


@pytest.mark.parametrize(
    "options",
    [
        {"combine": "product"},
        {"combine": "product", "fill": "product"},
        {"combine": "sample", "size": 30},
        {"combine": "sample", "size": 12, "stratify": ("entity.kind",)},
        {"combine": "tway", "t": 2, "features": ("entity.kind", "slot.position", "case")},
        {"combine": "zip"},
        {"combine": "each"},
        {"combine": "contrast", "contrast": ("case",)},
    ],
    ids=lambda o: "-".join(str(v) for v in o.values()),
)
def test_only_what_fits_stands_in_a_slot(
    files: SuiteOptions, tmp_path: Path, options: dict[str, Any]
) -> None:
    mentions = made(files, tmp_path / "s", **options)
    real = mentions[mentions["transformation"].isna()] if "transformation" in mentions else mentions
    wrong = [
        (c, d)
        for c, d in zip(real["context_id"].astype(str), real["data"].astype(str), strict=True)
        if d not in MAY[c]
    ]
    assert not wrong
    # name and symbol of one entry stand in apposition
    beside = mentions[mentions["context_id"].astype(str) == "a"]
    assert (beside.groupby("text_id")["source_id"].nunique() == 1).all()
    assert (beside["appositive_kind"].astype(str) == "own").all() if len(beside) else True
    if options["combine"] in ("product", "each"):
        assert set(mentions["context_id"].astype(str)) == set(MAY)


def test_the_product_has_all_that_fits(files: SuiteOptions, tmp_path: Path) -> None:
    mentions = made(files, tmp_path / "s")
    found = mentions.groupby(mentions["context_id"].astype(str))["data"].unique()
    assert {c: set(map(str, forms)) for c, forms in found.items()} == MAY


def test_everything_stands_everywhere_when_asked(files: SuiteOptions, tmp_path: Path) -> None:
    mentions = made(files, tmp_path / "s", fillers="any", contexts="accepts = RNA and number is absent")
    assert set(mentions["data"].astype(str)) == MAY["x"]


@pytest.mark.parametrize(
    ("entities", "contexts", "rule"),
    [
        ("kind = RNA", "accepts = complex", "'kind'"),
        ("data = white", "slot.species = human", "'species'"),
        ("data = hsp70", "number = plural", "'number'"),
        ("name_vs_symbol = name", "right_punctuation = '-'", "'expects'"),
    ],
)
def test_nothing_that_fits_is_an_error_that_says_which_rule(
    files: SuiteOptions, entities: str, contexts: str, rule: str
) -> None:
    recipe = SuiteRecipe((PartOptions(entities=entities, contexts=contexts),), files)
    with pytest.raises(InputError, match=f"the rule {rule} excludes all entities"):
        plan_suite_parts(recipe)


def test_a_noun_at_the_end_of_a_name_is_not_repeated_after_it() -> None:
    part = PartOptions(entities="data ~ / gene$/", contexts="following_word = gene")
    with pytest.raises(InputError, match="the rule 'head' excludes all entities"):
        plan_suite_parts(SuiteRecipe((part,)))


def test_compounds_come_when_asked_for(files: SuiteOptions, tmp_path: Path) -> None:
    mentions = made(files, tmp_path / "s", entities="kind = compound", contexts="total_number_of_names = 1")
    assert set(mentions["data"].astype(str)) == {"SP1/2/3/4"}


def test_false_appositives_are_told(files: SuiteOptions, tmp_path: Path) -> None:
    options = {"appositives": "any", "contexts": "total_number_of_names = 2", "combine": "product"}
    mentions = made(files, tmp_path / "s", **options)
    beside = mentions[mentions["context_id"].astype(str) == "a"]
    same = beside.groupby("text_id")["source_id"].transform("nunique") == 1
    assert set(same) == {True, False}
    told = beside["appositive_kind"].astype(str)
    assert (told[same] == "own").all()
    assert (told[~same] == "false_appositive").all()
    assert mentions.loc[mentions["context_id"].astype(str) == "b", "appositive_kind"].isna().all()


def test_a_sample_takes_attested_sentences_and_others_for_what_they_lack(files: SuiteOptions) -> None:
    def chosen(**options: Any) -> set[str]:
        part = PartOptions(combine="sample", size=3, **options)
        plan = plan_suite_parts(SuiteRecipe((part,), files))
        space = plan.parts[0].space
        return set(space.material.contexts["context_id"].iloc[space.places.contexts])

    assert {"p", "m"} <= chosen()
    assert chosen(attested="any") == set(MAY)
    assert chosen(contexts="context.source_type = title") == {"p", "m"}


def test_respelled_names_come_when_names_are_chosen(tmp_path: Path) -> None:
    one = {"combine": "sample", "contexts": "total_number_of_names = 1", "size": 400}
    for query, respelled in (("all", False), ("Greek_letter_format = square_bracketed", True)):
        mentions = made(SuiteOptions(seed=5), tmp_path / str(respelled), entities=query, **one)
        found = (mentions["source_type"].astype(str) == "invention").any()
        assert found == respelled, query


GENES = [
    # names that share a letter are of one gene; the second column is the entry, if any
    ("IL-6", "", "a"),
    ("IL6", "HGNC:6018", "a"),
    ("interleukin 6", "HGNC:6018", "a"),
    ("Interleukin-6", "", "a"),  # through the entry of the form that is spelt alike
    ("human IL-6 gene", "", "a"),
    ("IL-6 receptor", "", "b"),  # "receptor" is part of the name
    ("gene", "", "d"),  # nothing is left out of a single word
    ("PKCα", "", "h"),
    ("PKC-alpha", "", "h"),  # a letter spelled out
    ("alpha PKC", "", "h"),  # and at the beginning
    ("beta II PKC", "", "i"),
    ("PKC-βII", "", "i"),  # a letter with its number
    ("β-catenin", "", "j"),
    ("{beta} catenins", "", "j"),  # the plural
    ("α", "", "l"),
    ("++", "", "f"),  # no letters at all
    ("--", "", "g"),
]


def test_names_of_one_gene() -> None:
    frame = pd.DataFrame(
        {
            "data": [form for form, _, _ in GENES],
            "source_id": [entry or None for _, entry, _ in GENES],
            "source_authority": ["HGNC" if entry else None for _, entry, _ in GENES],
        }
    )
    found = number_genes(frame).tolist()
    labels = [label for _, _, label in GENES]
    assert len(set(found)) == len(set(labels)) == len(set(zip(found, labels, strict=True)))


def test_a_sentence_names_a_gene_once(tmp_path: Path) -> None:
    """Only a name next to its symbol may repeat a gene."""
    mentions = made(
        SuiteOptions(seed=4),
        tmp_path / "s",
        size=600,
        combine="sample",
        contexts="total_number_of_names >= 3",
    )
    gene = number_genes(mentions.drop_duplicates("data").reset_index(drop=True))
    number = dict(zip(mentions["data"].drop_duplicates(), gene.tolist(), strict=True))
    alone = mentions[mentions["appositive"].astype("str") == "none"]
    twice = alone.assign(gene=alone["data"].map(number)).duplicated(["text_id", "gene"])
    assert len(alone) > 1_500
    assert not twice.any()


ONE_GENE = [("IL-6", "symbol", "1"), ("IL6", "symbol", "2"), ("IL-6", "symbol", "3"), ("IL 6", "symbol", "4")]
WITH_NAMES = [
    *ONE_GENE,
    ("interleukin 6", "name", "1"),
    ("interleukin-6", "name", "2"),
    ("Interleukin 6", "name", "4"),
]


@pytest.mark.parametrize(
    ("forms", "sentence", "size"),
    [
        (ONE_GENE, "Binding of <slot/>, <slot/> and <slot/>.", 12),
        (WITH_NAMES, "The <slot expects='name'/> (<slot expects='symbol'/>) gene binds <slot/>.", 13),
    ],
    ids=["symbols", "a name brings its symbol"],
)
def test_forms_of_one_gene_in_a_sentence_differ(
    forms: list[tuple[str, str, str]], sentence: str, size: int, tmp_path: Path
) -> None:
    """If all names belong to one gene, each sentence has different forms of it."""
    entities(forms).assign(kind="gene").to_parquet(tmp_path / "e.parquet")
    written_contexts(tmp_path / "c.xml", [("c", sentence, "tp")])
    files = SuiteOptions(catalogue=(str(tmp_path / "e.parquet"),), sentences=(str(tmp_path / "c.xml"),))
    mentions = made(files, tmp_path / "s", combine="sample", size=size)
    assert mentions.groupby("text_id")["data"].nunique().tolist() == [3] * size


def test_names_of_one_sentence_are_of_organisms_that_go_together(tmp_path: Path) -> None:
    """This holds if all slots of a sentence accept the same group of organisms."""
    mentions = made(
        SuiteOptions(seed=3),
        tmp_path / "s",
        size=300,
        combine="sample",
        contexts="total_number_of_names >= 2 and slot.species = eukaryote and appositive = none",
    )
    alike = mentions.groupby("text_id")["slot.species"].transform("nunique") == 1
    several = 0
    for _, own in mentions[alike].groupby("text_id")["species"]:
        names = [str(v) for v in own.dropna()]
        several += len(names) > 1
        assert all(is_compatible(a, b) for a in names for b in names), names
    assert several > 100
