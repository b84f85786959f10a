"""Tests of covering suites: complete by two independent measures, and not larger than necessary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.covering.tway import choose_covering_cases
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.suite import write_blocks

from .coverage_oracle import verified

CHOSEN = (
    "case",
    "name_vs_symbol",
    "contains_hyphen",
    "slot.position",
    "list_type",
    "preceding_word_is_article",
)

FREE = PartOptions(appositives="any", fillers="any", combine="tway")
"""Options of the spaces from `space_for`: every entity fits every slot."""


@pytest.mark.parametrize(("t", "features"), [(1, ()), (2, ()), (2, CHOSEN), (3, CHOSEN), (4, CHOSEN)])
def test_everything_attested_is_covered(
    tmp_path: Path, space_for: Callable[..., CombinationSpace], t: int, features: tuple[str, ...]
) -> None:
    space = space_for()
    found = choose_covering_cases(space, replace(FREE, t=t, features=features))
    assert found.open_count == 0
    write_blocks(tmp_path, space.material, found.blocks())
    checked = verified(tmp_path, space.material, [FREE], t, features)
    assert checked.attested == found.attested, "the verifier finds the same combinations possible"
    assert checked.covered == checked.attested, checked.table[checked.table["uncovered"] > 0].to_string()


@pytest.mark.parametrize(
    ("entities", "times", "repeated", "why"),
    [
        ("data = insulin", 4, 3, "one entity, one sentence: all but the first repeat it"),
        ("data in (insulin, ubiquitin)", 5, 3, "two of a kind, then again"),
    ],
)
def test_repetitions_are_made_only_where_nothing_else_is(
    space_for: Callable[..., CombinationSpace], entities: str, times: int, repeated: int, why: str
) -> None:
    space = space_for(entities, "preceding_word = of")
    found = choose_covering_cases(space, replace(FREE, times=times, features=("case", "slot.position")))
    assert len(found.cases) == times, why
    assert found.repeated_count == repeated, why


def test_a_limit_gives_the_best_and_the_verifier_sees_what_is_missing(
    tmp_path: Path, space_for: Callable[..., CombinationSpace]
) -> None:
    space = space_for()
    found = choose_covering_cases(space, replace(FREE, limit=3))
    assert len(found.chosen) == 3
    assert found.open_count > 0
    write_blocks(tmp_path, space.material, found.blocks())
    checked = verified(tmp_path, space.material, [FREE], 2, ())
    assert checked.attested - checked.covered == found.open_count
    worst = checked.table[checked.table["uncovered"] > 0].iloc[0]
    assert " = " in worst["first_uncovered"] or " is absent" in worst["first_uncovered"]


def test_open_features_cannot_be_combined(space_for: Callable[..., CombinationSpace]) -> None:
    with pytest.raises(InputError, match="only features with a fixed set of values"):
        choose_covering_cases(space_for(), replace(FREE, features=("data", "case")))
