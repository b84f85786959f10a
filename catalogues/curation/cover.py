"""Greedy cover: few rows that have every pair of values, each as often as wanted."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ..core.text import Ints


def greedy(
    matrix: NDArray[np.bool_], lacking: Ints, limit: int | None = None, *, enough: int = 0
) -> tuple[list[int], Ints]:
    """Choose rows that together have each pair as often as it is lacking.

    Parameters
    ----------
    matrix : ndarray of bool, shape (rows, labels)
        The candidates. Of equal rows, and at equal gain, the first is chosen: sort the best first.
    lacking : ndarray of int, shape (labels, labels)
        Above the diagonal, how often each pair is still wanted; on it, how often each single value is.
    limit : int, optional
        At most so many rows.
    enough : int
        Stop when the best row would fill no more than this.

    Returns
    -------
    list of int, ndarray
        The chosen rows in order of choice, and what is still lacking.

    Notes
    -----
    A row's gain, the number of its pairs and values still wanted, never grows while others are chosen, so a
    candidate that keeps the top of the queue after its gain is counted anew is the best (Minoux 1978).
    """
    lacking = lacking.copy()
    kinds, first, members = _kinds(matrix)
    wanted = np.triu(lacking > 0)
    rows = kinds.astype(np.float32)
    gains = np.einsum("ij,ij->i", rows @ wanted.astype(np.float32), rows).round().astype(np.int64)
    queue = [(-int(gain), int(first[k]), k) for k, gain in enumerate(gains) if gain > enough]
    heapq.heapify(queue)
    left = [list(reversed(m)) for m in members]
    chosen: list[int] = []
    while queue and (limit is None or len(chosen) < limit):
        _, place, k = heapq.heappop(queue)
        has = np.flatnonzero(kinds[k])
        block = np.ix_(has, has)
        gain = int((np.triu(lacking[block]) > 0).sum())
        if gain <= enough:
            continue
        if queue and -gain > queue[0][0]:
            heapq.heappush(queue, (-gain, place, k))
            continue
        chosen.append(left[k].pop())
        lacking[block] = np.maximum(lacking[block] - 1, 0)
        if left[k]:
            heapq.heappush(queue, (-gain, left[k][-1], k))
    return chosen, lacking


def _kinds(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Ints, list[list[int]]]:
    """Distinct rows, the first place of each, and all places of each."""
    packed = np.packbits(matrix, axis=1)
    keys = packed.view([("", packed.dtype)] * packed.shape[1]).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    members: list[list[int]] = [[] for _ in range(len(first))]
    for row, kind in enumerate(inverse.ravel().tolist()):
        members[kind].append(row)
    return matrix[first], first.astype(np.int64), members
