"""Classes: a feature's table is what its queries select, and single-valued features divide the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class, read_classes
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.options import Pairing
from tagsuite.harness.scoring.table import printed

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
def pair(made: Any, mention: Any) -> Any:
    def spans(listed: list[list[str]]) -> list[Any]:
        return [
            mention(row, ((TEXTS[row].index(name), TEXTS[row].index(name) + len(name)),), "AB"[i % 2])
            for row, names in enumerate(listed)
            for i, name in enumerate(names)
        ]

    return made(TEXTS, spans(NAMES), spans(GUESSES))


@pytest.mark.parametrize("pairing", ["any", "one-to-one"])
@pytest.mark.parametrize("by", [*SINGLE, "case,contains_hyphen", "type,length"])
def test_values_of_a_feature_make_up_the_whole(pair: Any, by: str, pairing: Pairing) -> None:
    table = score(*pair, by=[by], pairing=pairing).table
    table = table[table["type"] == "all"]
    whole = table[table["class"] == "all"].set_index("notion")[COUNTS]
    parts = table[table["class"] != "all"].groupby("notion")[COUNTS].sum()
    pd.testing.assert_frame_equal(parts, whole.loc[parts.index], check_dtype=False)


@pytest.mark.parametrize("by", [*SINGLE, *SETS])
def test_counts_of_each_side_are_within_the_class_of_its_own_mentions(pair: Any, by: str) -> None:
    table = score(*pair, by=[by]).table
    assert (table["gold_matched"] + table["fn"] == table["gold"]).all()
    assert (table["tp"] == table["predicted_matched"]).all()
    assert (table["tp"] + table["fp"] == table["predicted"]).all()
    for measure, count, base in [("recall", "gold_matched", "gold"), ("precision", "tp", "predicted")]:
        defined = table[table[base] > 0]
        assert defined[measure].tolist() == pytest.approx((defined[count] / defined[base]).tolist())


def test_a_table_for_reading_says_found_missed_right_and_wrong(pair: Any) -> None:
    shown = printed(score(*pair, by=["case"]).table)
    heads = [shown.attrs["heads"].get(column, column) for column in shown.columns]
    assert "gold found missed predicted right wrong precision" in " ".join(heads)
    assert not {"tp", "fp", "fn"} & set(heads)


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


def test_counts_by_text_add_up_to_the_table(pair: Any) -> None:
    scores = score(*pair, by=["case"])
    table = scores.table[scores.table["type"] == "all"]
    for row in table.to_dict("records"):
        counts = scores.counts(row["notion"], row["class"])
        assert len(counts.gold) == len(TEXTS)
        assert [getattr(counts, c).sum() for c in COUNTS] == [row[c] for c in COUNTS]


def test_classes_file(tmp_path: Path) -> None:
    path = tmp_path / "classes.toml"
    path.write_text(
        'format = 1\n[[class]]\nname = "digits"\nquery = \'data ~ /^\\d/\'\nnote = "first"\n',
        encoding="utf-8",
    )
    (one,) = read_classes(path)
    assert (one.name, str(one.query), one.note) == ("digits", r"data ~ /^\d/", "first")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("format = 2\n", r"format: input should be 1"),
        ("format = 1\n", r"class: field required"),
        ('format = 1\n[[class]]\nname = "a"\n', r"class\[1\]\.query: field required"),
        (
            'format = 1\n[[class]]\nname = "a"\nquery = "all"\nnotes = "x"\n',
            r"class\[1\]\.notes: unknown key.*note",
        ),
        ('format = 1\n[[class]]\nname = "a"\nquery = "lenght > 3"\n', r"(?s)lenght.*\^.*length"),
        (
            'format = 1\n[[class]]\nname = "all"\nquery = "length > 3"\n',
            "the class of everything is called all",
        ),
        (
            'format = 1\n[[class]]\nname = "a"\nquery = "all"\n[[class]]\nname = "a"\nquery = "all"\n',
            "same name",
        ),
        ("format = [\n", "not valid TOML"),
    ],
)
def test_faulty_classes_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "classes.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_classes(path)
    assert "classes.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": ["cse"]}, "unknown feature"),
        ({"by": ["case,case"]}, "a feature stands twice"),
        ({"by": ["case,"]}, "a feature is missing"),
        ({"notions": ["exact"]}, "unknown notion: found 'exact'; allowed: strict, sloppy, pnp"),
        ({"pairing": "best"}, "unknown pairing"),
        ({"counting": "other"}, "unknown counting"),
        ({"alternatives": "published"}, "the gold has no alternatives"),
    ],
)
def test_wrong_choices_are_refused(pair: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(*pair, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"notions": ["sloppy"]}, "has no such notion: found 'sloppy'"),
        ({"pairing": "greedy"}, "its own pairing"),
        ({"counting": "published"}, "its own pairing and counting"),
    ],
)
def test_the_published_program_is_not_mixed_with_other_choices(
    made: Any, mention: Any, options: dict[str, Any], message: str
) -> None:
    one = mention(0, ((0, 3),))
    gold, predicted = made(["p53 is"], [one], [one], alternatives=[one])
    with pytest.raises(InputError, match=message):
        score(gold, predicted, alternatives="published", **options)
    with pytest.raises(InputError, match=r"would depend on.*found 'pnp'; allowed: strict, sloppy"):
        score(gold, predicted, alternatives="optimal", notions=["strict", "pnp"])
    with pytest.raises(InputError, match=r"two readings.*found 'iob2_strict'; allowed: .*muc_type"):
        score(gold, predicted, alternatives="optimal", notions=["iob2_strict"])
