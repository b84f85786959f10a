"""Answers of common tagger libraries, and the list of mentions that they are converted to."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tagsuite.harness.running.functions.answer_shapes import ShapeError, convert_answer
from tagsuite.harness.running.functions.caller import has_list_input

Found = namedtuple("Found", "start end label")


def span(start: int, end: int, label: str) -> SimpleNamespace:
    """Return a span like spaCy's, in which start and end count tokens."""
    return SimpleNamespace(start=1, end=2, start_char=start, end_char=end, label_=label, text="…")


class Group(list[Any]):
    """Group of spans like spaCy's."""

    attrs = {"scores": [0.25, 0.5]}  # noqa: RUF012


def document(ents: list[Any], **groups: Any) -> SimpleNamespace:
    return SimpleNamespace(text="…", ents=tuple(ents), spans=groups)


GP = {"start": 0, "end": 3, "type": "gp"}
PIECES = [
    {"entity": "B-gp", "score": 0.25, "index": 1, "word": "p", "start": 0, "end": 1},
    {"entity": "I-gp", "score": 0.75, "index": 2, "word": "##53", "start": 1, "end": 3},
    {"entity": "I-gp", "score": 0.5, "index": 5, "word": "wnt", "start": 9, "end": 12},
    {"entity": "B-gp", "score": 0.5, "index": 6, "word": "wnt", "start": 13, "end": 16},
    {"entity": "I-rna", "score": 0.5, "index": 7, "word": "a", "start": 17, "end": 18},
]
# what a tagger returns, the common answer, why
ANSWERS: list[tuple[Any, list[dict[str, Any]], str]] = [
    ([(0, 3, "gp")], [GP], "tuples"),
    ([[0, 3]], [{"start": 0, "end": 3}], "without a type"),
    ([(0, 3, "gp", 0.5)], [{**GP, "score": 0.5}], "with a score"),
    (((0, 3, "gp"), (4, 5, "gp")), [GP, {"start": 4, "end": 5, "type": "gp"}], "a tuple of them"),
    ({"gp"}, [{"text": "gp"}], "a set of strings"),
    ([{"text": "p53", "type": "gp"}], [{"text": "p53", "type": "gp"}], "a text and its type"),
    (
        [{"entity_group": "gp", "score": np.float32(0.5), "word": "p 53", "start": 0, "end": 3}],
        [{**GP, "score": 0.5}],
        "Hugging Face with an aggregation strategy: the tokenizer's word is no text of the case's",
    ),
    (
        [{"entity_group": "gp", "score": 0.5, "word": "p53", "start": None, "end": None}],
        [{"text": "p53", "type": "gp", "score": 0.5}],
        "Hugging Face with a slow tokenizer: no offsets",
    ),
    (
        PIECES,
        [
            {**GP, "score": 0.5},
            {"start": 9, "end": 12, "type": "gp", "score": 0.5},
            {"start": 13, "end": 16, "type": "gp", "score": 0.5},
            {"start": 17, "end": 18, "type": "rna", "score": 0.5},
        ],
        "Hugging Face without a strategy: pieces are joined as the strategy simple does",
    ),
    ({"entities": [{"start": 0, "end": 3, "label": "gp"}]}, [GP], "a dict of a list"),
    ({"text": "p53", "ents": [{"start": 0, "end": 3, "label": "gp"}], "title": None}, [GP], "displaCy"),
    (document([span(0, 3, "gp")]), [GP], "a spaCy Doc"),
    (
        document([span(0, 3, "gp")], sc=Group([span(0, 3, "gp"), span(4, 6, "gp")])),
        [GP, {"start": 4, "end": 6, "type": "gp", "score": 0.5}],
        "its groups of spans too, each span once",
    ),
    ([span(0, 3, "gp")], [GP], "spaCy's spans"),
    ([Found(0, 3, "gp")], [GP], "named tuples"),
    ([SimpleNamespace(start=0, end=3, type="gp", score=float("nan"))], [GP], "objects; no score is none"),
    ([(np.int64(0), np.uint8(3), "gp")], [GP], "whole numbers of NumPy's"),
    ([(0, 9999, "gp"), (-1, 3, "gp")],
     [{"start": 0, "end": 9999, "type": "gp"}, {"start": -1, "end": 3, "type": "gp"}],
     "offsets beyond the text, which placing finds out"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "mentions", "why"), ANSWERS, ids=[a[2] for a in ANSWERS])
def test_shapes(answer: Any, mentions: list[dict[str, Any]], why: str) -> None:
    found = convert_answer(answer)
    assert found == mentions
    assert all(type(m[key]) is int for m in found for key in ("start", "end") if key in m), "JSON takes it"
    assert all(type(m["score"]) is float for m in found if "score" in m)


class Unshowable:
    def __repr__(self) -> str:
        raise ValueError


WRONG: list[tuple[Any, str, str]] = [
    ("p53", "the answer is not a list of mentions: str 'p53'", "a text alone"),
    ({"a": 1}, "the answer is a dict without a list of mentions: dict {'a': 1}", "a dict of something else"),
    ([None], "a mention has an unknown form: None", "a list of nothing"),
    ([(1,)], "a tuple must be (start, end)", "too short a tuple"),
    ([(0, 3, 7)], "a mention's type is not a string: tuple (0, 3, 7)", "a type that is a number"),
    ([(0.5, 3, "gp")], "a mention's start is not a whole number", "half an offset"),
    ([(True, 3, "gp")], "a mention's start is not a whole number", "a truth value"),
    ([{"start": 0}], "a mention's end is not a whole number: dict {'start': 0}", "no end"),
    ([{"type": "gp"}], "a mention has neither offsets (start, end) nor a text", "neither place nor text"),
    ([(0, 3, "gp", "high")], "a mention's score is not a number", "a score that is a text"),
    ([(0, 3, "gp", float("inf"))], "a mention's score is infinite", "a score without end"),
    (Unshowable(), "the answer is not a list of mentions: Unshowable", "an object whose repr fails"),
]


@pytest.mark.parametrize(("answer", "told", "why"), WRONG, ids=[w[2] for w in WRONG])
def test_what_is_no_shape_is_named(answer: Any, told: str, why: str) -> None:
    with pytest.raises(ShapeError) as caught:
        convert_answer(answer)
    assert str(caught.value).startswith(told)
    assert len(str(caught.value)) < 200


def of_text(text: str) -> list[Any]:
    return []


def of_texts(texts: Any) -> list[Any]:
    return []


def of_list(given: list[str]) -> list[Any]:
    return []


def marked(given: Any) -> list[Any]:
    return []


marked.batch = True  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("function", "several", "why"),
    [
        (of_text, False, "a text"),
        (of_texts, True, "a parameter named texts"),
        (of_list, True, "an annotation"),
        (marked, True, "it says so"),
        (lambda texts: [], True, "a lambda of texts"),
        (str.split, False, "a method of a class"),
        (print, False, "any number of anything"),
        (dict, False, "no signature"),
    ],
)
def test_which_functions_take_a_list(function: Callable[..., Any], several: bool, why: str) -> None:
    assert has_list_input(function) is several
