"""Tests of the bundled demo corpus: its size, its mentions and its variety."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.value_codes import iterate_closed_values
from tagsuite.sentences.annotate import annotate
from tagsuite.sentences.formats import read_corpus

FOLDER = Path(str(importlib.resources.files("tagsuite.sentences"))) / "demo_corpus"


def test_every_value_of_slot_features_and_of_some_entity_features_occurs() -> None:
    frame = annotate(read_corpus(f"sgml:{FOLDER / 'demo.sgml'}"))
    names = ("name_vs_symbol", "case", "Arabic_numeral_position", "Greek_letter_position", "postmodifier")
    features = [taxonomy().find(f"entity.{name}") for name in names]
    features += [f for f in taxonomy().select_scopes("slot") if f.is_closed and not f.is_catalogue_only]
    lacking = [
        f"{f.name} = {value}"
        for f in features
        for value, has in iterate_closed_values(frame, f)
        if not has.any()
    ]
    assert lacking == []
