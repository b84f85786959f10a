"""Variances against their definition: every group left out in turn, and what two ways share taken away."""

from __future__ import annotations

import numpy as np
import pytest
from tagsuite.harness.scoring.statistics.groups import Groups
from tagsuite.harness.scoring.statistics.jackknife import spread

GENERATOR = np.random.Generator(np.random.PCG64(3))
RIGHT = (GENERATOR.random((2, 60)) < 0.6).astype(np.float64)
GROUPS = Groups.crossing("entities × contexts", np.arange(60) // 5, np.arange(60) % 5)


def left_out(right: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The covariances of shares by leaving out each group."""
    shares = np.array([[one[groups != g].mean() for g in np.unique(groups)] for one in right])
    changes = shares - right.mean(axis=1, keepdims=True)
    size = shares.shape[1]
    return np.asarray(changes @ changes.T * (size - 1) / size)


@pytest.mark.parametrize("common", [0.5, 1.0])
def test_what_two_ways_share_is_taken_away(common: float) -> None:
    entities, contexts, pairs = (left_out(RIGHT, way) for way in GROUPS.ways)
    expected = entities + contexts - common * pairs
    least = [pairs] if common == 0.5 else [pairs, entities, contexts]
    for i in range(2):
        expected[i, i] = max(expected[i, i], *(matrix[i, i] for matrix in least))
    found = spread([GROUPS.sums(one, np.ones(60)) for one in RIGHT], common)
    assert found.variance == pytest.approx(expected)
    # after Satterthwaite, of the ways that were left out
    variances = np.array([[way[i, i] for i in range(2)] for way in (entities, contexts)])
    freedom = variances.sum(axis=0) ** 2 / (variances**2 / np.array([[11.0], [4.0]])).sum(axis=0)
    most = np.inf if common == 0.5 else 11.0
    assert found.freedom == pytest.approx(np.minimum(freedom, most))


def test_repetitions_add_what_their_pairs_do_not_explain() -> None:
    right = np.concatenate([RIGHT[0], RIGHT[1] * (np.arange(60) % 3 > 0)])
    thrice = Groups("r", (*(np.tile(way, 2) for way in GROUPS.ways), np.arange(120) // 60, np.arange(120)))
    *sums, repetitions, in_each = thrice.sums(right, np.ones(120))
    plain, found = spread([sums]), spread([sums], repeats=(repetitions, in_each))
    beyond = left_out(right[None], thrice.ways[3]) - left_out(right[None], thrice.ways[4])
    assert beyond[0, 0] > 0
    assert found.variance == pytest.approx(plain.variance + beyond)
    assert found.freedom[0] < plain.freedom[0]
