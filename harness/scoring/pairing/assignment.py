"""One-to-one pairing of the members of two sets, using a sparse table of similarities.

The table consists of three arrays of equal length: `left` and `right` (the members of each pair, as numbers
from 0) and `value` (their similarity). Pairs that are not listed, or whose value is not above zero, are never
chosen. The pairing functions return the sorted positions of the chosen entries in these arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....catalogues.core.arrays import mark_run_starts
from ..arrays import Ints, Numbers

Positions = NDArray[np.intp]

# Components with more cells than this use a sparse matrix; for smaller ones a dense matrix is faster.
MAX_DENSE_CELLS = 1_000_000


def find_best_pairing(
    left: ArrayLike, right: ArrayLike, value: ArrayLike, *, maximise_size: bool = False
) -> Positions:
    """Return the one-to-one pairing with the greatest total value (exact solution).

    The table is split into connected components, most of which are single entries. An assignment problem is
    solved only for components with several members on both sides. The result does not depend on the order
    of entries.

    Parameters
    ----------
    left, right : array_like of int
        Members of the two sets, as numbers from 0.
    value : array_like of float
        Similarity of each entry; only entries above zero can be chosen.
    maximise_size : bool
        Maximise the *number* of pairs first, then the total value.

    Returns
    -------
    ndarray of intp
        Positions of the chosen entries, ascending.

    Examples
    --------
    The greedy choice (0.9 first) has a total of 0.9, the best pairing 1.6:

    >>> find_best_pairing([0, 0, 1], [0, 1, 0], [0.9, 0.8, 0.8]).tolist()
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
    """Return a one-to-one pairing, made by repeatedly choosing the remaining entry with the greatest value.

    Entries with equal values are chosen in the order of their members.

    Returns
    -------
    ndarray of intp
        Positions of the chosen entries, ascending.

    Examples
    --------
    >>> find_greedy_pairing([0, 0, 1], [0, 1, 0], [0.9, 0.8, 0.8]).tolist()
    [0]
    """
    lefts, rights, values, places = _usable_entries(left, right, value)
    taken_left: set[int] = set()
    taken_right: set[int] = set()
    chosen = []
    order = np.lexsort((rights, lefts, -values))
    columns = (lefts, rights, places)
    for left_member, right_member, entry in zip(*(column[order].tolist() for column in columns), strict=True):
        if left_member not in taken_left and right_member not in taken_right:
            taken_left.add(left_member)
            taken_right.add(right_member)
            chosen.append(entry)
    return np.sort(np.array(chosen, dtype=np.intp))


def _usable_entries(
    left: ArrayLike, right: ArrayLike, value: ArrayLike
) -> tuple[Ints, Ints, Numbers, Positions]:
    """Return the entries that can be chosen: the highest value of each pair, if it is above zero."""
    lefts = np.asarray(left, dtype=np.int64).ravel()
    rights = np.asarray(right, dtype=np.int64).ravel()
    values = np.asarray(value, dtype=np.float64).ravel()
    if not len(lefts) == len(rights) == len(values):
        sizes = f"{len(lefts)}, {len(rights)}, {len(values)}"
        raise ValueError(f"left, right and value must have equal lengths, but have {sizes}")
    if np.isnan(values).any():
        raise ValueError("value contains NaN")
    # sorted by pair, so that the result does not depend on the order of entries
    order = np.lexsort((-values, rights, lefts))
    order = order[values[order] > 0]
    order = order[mark_run_starts(lefts[order], rights[order])]
    return lefts[order], rights[order], values[order], order


def _renumber(codes: Ints) -> tuple[Ints, int]:
    """Replace codes by consecutive numbers from 0, and return them with the number of distinct codes."""
    distinct, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int64), len(distinct)


def find_components(left: ArrayLike, right: ArrayLike, left_size: int, right_size: int) -> NDArray[np.int32]:
    """Return the number of each member's connected component: left members first, then right members."""
    # scipy is imported here, because most runs do not need it
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
    maximise_size: bool,
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
        if maximise_size:
            # one more pair outweighs any sum of the original values
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
    """Solve the assignment problem with a sparse matrix; dummy columns represent missing partners."""
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
