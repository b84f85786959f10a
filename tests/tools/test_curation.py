"""Tests of the program that writes the bundled entities and attested contexts from tables of choices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.text import remove_white_space
from tagsuite.catalogues.entities_xml import format_entity_xml
from tagsuite.sentences import contexts_xml
from tagsuite.sentences.contexts import JUDGED_ATTRIBUTES
from tagsuite.sentences.contexts_xml import ContextEntry
from tagsuite.tools.curation.contexts import (
    COLUMNS,
    make_contexts,
    make_entry,
    mend_typography,
    read_choices,
)
from tagsuite.tools.curation.names import make_entities, read_appositions, read_functions
from tagsuite.tools.curation.tables import Row

ROOT = Path(__file__).parents[2]
STORED = {
    "source_id": "S1",
    "source_type": "abstract",
    "original_form_in_source": "An AP1 site of the mouse c-jun gene is bound by Fos .",
}
OFFERED = {"S1": ContextEntry("corpus-1", "tp", "{A} <> of the <> is bound by <>.", STORED, ({}, {}, {}))}


def test_the_bundled_files_are_what_the_tables_make(shared_data: Path, tmp_path: Path) -> None:
    for name, entities in make_entities(shared_data).items():
        assert format_entity_xml(entities) == (ROOT / "catalogues" / name).read_text(encoding="utf-8"), name
    contexts_xml.write_contexts(tmp_path / "again.xml", make_contexts(shared_data))
    bundled = ROOT / "sentences" / "contexts_attested.xml"
    assert (tmp_path / "again.xml").read_bytes() == bundled.read_bytes()


@pytest.mark.parametrize(
    ("read", "content", "expected"),
    [
        (
            read_functions,
            "HGNC:18\tkinase enzyme\nIL-2\tligand\nprepro-C3\t\n",
            {"HGNC:18": "kinase|enzyme", "IL-2": "ligand", "prepro-C3": ""},
        ),
        (read_functions, "IL-2\n", (1, "1 cells")),
        (read_functions, "# a comment\nIL-2\thormone\n", (2, "hormone")),
        (read_functions, "IL-2\tligand\nIL-2\tsecreted\n", (2, "IL-2")),
        (read_appositions, "P1\tinsulin\tINS\tthe insulin (INS)\n", (1, "the insulin (INS)")),
        (read_appositions, "P1\tinsulin\tINS\tinsulin (IN)\n", (1, "insulin (IN)")),
        (
            read_appositions,
            "P1\tinsulin\tINS\tinsulin (INS)\nP1\tinsulin\tI\tinsulin (I)\n",
            (2, "insulin"),
        ),
        (read_choices, "\t".join([*COLUMNS, "more"]), (1, "10 cells")),
    ],
)
def test_tables(read: Callable[[Path], object], content: str, expected: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(content, encoding="utf-8")
    if isinstance(expected, dict):
        assert read(path) == expected
        return
    with pytest.raises(InputError) as caught:
        read(path)
    assert (caught.value.file, caught.value.line, caught.value.found) == (str(path), *expected)


def make(sentence: str = "", **judged: str) -> ContextEntry:
    cells = dict.fromkeys(COLUMNS, "") | {"id": "S1", "accepts": "protein; gene; protein"}
    return make_entry(Row(Path("some.tsv"), 7, cells | judged | {"sentence": sentence}), OFFERED)


@pytest.mark.parametrize(
    "sentence",
    [
        "{A} <> of the <> is bound by <>.",
        "{A} <> site of the <> gene is bound by <>.",
        "{A} <> site of the mouse <> gene is bound by <>.",
    ],
)
def test_a_slot_may_be_smaller_than_the_name(sentence: str) -> None:
    assert make(sentence).template == sentence


def test_values_of_slots() -> None:
    made = make(species="human", number="singular; -; plural", head="-; gene; -")
    assert [{k: v for k, v in slot.items() if k in JUDGED_ATTRIBUTES} for slot in made.slots] == [
        {"accepts": "protein", "species": "human", "number": "singular"},
        {"accepts": "gene", "species": "human", "head": "gene"},
        {"accepts": "protein", "species": "human", "number": "plural"},
    ]


@pytest.mark.parametrize(
    ("sentence", "judged", "problem"),
    [
        ("{A} <> site of the <> gene was bound by <>.", {}, "words omitted from names"),
        ("{A} <> site of <> gene is bound by <>.", {}, "words omitted from names"),
        ("{A} <> of the <> is <>.", {}, "words omitted from names"),
        ("{A} <> of the <> is bound by Fos.", {}, "words omitted from names"),
        ("{A} <> site of the <> <> is bound by Fos.", {}, "words omitted from names"),
        ("", {"id": "S2"}, "no such sentence"),
        ("", {"accepts": "gene; gene"}, "accepts: wrong number of values"),
        ("", {"accepts": "protein", "species": "sofa"}, "unknown value of the slot attribute species"),
        ("", {"expects": "9223372036854775808"}, "unknown value of the slot attribute expects"),
    ],
)
def test_choices_that_cannot_be_made(sentence: str, judged: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        make(sentence, **judged)
    assert (caught.value.file, caught.value.line) == ("some.tsv", 7)


def test_usual_typography_changes_white_space_only() -> None:
    for text, expected in (
        ("The ( PLEVA ) of <> , as seen .", "The (PLEVA) of <>, as seen."),
        ("P < .05 for <>.", "P < .05 for <>."),
        ("Levels--of <>--rose.", "Levels -- of <> -- rose."),
        ("The  <> 's role .", "The <>'s role."),
    ):
        assert mend_typography(text) == expected
        assert remove_white_space(expected) == remove_white_space(text)
