"""A class on fresh cases against its near misses: the cases that are asked for, and what these show.

A near miss is the class with one condition dropped, or a threshold moved: its mentions meet all of the
conditions but one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Ints
from ..options import DiscoverOptions
from .axes import Axis
from .fresh_cases import Arm, Mentions

EXPLORED = 5
"""Mentions that a candidate needs in the run: enough to suspect it, as fresh ones decide."""
FEWEST_CASES = 3
"""Minimum number of new cases of a class: in its final test each has a name and a sentence of its own."""


@dataclass(frozen=True)
class Candidate:
    """A query that may tell of a fault.

    Attributes
    ----------
    conditions : tuple of str
    also : tuple of str
        Other queries of nearly the same mentions of the run.
    """

    conditions: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tested:
    """A class, tested on fresh cases.

    Attributes
    ----------
    conditions : tuple of str
    also : tuple of str
        Other queries of nearly the same mentions of the run.
    cases, wrong : int
        Fresh cases of the class, and those missed.
    near : tuple of Near
        Its near misses.
    """

    conditions: tuple[str, ...]
    also: tuple[str, ...]
    cases: int
    wrong: int
    near: tuple[Near, ...]

    @property
    def p(self) -> float:
        """Largest p value against any of its near misses."""
        return max((n.p for n in self.near), default=1.0)

    @property
    def worst(self) -> Near:
        """The near miss that is least unlike the class; there is one."""
        return max(self.near, key=lambda n: (n.p, n.share))

    @property
    def share(self) -> float:
        """The share that was missed."""
        return self.wrong / self.cases if self.cases else 0.0

    def is_large(self, effect: float) -> bool:
        """Return True if it is worse than every near miss by the effect, in enough cases."""
        return self.cases >= FEWEST_CASES and all(self.share - n.share >= effect for n in self.near)

    def holds(self, options: DiscoverOptions) -> bool:
        """Return True if it is convincing by itself, before the correction for all tests."""
        return self.p <= options.false_discoveries and self.is_large(options.effect)

    def simpler(self, options: DiscoverOptions) -> tuple[str, ...] | None:
        """The query with the condition that matters least dropped or widened; None where all matter."""
        idle = [
            n
            for n in self.near
            if (n.instead or len(self.conditions) > 1)
            and (not n.cases or (n.p > options.false_discoveries and self.share - n.share < options.effect))
        ]
        if not idle or not self.cases:
            return None
        # a condition that can go goes before a threshold that can move; of these the one that matters least
        least = min(
            idle, key=lambda n: (bool(n.instead), n.cases > 0, -n.p, self.conditions.index(n.dropped))
        )
        kept = tuple(c for c in self.conditions if c != least.dropped)
        return (*kept, least.instead) if least.instead else kept


@dataclass(frozen=True)
class Near:
    """A near miss: the class with one condition dropped or changed.

    Attributes
    ----------
    dropped : str
        The condition that its mentions do not meet.
    instead : str
        The wider condition that they do meet, where it was changed.
    cases, wrong : int
    p : float
        Fisher's, one-sided: that the class is not missed more often.
    """

    dropped: str
    instead: str
    cases: int
    wrong: int
    p: float

    @property
    def share(self) -> float:
        """The share that was missed."""
        return self.wrong / self.cases if self.cases else 0.0


@dataclass(frozen=True)
class Plan:
    """The cases that a candidate is tested on.

    Attributes
    ----------
    candidate : Candidate
    arms : tuple of Arm
        The class, it with each condition dropped alone, and with each threshold widened alone.
    instead : tuple of str
        Of each arm but the first the wider threshold; empty where the condition was dropped.
    """

    candidate: Candidate
    arms: tuple[Arm, ...]
    instead: tuple[str, ...]

    @classmethod
    def of(cls, one: Candidate, size: int, axes: Sequence[Axis]) -> Plan:
        """So many cases of a candidate and of each near miss; half of them between two thresholds."""
        conditions = one.conditions
        wider = [(c, w) for c in conditions if (w := _wider(c, axes)) is not None]
        between = [Arm((*(o for o in conditions if o != c), w), (c,), max(size // 2, 2)) for c, w in wider]
        instead = (*("" for _ in conditions), *(w for _, w in wider))
        return cls(one, (*class_and_near_misses(conditions, size), *between), instead)

    @property
    def cost(self) -> int:
        """How many cases these are."""
        return sum(arm.size for arm in self.arms)

    def tested(self, rows: Sequence[Ints], answers: Mentions) -> Tested:
        """What fresh cases show; `rows` are the mentions of each arm."""
        one, own = self.candidate, rows[0]
        wrong = int((~answers.right[own]).sum())
        near = []
        for arm, other, said in zip(self.arms[1:], rows[1:], self.instead, strict=True):
            if said and len(other) < EXPLORED:
                # hardly anything lies between two thresholds: that they differ is of no account
                continue
            missed = ~answers.right[other]
            p = fisher(~answers.right[own], missed)
            near.append(Near(arm.fails[0], said, len(other), int(missed.sum()), p))
        return Tested(one.conditions, one.also, len(own), wrong, tuple(near))


def class_and_near_misses(conditions: tuple[str, ...], size: int) -> list[Arm]:
    """The class, and it with each condition dropped alone."""
    return [
        Arm(conditions, size=size),
        *(Arm(tuple(o for o in conditions if o != c), (c,), size) for c in conditions),
    ]


def _wider(condition: str, axes: Sequence[Axis]) -> str | None:
    """The next wider threshold of the same number; None for a condition that is no threshold."""
    for operator, step in ((" >= ", -1), (" <= ", 1)):
        name, found, number = condition.partition(operator)
        if not found or not number.isdigit():
            continue
        cuts = sorted(
            int(label.partition(operator)[2])
            for axis in axes
            for label in axis.labels
            if label.startswith(name + operator) and label.partition(operator)[2].isdigit()
        )
        place = cuts.index(int(number)) + step if int(number) in cuts else -1
        return f"{name}{operator}{cuts[place]}" if 0 <= place < len(cuts) else None
    return None


def fisher(own: Flags, near: Flags) -> float:
    """One-sided, that no more of the first are true than of the second; 1 where either has none."""
    from scipy.stats import fisher_exact

    if not len(own) or not len(near):
        return 1.0
    counts = np.array([[int(flags.sum()), int((~flags).sum())] for flags in (own, near)])
    return float(fisher_exact(counts, alternative="greater")[1])
