"""On how many names and contexts a suite rests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .plan import Plan

FEWEST = 20
"""Names below which figures say more about single names than about their class."""


def effective_number(counts: ArrayLike) -> float:
    """Return 1 / Σ share²: the number of equally frequent values that would give the same sum.

    Examples
    --------
    >>> effective_number([5, 5, 5]), effective_number([98, 1, 1]), effective_number([])
    (3.0, 1.0, 0.0)
    """
    numbers = np.asarray(counts, dtype=float)
    squares = float((numbers**2).sum())
    return round(float(numbers.sum()) ** 2 / squares, 1) if squares else 0.0


def warn_of_few_names(plan: Plan, names: float, cases: int) -> str:
    """The warning for a suite that rests on few names; "" where there is nothing to warn of.

    Parameters
    ----------
    plan : Plan
        What the suite was made from.
    names : float
        The effective number of names.
    cases : int
        The cases that hold an entity.
    """
    pools = [pool for part in plan.parts for pool in part.space.distinct_pools]
    usable = len(np.unique(plan.material.form_code[np.concatenate(pools)])) if pools else 0
    if names >= min(cases, usable) / 2 and (names >= FEWEST or cases < FEWEST):
        return ""
    return (
        f"warning: these cases rest on few names: {usable:,} fit, their effective number is {names:,} "
        "(1 / Σ share²); figures will say more about these names than about their class"
    )
