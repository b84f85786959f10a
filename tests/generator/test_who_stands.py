"""Who may stand in which slot: found by classes and matrices, and once more by plain means."""

from __future__ import annotations

import numpy as np
import pytest
from tagsuite.catalogues.query import Query
from tagsuite.generator.plan import make_plan
from tagsuite.generator.recipe import PartOptions, SuiteRecipe

from .coverage_oracle import standing

PARTS = {
    "all": PartOptions(contexts="context.type = tp", combine="zip"),
    "appositions": PartOptions(contexts="appositive != none", entities="species = human", combine="zip"),
    "any filler": PartOptions(contexts="total_number_of_names = 2", fillers="any", combine="zip"),
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_both_ways_find_the_same(part: PartOptions) -> None:
    plan = make_plan(SuiteRecipe((part,)))
    material, space = plan.material, plan.parts[0].space
    chosen = Query.parse(part.contexts, ("context", "slot")).evaluate(material.environments)
    entities = material.fillers[material.gold]
    found = standing(entities, material.slots[chosen], part)
    at = np.flatnonzero(np.isin(found.slots.index, space.places.slots))
    assert len(at) > 100
    rows, groups = found.slots.index[at].tolist(), found.slots["group"].iloc[at].tolist()
    # slots of one group and one pool say the same
    each = dict(zip(zip(groups, space.pool_number[rows].tolist(), strict=True), rows, strict=True))
    for (group, _), row in each.items():
        assert set(found.groups[group].tolist()) == set(space.pool_of(row).tolist()), material.slots.iloc[row]
