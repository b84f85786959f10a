"""The short way for lines that are the texts but for tags says what the long way says, or nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.harness.running.inputs.cases import Batch, assemble
from tagsuite.harness.running.outputs import exact
from tagsuite.harness.running.outputs.exact import read_exact
from tagsuite.harness.running.outputs.parsed import Tagged
from tagsuite.harness.running.outputs.placed import IDENTICAL, Placed
from tagsuite.harness.running.outputs.placing import place
from tagsuite.harness.running.specification.output import Output
from tagsuite.sentences.formats.inline import parse_inline
from tagsuite.sentences.formats.tags import TAG

PIECES = st.sampled_from(["p53", "β", "naïve ", " ", "<", ">", "</", "< ", "<b", "x", "(", "é", "日本"])
TAGS = st.sampled_from(["<gp>", "</gp>", '<gp id="1">', "<p>", "</p>", "<i/>", "<b>", "</longer-than-eight>"])


def batch(*texts: str) -> Batch:
    return assemble([t.encode() for t in texts], np.arange(len(texts)), [str(i) for i in range(len(texts))])


def long_way(content: bytes, form: Output, sent: Batch) -> Placed:
    own = None if form.tags else sent.data.tobytes()
    return place(sent, Tagged(**vars(parse_inline(content, form.tags, own))))


def rows(placed: Placed) -> list[tuple[int, int, int, str]]:
    columns = (placed.case.tolist(), placed.start.tolist(), placed.end.tolist(), placed.type.tolist())
    return [(c, s, e, placed.types[t]) for c, s, e, t in zip(*columns, strict=True)]


@given(
    lines=st.lists(st.lists(st.one_of(PIECES, TAGS), max_size=8), min_size=1, max_size=6),
    names=st.sampled_from([[], ["gp"], ["gp", "p", "longer-than-eight"]]),
    size=st.sampled_from([1, 16, 1 << 19]),
    ended=st.booleans(),
)
def test_it_agrees_with_the_long_way(
    lines: list[list[str]], names: list[str], size: int, ended: bool
) -> None:
    given_lines = ["".join(line) for line in lines]
    wanted = frozenset(names)

    def bare(line: str) -> str:
        return TAG.sub(
            lambda m: m[0] if m[4] or (wanted and m[2].decode() not in wanted) else b"", line.encode()
        ).decode()

    sent = batch(*map(bare, given_lines))
    content = "\n".join(given_lines).encode() + (b"\n" if ended else b"")
    form = Output(form="sgml", tags=names)
    before = exact.BLOCK
    exact.BLOCK = size
    try:
        found = read_exact(content, form, sent)
    finally:
        exact.BLOCK = before
    if found is not None:
        other = long_way(content, form, sent)
        assert rows(found) == rows(other)
        assert found.way.tolist() == other.way.tolist() == [IDENTICAL] * len(sent)
        assert not other.unplaced.any()
        assert not other.fault


TAKEN = [
    ("the <gp>p53</gp> gene\n", ["the p53 gene"], [(0, 4, 7, "gp")], "a mention"),
    ("the <gp>p53</gp> gene", ["the p53 gene"], [(0, 4, 7, "gp")], "no line end after the last"),
    ("<gp>a</gp>\n\n<gp>β</gp>γ\n", ["a", "", "βγ"], [(0, 0, 1, "gp"), (2, 0, 1, "gp")], "an empty case"),
    ("p < 5 <gp>x</gp>\n", ["p < 5 x"], [(0, 6, 7, "gp")], "a sign that is no tag"),
    ('<gp id="7">x</gp>\n', ["x"], [(0, 0, 1, "gp")], "an attribute"),
    ("<gp>a <gp>b</gp></gp>\n", ["a b"], [(0, 0, 3, "gp"), (0, 2, 3, "gp")], "nested"),
    ("nothing\n", ["nothing"], [], "no mention"),
]


@pytest.mark.parametrize(("content", "texts", "expected", "why"), TAKEN, ids=[t[3] for t in TAKEN])
def test_what_is_read(
    content: str, texts: list[str], expected: list[tuple[int, int, int, str]], why: str
) -> None:
    found = read_exact(content.encode(), Output(form="sgml", tags=["gp"]), batch(*texts))
    assert found is not None
    assert rows(found) == expected


LEFT = [
    (b"the p53  gene\n", ["gp"], "other white space"),
    (b"the <gp>p53</gp> gen\n", ["gp"], "cut off"),
    (b"the <gp>p53 gene\n", ["gp"], "never closed"),
    (b"the <gp></gp>p53 gene\n", ["gp"], "a mention of nothing"),
    (b"\xef\xbb\xbfthe p53 gene\n", ["gp"], "a byte order mark"),
    (b"the p53 gene\nthe p53 gene\n", ["gp"], "a line too many"),
    (b"the p\xff3 gene\n", ["gp"], "another encoding"),
    (b"", ["gp"], "nothing"),
]


@pytest.mark.parametrize(("content", "tags", "why"), LEFT, ids=[t[2] for t in LEFT])
def test_what_is_left_to_the_long_way(content: bytes, tags: list[str], why: str) -> None:
    assert read_exact(content, Output(form="sgml", tags=tags), batch("the p53 gene")) is None


def test_a_text_with_tags_of_its_own_is_left_unless_the_names_are_declared() -> None:
    sent = batch("the <i>p53</i> gene")
    content = b"the <i><gp>p53</gp></i> gene\n"
    assert read_exact(content, Output(form="sgml"), sent) is None
    found = read_exact(content, Output(form="sgml", tags=["gp"]), sent)
    assert found is not None
    assert rows(found) == [(0, 7, 10, "gp")]


def test_more_distinct_tags_than_are_looked_for_by_columns() -> None:
    texts = [" ".join(f"GENE{i}" for i in range(n, n + 50)) for n in range(0, 300, 50)]
    lines = [" ".join(f'<gp id="number {w[4:]}">{w}</gp>' for w in t.split()) for t in texts]
    found = read_exact("".join(x + "\n" for x in lines).encode(), Output(form="sgml"), batch(*texts))
    assert found is not None
    assert [texts[c][s:e] for c, s, e, _ in rows(found)] == [f"GENE{i}" for i in range(300)]
