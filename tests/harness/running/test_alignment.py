"""Output whose text was altered is placed in the text that was sent, or counted; never guessed."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.harness.running.inputs.cases import assemble
from tagsuite.harness.running.outputs import align
from tagsuite.harness.running.outputs.align import Alignment
from tagsuite.harness.running.outputs.canonical import canonical
from tagsuite.harness.running.outputs.parse import parse
from tagsuite.harness.running.specification.output import Output
from tagsuite.sentences.formats.inline import parse_inline

CHANGES: dict[str, Callable[[str], str]] = {
    "nothing": lambda t: t,
    "blanks around every sign": lambda t: re.sub(r"([^\w\s])", r" \1 ", t),
    "no blanks": lambda t: "".join(t.split()),
    "tabs": lambda t: t.replace(" ", "\t"),
    "upper case": str.upper,
    "lower case": str.lower,
    "escaped": html.escape,
    "decomposed": lambda t: unicodedata.normalize("NFD", t),
    "compatibility": lambda t: unicodedata.normalize("NFKC", t),
    "treebank": lambda t: t.replace("(", "-LRB-").replace(")", "-RRB-").replace('"', "``"),
    "curly quotes": lambda t: t.replace("'", "’").replace('"', "”"),
}
LETTERS = st.text(st.sampled_from("abcXYZ019 -/(),.'\"&<αβéßﬁµ²"), min_size=1, max_size=40)


@pytest.mark.parametrize("change", CHANGES)
@given(parts=st.lists(LETTERS, min_size=3, max_size=3))
def test_a_mention_keeps_its_letters_whatever_is_done_to_the_text(change: str, parts: list[str]) -> None:
    text = " ".join(parts)
    altered = [CHANGES[change](p) for p in parts]
    given_text = " ".join(altered)
    span = (len(altered[0]) + 1, len(altered[0]) + 1 + len(altered[1]))
    alignment = Alignment(given_text, text)
    placed = alignment.place([span])[0]
    if not canonical(altered[1])[0] or canonical(altered[1])[0] != canonical(parts[1])[0]:
        # nothing but white space; or letters that only their neighbours make an entity
        return
    if alignment.exact:
        assert placed is not None
        assert canonical(text[placed[0] : placed[1]])[0] == canonical(parts[1])[0]


@given(left=LETTERS, inner=LETTERS, right=LETTERS, noise=LETTERS, where=st.integers(0, 2))
def test_what_is_placed_agrees_at_both_edges(
    left: str, inner: str, right: str, noise: str, where: int
) -> None:
    text = f"{left}{inner}{right}"
    altered = [noise + left + inner + right, left + noise + inner + right, left + inner + right + noise][
        where
    ]
    start = len(altered.partition(inner)[0])
    placed = Alignment(altered, text).place([(start, start + len(inner))])[0]
    if placed is not None:
        low, high = placed
        assert 0 <= low < high <= len(text)


REPLACED = [
    (
        "the alpha form of it",
        "the α form of it",
        (4, 9),
        "α",
        "a letter spelt out: replaced from edge to edge",
    ),
    (
        "we saw kinase x9 in it",
        "we saw kinase in it",
        (7, 16),
        "",
        "unsent words at the edge of a mention",
    ),
    ("the p53 gene was", "the p53 was", (4, 7), "p53", "words put in elsewhere"),
    ("p53 binds", "the p53 gene binds", (0, 3), "p53", "words left out elsewhere"),
    ("p53 binds", "p53 binds", (3, 4), "", "a mention of white space"),
]


@pytest.mark.parametrize(
    ("given_text", "sent", "span", "word", "why"), REPLACED, ids=[r[4] for r in REPLACED]
)
def test_replaced_stretches(given_text: str, sent: str, span: tuple[int, int], word: str, why: str) -> None:
    placed = Alignment(given_text, sent).place([span])[0]
    assert ("" if placed is None else sent[placed[0] : placed[1]]) == word


def test_the_work_of_alignment_grows_with_the_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    match, resume, same = SequenceMatcher, align._resume, align._same

    def counted_match(junk: None, left: str, right: str, automatic: bool) -> SequenceMatcher[str]:
        nonlocal looked_at
        looked_at += len(left) * len(right)
        return match(junk, left, right, automatic)

    def counted_resume(given: str, i: int, sent: str, j: int) -> tuple[int, int] | None:
        nonlocal looked_at
        looked_at += len(given[i : i + align.WINDOW]) + len(sent[j : j + align.WINDOW])
        return resume(given, i, sent, j)

    def counted_same(given: str, i: int, sent: str, j: int) -> int:
        nonlocal looked_at
        found = same(given, i, sent, j)
        looked_at += found + 1
        return found

    monkeypatch.setattr(align, "SequenceMatcher", counted_match)
    monkeypatch.setattr(align, "_resume", counted_resume)
    monkeypatch.setattr(align, "_same", counted_same)

    def letters(size: int) -> int:
        nonlocal looked_at
        looked_at = 0
        text = " ".join(f"word{i % 97} x{i % 1000}" for i in range(size))
        assert Alignment(text.replace("word5 ", "wirt5 yes "), text).share > 0.9
        return looked_at

    small = letters(1000)
    assert small > 8000
    # eight times the text is eight times the work; quadratic would be 64 times
    assert letters(8000) < 8.5 * small


@given(
    lines=st.lists(
        st.lists(st.tuples(LETTERS, st.sampled_from(["", "gp", "rna"])), max_size=4), min_size=1, max_size=5
    )
)
def test_tags_are_taken_out_as_a_plain_program_would(lines: list[list[tuple[str, str]]]) -> None:
    tagged, wanted, texts = "", [], []
    for number, line in enumerate(lines):
        text = ""
        for word, kind in line:
            if kind and word.strip():
                wanted.append((number, len(text), len(text) + len(word), kind))
                tagged += f"<{kind}>{word}</{kind}>"
            else:
                tagged += word
            text += word
        texts.append(text)
        tagged += "\n"
    sent = assemble([t.encode() for t in texts], np.arange(len(texts)), [str(i) for i in range(len(texts))])
    placed = parse(tagged.encode(), Output(form="sgml", tags=["gp", "rna"]), sent)
    rows = zip(placed.case, placed.start, placed.end, placed.type, strict=True)
    assert sorted((int(c), int(s), int(e), placed.types[t]) for c, s, e, t in rows) == sorted(wanted)


NESTED = [
    ("<a><b>x</b> y</a>", [("a", 0, 3), ("b", 0, 1)], 0, "one inside another"),
    ("<a>x</a><a>y</a>", [("a", 0, 1), ("a", 1, 2)], 0, "neighbours"),
    ("<a><a>x</a>y</a>", [("a", 0, 2), ("a", 0, 1)], 0, "one inside another of its kind"),
    ("<a>x</b>", [], 1, "another tag closes"),
    ("<a>x", [], 1, "never closed"),
    ("x</a>", [], 1, "never opened"),
    ("<a><b>x</a></b>", [], 1, "crossed"),
    ("p < 5 and q > 3", [], 0, "no tags at all"),
    ("a <b c> d", [], 1, "opened with an attribute, never closed"),
    ("<a\nx>y", [], 0, "a line end inside is no tag"),
]


@pytest.mark.parametrize(("line", "spans", "broken", "why"), NESTED, ids=[n[3] for n in NESTED])
def test_how_tags_pair(line: str, spans: list[tuple[str, int, int]], broken: int, why: str) -> None:
    found = parse_inline((line + "\n").encode())
    rows = zip(found.type, found.start, found.end, strict=True)
    assert sorted((found.types[t], int(s), int(e)) for t, s, e in rows) == sorted(spans)
    assert len(found.broken) == broken


def test_many_distinct_tags_are_read_one_by_one() -> None:
    line = " ".join(f'<gp id="{i}">GENE{i}</gp>' for i in range(300)) + "\n"
    found = parse_inline(line.encode(), ["gp"])
    words = [found.data[s:e].tobytes().decode() for s, e in zip(found.start, found.end, strict=True)]
    assert words == [f"GENE{i}" for i in range(300)]


def test_a_tag_that_the_text_itself_holds_is_text() -> None:
    sent = assemble([b"the <i>p53</i> gene"], np.arange(1), ["1"])
    placed = parse(b"the <i><gp>p53</gp></i> gene\n", Output(form="sgml"), sent)
    assert [(int(s), int(e)) for s, e in zip(placed.start, placed.end, strict=True)] == [(7, 10)]


def test_cases_that_are_much_alike_come_back_in_another_order() -> None:
    texts = [f"expression of {name} was lower in cells" for name in ("IL2", "TP53", "BRCA1", "MYC")]
    order = [2, 0, 3, 1]
    lines = [re.sub(r"of (\w+)", r"of <gp>\1</gp>", texts[i]) for i in order]
    sent = assemble([t.encode() for t in texts], np.arange(4), [str(i) for i in range(4)])
    placed = parse("".join(x + "\n" for x in lines).encode(), Output(form="sgml"), sent)
    words = {int(c): texts[c][s:e] for c, s, e in zip(placed.case, placed.start, placed.end, strict=True)}
    assert words == {0: "IL2", 1: "TP53", 2: "BRCA1", 3: "MYC"}


def test_a_text_sent_twice_and_answered_once_is_nobodys() -> None:
    sent = assemble([b"the p53 gene", b"the p53 gene", b"other"], np.arange(3), ["1", "2", "3"])
    placed = parse(b"the <gp>p53</gp> gene\nother\n", Output(form="sgml"), sent)
    assert placed.way.tolist() == [-1, -1, 0]


def test_one_record_lost_and_the_next_cut_in_two_is_no_guess() -> None:
    names = ["IL2", "TP53", "BRCA1", "MYC", "KRAS"]
    texts = [f"the expression of {name} was lower in the treated cells. It rose later" for name in names]
    lines = [re.sub(r"of (\w+)", r"of <gp>\1</gp>", t) for t in texts]
    lines[2] = lines[2].replace("cells. ", "cells.\n")
    del lines[1]
    sent = assemble([t.encode() for t in texts], np.arange(5), [str(i) for i in range(5)])
    placed = parse("".join(x + "\n" for x in lines).encode(), Output(form="sgml"), sent)
    assert (placed.way >= 0).tolist() == [True, False, False, True, True]
    assert not placed.fault
    words = {int(c): texts[c][s:e] for c, s, e in zip(placed.case, placed.start, placed.end, strict=True)}
    assert words == {0: "IL2", 3: "MYC", 4: "KRAS"}


def test_a_record_lost_and_the_next_one_twice_is_no_guess() -> None:
    names = ["IL2", "TP53", "BRCA1"]
    texts = [f"the expression of {name} was lower" for name in names]
    lines = [re.sub(r"of (\w+)", r"of <gp>\1</gp>", t) for t in texts]
    sent = assemble([t.encode() for t in texts], np.arange(3), [str(i) for i in range(3)])
    placed = parse(
        "".join(x + "\n" for x in (lines[0], lines[2], lines[2])).encode(), Output(form="sgml"), sent
    )
    assert (placed.way >= 0).tolist() == [True, False, True]


CUT = [
    ("the expression of IL2 was", True, "a record that ends early"),
    ("the expression of IL2 was lower in treated cell", False, "a few letters"),
    ("expression of IL2 was lower in treated cells", False, "its beginning is missing"),
    ("the expression of IL2 was lower in treated cells and so on", False, "more than was sent"),
]


@pytest.mark.parametrize(("given_text", "cut", "why"), CUT, ids=[c[2] for c in CUT])
def test_what_is_cut_off(given_text: str, cut: bool, why: str) -> None:
    assert Alignment(given_text, "the expression of IL2 was lower in treated cells").cut is cut
