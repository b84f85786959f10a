"""Tests of context files: bundled files, round trips, errors and checks."""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

import pandas as pd
import pytest
from figures import FIGURE_2  # type: ignore[import-not-found]  # in tests/
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences import context_records, contexts_xml
from tagsuite.sentences.contexts import (
    add_stored_features,
    build_contexts,
    read_bundled_context_files,
    read_contexts,
)
from tagsuite.sentences.contexts_check import check_contexts
from tagsuite.sentences.contexts_xml import ContextEntry, ContextFile, MarkedToken

ROOT = Path(str(importlib.resources.files("tagsuite")))


def test_bundled_contexts_pass_every_check() -> None:
    found = check_contexts()
    assert found.empty, found.to_string()


def test_every_article_stands_before_a_slot() -> None:
    templates = [e.template for e in read_contexts().entries if "{a}" in e.template or "{A}" in e.template]
    assert len(templates) >= 5
    fixed = [e.id for e in read_contexts().entries if re.search(r"\b(?:[Aa]n?) <>", e.template)]
    assert fixed == [], "an article that does not follow what is inserted: {a}"


def test_stored_features_are_those_of_the_code() -> None:
    contexts = read_contexts()
    assert add_stored_features(contexts) == contexts.entries


@pytest.mark.parametrize(("name", "content"), read_bundled_context_files())
def test_bundled_files_are_read_and_written_without_loss(name: str, content: bytes, tmp_path: Path) -> None:
    read = contexts_xml.parse_context_xml(content, name)
    contexts_xml.write_contexts(tmp_path / "again.xml", read)
    assert (tmp_path / "again.xml").read_bytes() == content
    context_records.write_contexts(tmp_path / "again.txt", read)
    assert context_records.read_context_records(tmp_path / "again.txt") == read


WORDS = st.text(st.sampled_from("abcDE 12.,;:!?()[]'\"&>-/=β%"), min_size=1, max_size=12).map(
    lambda t: " ".join(t.split()) or "x"
)


@st.composite
def entries(draw: st.DrawFn) -> ContextEntry:
    slots = draw(st.integers(0, 3))
    pieces = [draw(WORDS)]
    for _ in range(slots):
        pieces += [draw(st.sampled_from(["{a} ", ""])), "<>", " ", draw(WORDS), " "]
    template = " ".join("".join([pieces[0], " ", *pieces[1:]]).split())
    attributes = st.fixed_dictionaries(
        {}, optional={"expects": st.sampled_from(["name", "symbol"]), "left_punctuation": WORDS}
    )
    stored = st.fixed_dictionaries(
        {},
        optional={
            "source_id": WORDS,
            "original_form_in_source": WORDS,
            "position": st.just("initial|medial"),
        },
    )
    tokens = (MarkedToken(0, len(pieces[0]), ("all_caps", "keyword")),) if not slots else ()
    return ContextEntry(
        f"c-{draw(st.integers(0, 10**6))}",
        "tp" if slots else "fp",
        template,
        draw(stored),
        tuple(draw(attributes) for _ in range(slots)),
        tokens,
    )


