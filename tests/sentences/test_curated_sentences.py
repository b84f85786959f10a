"""A chosen sentence may leave words out of the corpus's names; nothing else of the corpus's may change."""

from __future__ import annotations

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.contexts_xml import Entry
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
