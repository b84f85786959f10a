"""Property tests of entity features: any text, any order and selection of columns, naive counts."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.entity_features import entity_features
from tagsuite.catalogues.entity_features.feature_columns import list_computed_features
from tagsuite.catalogues.entity_features.orthographic import MARKS
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.values import format_cell_value

PIECES = ["p53", "TGF", "beta", "[beta]", "II", "of", "the", "-", "/", "'s", "α", "₂", "(", ")", "associated"]
PIECES += ["kinases", "I", "A", "{", "}", "é", "ß", "𝛼", "disease", "Parkinson", *" \n\u2028\x1f"]
forms = st.one_of(st.text(max_size=25), st.lists(st.sampled_from(PIECES), max_size=8).map("".join))


@given(st.lists(forms, max_size=12))
def test_any_text_has_every_feature_and_legal_values(values: list[str]) -> None:
    frame = entity_features(pd.Series(values, dtype="str"))
    assert list(frame.columns) == [f.name for f in list_computed_features()]
    for feature in list_computed_features():
        legal = set(feature.codes)
        for text in map(format_cell_value, frame[feature.name].tolist()):
            if feature.kind == "category":
                assert text == "" or text in legal
            elif feature.kind == "set" and legal:
                assert feature.join_values(text.split("|")) == text or text == ""
                assert not text or set(text.split("|")) <= legal
            elif feature.kind == "integer":
                assert int(text) >= 0


@given(st.lists(forms, min_size=2, max_size=12), st.data())
def test_a_form_has_the_same_features_in_any_company(values: list[str], data: st.DataObject) -> None:
    together = entity_features(pd.Series(values, dtype="str"))
    row = data.draw(st.integers(0, len(values) - 1))
    alone = entity_features(pd.Series([values[row]], dtype="str"))
    turned = entity_features(pd.Series([*values[::-1], *values], dtype="str"))
    for name in together.columns:
        texts = [format_cell_value(v) for v in together[name].tolist()]
        assert format_cell_value(alone[name].iloc[0]) == texts[row], (name, values[row])
        assert [format_cell_value(v) for v in turned[name].tolist()] == [*texts[::-1], *texts], name


@given(st.lists(forms, min_size=1, max_size=12))
def test_counts_are_those_of_the_simplest_program(values: list[str]) -> None:
    frame = entity_features(pd.Series(values, dtype="str"))
    # an example of the taxonomy tells whose each of the other marks is
    assert (MARKS["contains_hyphen"], MARKS["contains_apostrophe"]) == ("-‐‑‒–—―−", "'’′")
    assert sorted("".join(MARKS.values())) == sorted("-‐‑‒–—―−'’′/,.:()[]{}+*")
    for row, value in enumerate(values):
        assert frame["characters"].iloc[row] == len(value)
        assert frame["words"].iloc[row] == len(value.split())
        assert frame["is_ASCII"].iloc[row] == value.isascii()
        for name, marks in MARKS.items():
            assert frame[name].iloc[row] == sum(value.count(m) for m in marks), (name, value)
        marks_of_all = sum(frame[n].iloc[row] for n in [*MARKS, "contains_other_punctuation"])
        assert frame["contains_punctuation"].iloc[row] == marks_of_all


@given(
    st.lists(forms, min_size=1, max_size=6),
    st.sets(st.sampled_from([f.name for f in list_computed_features()])),
)
def test_chosen_columns_are_those_of_the_whole(values: list[str], names: set[str]) -> None:
    data = pd.Series(values, dtype="str")
    whole, chosen = entity_features(data), entity_features(data, columns=names)
    assert set(chosen.columns) == names
    for name in chosen.columns:
        pd.testing.assert_series_equal(chosen[name], whole[name])


def test_missing_forms_have_no_features_and_types_allow_it() -> None:
    frame = entity_features(pd.Series(["p53", None], dtype="str"))
    assert frame.iloc[1].isna().all()
    assert frame["length"].tolist()[0] == 3
    assert frame[["length", "is_ASCII"]].dtypes.astype("str").tolist() == ["Int32", "boolean"]


def test_types_where_nothing_is_missing() -> None:
    frame = entity_features(pd.Series(["p53"], dtype="str"))
    kinds = {"boolean": "bool", "integer": "int32", "category": "category", "set": "category", "text": "str"}
    for feature in list_computed_features():
        assert str(frame[feature.name].dtype) == kinds[feature.kind], feature.name
        if feature.kind in ("category", "set"):
            assert str(frame[feature.name].cat.categories.dtype) == "str", feature.name


def test_an_empty_form_has_no_words_and_no_case() -> None:
    row = entity_features(pd.Series([""], dtype="str")).iloc[0]
    assert row["characters"] == row["words"] == 0
    assert (
        format_cell_value(row["case"])
        == format_cell_value(row["first_character"])
        == format_cell_value(row["parts_of_speech"])
        == ""
    )


def test_every_feature_of_the_taxonomy_is_computed_or_only_in_catalogues() -> None:
    rest = {f.name for f in taxonomy().select_scopes("entity")} - {f.name for f in list_computed_features()}
    assert rest - {f.name for f in taxonomy().select_scopes("entity") if f.is_catalogue_only} == {
        "data",
        "in_list.NAME",
    }
