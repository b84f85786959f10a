"""Tests of product, sample, zip and each: counts agree with brute force, and draws do not repeat."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from tagsuite.catalogues.core.arrays import concatenate_ranges
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.generator.cases import Cases
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.combine import product, sample, zip_and_each
from tagsuite.generator.combine.strata import Strata, allocate_cases
from tagsuite.generator.material import Ints, Material, assemble_material, select_places
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.part_plans import PartPlan
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.slot_filling import SlotFilling
from tagsuite.generator.suite import write_suite
from tagsuite.generator.suite_plan import plan_suite_parts

from .conftest import entities, written_contexts


def rows(blocks: list[Cases], space: CombinationSpace) -> list[tuple[int, ...]]:
    found = []
    for block in blocks:
        begin = 0
        for context, slots in zip(
            block.context.tolist(), space.material.templates.slot_counts[block.context].tolist(), strict=True
        ):
            found.append((context, *block.fillers[begin : begin + slots].tolist()))
            begin += slots
    return found


def test_other_slots_are_filled_evenly(space_for: Callable[..., CombinationSpace]) -> None:
    """In a sentence with three slots, each form occurs equally often in each slot."""
    space = space_for(context_query="total_number_of_names = 3")
    found = rows(list(product.make_product_cases(space, full=False)), space)
    for place in (1, 2, 3):
        counts = Counter(r[place] for r in found)
        assert len(counts) == len(space.fillers)
        assert max(counts.values()) <= 2 + min(counts.values())


def test_too_few_forms_for_the_slots(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for("data = TP53", "total_number_of_names = 3")
    with pytest.raises(InputError, match="too few different forms"):
        list(product.make_product_cases(space, full=False))
    again = space_for("data = TP53", "total_number_of_names = 3", distinct=False)
    assert len(rows(list(product.make_product_cases(again, full=False)), again)) == 3


@pytest.mark.parametrize("size", [0, 1, 40])
def test_a_sample_comes_again(space_for: Callable[..., CombinationSpace], size: int) -> None:
    first, again, other = (
        rows(list(sample.draw_cases(space_for(seed=seed), size)), space_for()) for seed in (3, 3, 4)
    )
    assert len(first) == size
    assert first == again
    assert (first != other) == (size > 0)


def test_the_largest_sample_is_the_product(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for(context_query="total_number_of_names <= 1")
    whole = rows(list(product.make_product_cases(space, full=False)), space)
    drawn = rows(list(sample.draw_cases(space, len(whole))), space)
    assert sorted(whole) == sorted(drawn)
    with pytest.raises(InputError, match="the sample is larger"):
        list(sample.draw_cases(space, len(whole) + 1))


def test_strata_are_equal(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for(context_query="total_number_of_names = 1")
    strata = Strata((taxonomy().find("name_vs_symbol"), taxonomy().find("slot.position")))
    found = rows(list(sample.draw_cases(space, 18, strata)), space)
    kind = space.material.fillers["name_vs_symbol"].astype("str")
    position = space.material.environments["position"].astype("str")
    counts = Counter((kind[f], position[int(space.material.first_slot[c])]) for c, f in found)
    assert set(counts.values()) == {3}
    assert len(counts) == 6


def ints(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int32)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Material:
    """Return sentences of one to five slots, and one without slots."""
    rows = [(f"w{n}", f"{'<slot/> and ' * n}more of them.", "tp" if n else "fp") for n in range(6)]
    found = written_contexts(tmp_path_factory.mktemp("wide") / "contexts.xml", rows)
    return assemble_material(entities(), found.contexts, found.slots)


def apposed(material: Material, context: int, pairs: dict[int, int]) -> NDArray[np.int64]:
    """Return the partner of each slot if some places of a context form appositives."""
    found, first = np.full(len(material.slots), -1), int(material.first_slot[context])
    for one, other in pairs.items():
        found[first + one], found[first + other] = first + other, first + one
    return found


NAMES = st.lists(st.integers(0, 11), max_size=5, unique=True)


@given(
    st.integers(1, 5),
    st.sampled_from(({}, {0: 1}, {2: 3}, {0: 1, 2: 3}, {1: 2, 3: 4})),
    st.lists(st.integers(0, 7), min_size=12, max_size=12),
    st.lists(st.integers(-1, 11), min_size=12, max_size=12),
    NAMES,
    st.dictionaries(st.integers(0, 4), NAMES),
    st.booleans(),
)
def test_all_fillings(
    wide: Material,
    slots: int,
    pairs: dict[int, int],
    codes: list[int],
    counterpart: list[int],
    fillers: list[int],
    by_place: dict[int, list[int]],
    distinct: bool,
) -> None:
    """The cases include repeated forms, empty pools, entries with one name, and names like their symbols."""
    filling = SlotFilling(ints(codes), 0, 0, distinct, ints(counterpart))
    pairs = {lead: other for lead, other in pairs.items() if other < slots}
    own = {place: ints(chosen) for place, chosen in by_place.items() if place < slots}
    places = select_places(wide, f"total_number_of_names = {slots}")
    context = int(places.contexts[0])
    partners = apposed(wide, context, pairs)
    fits = replace(wide.fits, active=())
    space = CombinationSpace(wide, ints(fillers), places, filling, fits, own, partners, True)
    # a name in apposition brings the other of its entry, into the first slot unless nothing may stand there
    pools = [pool.tolist() for pool in space.pools(context)]
    brings = dict((a, b) if pools[a] or not pools[b] else (b, a) for a, b in pairs.items())
    free = [place for place in range(slots) if place not in brings.values()]
    expected = []
    for names in itertools.product(*(pools[place] for place in free)):
        row = dict(zip(free, names, strict=True))
        row |= {other: counterpart[row[place]] for place, other in brings.items()}
        if not distinct or len({codes[name] for name in row.values()}) == slots:
            expected.append([row[place] for place in range(slots)])
    assert [row for block in space.enumerate_fillings(context, 7) for row in block.tolist()] == expected


def test_a_product_of_all_fillings_is_counted_as_far_as_it_is_allowed(tmp_path: Path) -> None:
    part = PartOptions(entities="case = lower", combine="product", fill="product")
    plan = plan_suite_parts(SuiteRecipe((part,)), max_cases=5000)
    assert not plan.is_counted
    with pytest.raises(InputError, match="found 'more than 5,000'; allowed: at most 5,000"):
        write_suite(plan, tmp_path / "s", max_cases=5000)
    few = replace(part, entities="data in (TP53, MDM2, p53)", contexts="total_number_of_names = 2")
    plan = plan_suite_parts(SuiteRecipe((few,)))
    assert plan.is_counted
    assert plan.case_count == sum(map(len, plan.parts[0].blocks()))


FEW = "contains_function_word and name_vs_symbol = name"
ONE = "total_number_of_names = 1"


def names_in(options: PartOptions, seed: int = 3) -> tuple[PartPlan, np.ndarray, np.ndarray]:
    """Return a planned sample, with the slot row and the form number of each gold mention."""
    planned = plan_suite_parts(SuiteRecipe((options,), SuiteOptions(seed=seed))).parts[0]
    material = planned.space.material
    slots, names = [], []
    for block in planned.blocks():
        many = material.templates.slot_counts[block.context]
        slots.append(concatenate_ranges(material.first_slot[block.context], many))
        names.append(block.fillers)
    slot, name = np.concatenate(slots), np.concatenate(names)
    gold = material.gold[name]
    return planned, slot[gold], material.form_code[name[gold]]


@pytest.mark.parametrize(
    ("entities", "contexts", "size", "why"),
    [
        (FEW, ONE, 200, "more cases than names"),
        ("resembles_disease_name", ONE, 90, "fewer cases than names"),
        ("length <= 2", "all", 200, "symbols, and names that they bring along"),
        ("case = lower and words = 1", "preceding_word = the", 200, "few sentences, many slots"),
        ("all", "all", 1000, "the default"),
        ("all", "species = human", 900, "many sentences of several slots"),
    ],
)
def test_no_form_is_used_twice_where_that_can_be_avoided(
    entities: str, contexts: str, size: int, why: str
) -> None:
    """The oracle is a maximum matching of forms and slots in the chosen sentences."""
    planned, slot, form = names_in(PartOptions(entities=entities, contexts=contexts, size=size))
    space = planned.space
    takes = [np.unique(space.material.form_code[space.pool_of(s)]) for s in slot.tolist()]
    bounds = np.cumsum([0, *map(len, takes)])
    edges = np.ones(bounds[-1], dtype=np.int8)
    graph = csr_array((edges, np.concatenate(takes), bounds), shape=(len(slot), int(form.max()) + 9999))
    most = int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
    assert len(np.unique(form)) >= most, why
    if most == len(slot):
        assert np.bincount(form).max() == 1, why


@pytest.mark.parametrize("size", [30, 200, 500])
def test_names_that_fit_the_same_slots_are_used_equally_often(size: int) -> None:
    planned, slot, form = names_in(PartOptions(entities=FEW, contexts=ONE, size=size))
    space = planned.space
    counts = np.bincount(form, minlength=int(space.material.form_code.max()) + 1)
    fits: dict[tuple[bool, ...], list[int]] = {}
    members = [set(pool.tolist()) for pool in space.distinct_pools]
    for name in space.fillers.tolist():
        key = tuple(name in pool for pool in members)
        if any(key):
            fits.setdefault(key, []).append(int(counts[space.material.form_code[name]]))
    assert all(max(found) - min(found) <= 1 for found in fits.values())
    assert len(slot) == size
    assert len(set(slot.tolist())) > min(size, len(space.places.slots)) / 3, "and sentences are many"


def test_zip_and_each(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for()
    count, blocks = zip_and_each.make_zip_cases(space)
    zipped = rows(list(blocks()), space)
    assert len(zipped) == count == min(len(space.fillers), len(space.places.slots))
    count, blocks = zip_and_each.make_each_cases(space)
    found = rows(list(blocks()), space)
    assert len(found) == count
    assert {r[0] for r in found} == set(space.places.contexts.tolist())
    assert {f for r in found for f in r[1:]} == set(space.fillers.tolist())


@pytest.mark.parametrize(
    ("sizes", "weights", "total", "expected", "why"),
    [
        ([9, 9], [1, 1], 5, [3, 2], "the first stratum takes the odd case"),
        ([1, 9, 9], [1, 1, 1], 9, [1, 4, 4], "what a full stratum cannot take goes to the others"),
        ([9, 9], [2, 1], 6, [4, 2], "in proportion to weights"),
        ([9, 9], [0, 1], 20, [0, 9], "a stratum without weight stays empty"),
    ],
)
def test_allocation_by_hand(
    sizes: list[int], weights: list[float], total: int, expected: list[int], why: str
) -> None:
    assert allocate_cases(np.array(sizes), np.array(weights, dtype=float), total).tolist() == expected, why
