"""Tests of the taxonomy: its content, resolution of names, and errors in its file."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.feature import SHARED_NAMES, FeatureBin
from tagsuite.catalogues.own_features import read_extended_taxonomy
from tagsuite.catalogues.taxonomy import taxonomy

ROOT = Path(__file__).resolve().parents[2]

PUBLISHED = Path(__file__).with_name("published_features.tsv")
"""Scopes and names of the features in the published taxonomy."""


def test_every_feature_of_the_published_taxonomy_is_there() -> None:
    lines = PUBLISHED.read_text(encoding="utf-8").splitlines()
    held = {f"{feature.scope}\t{feature.name}" for feature in taxonomy().features}
    assert [line for line in lines if line not in held] == []


def test_every_feature_is_documented() -> None:
    for feature in taxonomy().features:
        assert feature.definition, feature.qualified_name
        assert feature.source, feature.qualified_name
        varied = feature.scope in ("entity", "slot") and not feature.is_catalogue_only
        assert feature.fault_model or not varied or feature.name == "data", feature.qualified_name


def test_codes_and_values_of_a_feature_differ() -> None:
    for feature in taxonomy().features:
        written = [v.name for v in feature.values]
        written += [v.code for v in feature.values if v.code not in ("", v.name)]
        assert len(written) == len(set(written)), feature.qualified_name


def test_bins_follow_each_other_without_gap() -> None:
    for feature in taxonomy().features:
        if feature.bins:
            for before, after in zip(feature.bins, feature.bins[1:], strict=False):
                assert before.high is not None
                assert after.low == before.high + 1, feature.qualified_name
            assert feature.bins[-1].high is None, feature.qualified_name
    assert taxonomy().find("length").find_bin(7) == FeatureBin("6-7", 6, 7)
    assert taxonomy().find("length").find_bin(99) == FeatureBin("11-", 11, None)
    assert taxonomy().find("length").find_bin(0) is None


def test_columns_are_unique_except_where_a_mention_shares_the_name() -> None:
    columns = [f.column for f in taxonomy().select_scopes("entity", "context", "slot")]
    assert len(columns) == len(set(columns))
    for name in SHARED_NAMES:
        assert taxonomy().find(f"context.{name}").column == f"context.{name}"


FOUND = [("position", "slot.position"), ("context.position", "context.position"), ("case", "entity.case")]
FOUND += [("source_id", "entity.source_id"), ("type", "mention.type")]
FOUND += [(f"in_list.{name}", f"entity.in_list.{name}") for name in ("training", "größe", "stop-list")]


@pytest.mark.parametrize(("name", "path"), FOUND)
def test_names_are_found(name: str, path: str) -> None:
    assert taxonomy().find(name).qualified_name == path


OPENED = '<taxonomy format="1">\n'
FEATURE = (
    '<feature name="x" scope="entity" category="lexical" kind="integer"><definition>d</definition>'
    "<source>s</source><bins>1 2</bins></feature>\n"
)
FAULTS = [
    ('<taxonomy format="1"/>', 1, "not valid"),
    (OPENED + FEATURE.replace("integer", "truth") + "</taxonomy>", 2, "not valid"),
    (OPENED + FEATURE.replace("1 2", "1 two") + "</taxonomy>", 2, "invalid bin"),
    (OPENED + FEATURE + FEATURE + "</taxonomy>", 3, "duplicate feature"),
    (OPENED + "<feature", 2, "not well-formed"),
    ("", None, "empty"),
]


@pytest.mark.parametrize(("content", "line", "problem"), FAULTS)
def test_faulty_files_are_told_with_their_line(
    tmp_path: Path, content: str, line: int | None, problem: str
) -> None:
    path = tmp_path / "features.xml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as fault:
        read_extended_taxonomy([path])
    assert fault.value.file == str(path)
    assert fault.value.line == line


def test_the_page_of_features_is_current() -> None:
    program = runpy.run_path(str(ROOT / "docs" / "features.py"))
    page = (ROOT / "docs" / "reference" / "features.md").read_text(encoding="utf-8")
    assert page == program["features_page"](), "run: make docs"
