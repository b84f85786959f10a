"""Both pairings give the results of exhaustive search and of a simple greedy loop."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.harness.scoring.pairing import assignment
from tagsuite.harness.scoring.pairing.assignment import find_best_pairing, find_greedy_pairing

Entry = tuple[int, int, int]
tables = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-1, 8)), max_size=9, unique_by=lambda e: e[:2]
)


def columns(entries: list[Entry]) -> tuple[list[int], list[int], list[float]]:
    return [e[0] for e in entries], [e[1] for e in entries], [e[2] / 8 for e in entries]


def every_pairing(entries: list[Entry]) -> list[tuple[Entry, ...]]:
    usable = [e for e in entries if e[2] > 0]
    return [
        chosen
        for size in range(len(usable) + 1)
        for chosen in itertools.combinations(usable, size)
        if len({e[0] for e in chosen}) == size == len({e[1] for e in chosen})
    ]


def check_one_to_one(entries: list[Entry], places: np.ndarray) -> list[Entry]:
    chosen = [entries[i] for i in places]
    assert len({e[0] for e in chosen}) == len({e[1] for e in chosen}) == len(chosen)
    assert all(e[2] > 0 for e in chosen)
    return chosen


@given(tables)
def test_best_pairing_has_the_greatest_total_of_all_pairings(entries: list[Entry]) -> None:
    chosen = check_one_to_one(entries, find_best_pairing(*columns(entries)))
    assert sum(e[2] for e in chosen) == max(sum(e[2] for e in p) for p in every_pairing(entries))


@given(tables)
def test_most_prefers_the_number_of_pairs_to_their_total(entries: list[Entry]) -> None:
    chosen = check_one_to_one(entries, find_best_pairing(*columns(entries), maximise_size=True))
    best = max((len(p), sum(e[2] for e in p)) for p in every_pairing(entries))
    assert (len(chosen), sum(e[2] for e in chosen)) == best


@given(tables, st.randoms(use_true_random=False))
def test_order_of_listing_changes_nothing(entries: list[Entry], random: object) -> None:
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for pair in (find_best_pairing, find_greedy_pairing):
        one = {entries[i] for i in pair(*columns(entries))}
        other = {shuffled[i] for i in pair(*columns(shuffled))}
        assert one == other


@given(tables)
def test_greedy_equals_a_loop_over_sorted_entries(entries: list[Entry]) -> None:
    left: set[int] = set()
    right: set[int] = set()
    expected = set()
    for entry in sorted((e for e in entries if e[2] > 0), key=lambda e: (-e[2], e[0], e[1])):
        if entry[0] not in left and entry[1] not in right:
            left.add(entry[0])
            right.add(entry[1])
            expected.add(entry)
    assert {entries[i] for i in find_greedy_pairing(*columns(entries))} == expected


@given(tables)
def test_sparse_and_full_solvers_agree(entries: list[Entry]) -> None:
    arrays = columns(entries)
    value = np.asarray(arrays[2])
    full = value[find_best_pairing(*arrays)].sum()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "MAX_DENSE_CELLS", 0)
        places = find_best_pairing(*arrays)
    check_one_to_one(entries, places)
    assert value[places].sum() == pytest.approx(full)


@pytest.mark.parametrize(
    ("left", "right", "value", "best", "greedy", "why"),
    [
        ([0, 0], [0, 0], [0.2, 0.9], [1], [1], "of two entries for one pair the better counts"),
        ([7, 9], [1000000, 3], [0.5, 0.5], [0, 1], [0, 1], "numbers of members need not be dense"),
        ([0, 1, 2], [5, 5, 5], [0.3, 0.3, 0.2], [0], [0], "equal values: the first member"),
    ],
)
def test_small_tables(
    left: list[int], right: list[int], value: list[float], best: list[int], greedy: list[int], why: str
) -> None:
    assert find_best_pairing(left, right, value).tolist() == best, why
    assert find_greedy_pairing(left, right, value).tolist() == greedy, why
