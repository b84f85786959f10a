"""Lines that are the texts but for tags: mentions stand where a reading sign by sign finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tagsuite.harness.running.inputs.cases import Batch, assemble
from tagsuite.harness.running.outputs.parse import parse
from tagsuite.harness.running.outputs.placed import IDENTICAL, Placed
from tagsuite.harness.running.specification.output import Output
from tagsuite.sentences.formats.tags import TAG, own_names

PIECES = st.sampled_from(["p53", "β", "naïve ", " ", "<", ">", "</", "< ", "<b", "x", "(", "é", "日本"])
SINGLE = st.sampled_from(["<i/>", "<b>", "</p>"])
NAMES = st.sampled_from(["gp", 'gp id="1"', "p", "longer-than-eight"])


def marked(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """What stands between two tags, and such one after another."""
    pair = st.builds(lambda name, text: f"<{name}>{text}</{name.split()[0]}>", NAMES, inner)
    return st.lists(st.one_of(PIECES, pair), max_size=4).map("".join)


LINES = st.one_of(
    st.recursive(PIECES, marked, max_leaves=6), st.lists(st.one_of(PIECES, SINGLE), max_size=4).map("".join)
)
Row = tuple[int, int, int, str]


def batch(*texts: str) -> Batch:
    return assemble([t.encode() for t in texts], np.arange(len(texts)), [str(i) for i in range(len(texts))])


def rows(placed: Placed) -> list[Row]:
    columns = (placed.case.tolist(), placed.start.tolist(), placed.end.tolist(), placed.type.tolist())
    return [(c, s, e, placed.types[t]) for c, s, e, t in zip(*columns, strict=True)]


def sign_by_sign(number: int, line: bytes, wanted: list[str]) -> tuple[bytes, list[Row] | None]:
    """The text of a line, and its mentions; None where tags do not pair."""
    text, at = b"", 0
    stack: list[tuple[int, str]] = []
    found: list[Row] | None = []
    for match in TAG.finditer(line):
        name = match[2].decode()
        if match[4] or (wanted and name not in wanted):
            continue
        text += line[at : match.start()]
        at, place = match.end(), len(text.decode())
        if not match[1]:
            stack.append((place, name))
        elif found is not None and stack and stack[-1][1] == name:
            found.append((number, stack.pop()[0], place, name))
        else:
            found = None
    return text + line[at:], None if stack else found


@given(
    lines=st.lists(LINES, min_size=1, max_size=6),
    names=st.sampled_from([[], ["gp"], ["gp", "p", "longer-than-eight"]]),
    ended=st.booleans(),
)
def test_a_reading_sign_by_sign_finds_the_same(lines: list[str], names: list[str], ended: bool) -> None:
    # an empty line at the end that is not ended is no line
    assume(ended or lines[-1])
    given_lines = [line.encode() for line in lines]
    read = [sign_by_sign(number, line, names) for number, line in enumerate(given_lines)]
    sent = batch(*(text.decode() for text, _ in read))
    # a tag that the text itself has is none unless it is declared
    assume(names or not own_names(sent.data.tobytes()))
    assume(all(found is not None for _, found in read))
    content = b"\n".join(given_lines) + (b"\n" if ended else b"")
    placed = parse(content, Output(form="sgml", tags=names), sent)
    expected = [row for _, found in read for row in found or ()]
    real = [row for row in expected if row[2] > row[1]]
    assert sorted(rows(placed)) == sorted(real)
    assert int(placed.unplaced.sum()) == len(expected) - len(real)
    assert placed.way.tolist() == [IDENTICAL] * len(sent)
    assert not placed.fault


READ = [
    ("the <gp>p53</gp> gene\n", ["the p53 gene"], [(0, 4, 7, "gp")], "a mention"),
    ("the <gp>p53</gp> gene", ["the p53 gene"], [(0, 4, 7, "gp")], "no line end after the last"),
    ("<gp>a</gp>\n\n<gp>β</gp>γ\n", ["a", "", "βγ"], [(0, 0, 1, "gp"), (2, 0, 1, "gp")], "an empty case"),
    ("p < 5 <gp>x</gp>\n", ["p < 5 x"], [(0, 6, 7, "gp")], "a sign that is no tag"),
    ('<gp id="7">x</gp>\n', ["x"], [(0, 0, 1, "gp")], "an attribute"),
    ("<gp>a <gp>b</gp></gp>\n", ["a b"], [(0, 0, 3, "gp"), (0, 2, 3, "gp")], "nested"),
    ("nothing\n", ["nothing"], [], "no mention"),
    ("\ufeffthe <gp>p53</gp> gene\n", ["the p53 gene"], [(0, 4, 7, "gp")], "a byte order mark"),
    ("<i><gp>p53</gp></i>\n", ["<i>p53</i>"], [(0, 3, 6, "gp")], "a text with tags of its own"),
]


@pytest.mark.parametrize(("content", "texts", "expected", "why"), READ, ids=[t[3] for t in READ])
def test_what_is_read(content: str, texts: list[str], expected: list[Row], why: str) -> None:
    placed = parse(content.encode(), Output(form="sgml", tags=["gp"]), batch(*texts))
    assert rows(placed) == expected
    assert placed.way.tolist() == [IDENTICAL] * len(texts)


def test_more_distinct_tags_than_are_looked_for_by_columns() -> None:
    texts = [" ".join(f"GENE{i}" for i in range(n, n + 50)) for n in range(0, 300, 50)]
    lines = [" ".join(f'<gp id="number {w[4:]}">{w}</gp>' for w in t.split()) for t in texts]
    placed = parse("".join(x + "\n" for x in lines).encode(), Output(form="sgml"), batch(*texts))
    assert [texts[c][s:e] for c, s, e, _ in rows(placed)] == [f"GENE{i}" for i in range(300)]
