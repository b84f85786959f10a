"""Pairing: which mention of one side goes with which of the other, from a sparse table of similarities.

A similarity table is three arrays of one length: `left` and `right` (non-negative numbers of the two sides'
members) and `value` (how alike they are). Pairs that are not listed, and pairs whose value is not above zero,
never go together. The functions that pair answer with the places of the chosen entries in those arrays, in
ascending order, so that a caller keeps whatever else it has about an entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....catalogues.core.arrays import mark_run_starts
from ..arrays import Ints, Numbers

Positions = NDArray[np.intp]

# A component with more cells than this is solved on sparse entries; below it a dense matrix is faster.
MAX_DENSE_CELLS = 1_000_000


def find_best_pairing(
    left: ArrayLike, right: ArrayLike, value: ArrayLike, *, maximise_size: bool = False
) -> Positions:
    """Choose the one-to-one pairing of greatest total value, exactly.

    The table falls apart into connected components (most of them a single entry), and only a component with
    several members on both sides needs an assignment problem to be solved. The answer depends on the numbers
    of the members alone, not on the order in which entries are listed.

    Parameters
    ----------
    left, right : array_like of int
        Members of the two sides.
    value : array_like of float
        Similarity of each entry; an entry that is not above zero is never chosen.
    maximise_size : bool
        Choose the greatest *number* of pairs first, and the greatest total value among those.

    Returns
    -------
    ndarray of intp
        Places of the chosen entries, ascending.

    Examples
    --------
    The greedy choice (the 0.9 first) leaves 0.9 in all; the best pairing has 1.6:

    >>> best_pairing([0, 0, 1], [0, 1, 0], [0.9, 0.8, 0.8]).tolist()
    [1, 2]
    """
    lefts, rights, values, places = _usable_entries(left, right, value)
    if not len(places):
        return places
    left_codes, left_size = _renumber(lefts)
    right_codes, right_size = _renumber(rights)
    left_degree = np.bincount(left_codes, minlength=left_size)
    right_degree = np.bincount(right_codes, minlength=right_size)
    alone = (left_degree[left_codes] == 1) & (right_degree[right_codes] == 1)
    chosen = [places[alone]]
    rest = np.flatnonzero(~alone)
    if len(rest):
        picked = _pair_components(
            left_codes[rest], right_codes[rest], values[rest], left_size, right_size, maximise_size
        )
        chosen.append(places[rest[picked]])
    return np.sort(np.concatenate(chosen))


def find_greedy_pairing(left: ArrayLike, right: ArrayLike, value: ArrayLike) -> Positions:
    """Take the entry of greatest value, strike out what its two members appear in, and so on.

    Equal values are taken in the order of (left, right). Instead of one entry at a time, each round takes
    every entry that comes first for both its members, which gives the same pairs.

    Returns
    -------
    ndarray of intp
        Places of the chosen entries, ascending.

    Examples
    --------
    >>> greedy_pairing([0, 0, 1], [0, 1, 0], [0.9, 0.8, 0.8]).tolist()
    [0]
    """
    lefts, rights, values, places = _usable_entries(left, right, value)
    if not len(places):
        return places
    order = np.lexsort((rights, lefts, -values))
    left_codes, left_size = _renumber(lefts[order])
    right_codes, right_size = _renumber(rights[order])
    places = places[order]
    chosen: list[Positions] = []
    while len(places):
        # entries stand in order of preference: a member's first entry is the one it wants
        rank = np.arange(len(places))
        first_left = np.full(left_size, len(places))
        first_right = np.full(right_size, len(places))
        first_left[left_codes[::-1]] = rank[::-1]
        first_right[right_codes[::-1]] = rank[::-1]
        taken = (first_left[left_codes] == rank) & (first_right[right_codes] == rank)
        chosen.append(places[taken])
        left_gone = np.zeros(left_size, dtype=bool)
        right_gone = np.zeros(right_size, dtype=bool)
        left_gone[left_codes[taken]] = True
        right_gone[right_codes[taken]] = True
        stay = ~(left_gone[left_codes] | right_gone[right_codes])
        left_codes, right_codes, places = left_codes[stay], right_codes[stay], places[stay]
    return np.sort(np.concatenate(chosen))


def _usable_entries(
    left: ArrayLike, right: ArrayLike, value: ArrayLike
) -> tuple[Ints, Ints, Numbers, Positions]:
    """The entries that can be chosen: value above zero, and of several for one pair only the best."""
    lefts = np.asarray(left, dtype=np.int64).ravel()
    rights = np.asarray(right, dtype=np.int64).ravel()
    values = np.asarray(value, dtype=np.float64).ravel()
    if not len(lefts) == len(rights) == len(values):
        sizes = f"{len(lefts)}, {len(rights)}, {len(values)}"
        raise ValueError(f"left, right and value differ in length: {sizes}")
    if np.isnan(values).any():
        raise ValueError("a similarity is not a number")
    # sorted by pair, so that nothing below depends on the order of listing
    order = np.lexsort((-values, rights, lefts))
    order = order[values[order] > 0]
    order = order[mark_run_starts(lefts[order], rights[order])]
    return lefts[order], rights[order], values[order], order


def _renumber(codes: Ints) -> tuple[Ints, int]:
    """Number the distinct codes from 0, in their order."""
    distinct, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int64), len(distinct)


def find_components(left: ArrayLike, right: ArrayLike, left_size: int, right_size: int) -> NDArray[np.int32]:
    """The connected component of every member, those of the left side first."""
    # scipy is imported where it is needed: most scorings never come here, and start sooner
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    lefts, rights = np.asarray(left), np.asarray(right) + left_size
    shape = (left_size + right_size, left_size + right_size)
    links = coo_array((np.ones(len(lefts), dtype=np.int8), (lefts, rights)), shape=shape)
    label: NDArray[np.int32] = connected_components(links, directed=False)[1]
    return label


def _pair_components(
    left: Ints,
    right: Ints,
    value: Numbers,
    left_size: int,
    right_size: int,
    most: bool,
) -> Positions:
    component = find_components(left, right, left_size, right_size)[left]
    order = np.argsort(component, kind="stable")
    edges = np.flatnonzero(np.diff(component[order])) + 1
    chosen: list[Positions] = []
    for entries in np.split(order, edges):
        rows, row = np.unique(left[entries], return_inverse=True)
        columns, column = np.unique(right[entries], return_inverse=True)
        values = value[entries]
        if len(rows) == 1 or len(columns) == 1:
            chosen.append(entries[[int(np.argmax(values))]])
            continue
        if most:
            # a further pair outweighs whatever the values of all others can add up to
            values = values + values.max() * (min(len(rows), len(columns)) + 1)
        solve = _pair_sparse if len(rows) * len(columns) > MAX_DENSE_CELLS else _pair_dense
        chosen.append(entries[solve(row, column, values, len(rows), len(columns))])
    return np.concatenate(chosen)


def _pair_dense(row: Positions, column: Positions, value: Numbers, rows: int, columns: int) -> Positions:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((rows, columns))
    entry = np.full((rows, columns), -1, dtype=np.intp)
    matrix[row, column] = value
    entry[row, column] = np.arange(len(row))
    picked = entry[linear_sum_assignment(matrix, maximize=True)]
    return picked[picked >= 0]


def _pair_sparse(row: Positions, column: Positions, value: Numbers, rows: int, columns: int) -> Positions:
    """The same without a full matrix: each row may also go to a partner of its own that adds nothing."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    weight = np.concatenate((value + 1.0, np.ones(rows)))  # shifted, since stored zeros count as no entry
    from_row = np.concatenate((row, np.arange(rows)))
    to_column = np.concatenate((column, columns + np.arange(rows)))
    table = csr_array((weight, (from_row, to_column)), shape=(rows, columns + rows))
    matched_rows, matched_columns = min_weight_full_bipartite_matching(table, maximize=True)
    keys = row * columns + column
    order = np.argsort(keys)
    real = matched_columns < columns
    wanted = matched_rows[real] * columns + matched_columns[real]
    return order[np.searchsorted(keys, wanted, sorter=order)]
