"""Tests of the attested contexts: their sources, no overlap with test sets, and numbers of feature values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.text import remove_white_space
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.value_codes import iterate_closed_values
from tagsuite.sentences import context_records, contexts_xml
from tagsuite.sentences.contexts import build_contexts, read_bundled_context_files
from tagsuite.sentences.contexts_xml import ContextEntry, ContextFile, parse_context_xml
from tagsuite.sentences.formats import read_corpus

SHORTAGES = Path(__file__).parents[2] / "tools" / "curation" / "sentences" / "shortages.tsv"
LEAST = 20


@cache
def bundled() -> ContextFile:
    return dict_of_files()["contexts_attested.xml"]


def dict_of_files() -> Mapping[str, ContextFile]:
    return {name: parse_context_xml(content, name) for name, content in read_bundled_context_files()}


def letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return re.sub(r"[\W_]+", "", text.casefold())


def read_test_parts(data: Path) -> Iterator[str]:
    for corpus in ("bc2gm:{}/bc2gm/test", "genetag:{}/genetag/test"):
        yield from read_corpus(corpus.format(data)).texts["text"]
    for block in (data / "jnlpba" / "Genia4EReval2.iob2").read_text(encoding="utf-8").split("\n\n"):
        yield " ".join(re.findall(r"^(?!###)([^\t\n]+)\t", block, re.MULTILINE))


def test_each_value_occurs_often_enough_or_says_why_not() -> None:
    contexts = build_contexts(bundled().entries)
    frame = contexts.join_features()
    look_alikes = [entry.id for entry in contexts.entries if entry.is_for_look_alikes]
    frame = frame[~frame["context_id"].isin(look_alikes)]
    rare = {
        f"{feature.name}\t{value}"
        for feature in taxonomy().select_scopes("context", "slot")
        if feature.is_closed and not feature.is_catalogue_only
        for value, has in iterate_closed_values(frame, feature)
        if frame["context_id"][has].nunique() < LEAST
    }
    lines = SHORTAGES.read_text(encoding="utf-8").splitlines()
    reasons = dict(line.rsplit("\t", 1) for line in lines if not line.startswith("#"))
    assert rare == set(reasons)
    assert all(len(why) > 20 for why in reasons.values())


def test_no_sentence_of_a_test_part_is_bundled(shared_data: Path) -> None:
    held_out = {letters(text) for text in read_test_parts(shared_data)}
    assert len(held_out) > 11_000
    for name, file in dict_of_files().items():
        for entry in file.entries:
            forms = (entry.template, entry.stored.get("original_form_in_source", ""))
            # white space, case and punctuation are ignored
            assert not [form for form in forms if form and letters(form) in held_out], (name, entry.id)


def test_each_is_in_the_training_part_under_its_id(shared_data: Path) -> None:
    training = read_corpus(f"bc2gm:{shared_data}/bc2gm/train")
    texts = dict(zip(training.texts["text_id"], training.texts["text"], strict=True))
    kinds = {"T": "title", "A": "abstract"}
    for entry in bundled().entries:
        source_id = entry.stored["source_id"]
        assert entry.id == f"bc2gm-{source_id}"
        assert texts[source_id] == entry.stored["original_form_in_source"], source_id
        assert entry.stored["source_type"] == kinds[source_id[9]]


def test_slots_differ_from_the_sentence_by_the_name_alone() -> None:
    for entry in bundled().entries:
        original = remove_white_space(entry.stored["original_form_in_source"])
        place = 0
        for piece in entry.template.replace("{a} <>", "a<>").replace("{A} <>", "A<>").split("<>"):
            place = original.find(remove_white_space(piece), place)
            assert place >= 0, entry.id
            place += len(remove_white_space(piece))


@pytest.mark.parametrize(
    ("name", "value"),
    [("accepts", ""), ("species", "unicorn"), ("number", "dual"), ("expects", "x")],
)
def test_a_judgement_that_is_none_is_refused(name: str, value: str, tmp_path: Path) -> None:
    context = f'<context id="c" type="tp"><sentence>Loss of <slot {name}="{value}"/>.</sentence></context>'
    xml = tmp_path / "c.xml"
    xml.write_text(f'<contexts format="1">\n{context}</contexts>', encoding="utf-8")
    with pytest.raises(InputError) as error:
        contexts_xml.read_context_xml(xml)
    assert error.value.line == 2
    records = tmp_path / "c.txt"
    entry = ContextEntry("c", "tp", "Loss of <> was seen.", {}, ({name: value},))
    context_records.write_contexts(records, ContextFile((entry,)))
    with pytest.raises(InputError, match=rf"unknown value of the slot attribute {name}.*allowed"):
        context_records.read_context_records(records)
