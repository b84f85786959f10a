"""Tests of the suite folder: text, spans and features agree for all kinds of forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.cases import Cases
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.combine import product
from tagsuite.generator.material import Material, assemble_material
from tagsuite.generator.suite import write_blocks
from tagsuite.generator.writing.case_texts import CaseTextWriter
from tagsuite.sentences.contexts import Contexts
from tagsuite.sentences.suites import read_suite

from .conftest import entities


def frames(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cases, and the mentions with their features, joined by plain pandas."""
    tables = {p.stem: pd.read_parquet(p) for p in folder.glob("*.parquet")}
    mentions = tables["mentions"].merge(tables["entities"], on="entity_key", validate="many_to_one")
    return tables["cases"], mentions.merge(tables["slots"], on="slot_key", validate="many_to_one")


def test_lines_are_cases_and_spans_are_forms(
    tmp_path: Path, material: Material, space_for: Callable[..., CombinationSpace]
) -> None:
    write_blocks(tmp_path, material, product.make_product_cases(space_for(), full=False))
    cases, mentions = frames(tmp_path)
    lines = (tmp_path / "raw.txt").read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    assert cases["text"].tolist() == lines
    assert cases["case_id"].tolist() == list(range(len(lines)))
    found = [
        lines[i][a:b] for i, a, b in zip(mentions["text_id"], mentions["start"], mentions["end"], strict=True)
    ]
    assert found == mentions["data"].tolist()
    assert mentions["mention_id"].tolist() == list(range(len(mentions)))


@pytest.mark.parametrize(
    ("context", "form", "line"),
    [
        ("c6", "insulin", "We isolated an insulin mutant."),
        ("c6", "ubiquitin", "We isolated a ubiquitin mutant."),
        ("c3", "cyclin-dependent kinase 2 assoc.", "Growth required cyclin-dependent kinase 2 assoc."),
        ("c1", "β-catenin", "β-catenin is expressed in the liver."),
    ],
)
def test_surface(material: Material, context: str, form: str, line: str) -> None:
    row = material.contexts["context_id"].tolist().index(context)
    filler = material.forms.index(form)
    block = CaseTextWriter(material)(
        Cases(np.array([row], dtype=np.int32), np.array([filler], dtype=np.int32))
    )
    assert bytes(block.raw).decode() == line + "\n"
    assert block.text[0].as_py() == line
    assert line[block.start[0] : block.end[0]] == form


def test_a_tag_that_comes_about_in_one_of_many_cases_is_refused(contexts: Contexts) -> None:
    frame, names = contexts.contexts.copy(), entities()
    frame["slots"] = frame["slots"].replace({"Growth required <>.": "Growth required <<>>."})
    names["data"] = names["data"].replace({"ubiquitin": "gp"})
    made = assemble_material(names, frame, contexts.slots)
    forms = np.arange(len(made.fillers), dtype=np.int32)
    row = frame["context_id"].tolist().index("c3")
    block = Cases(np.full(len(forms), row, dtype=np.int32), forms)
    with pytest.raises(InputError, match="contains the tag <gp>"):
        CaseTextWriter(made)(block)
    assert len(CaseTextWriter(replace(made, tag="gene"))(block).text) == len(forms)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("a<gp>b", "the surface form contains the tag <gp>"),
        ("line\nbreak", "the surface form contains a line break"),
        ("", "an empty surface form"),
    ],
)
def test_forms_that_files_cannot_hold_are_refused(contexts: Contexts, form: str, message: str) -> None:
    frame = entities()
    frame.loc[0, "data"] = form
    broken = assemble_material(frame, contexts.contexts, contexts.slots)
    with pytest.raises(InputError, match=message):
        _ = broken.forms


def test_mentions_have_the_identifiers_of_their_entities(
    tmp_path: Path, tagsuite: Callable[..., CompletedProcess[str]]
) -> None:
    query = "source_type = database or source_type = literature"
    options = ("--combine", "sample", "--size", "60", "--seed", "1", "--out", tmp_path / "s")
    assert tagsuite("generate", "--entities", query, *options).returncode == 0
    _, mentions = frames(tmp_path / "s")
    expected = [
        (name if ":" in name else f"{authority}:{name}") if kind == "database" else None
        for kind, authority, name in zip(
            mentions["source_type"].astype("str"),
            mentions["source_authority"],
            mentions["source_id"],
            strict=True,
        )
    ]
    assert [None if pd.isna(name) else name for name in mentions["identifiers"]] == expected
    assert {name.partition(":")[0] for name in filter(None, expected)} == {"HGNC", "FlyBase"}
    suite = read_suite(tmp_path / "s")
    assert "identifiers" not in suite.mentions
    assert suite.normalisations is not None
    known = zip(suite.normalisations["authority"], suite.normalisations["identifier"], strict=True)
    assert [f"{authority}:{name}" for authority, name in known] == list(filter(None, expected))
