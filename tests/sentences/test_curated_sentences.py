"""A chosen sentence may leave words out of the corpus's names; nothing else of the corpus's may change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.contexts_xml import Entry
from tagsuite.sentences.curation import sources
from tagsuite.sentences.curation.build import file_of
from tagsuite.sentences.curation.choices import Choice

ORIGINAL = "An AP1 site of the mouse c-jun gene is bound by Fos ."
OFFERED = Entry(
    "corpus-1",
    "tp",
    "{A} <> of the <> is bound by <>.",
    {"source_id": "S1", "source_type": "abstract", "original_form_in_source": ORIGINAL},
    ({}, {}, {}),
)


def chosen(sentence: str) -> str:
    """The template that a choice becomes."""
    choice = Choice("S1", {"accepts": ("protein", "gene", "protein")}, sentence, "some.tsv", 2)
    (entry,) = file_of([choice], {"S1": OFFERED}).entries
    return entry.template


@pytest.mark.parametrize(
    "sentence",
    [
        "{A} <> of the <> is bound by <>.",
        "{A} <> site of the <> gene is bound by <>.",
        "{A} <> site of the mouse <> gene is bound by <>.",
    ],
)
def test_a_slot_may_be_smaller_than_the_name(sentence: str) -> None:
    assert chosen(sentence) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "{A} <> site of the <> gene was bound by <>.",
        "{A} <> site of <> gene is bound by <>.",
        "{A} <> of the <> is <>.",
        "{A} <> of the <> is bound by Fos.",
        "{A} <> site of the <> <> is bound by Fos.",
    ],
)
def test_nothing_else_may_change(sentence: str) -> None:
    with pytest.raises(InputError, match="words left out") as caught:
        chosen(sentence)
    assert (caught.value.file, caught.value.line) == ("some.tsv", 2)


@pytest.mark.parametrize(("name", "value"), [("expects", "9223372036854775808"), ("accepts", "protein sofa")])
def test_a_judgement_is_one_of_those_that_there_are(name: str, value: str) -> None:
    judged = {"accepts": ("protein", "gene", "protein"), name: (value,)}
    with pytest.raises(InputError, match=f"unknown value of a slot's {name}") as caught:
        file_of([Choice("S1", judged, "", "some.tsv", 7)], {"S1": OFFERED})
    assert (caught.value.file, caught.value.line) == ("some.tsv", 7)


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b\x08\x00\xff", b"IL-2\tB\n\xe9\xff\tO\n", b"IL-2\n", b"\0\0\n"]
)
def test_a_test_part_that_is_no_token_lines_is_named(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "HELD_OUT", ())
    file = tmp_path / sources.JNLPBA
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        sources.held_out(tmp_path)
    assert str(caught.value.file) == str(file)
