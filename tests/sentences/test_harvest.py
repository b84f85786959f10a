"""Tests of harvesting: slots in place of mentions, no duplicates, and licence notes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.contexts import read_contexts
from tagsuite.sentences.contexts_check import check_contexts
from tagsuite.sentences.formats import read_corpus
from tagsuite.sentences.harvest import harvest_contexts, write_harvest

LINES = [
    "An <gp>ACE2</gp> gene and a <gp>p53</gp> gene were found.",
    "Loss of <gp>p53</gp> was seen in QoL studies.",
    "loss of <gp>tumor protein p63</gp> was seen in QoL studies",
    "Two sentences stand here. The <gp>bif</gp> gene is in the second.",
    "The MRI was normal in all three.",
    "We saw them again the day after.",
    "Too short <gp>X</gp>",
    "A set {a, b} of <gp>genes</gp> is unfit here.",
    "The enzyme <gp>heat shock factor</gp> (<gp>HSF1</gp>) was absent.",
]

EXPECTED = [
    ("{a} <> gene and {a} <> gene were found.".replace("{a}", "{A}", 1), "tp", "an article before each"),
    ("Loss of <> was seen in QoL studies.", "tp", "the next line is the same sentence"),
    ("Two sentences stand here.", "fp", "a sentence without a mention (left out later: nothing tempting)"),
    ("The <> gene is in the second.", "tp", "the second sentence of a text"),
    ("The MRI was normal in all three.", "fp", "a temptation"),
    ("We saw them again the day after.", "fp", "none, left out later"),
    ("The enzyme <> (<>) was absent.", "tp", "an appositive"),
]


@pytest.fixture
def lines(tmp_path: Path) -> str:
    (tmp_path / "c.sgml").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return f"sgml:{tmp_path / 'c.sgml'}"


def test_templates(lines: str) -> None:
    found = harvest_contexts(read_corpus(lines), "c")
    assert [(e.template, e.type) for e in found.entries] == [(t, k) for t, k, _ in EXPECTED]
    assert list(found.skipped_counts.values()) == [1, 1, 1, 0]
    assert [dict(s) for s in found.entries[-1].slots] == [{"expects": "name"}, {"expects": "symbol"}]
    assert found.entries[1].stored["original_form_in_source"] == "Loss of p53 was seen in QoL studies."


@pytest.mark.parametrize(("document", "source"), [("d7", "d7"), ("", "t1")])
def test_the_source_is_the_document_or_else_the_text(document: str, source: str, tmp_path: Path) -> None:
    mention = {"id": 0, "start": 8, "end": 11, "type": "gp"}
    text = {"text_id": "t1", "document_id": document, "text": "Loss of p53 was seen.", "mentions": [mention]}
    (tmp_path / "c.jsonl").write_text(json.dumps(text) + "\n", encoding="utf-8")
    found = harvest_contexts(read_corpus(f"jsonl:{tmp_path / 'c.jsonl'}"), "c")
    assert [e.stored["source_id"] for e in found.entries] == [source]


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("We saw it (a <gp>p53</gp> inhibitor) rise.", "We saw it ({a} <> inhibitor) rise."),
        ("Patients with hepatitis A <gp>IgM</gp> were few.", "Patients with hepatitis A <> were few."),
        ("RESULTS: An <gp>IL2</gp> gene was found.", "RESULTS: {A} <> gene was found."),
        ("It has alpha-a <gp>IL2</gp> gene here.", "It has alpha-a <> gene here."),
    ],
)
def test_what_is_an_article(line: str, template: str, tmp_path: Path) -> None:
    (tmp_path / "c.sgml").write_text(f"{line}\n", encoding="utf-8")
    assert [e.template for e in harvest_contexts(read_corpus(f"sgml:{tmp_path / 'c.sgml'}")).entries] == [
        template
    ]


TYPED = [
    "We gave <chemical>aspirin</chemical> for <disease>asthma</disease> twice.",
    "Nothing was known about <disease>ALS</disease> then.",
    "The MRI was normal in all three.",
]
TYPE_CASES: list[tuple[tuple[str, ...], list[tuple[str, list[str]]], int, str]] = [
    (
        (),
        [("tp", ["chemical", "disease"]), ("tp", ["disease"]), ("fp", [])],
        0,
        "each slot accepts the type of its mention",
    ),
    (
        ("chemical",),
        [("tp", ["chemical", "disease"]), ("fp", [])],
        1,
        "other types stay slots, and a sentence with only other types is no control",
    ),
]


@pytest.mark.parametrize(("types", "contexts", "skipped", "why"), TYPE_CASES)
def test_types_are_kept(
    tmp_path: Path, types: tuple[str, ...], contexts: list[tuple[str, list[str]]], skipped: int, why: str
) -> None:
    (tmp_path / "c.sgml").write_text("\n".join(TYPED) + "\n", encoding="utf-8")
    found = harvest_contexts(read_corpus(f"sgml:{tmp_path / 'c.sgml'}"), "c", types)
    assert [(e.type, [s["accepts"] for s in e.slots]) for e in found.entries] == contexts, why
    assert found.skipped_counts["without a mention of the requested types"] == skipped, why


@pytest.mark.parametrize("suffix", [".xml", ".txt"])
def test_harvested_files_pass_the_checks(suffix: str, lines: str, tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("Free as in\nair.\n", encoding="utf-8")
    out = tmp_path / f"h{suffix}"
    said = write_harvest(lines, out)
    assert said.startswith("5 contexts (4 tp, 1 fp)")
    assert "2 without a mention or a word that looks like a name" in said
    assert check_contexts(out).empty
    read = read_contexts(out)
    assert "Free as in air." in read.notes[0]
    assert read.slots["expects"].dropna().tolist() == ["name", "symbol"]
    assert read.tokens[read.tokens["marked"]]["form"].tolist() == ["MRI"]


@pytest.mark.parametrize(
    ("name", "text", "types", "message"),
    [
        ("h.csv", "Loss of <gp>p53</gp> was seen.", (), "unknown kind"),
        ("h.xml", "Only <gp>three</gp> words", (), "no sentence.*at least 4 words"),
        ("h.xml", "Loss of <gp>p53</gp> was seen.", ("gp", "disease"), "'disease'; allowed: .*gp"),
    ],
)
def test_outputs_that_cannot_be(
    tmp_path: Path, name: str, text: str, types: tuple[str, ...], message: str
) -> None:
    (tmp_path / "c.sgml").write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        write_harvest(f"sgml:{tmp_path / 'c.sgml'}", tmp_path / name, types=types)
    assert not (tmp_path / name).exists()


@pytest.mark.full
def test_a_real_corpus(
    shared_data: Path, tmp_path: Path, tagsuite: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    out = tmp_path / "h.xml"
    done = tagsuite("sentences", "harvest", f"bc2gm:{shared_data / 'bc2gm' / 'test'}", "--out", out)
    assert done.returncode == 0, done.stderr
    contexts = read_contexts(out)
    assert len(contexts) > 4500
    assert "PUBLIC DOMAIN NOTICE" in contexts.notes[0]
    templates = contexts.contexts["slots"].str.casefold()
    assert templates.is_unique
    assert check_contexts(out).empty