@given(entry=entries(), licence=WORDS, note=st.just("") | WORDS)
def test_any_context_survives_both_forms(
    entry: ContextEntry, licence: str, note: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    fault = contexts_xml.find_template_fault(entry)
    if fault is not None:
        return
    folder = tmp_path_factory.mktemp("forms")
    content = ContextFile((entry,), licence, note)
    contexts_xml.write_contexts(folder / "c.xml", content)
    assert contexts_xml.read_context_xml(folder / "c.xml") == content
    context_records.write_contexts(folder / "c.txt", content)
    assert context_records.read_context_records(folder / "c.txt") == content


def test_the_record_of_figure_2(tmp_path: Path) -> None:
    """Check the entry in figure 2 of Cohen et al. 2004, "A representative entry from the sentences file"."""
    (tmp_path / "figure.txt").write_text(FIGURE_2, encoding="utf-8")
    contexts = read_contexts(tmp_path / "figure.txt")
    row = contexts.contexts.iloc[0]
    assert row["context_id"] == "25"
    assert row["slots"] == "<> is required for pulmonary homeostasis during hyperoxia."
    assert row["context.source_id"] == "PMID: 14702106"
    assert contexts.slots["position"].tolist() == ["initial"]
    assert check_contexts(tmp_path / "figure.txt").empty


HEAD = '<?xml version="1.0"?>\n<contexts format="1">\n'
ONE = '<context id="a" type="tp"><sentence><slot/> rose.</sentence></context>\n'

END = "</contexts>"


def changed(old: str, new: str) -> str:
    return HEAD + ONE.replace(old, new) + END


REFUSED = [
    # content, line, part of the message, why
    ("", None, "empty", "an empty file"),
    (HEAD + ONE, 4, "not well-formed", "truncated"),
    (changed('type="tp"', 'type="xp"'), 3, "not valid", "an unknown type"),
    (changed("<slot/>", "It"), 3, "needs at least one slot", "tp without a slot"),
    (changed("<slot/>", "<slot/> &lt;&gt;"), 3, "not as text", "a literal slot"),
    (changed("rose", "rose {a} bit"), 3, "directly before a slot", "a stray article"),
    (changed("rose", "rose\nagain"), 3, "a single line", "a line break"),
    (HEAD + ONE + ONE + END, 4, "duplicate id", "a repeated id"),
    ('<!DOCTYPE c [<!ENTITY e "x">]>\n<contexts format="1">&e;</contexts>', None, "entities", "entities"),
]


BROKEN_RECORDS = [
    ("ID: 1\ntype: tp\nslots: <> rose.\ncolour: red\n", 4, "unknown field"),
    ("type: tp\nslots: <> rose.\n", 1, "the field ID is missing"),
    ("ID: 1\ntype: tp\nslot_2: list_type=none\nslots: <> rose.\n", 1, "(number of slots: 1)"),
    ("ID: 1\ntype: tp\nslot_1: colour=red\nslots: <> rose.\n", 3, "unknown slot feature"),
    ("ID: 1\ntype: fp\ntoken_1: 3 all_caps\nslots: It rose.\n", 3, "unreadable token"),
    ("\n", None, "no context"),
]


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [("c.xml", *row[:3]) for row in REFUSED] + [("c.txt", *row) for row in BROKEN_RECORDS],
)
def test_broken_files_are_refused_with_file_and_line(
    name: str, content: str, line: int | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_contexts(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


FINDINGS = [
    # attributes of the context, sentence, problem, found, expected
    ('type="tp"', "the <slot/>  rose.", "a single line", "the <>  rose.", ""),
    ('type="tp"', "<slot/> ROSE!", "duplicate sentence", "<> ROSE!", ""),
    ('type="tp" position="final"', "Only <slot/> fell.", "position differs", "final", "medial"),
    (
        'type="tp"',
        'Only <slot list_type="coordination"/> fell.',
        "list_type of slot 1 differs",
        "coordination",
        "none",
    ),
    (
        'type="fp"',
        'An <token features="mixed_case">MRI</token> scan.',
        "is marked with a wrong feature",
        "mixed_case",
        "all_caps",
    ),
    ('type="fp"', "An MRI scan.", "this context of type fp has no marked token", "An MRI scan.", "<"),
    (
        'type="fp"',
        'In <slot accepts="unit any"/> only.',
        "context of type fp cannot accept this kind of name",
        "any",
        "categories",
    ),
    ('type="tp"', "Two fell. Then <slot/> fell.", "not a single sentence", "2 sentences", "1"),
]


@pytest.mark.parametrize(("attributes", "sentence", "problem", "found", "expected"), FINDINGS)
def test_check_finds_with_file_and_line(
    attributes: str, sentence: str, problem: str, found: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.xml"
    context = f'<context id="b" {attributes}><sentence>{sentence}</sentence></context>'
    path.write_text(HEAD + ONE + context + END, encoding="utf-8")
    findings = check_contexts(path)
    assert len(findings) == 1, findings.to_string()
    row = findings.iloc[0]
    assert (row["file"], row["line"]) == (str(path), 4)
    assert problem in row["problem"]
    assert row["found"] == found
    assert row["expected"].startswith(expected)


def test_offsets_of_tokens_are_the_templates() -> None:
    entry = ContextEntry("a", "tp", "{A} <> gene and {a} <> from MRI, then COVID-19.", {}, ({}, {}))
    tokens = build_contexts([entry]).tokens
    assert [entry.template[a:b] for a, b in zip(tokens["start"], tokens["end"], strict=True)] == tokens[
        "form"
    ].tolist()
    assert tokens["form"].tolist() == ["gene", "MRI", "COVID-19"]


def test_cached_frames_are_those_of_the_code() -> None:
    contexts = read_contexts()
    fresh = build_contexts(contexts.entries)
    for name in ("contexts", "slots", "tokens"):
        pd.testing.assert_frame_equal(getattr(contexts, name), getattr(fresh, name))


def test_examples_of_the_documentation_are_right(tmp_path: Path) -> None:
    guide = ROOT / "docs" / "how-to" / "write-contexts.md"
    reference = ROOT / "docs" / "reference" / "contexts.md"
    for file, kind, suffix in ((guide, "xml my-contexts.xml", ".xml"), (reference, "text", ".txt")):
        page = file.read_text(encoding="utf-8")
        blocks = [b.partition("\n") for b in page.split("```")[1::2]]
        samples = [
            content
            for name, _, content in blocks
            if name == kind and ("<contexts" in content or "ID:" in content)
        ]
        assert len(samples) == 1
        (tmp_path / f"sample{suffix}").write_text(samples[0], encoding="utf-8")
        findings = check_contexts(tmp_path / f"sample{suffix}")
        assert findings.empty, findings.to_string()
