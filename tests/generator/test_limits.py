"""Tests of `max_per`: a case is left out if one of its values has reached its limit."""

from __future__ import annotations

from collections import Counter

import pytest

from tagsuite.generator.case_limits import CaseLimit
from tagsuite.generator.cases import Cases, join_small_blocks, limit_cases
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteRecipe
from tagsuite.generator.suite_plan import SuitePlan, plan_suite_parts


@pytest.fixture(scope="module")
def plan() -> SuitePlan:
    """Plan three hundred cases with two names each."""
    part = PartOptions(combine="sample", size=300, contexts="total_number_of_names = 2")
    return plan_suite_parts(SuiteRecipe((part,)))


def names_of(plan: SuitePlan, cases: Cases) -> list[tuple[int, ...]]:
    """Return the names in each case."""
    return [tuple(pair) for pair in cases.fillers.reshape(-1, 2).tolist()]


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ([CaseLimit("case", 20)], "by value: both names count, once where they are alike"),
        ([CaseLimit("case = upper", 20)], "by query: a case has it when one of its names does"),
        ([CaseLimit("case", 20), CaseLimit("words >= 2", 5)], "of several limits none is passed"),
        ([CaseLimit("case", 1000)], "nothing is full"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 300])
def test_limits_are_kept_whatever_the_blocks(
    limits: list[CaseLimit], why: str, size: int, plan: SuitePlan
) -> None:
    (cases,) = join_small_blocks(plan.parts[0].blocks())
    pairs = names_of(plan, cases)
    case = plan.material.fillers["case"].astype("str").tolist()
    words = plan.material.fillers["words"].tolist()
    had: Counter[tuple[str, object]] = Counter()
    expected = []
    most = {limit.of: limit.cases for limit in limits}
    for number, pair in enumerate(pairs):
        own: set[tuple[str, object]] = {("case", case[name]) for name in pair}
        own |= {("case = upper", "") for name in pair if case[name] == "upper"}
        own |= {("words >= 2", "") for name in pair if words[name] >= 2}
        if all(had[each] < most.get(each[0], 1000) for each in own):
            had.update(own)
            expected.append(number)
    blocks = (
        Cases(cases.context[low : low + size], cases.fillers[2 * low : 2 * (low + size)])
        for low in range(0, len(cases), size)
    )
    found = [pair for block in limit_cases(plan.material, blocks, limits) for pair in names_of(plan, block)]
    assert found == [pairs[number] for number in expected], why
