"""Product, sample, zip, each: counts against brute force, draws that do not repeat."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.cases import Cases
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.combine import pairing, product, sample
from tagsuite.generator.combine.allocate import allocate
from tagsuite.generator.combine.strata import Strata
from tagsuite.generator.slot_filling import SlotFilling


def rows(blocks: list[Cases], space: CombinationSpace) -> list[tuple[int, ...]]:
    found = []
    for block in blocks:
        begin = 0
        for context, slots in zip(
            block.context.tolist(), space.material.templates.slots[block.context].tolist(), strict=True
        ):
            found.append((context, *block.fillers[begin : begin + slots].tolist()))
            begin += slots
    return found


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=7),
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=5, unique=True), min_size=1, max_size=3),
    st.booleans(),
)
def test_full_product_and_its_count(codes: list[int], pools: list[list[int]], distinct: bool) -> None:
    filling = SlotFilling(np.array(codes, dtype=np.int32), 0, 0, distinct)
    given_pools = [np.array([p % len(codes) for p in pool], dtype=np.int32) for pool in pools]
    expected = [
        combo
        for combo in itertools.product(*(p.tolist() for p in given_pools))
        if not distinct or len({codes[i] for i in combo}) == len(combo)
    ]
    found = [tuple(r) for block in filling.product(given_pools, 7) for r in block.tolist()]
    assert found == expected
    assert filling.count_product(given_pools) == len(expected)


@pytest.mark.parametrize("full", [False, True])
def test_product_gives_what_it_counts(space_for: Callable[..., CombinationSpace], full: bool) -> None:
    space = space_for()
    found = rows(list(product.cases(space, full=full)), space)
    assert len(found) == product.count(space, full=full)
    if full:
        assert len(set(found)) == len(found)


def test_other_slots_are_filled_evenly(space_for: Callable[..., CombinationSpace]) -> None:
    """In a sentence of three slots each form comes up equally often in each slot."""
    space = space_for(context_query="total_number_of_names = 3")
    found = rows(list(product.cases(space, full=False)), space)
    for place in (1, 2, 3):
        counts = Counter(r[place] for r in found)
        assert len(counts) == len(space.fillers)
        assert max(counts.values()) <= 2 + min(counts.values())


def test_too_few_forms_for_the_slots(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for("data = TP53", "total_number_of_names = 3")
    with pytest.raises(InputError, match="too few different forms"):
        list(product.cases(space, full=False))
    again = space_for("data = TP53", "total_number_of_names = 3", distinct=False)
    assert len(rows(list(product.cases(again, full=False)), again)) == 3


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("size", [0, 1, 40])
def test_a_sample_has_no_case_twice_and_comes_again(
    space_for: Callable[..., CombinationSpace], full: bool, size: int
) -> None:
    space = space_for(seed=3)
    first = rows(list(sample.cases(space, size, full=full)), space)
    assert len(first) == size
    assert first == rows(list(sample.cases(space_for(seed=3), size, full=full)), space)
    if full:
        assert len(set(first)) == size
    if size == 40:
        assert first != rows(list(sample.cases(space_for(seed=4), size, full=full)), space)


def test_the_largest_sample_is_the_product(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for(context_query="total_number_of_names <= 1")
    whole = rows(list(product.cases(space, full=False)), space)
    drawn = rows(list(sample.cases(space, len(whole), full=False)), space)
    assert sorted(whole) == sorted(drawn)
    with pytest.raises(InputError, match="a larger sample"):
        list(sample.cases(space, len(whole) + 1, full=False))


def test_strata_are_equal(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for(context_query="total_number_of_names = 1")
    strata = Strata.by(["name_vs_symbol", "slot.position"])
    found = rows(list(sample.cases(space, 18, full=False, strata=strata)), space)
    kind = space.material.fillers["name_vs_symbol"].astype("str")
    position = space.material.environments["position"].astype("str")
    counts = Counter((kind[f], position[int(space.material.first_slot[c])]) for c, f in found)
    assert set(counts.values()) == {3}
    assert len(counts) == 6


def test_nothing_may_stand_in_a_sentence_that_is_not_chosen(
    space_for: Callable[..., CombinationSpace],
) -> None:
    space = space_for(context_query="total_number_of_names = 1")
    chosen = np.isin(space.material.slot_context, space.places.contexts)
    assert chosen.any()
    assert not chosen.all()
    assert [len(space.pool_of(slot)) > 0 for slot in range(len(chosen))] == chosen.tolist()


def test_zip_and_each(space_for: Callable[..., CombinationSpace]) -> None:
    space = space_for()
    count, blocks = pairing.zip_cases(space)
    zipped = rows(list(blocks()), space)
    assert len(zipped) == count == min(len(space.fillers), len(space.places.slots))
    count, blocks = pairing.each_cases(space)
    found = rows(list(blocks()), space)
    assert len(found) == count
    assert {r[0] for r in found} == set(space.places.contexts.tolist())
    assert {f for r in found for f in r[1:]} == set(space.fillers.tolist())


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 5)), min_size=1, max_size=8), st.integers(0, 60))
def test_allocation(strata: list[tuple[int, float]], total: int) -> None:
    sizes = np.array([s for s, _ in strata], dtype=np.int64)
    weights = np.array([w if w > 1e-3 else 0.0 for _, w in strata])
    counts = allocate(sizes, weights, total)
    assert (counts <= sizes).all()
    assert (counts[weights == 0] == 0).all()
    assert counts.sum() == min(total, sizes[weights > 0].sum())


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
    assert allocate(np.array(sizes), np.array(weights, dtype=float), total).tolist() == expected, why
