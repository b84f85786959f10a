"""Tests of list contexts with other numbers of members, and of sentences that keep theirs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tagsuite.generator.list_lengths import add_list_lengths
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteRecipe
from tagsuite.generator.suite_plan import plan_suite_parts
from tagsuite.sentences.contexts import read_contexts
from tagsuite.sentences.contexts_xml import SLOT_MARK

from .conftest import written_contexts

S = "<slot/>"


@pytest.mark.parametrize(
    ("template", "longer", "why"),
    [
        (f"{S} and {S} were cloned.", f"{S}, {S}, {S}, {S} and {S} were cloned.", "no number is stated"),
        (f"{S}, {S}, {S}: three genes with similar profiles.", None, "a cardinal after the list"),
        (f"Both {S} and {S} bind heparin.", None, "a word with a capital"),
        (
            f"{S} and {S} were measured for 3 days in 96 women.",
            f"{S}, {S}, {S}, {S} and {S} were measured for 3 days in 96 women.",
            "numbers of other things",
        ),
    ],
)
def test_a_sentence_that_states_a_number_keeps_its_list(
    tmp_path: Path, template: str, longer: str | None, why: str
) -> None:
    contexts = written_contexts(tmp_path / "contexts.xml", [("c", template, "tp")])
    versions = [e.template for e in add_list_lengths(contexts, [5]).entries[1:]]
    assert versions == ([longer.replace(S, SLOT_MARK)] if longer else []), why


def test_no_bundled_list_contradicts_its_sentence() -> None:
    versions = [e.template for e in add_list_lengths(read_contexts(), [7]).entries if "~" in e.id]
    assert len(versions) > 200
    stated = re.compile(r"\b(both|two|three|four|six|double|n?either)\b", re.IGNORECASE)
    assert [v for v in versions if stated.search(v)] == []


def test_the_user_reads_how_many_contexts_keep_their_length() -> None:
    part = PartOptions(contexts="list_type != none", list_lengths=(5,), combine="each")
    (note,) = [n for n in plan_suite_parts(SuiteRecipe((part,))).notes if "list contexts" in n]
    assert re.fullmatch(r"\d+ of \d+ list contexts state the number of members .* keep their length", note)
