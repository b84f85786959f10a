"""Statistics of repeated runs: share of flips (cases whose answers differ), agreement, and mean recall.

All functions work on arrays with one column per repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Numbers
from .groups import Dependence, Groups
from .jackknife import CORPUS_PAIR_WEIGHT, ShareSums, estimate_variance
from .shares import Estimate, make_share_estimate, resample_share


def find_flips(answers: NDArray[np.generic]) -> Flags:
    """Return a mask of the cases whose answers differ between repetitions (the columns of `answers`).

    Examples
    --------
    >>> find_flips(np.array([[1, 1, 1], [1, 2, 1]])).tolist()
    [False, True]
    """
    return np.asarray((answers != answers[:, :1]).any(axis=1))


def compute_agreement(answers: NDArray[np.generic]) -> float:
    """Return the share of pairs of repetitions that agree, averaged over cases; NaN if there are no pairs.

    Examples
    --------
    >>> round(compute_agreement(np.array([[1, 1, 1], [1, 2, 1]])), 3)
    0.667
    """
    cases, repeats = answers.shape
    if not cases or repeats < 2:
        return float("nan")
    pairs = list(combinations(range(repeats), 2))
    same = sum(int((answers[:, i] == answers[:, j]).sum()) for i, j in pairs)
    return float(same / (cases * len(pairs)))


def estimate_flip_share(flips: Flags, groups: Groups, confidence: float) -> Estimate:
    """Estimate the share of cases whose answers differ between repetitions, with its interval.

    Cases are resampled by groups, like mentions. All of the variance due to pairs is subtracted: most flips
    concern a single case, so that subtracting only half of it would make intervals too wide. Some names flip
    in every context. If such names are rare, the sample may contain none of them; therefore the upper end of
    the interval depends on the number of names.
    """
    sums = groups.sum_by_group(flips.astype(np.float64), np.ones(len(flips)))
    names = sums[groups.name_grouping_index if len(sums) > 1 else 0].effective_groups
    return resample_share(sums, CORPUS_PAIR_WEIGHT, confidence, groups.name, names)


def estimate_mean_share(
    parts: Sequence[Sequence[ShareSums]], design: Dependence, confidence: float
) -> Estimate:
    """Estimate the mean of a share over the repetitions of a run, with its interval.

    Parameters
    ----------
    parts : sequence of sequence of ShareSums
        Sums of the share for each repetition and each grouping of the design. Both repetitions and groups are
        resampled.
    design : Dependence
    confidence : float
    """
    sums = [
        ShareSums(_add_columns([s.part for s in way]), _add_columns([s.whole for s in way]))
        for way in zip(*parts, strict=True)
    ]
    pairs = [way[2] for way in parts]
    by_repetition = ShareSums(
        np.array([s.part.sum() for s in pairs]), np.array([s.whole.sum() for s in pairs])
    )
    in_each = ShareSums(np.concatenate([s.part for s in pairs]), np.concatenate([s.whole for s in pairs]))
    # repetitions of a mention do not count as further mentions
    whole = float(sums[0].whole.sum()) / len(parts)
    variance = estimate_variance([sums], design.pair_weight, repeats=(by_repetition, in_each))
    return make_share_estimate(sums[0].share, whole, variance, confidence, f"{design.name} × repeats")


def _add_columns(columns: Sequence[Numbers]) -> Numbers:
    return np.asarray(np.sum(columns, axis=0))


def count_found(matched_units: Numbers) -> dict[str, Numbers]:
    """Return the share of each mention that any, all, or a majority of the repetitions found.

    Parameters
    ----------
    matched_units : array
        Matched share of each mention (row) in each repetition (column).

    Examples
    --------
    >>> {k: v.tolist() for k, v in count_found(np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])).items()}
    {'any': [1.0, 1.0], 'all': [0.0, 0.0], 'majority': [1.0, 0.0]}
    """
    ordered = np.sort(matched_units, axis=1)[:, ::-1]
    # the median rank: more than half of the repetitions found at least this part
    return {"any": ordered[:, 0], "all": ordered[:, -1], "majority": ordered[:, matched_units.shape[1] // 2]}
