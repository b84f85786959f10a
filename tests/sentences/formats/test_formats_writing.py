"""Tests of writers: templates, inline tags, tagging schemes and the command `convert`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.files import INPUT_MB_VARIABLE
from tagsuite.sentences.formats import read_corpus, read_predictions, write_corpus
from tagsuite.sentences.formats.inline import insert_tags, parse_inline


@pytest.fixture
def tagged(tmp_path: Path) -> str:
    (tmp_path / "gold.sgml").write_text(
        "The <gp>β-actin</gp> gene.\nNo <5 name > here.\n<gp>p53</gp><gp>p63</gp>\n"
    )
    return f"sgml:{tmp_path / 'gold.sgml'}"


def test_a_template_sees_texts_mentions_and_segments(tagged: str, tmp_path: Path) -> None:
    piece = "{{ '[' ~ s.text ~ ']' if s.mention else s.text }}"
    template = f"{{% for t in texts %}}{{% for s in t.segments %}}{piece}{{% endfor %}};{{% endfor %}}"
    (tmp_path / "t.jinja").write_text(template)
    write_corpus(read_corpus(tagged), f"template[template={tmp_path / 't.jinja'}]:{tmp_path / 'out'}")
    assert (tmp_path / "out").read_text() == "The [β-actin] gene.;No <5 name > here.;[p53][p63];"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{% for t in texts %}", "is not valid Jinja2"),
        ("\n", "t.jinja: the template is empty"),
        ("a\n{{ nothing }}", "t.jinja:2: the template fails"),
        ("{{ corpus.update({}) }}", "sandbox forbids"),
        (
            "{% for i in range(3000) %}{{ 'x' * 600 }}{% endfor %}",
            "produces too much text (the output has more",
        ),
        ("{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}", "the template fails (maximum recursion"),
    ],
)
def test_a_template_that_fails_says_where(
    tagged: str, tmp_path: Path, template: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(INPUT_MB_VARIABLE, "1")
    (tmp_path / "t.jinja").write_text(template)
    with pytest.raises(InputError) as caught:
        write_corpus(read_corpus(tagged), f"template[template={tmp_path / 't.jinja'}]:{tmp_path / 'out'}")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_one_bad_line_of_tags_costs_that_line() -> None:
    content = "<a>x</a>\n<a>y\n\n<a><b>z</b></a> é<a>w</a>, p < 5\n</b>\n<a> <b>\n</b></a>"
    found = parse_inline(content)
    assert found.problems == {
        1: "<a> is not closed on its line",
        4: "</b> has no opening tag",
        5: "<b> is not closed on its line",
        6: "</b> has no opening tag",
    }
    with pytest.raises(InputError, match="<a> is not closed on its line") as caught:
        parse_inline(content, strict=True)
    assert caught.value.line == 2
    columns = (found.rows, found.starts, found.ends)
    spans = sorted(zip(*(column.tolist() for column in columns), strict=True))
    assert spans == [(0, 0, 1), (3, 0, 1), (3, 0, 1), (3, 3, 4)]
    assert [found.types[i] for i in found.type_codes] == ["a", "a", "b", "a"]
    assert found.lines[3] == "z éw, p < 5"


def test_only_the_named_tags_count() -> None:
    found = parse_inline("<i>x</i> <gp>y</gp>\n", ("gp",))
    assert found.lines == ["<i>x</i> y"]
    assert [found.starts.tolist(), found.ends.tolist()] == [[9], [10]]


def test_tags_nest_as_the_spans_do() -> None:
    arrays = (np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([3, 1, 3]))
    assert insert_tags(["αβγ"], *arrays, ["x", "y", "z"]) == "<x><y>α</y><z>βγ</z></x>\n"


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [("iob2", ["B-gp", "B-gp"]), ("iob1", ["I-gp", "B-gp"]), ("iobes", ["S-gp", "S-gp"])],
)
def test_schemes(tagged: str, tmp_path: Path, scheme: str, tags: list[str]) -> None:
    (tmp_path / "two").write_text("p53\tB-gp\np63\tB-gp\n")
    write_corpus(read_corpus(f"conll:{tmp_path / 'two'}"), f"conll[scheme={scheme}]:{tmp_path / 'out'}")
    lines = (tmp_path / "out").read_text().strip().split("\n")
    assert [line.split("\t")[1] for line in lines] == tags


def test_convert_says_what_is_lost(tagged: str, tmp_path: Path, tagsuite: Callable[..., object]) -> None:
    done = tagsuite("sentences", "convert", tagged, f"jsonl:{tmp_path / 'out.jsonl'}")
    assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
    assert len(read_corpus(f"jsonl:{tmp_path / 'out.jsonl'}").mentions) == 3
    done = tagsuite(
        "sentences", "convert", "--strict", f"jsonl:{tmp_path / 'out.jsonl'}", f"conll:{tmp_path / 'c'}"
    )
    assert done.returncode == 2  # type: ignore[attr-defined]
    assert "conll cannot store all mentions: 1 lost" in done.stderr  # type: ignore[attr-defined]
    assert not (tmp_path / "c").exists()


def test_a_title_and_its_abstract_share_a_record(tmp_path: Path) -> None:
    content = "7|t|On p53\n7|a|The IL-2 gene\n7\t3\t6\tp53\tGene\t7157\n7\t11\t15\tIL-2\tGene\n\n"
    (tmp_path / "a.txt").write_text(content)
    read = read_corpus(f"pubtator:{tmp_path / 'a.txt'}")
    assert read.mentions[["text_id", "start", "end"]].to_numpy().tolist() == [["7|t", 3, 6], ["7|a", 4, 8]]
    assert write_corpus(read, f"pubtator:{tmp_path / 'b.txt'}") == ()
    assert (tmp_path / "b.txt").read_text() == content


def test_repeated_predictions_are_made_one_with_the_highest_score(tmp_path: Path, tagged: str) -> None:
    gold = read_corpus(tagged)
    rows = ["text_id,start,end,type,score", "2,0,3,gp,0.2", "2,0,3,gp,0.9", "2,0,3,dna,0.1"]
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n")
    found = read_predictions(f"csv:{tmp_path / 'p.csv'}", gold)
    assert found.merged_count == 1
    assert sorted(found.mentions["score"]) == [0.1, 0.9]
    assert len(read_predictions(f"csv:{tmp_path / 'p.csv'}", gold, duplicates="keep").mentions) == 3
