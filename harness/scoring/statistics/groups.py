"""What mentions or cases share, so that they are not independent: for every way a number each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Codes, Flags, Ints, Numbers
from .jackknife import CORPUS_PAIR_WEIGHT, PAIR_WEIGHT, ShareSums

ENTITIES_BY_CONTEXTS = "entities × contexts"


@dataclass(frozen=True)
class Dependence:
    """What is resampled.

    Attributes
    ----------
    name : str
        `ENTITIES_BY_CONTEXTS`, or another design; one way alone has its own name.
    """

    name: str

    @property
    def pair_weight(self) -> float:
        """How much of what two ways have in common is taken away; see `jackknife`."""
        return PAIR_WEIGHT if self.name == ENTITIES_BY_CONTEXTS else CORPUS_PAIR_WEIGHT

    @property
    def name_way(self) -> int:
        """Which of two ways that cross has the names: entities come first, surface forms after places."""
        return 0 if self.name == ENTITIES_BY_CONTEXTS else 1


@dataclass(frozen=True)
class Groups(Dependence):
    """The groups of some mentions or cases.

    Attributes
    ----------
    ways : tuple of array
        One number each for every way: one way, or two that cross (entities and contexts) and their pairs.
    """

    ways: tuple[Codes, ...]

    @classmethod
    def from_crossed(cls, name: str, first: Codes, second: Codes) -> Groups:
        """Those of two ways that cross."""
        return cls(name, (first, second, number_pairs(first, second)))

    def take(self, rows: Ints | Flags) -> Groups:
        """Those of some of them."""
        return Groups(self.name, tuple(np.asarray(way[rows]) for way in self.ways))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of groups in each way."""
        return tuple(len(np.unique(way)) for way in self.ways)

    @property
    def renumbered(self) -> Groups:
        """The same, each way numbered without gaps."""
        ways = (np.unique(way, return_inverse=True)[1].astype(np.int64) for way in self.ways)
        return Groups(self.name, tuple(ways))

    def sum_by_group(self, part: Numbers, whole: Numbers) -> list[ShareSums]:
        """Part and whole of each, summed by each way."""
        found = []
        for way in self.ways:
            size = int(way.max(initial=-1)) + 1
            both = (np.bincount(way, values, minlength=size).astype(np.float64) for values in (part, whole))
            found.append(ShareSums(*both))
        return found


def number_pairs(first: Codes, second: Codes) -> Ints:
    """The number of each pair of two groups, from 0 on."""
    keys = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)
