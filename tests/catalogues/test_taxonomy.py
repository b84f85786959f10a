"""The taxonomy: what it holds, how names are found, how faults in its file are told."""

from __future__ import annotations

import runpy
from importlib import resources
from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.taxonomy import SHARED_NAMES, Bin, read_taxonomy, taxonomy

ROOT = Path(__file__).resolve().parents[2]

# the names that the published taxonomy prints or describes
ENTITY_NAMES = [
    "data",
    "name_vs_symbol",
    "length",
    "characters",
    "words",
    "case",
    "contains_a_numeral",
    "contains_Arabic_numeral",
    "contains_Roman_numeral",
    "Arabic_numeral_position",
    "Roman_numeral_position",
    "Greek_letter_position",
    "function_word_position",
    "past_participle_position",
    "present_participle_position",
    "contains_punctuation",
    "contains_hyphen",
    "contains_forward_slash",
    "contains_apostrophe",
    "contains_comma",
    "contains_period",
    "contains_colon",
    "contains_parenthesis",
    "contains_square_bracket",
    "contains_curly_bracket",
    "contains_plus",
    "contains_asterisk",
    "contains_other_punctuation",
    "contains_Greek_letter",
    "Greek_letter_format",
    "contains_function_word",
    "function_words",
    "contains_past_participle",
    "contains_present_participle",
    "contains_plural",
    "contains_genitive",
    "genitive_format",
    "postmodifier",
    "parts_of_speech",
    "contains_common_English_word",
    "is_common_English_word",
    "resembles_disease_name",
    "is_ASCII",
    "source_authority",
    "source_id",
    "source_type",
    "original_form_in_source",
]
CONTEXT_NAMES = [
    "type",
    "total_number_of_names",
    "position",
    "list_context",
    "appositive",
    "typographic_context",
    "sentence_words",
    "keyword",
    "typographic_features",
    "morphological_features",
    "source_id",
    "source_type",
    "original_form_in_source",
    "slots",
]
SLOT_NAMES = [
    "position",
    "list_position",
    "left_punctuation",
    "right_punctuation",
    "preceding_word",
    "following_word",
    "following_word_is_keyword",
    "preceding_word_is_keyword",
    "preceding_word_is_species",
    "preceding_word_is_article",
    "preceding_word_is_adjective",
    "preceding_word_is_conjunction",
    "preceding_word_is_preposition",
]


@pytest.mark.parametrize(
    ("scope", "names"), [("entity", ENTITY_NAMES), ("context", CONTEXT_NAMES), ("slot", SLOT_NAMES)]
)
def test_every_feature_of_the_published_taxonomy_is_there(scope: str, names: list[str]) -> None:
    held = {f.name for f in taxonomy().of(scope)}
    assert [n for n in names if n not in held] == []


def test_every_feature_is_documented() -> None:
    for feature in taxonomy().features:
        assert feature.definition, feature.path
        assert feature.source, feature.path
        if (
            feature.scope in ("entity", "slot")
            and feature.name not in ("data",)
            and not feature.catalogue_only
        ):
            assert feature.fault_model, feature.path


def test_codes_are_the_published_ones() -> None:
    find = taxonomy().find
    assert find("case").codes["a"] == "lower"
    assert find("name_vs_symbol").codes == {"n": "name", "s": "symbol", "name": "name", "symbol": "symbol"}
    assert find("context.position").codes["I"] == "initial"
    assert find("Arabic_numeral_position").codes["f"] == "final"


def test_codes_and_values_of_a_feature_differ() -> None:
    for feature in taxonomy().features:
        written = [v.name for v in feature.values] + [
            v.code for v in feature.values if v.code not in ("", v.name)
        ]
        assert len(written) == len(set(written)), feature.path


