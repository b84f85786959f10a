"""Tests of appositives in a covering suite: the couple with the largest gain is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tagsuite.generator.covering.greedy import GreedySearch
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.suite_plan import plan_suite_parts

Rows = NDArray[np.int64]


@pytest.mark.parametrize("seed", range(3))
def test_what_decides_between_couples_is_less_than_a_combination(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The sum of two tie weights must be less than one combination; otherwise a case can cover nothing."""
    lost: list[float] = []
    choose = GreedySearch._couple

    def checked(self: GreedySearch, pair: tuple[int, int], spare: Rows, taken: Rows) -> tuple[int, int]:
        couples = self.problem.list_couples(*pair)
        # couples × their two places: how many new combinations each would add
        added = self._raw_gains(np.array(pair))[self.problem.filler_kind[couples], [0, 1]].sum(axis=1)
        found = choose(self, pair, spare, taken)
        lost.append(float(added.max() - added[(couples == found).all(axis=1)].max()))
        return found

    monkeypatch.setattr(GreedySearch, "_couple", checked)
    contexts = "appositive = symbol_after_name and total_number_of_names = 2"
    part = PartOptions(entities="length < 8", contexts=contexts, combine="tway")
    plan_suite_parts(SuiteRecipe((part,), SuiteOptions(seed=seed)))
    assert len(lost) > 10
    assert max(lost) == 0
