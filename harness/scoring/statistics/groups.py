"""What mentions or cases share, so that they are not independent: for every way a number each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Codes, Flags, Ints, Numbers
from .jackknife import COMMON, COMMON_IN_CORPORA, Sums

CROSSED = "entities × contexts"


@dataclass(frozen=True)
class Sharing:
    """What is resampled.

    Attributes
    ----------
    name : str
        `CROSSED`, or another design; one way alone has its own name.
    """

    name: str

    @property
    def common(self) -> float:
        """How much of what two ways have in common is taken away; see `jackknife`."""
        return COMMON if self.name == CROSSED else COMMON_IN_CORPORA

    @property
    def names(self) -> int:
        """Which of two ways that cross has the names: entities come first, surface forms after places."""
        return 0 if self.name == CROSSED else 1


@dataclass(frozen=True)
class Groups(Sharing):
    """The groups of some mentions or cases.

    Attributes
    ----------
    ways : tuple of array
        One number each for every way: one way, or two that cross (entities and contexts) and their pairs.
    """

    ways: tuple[Codes, ...]

    @classmethod
    def crossing(cls, name: str, first: Codes, second: Codes) -> Groups:
        """Those of two ways that cross."""
        return cls(name, (first, second, pairs_of(first, second)))

    def take(self, rows: Ints | Flags) -> Groups:
        """Those of some of them."""
        return Groups(self.name, tuple(np.asarray(way[rows]) for way in self.ways))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of groups in each way."""
        return tuple(len(np.unique(way)) for way in self.ways)

    @property
    def dense(self) -> Groups:
        """The same, each way numbered without gaps."""
        ways = (np.unique(way, return_inverse=True)[1].astype(np.int64) for way in self.ways)
        return Groups(self.name, tuple(ways))

    def sums(self, part: Numbers, whole: Numbers) -> list[Sums]:
        """Part and whole of each, summed by each way."""
        found = []
        for way in self.ways:
            size = int(way.max(initial=-1)) + 1
            both = (np.bincount(way, values, minlength=size).astype(np.float64) for values in (part, whole))
            found.append(Sums(*both))
        return found


def pairs_of(first: Codes, second: Codes) -> Ints:
    """The number of each pair of two groups, from 0 on."""
    keys = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)