def test_bins_follow_each_other_without_gap() -> None:
    for feature in taxonomy().features:
        if feature.bins:
            for before, after in zip(feature.bins, feature.bins[1:], strict=False):
                assert before.high is not None
                assert after.low == before.high + 1, feature.path
            assert feature.bins[-1].high is None, feature.path
    assert taxonomy().find("length").bin_of(7) == Bin("6-7", 6, 7)
    assert taxonomy().find("length").bin_of(99) == Bin("11-", 11, None)
    assert taxonomy().find("length").bin_of(0) is None


def test_columns_are_unique_except_where_a_mention_shares_the_name() -> None:
    columns = [f.column for f in taxonomy().of("entity", "context", "slot")]
    assert len(columns) == len(set(columns))
    for name in SHARED_NAMES:
        assert taxonomy().find(f"context.{name}").column == f"context.{name}"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("position", "slot.position"),
        ("context.position", "context.position"),
        ("case", "entity.case"),
        ("source_id", "entity.source_id"),
        ("type", "mention.type"),
        ("in_list.training", "entity.in_list.training"),
        ("in_list.größe", "entity.in_list.größe"),
        ("entity.in_list.stop-list", "entity.in_list.stop-list"),
    ],
)
def test_names_are_found(name: str, path: str) -> None:
    assert taxonomy().find(name).path == path


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("lenght", "length"),
        ("contain_hyphen", "contains_hyphen"),
        ("entity.positon", "position"),
        ("CASE", "case"),
        ("hyphen", "contains_hyphen"),
        ("slot.case", "entity.case"),
    ],
)
def test_unknown_names_are_told_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(InputError) as fault:
        taxonomy().find(name)
    assert any(near in name for name in fault.value.near)


def test_scopes_limit_the_search() -> None:
    with pytest.raises(InputError, match=r"allowed: features of entity$"):
        taxonomy().find("slot.position", ("entity",))


def test_sets_are_written_in_the_order_of_the_taxonomy() -> None:
    assert taxonomy().find("Arabic_numeral_position").join(["final", "initial", "final"]) == "initial|final"
    assert taxonomy().find("function_words").join(["the", "of"]) == "of|the"


FAULTS = [
    ('<taxonomy format="1"/>', 1, "not valid"),
    (
        '<taxonomy format="1">\n<feature name="x" scope="entity" category="lexical" kind="truth">'
        "<definition>d</definition><source>s</source></feature></taxonomy>",
        2,
        "not valid",
    ),
    (
        '<taxonomy format="1">\n<feature name="x" scope="entity" category="lexical" kind="integer">\n'
        "<definition>d</definition>"
        "<source>s</source><bins>1 two</bins></feature></taxonomy>",
        2,
        "not a bin",
    ),
    (
        '<taxonomy format="1">\n<feature name="x" scope="entity" category="lexical" kind="text">'
        "<definition>d</definition>"
        '<source>s</source></feature>\n<feature name="x" scope="entity" category="lexical" kind="text">'
        "<definition>d</definition><source>s</source></feature></taxonomy>",
        3,
        "defined twice",
    ),
    ('<taxonomy format="1">\n<feature', 2, "not well-formed"),
    ("", None, "empty"),
]


@pytest.mark.parametrize(
    ("content", "line", "problem"), FAULTS, ids=[f[2] + str(i) for i, f in enumerate(FAULTS)]
)
def test_faulty_files_are_told_with_their_line(
    tmp_path: Path, content: str, line: int | None, problem: str
) -> None:
    path = tmp_path / "features.xml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as fault:
        read_taxonomy(path)
    assert fault.value.file == str(path)
    assert fault.value.line == line


def test_a_file_of_the_bundled_form_is_read() -> None:
    path = Path(str(resources.files("tagsuite.catalogues").joinpath("features.xml")))
    assert read_taxonomy(path) == taxonomy()


def test_the_page_of_features_is_current() -> None:
    program = runpy.run_path(str(ROOT / "docs" / "features.py"))
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    assert page == program["features_page"](), "run: make docs"
