"""Small catalogues for the tests of the generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tagsuite.catalogues.entity_features import entity_features
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.material import Material, assemble_material, select_fillers, select_places
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.slot_filling import SlotFilling
from tagsuite.generator.suite import generate
from tagsuite.sentences.contexts import Contexts, read_contexts
from tagsuite.sentences.suites import read_suite

FORMS = (
    ("TP53", "symbol", "1"),
    ("tumor protein p53", "name", "1"),
    ("Mdm2", "symbol", "2"),
    ("insulin", "name", "3"),
    ("IL-2", "symbol", "4"),
    ("interleukin 2", "name", "4"),
    ("β-catenin", "name", "5"),
    ("Pray For Elves", "name", "6"),
    ("protein kinase C, alpha", "name", "7"),
    ("18-wheeler", "name", "8"),
    ("cyclin-dependent kinase 2 assoc.", "name", "9"),
    ("ubiquitin", "name", "10"),
)

TEMPLATES = (
    ("c1", "<slot/> is expressed in the liver.", "tp"),
    ("c2", "Loss of <slot/> delays mitosis.", "tp"),
    ("c3", "Growth required <slot/>.", "tp"),
    ("c4", "<slot/> binds <slot/> and <slot/> in yeast.", "tp"),
    ("c5", "The <slot expects='name'/> (<slot expects='symbol'/>) gene was cloned.", "tp"),
    ("c6", "We isolated {a} <slot/> mutant.", "tp"),
    ("c7", "{A} <slot/>-like fold, and {a} <slot/> domain, were found.", "tp"),
    ("f1", "The impact on QoL was assessed.", "fp"),
    ("f2", "Antifreeze protein activity was low (P &lt; 0.05).", "fp"),
)


def entities(forms: Sequence[tuple[str, str, str]] = FORMS) -> pd.DataFrame:
    """Return entities with all features."""
    data = pd.Series([f for f, _, _ in forms], dtype="str")
    given = pd.DataFrame(
        {"name_vs_symbol": pd.Categorical([k for _, k, _ in forms], categories=["name", "symbol"])}
    )
    frame = entity_features(data, given=given)
    frame = frame.drop(columns=[c for c in ("entity_id", "data") if c in frame])
    frame.insert(0, "entity_id", pd.Series([f"e{i}" for i in range(len(forms))], dtype="str"))
    frame.insert(1, "data", data)
    frame["source_authority"] = pd.Series(["TEST"] * len(forms), dtype="str")
    frame["source_id"] = pd.Series([i for _, _, i in forms], dtype="str")
    return frame


def written_contexts(path: Path, rows: Sequence[tuple[str, str, str]]) -> Contexts:
    """Write a file of contexts with the given identifiers, sentences and types, and read it."""
    lines = [
        f'<context id="{i}" type="{kind}"><sentence>{text}</sentence></context>' for i, text, kind in rows
    ]
    path.write_text(f'<contexts format="1" licence="MIT">{"".join(lines)}</contexts>', encoding="utf-8")
    return read_contexts(path)


def made(files: SuiteOptions, folder: Path, **options: Any) -> pd.DataFrame:
    """Return the mentions of a suite with all features and their contexts."""
    generate(SuiteRecipe((PartOptions(**options),), files), folder)
    corpus = read_suite(folder)
    return corpus.inline_features().mentions.merge(corpus.texts[["text_id", "context_id"]], on="text_id")


@pytest.fixture(scope="session")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> Contexts:
    """Return contexts that were read from a file."""
    return written_contexts(tmp_path_factory.mktemp("contexts") / "contexts.xml", TEMPLATES)


@pytest.fixture(scope="session")
def material(contexts: Contexts) -> Material:
    """Return the material made from the small catalogues."""
    return assemble_material(entities(), contexts.contexts, contexts.slots)


@pytest.fixture(scope="session")
def space_for(material: Material) -> Callable[..., CombinationSpace]:
    """Return a function that makes the combination space of two queries."""

    def make(
        entity_query: str = "all", context_query: str = "all", seed: int = 0, distinct: bool = True
    ) -> CombinationSpace:
        filling = SlotFilling(material.form_code, seed, 0, distinct)
        return CombinationSpace(
            material,
            select_fillers(material, entity_query),
            select_places(material, context_query),
            filling,
            replace(material.fits, active=()),
        )

    return make
