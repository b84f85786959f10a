"""The classes of a feature equal the results of their queries; single-valued features divide all mentions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.harness.scoring.classes import Class, read_classes
from tagsuite.harness.scoring.division import divide_by_feature
from tagsuite.harness.scoring.engine import score

from .conftest import Made, make_pair

COUNTS = ["gold", "predicted", "gold_matched", "predicted_matched"]
SINGLE = (
    "case",
    "length",
    "contains_hyphen",
    "contains_Greek_letter",
    "list_position",
    "preceding_word",
    "type",
)
SETS = ("Greek_letter_position", "typographic_features")
TEXTS = [
    "We saw IL-2 and p53 in TGF-beta 1 cells.",
    "The HIV-1 protein binds alpha-actin, Brca1 and the (beta) chain.",
    "Nothing of note was seen.",
]
NAMES = [["IL-2", "p53", "TGF-beta 1"], ["alpha-actin", "Brca1"], []]
GUESSES = [["IL-2 and p53", "p53", "beta"], ["HIV-1", "alpha-actin, Brca1"], ["note"]]


@pytest.fixture(scope="module")
def pair() -> Any:
    def spans(listed: list[list[str]]) -> list[Any]:
        return [
            Made(row, ((TEXTS[row].index(name), TEXTS[row].index(name) + len(name)),), "AB"[i % 2])
            for row, names in enumerate(listed)
            for i, name in enumerate(names)
        ]

    return make_pair(TEXTS, spans(NAMES), spans(GUESSES))


@pytest.mark.parametrize("by", [*SINGLE, *SETS, "case,Greek_letter_position"])
def test_each_row_is_what_its_query_selects(pair: Any, by: str) -> None:
    scores = score(*pair, by=[by])
    names = scores.divisions[0].names
    assert names
    again = score(*pair, classes=[Class(n, Query.parse(n)) for n in names]).table
    one, other = (
        frame.drop(columns="signature").sort_values(["class", "notion", "type"], ignore_index=True)
        for frame in (scores.table, again)
    )
    pd.testing.assert_frame_equal(one, other)


def test_types_have_rows_of_their_own(pair: Any) -> None:
    table = score(*pair, notions=["strict"]).table
    assert table["type"].tolist() == ["all", "A", "B"]
    np.testing.assert_array_equal(table[COUNTS].iloc[0], table[COUNTS].iloc[1:].sum())


def test_features_that_the_frame_has_are_not_computed_again(pair: Any) -> None:
    gold, predicted = pair
    stored = gold.with_mentions(gold.mentions.assign(case=pd.Categorical(["title"] * len(gold.mentions))))
    table = score(stored, predicted, by=["case"], notions=["strict"]).table.set_index("class")
    assert table.loc["case = title", "gold"] == len(gold.mentions)


def test_classes_file(tmp_path: Path) -> None:
    path = tmp_path / "classes.toml"
    entry = "[[class]]\nname = '{}'\nquery = '{}'\n"
    path.write_text("format = 1\n" + entry.format("digits", "data ~ /^\\d/"), encoding="utf-8")
    (one,) = read_classes(path)
    assert (one.name, str(one.query)) == ("digits", r"data ~ /^\d/")
    faults = {
        "format = 2\n": "format",
        "format = 1\n": "class",
        "format = 1\n[[class]]\nname = 'a'\n": r"class\[1\]\.query",
        "format = 1\n" + entry.format("a", "all") + "notes = 'x'\n": r"class\[1\]\.notes",
        "format = 1\n" + entry.format("a", "lenght > 3"): r"(?s)lenght.*\^.*length",
        "format = 1\n" + entry.format("all", "length > 3"): "all: length > 3",
        "format = 1\n" + entry.format("a", "all") * 2: "found 'a'",
        "format = [\n": "TOML",
    }
    for content, place in faults.items():
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=place) as caught:
            read_classes(path)
        assert "classes.toml" in str(caught.value)


PUBLISHED: dict[str, Any] = {"alternatives": "published"}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"by": ["cse"]}, "cse"),
        ({"by": ["case,"]}, "case,"),
        ({"notions": ["exact"]}, "exact"),
        ({"pairing": "best"}, "best"),
        ({"counting": "other"}, "other"),
        ({"type_map": ("a",)}, "'a'"),
        ({**PUBLISHED, "notions": ["sloppy"]}, "sloppy"),
        ({**PUBLISHED, "pairing": "greedy"}, "--pairing greedy"),
        ({**PUBLISHED, "counting": "published"}, "--counting published"),
        ({"alternatives": "optimal", "notions": ["strict", "pnp"]}, "pnp"),
    ],
)
def test_wrong_choices_are_refused(options: dict[str, Any], found: str) -> None:
    one = Made(0, ((0, 3),))
    with pytest.raises(InputError, match=found):
        score(*make_pair(["p53 is"], [one], [one], alternatives=[one]), **options)


def test_alternatives_need_a_gold_that_has_them(pair: Any) -> None:
    with pytest.raises(InputError, match="no alternatives"):
        score(*pair, **PUBLISHED)


def test_mentions_of_unknown_texts_are_refused() -> None:
    _, predicted = make_pair(["p53 is", "p54"], [], [Made(1, ((0, 1),))])
    with pytest.raises(InputError, match="t1"):
        score(make_pair(["p53 is"], [], [])[0], predicted)


@pytest.mark.parametrize("span", [(0, 9), (-1, 2), (3, 2)])
def test_spans_outside_their_text_are_refused(span: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=f"text t0: found '{span[0]}-{span[1]}'"):
        score(*make_pair(["p53 is"], [], [Made(0, (span,))]))


WORDS = pd.Index(["upper", "lower", "initial"])


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        (pd.Series(pd.Categorical.from_codes([0, 2, 2], WORDS), name="case"), {"upper": 1, "initial": 2}),
        (pd.Series(pd.Categorical.from_codes([1, -1], WORDS), name="case"), {"lower": 1, "absent": 1}),
        (pd.Series([0, 2, 0], name="length"), {"0": 2, "2": 1}),
        (pd.Series([20_000, 3], name="length"), {"3": 1, "11": 1}),
    ],
)
def test_classes_are_the_values_that_occur(column: pd.Series, classes: dict[str, int]) -> None:
    frame = column.to_frame()
    found = divide_by_feature(taxonomy().find(f"entity.{column.name}"), frame, frame.iloc[:0])
    counts: Any = found.membership @ np.bincount(found.gold, minlength=found.cell_count)
    names = [name.split()[-1] for name in found.names]
    assert dict(zip(names, counts.tolist(), strict=True)) == classes


def test_as_many_classes_as_mentions_take_no_more_room_than_these() -> None:
    frame = pd.DataFrame({"data": pd.Series([f"name{i}" for i in range(30_000)], dtype="str")})
    found = divide_by_feature(taxonomy().find("entity.data"), frame, frame.iloc[:0])
    assert len(found.names) == found.membership.nnz == 30_000
    assert found.masks(found.names[7])[0].sum() == 1
