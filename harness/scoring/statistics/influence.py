"""Variances from influence: by how much every mention moves a figure, groups of mentions drawn together.

The linear counterpart of the jackknife, for figures that come from a fitted model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Codes, Numbers


def grouped_variance(influence: Numbers, ways: Sequence[Codes], common: float) -> Numbers:
    """The variance of each figure from the influence of every mention.

    Parameters
    ----------
    influence : array
        Figures × mentions.
    ways : sequence of array
        The group of each mention: one way, or two that cross and the pairs of these.
    common : float
        How much of the pairs' variance is taken away.
    """
    # scipy is imported where it is needed: the options of commands do not need it
    from scipy.sparse import csr_array

    each = []
    for way in ways:
        groups = int(way.max(initial=-1)) + 1
        # mentions × groups: which mention is in which group
        member = csr_array((np.ones(len(way)), (np.arange(len(way)), way)), shape=(len(way), groups))
        sums = np.asarray(csr_array(member.T) @ influence.T)
        each.append((sums**2).sum(axis=0) * groups / max(groups - 1, 1))
    if len(each) < 3:
        return np.asarray(each[0])
    total = each[0] + each[1] - common * each[2]
    return np.asarray(np.maximum.reduce([total, *each]))
