"""Tests of yapex, kex and dictionary: the steps that their papers describe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.harness.running.specification import BUNDLED_FOLDER
from tagsuite.harness.taggers.yapex.chunks import phrases, tokens
from tagsuite.harness.taggers.yapex.program import documents, mark, tag_document
from tagsuite.harness.taggers.yapex.words import (
    CORE,
    EXTERNAL,
    INTERNAL,
    NONE,
    POTENTIAL,
    SPECIFIER,
    STRONG,
    analyse,
)

Start = Callable[..., CompletedProcess[str]]

WORDS = [
    ("receptor", STRONG, "step 1: a strong feature term"),
    ("protein", INTERNAL, "step 1: an internal feature term"),
    ("domain", EXTERNAL, "step 1: an external feature term, though it ends in -in"),
    ("kinase", CORE, "step 2: -ase"),
    ("actin", CORE, "step 2: -in"),
    ("HsMad2", CORE, "step 2: capitals and digits"),
    ("increase", NONE, "step 2: an ordinary word in -ase"),
    ("kDa", NONE, "step 2: a measuring unit"),
    ("12", SPECIFIER, "step 3: an Arabic numeral"),
    ("IV", SPECIFIER, "step 3: a Roman numeral"),
    ("beta1", SPECIFIER, "step 3: a combination"),
    ("Asp-Glu-Ala-Asp", NONE, "step 4: amino acids"),
    ("Ca2+", NONE, "step 4: a formula"),
    ("17beta-estradiol", NONE, "step 4: a chemical's ending"),
    ("METHODS", NONE, "step 4: six capitals and more"),
    ("n=12", NONE, "step 4: arithmetic"),
    ("p53", CORE, "step 4: a short name that is known"),
    ("Xqz", POTENTIAL, "step 4: a name that looks like a person's"),
    ("XQZ", POTENTIAL, "step 4: a short name that is not known"),
]


@pytest.mark.parametrize(("word", "category", "why"), WORDS, ids=[w[0] for w in WORDS])
def test_a_word_by_itself(word: str, category: int, why: str) -> None:
    assert analyse(word, False).category == category, why


PHRASES = [
    (
        "The new kinase binds the nuclear receptor.",
        ["new kinase", "nuclear receptor"],
        "verb and articles part",
    ),
    ("p53-dependent transcription was seen", ["p53", "transcription"], "-dependent leaves the name"),
    ("the activated kinase activated it", ["activated kinase"], "-ed modifies, or is a verb"),
    ("this protein targets the nucleus", ["protein", "nucleus"], "noun or verb: a verb before an article"),
    ("two drug targets", ["drug targets"], "noun or verb: a noun at the end"),
]


@pytest.mark.parametrize(("text", "expected", "why"), PHRASES, ids=[p[2] for p in PHRASES])
def test_noun_phrases(text: str, expected: list[str], why: str) -> None:
    assert [text[p[0].start : p[-1].end] for p in phrases(tokens(text))] == expected, why


NAMES = [
    ("We bound importin beta1 to it.", ["importin beta1"], "step 6: a specifier is adjoined"),
    ("Expression of the Mad2 gene fell.", ["Mad2"], "step 6: an external term is stripped"),
    ("A 50 kDa actin was seen.", ["actin"], "step 6: numeral and unit are stripped"),
    ("the nuclear receptor", ["nuclear receptor"], "step 6: a strong term and another word"),
    ("the receptor", [], "step 6: a strong term alone"),
    ("a homologue 2 of it", ["homologue 2"], "step 6: a feature term with a specifier"),
    ("the nuclear protein", [], "step 6: a feature term that is not strong"),
    ("the Xqz protein", ["Xqz protein"], "step 6: a potential core term and a feature term"),
    ("the Xqz cells", [], "step 6: a potential core term without one"),
    ("heparin binding and the weather", [], "no name"),
]


@pytest.mark.parametrize(("text", "expected", "why"), NAMES, ids=[n[2] + ": " + n[0] for n in NAMES])
def test_names_of_phrases(text: str, expected: list[str], why: str) -> None:
    assert [text[n.start : n.end] for n in tag_document([text], dictionary=False)[0]] == expected, why


def test_the_dictionary_is_the_documents() -> None:
    texts = ["The Xqz protein binds.", "Xqz-protein cells"]
    assert [len(names) for names in tag_document(texts)] == [1, 1]
    assert [len(names) for text in texts for names in tag_document([text])] == [1, 0]


RULES = [
    ("each", [["1"], ["2"], ["3"]]),
    ("all", [["1", "2", "3"]]),
    (r"\d", [["1"], ["2"], ["3"]]),
    ("", [["1", "2", "3"]]),
    ("blank", [["1", "2"], ["3"]]),
]


@pytest.mark.parametrize(("rule", "expected"), RULES)
def test_which_lines_are_one_document(rule: str, expected: list[list[str]]) -> None:
    lines = [("1", "a"), ("2", ""), ("3", "c")]
    assert [[key for key, _ in d] for d in documents(lines, rule)] == expected


@given(
    st.text(
        st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from(list("pP53-+()ase inαIV,.' ")),
        max_size=60,
    )
)
def test_any_text_comes_back_whole(text: str) -> None:
    found = tag_document([text])[0]
    assert re.sub("</?gp>", "", mark(text, found)) == re.sub("</?gp>", "", text)
    edges = [edge for name in found for edge in (name.start, name.end)]
    assert edges == sorted(edges)
    assert all(name.start < name.end for name in found)


def test_kex_joins_core_and_feature_terms(start: Start) -> None:
    done = start("kex/kex.py", lines=["We saw the EGF receptor and Raf-1 kinase.", "Nothing is here."])
    assert done.stdout.splitlines() == [
        "We saw the <gp>EGF receptor</gp> and <gp>Raf-1 kinase</gp>.",
        "Nothing is here.",
    ]


def test_kex_leaves_out_what_yapex_knows_to_be_no_name(start: Start) -> None:
    line = "HeLa cells grew in TRIS with p53 at 5 mosM."
    assert "<gp>HeLa</gp>" in start("kex/kex.py", lines=[line]).stdout
    done = start("kex/kex.py", "--not-names", lines=[line])
    assert done.stdout == "HeLa cells grew in TRIS with <gp>p53</gp> at 5 mosM.\n"


def test_kex_and_yapex_know_the_same_words_to_be_none() -> None:
    kex, yapex = _sections("kex/terms.txt"), _sections("yapex/terms.txt")
    for name in ("unit", "not_core", "not_name"):
        assert kex[f"yapex_{name}"] == yapex[name]
        assert len(yapex[name]) > 50


def _sections(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    section = ""
    for line in (BUNDLED_FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        found.setdefault(section, []).extend(line.partition("#")[0].split() if line[:1] != "[" else [])
    return found


TERMS = ["wee1\tkinase\tSP:1", "growth hormone", "# not a term", "growth hormone receptor", "x"]
MATCHES = [
    ([], "the growth hormone receptor", "the [growth hormone receptor|gp]", "the longest term"),
    ([], "growth  hormones, WEE1", "growth  hormones, [WEE1|kinase|SP:1]", "whole tokens, case ignored"),
    (["--case"], "WEE1 wee1", "WEE1 [wee1|kinase|SP:1]", "case counts"),
    (["--shortest", "1"], "x-ray", "[x|gp]-ray", "short terms when they are wanted"),
    (["PATTERNS"], "cdc25 or growth hormone", "[cdc25|gp] or [growth hormone|gp]", "patterns besides"),
    (["PATTERNS"], "a wee1p wee1", "a [wee1p|gp] [wee1|kinase|SP:1]", "a longer pattern before a term"),
]


@pytest.mark.parametrize(("options", "text", "expected", "why"), MATCHES, ids=[m[3] for m in MATCHES])
def test_dictionary(
    options: list[str], text: str, expected: str, why: str, start: Start, tagged: Callable[..., str]
) -> None:
    if options == ["PATTERNS"]:
        options = ["--patterns", tagged(["# a comment", r"\bcdc\d+\b", r"\bwee\dp\b"], "patterns.txt")]
    case = json.dumps({"id": 0, "text": text})
    done = start("dictionary/dictionary.py", "--terms", tagged(TERMS, "terms.txt"), *options, lines=[case])
    marked = text
    for mention in reversed(json.loads(done.stdout)["mentions"]):
        shown = "|".join([mention["type"], *mention.get("identifiers", [])])
        form = text[mention["start"] : mention["end"]]
        marked = f"{marked[: mention['start']]}[{form}|{shown}]{marked[mention['end'] :]}"
    assert marked == expected, why


@pytest.mark.parametrize(
    ("terms", "patterns", "place"),
    [(TERMS, ["ok", "(("], "patterns.txt, line 2"), (["a", "wee1\t12"], ["ok"], "terms.txt, line 2")],
)
def test_files_that_cannot_be_used_are_refused(
    start: Start, tagged: Callable[..., str], terms: list[str], patterns: list[str], place: str
) -> None:
    files = "--terms", tagged(terms, "terms.txt"), "--patterns", tagged(patterns, "patterns.txt")
    done = start("dictionary/dictionary.py", *files)
    assert done.returncode == 1
    assert place in done.stderr
    assert "Traceback" not in done.stderr
