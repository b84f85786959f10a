"""Groups of mentions or cases that are not independent, such as those with the same entity or document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Codes, Flags, Ints, Numbers
from .jackknife import CORPUS_PAIR_WEIGHT, PAIR_WEIGHT, ShareSums

ENTITIES_BY_CONTEXTS = "entities × contexts"


@dataclass(frozen=True)
class Dependence:
    """Kind of dependence between mentions or cases, given by the groupings used for resampling.

    Attributes
    ----------
    name : str
        Name of a crossed design, such as `ENTITIES_BY_CONTEXTS`, or of a single grouping.
    """

    name: str

    @property
    def pair_weight(self) -> float:
        """Fraction of the variance due to pairs of groups that the jackknife subtracts."""
        return PAIR_WEIGHT if self.name == ENTITIES_BY_CONTEXTS else CORPUS_PAIR_WEIGHT

    @property
    def name_grouping_index(self) -> int:
        """Position of the grouping by entities or surface forms among the groupings of a crossed design."""
        return 0 if self.name == ENTITIES_BY_CONTEXTS else 1


@dataclass(frozen=True)
class Groups(Dependence):
    """Group numbers of mentions or cases in each grouping.

    Attributes
    ----------
    ways : tuple of array
        One array of group numbers per grouping: a single grouping, or two crossed groupings (such as entities
        and contexts) and their pairs.
    """

    ways: tuple[Codes, ...]

    @classmethod
    def from_crossed(cls, name: str, first: Codes, second: Codes) -> Groups:
        """Return the groups of two crossed groupings and of their combinations."""
        return cls(name, (first, second, number_pairs(first, second)))

    def take(self, rows: Ints | Flags) -> Groups:
        """Return the groups of the selected mentions or cases."""
        return Groups(self.name, tuple(np.asarray(way[rows]) for way in self.ways))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of groups in each grouping."""
        return tuple(len(np.unique(way)) for way in self.ways)

    def renumber(self) -> Groups:
        """Return a copy in which the groups of each grouping are numbered consecutively from 0."""
        ways = (np.unique(way, return_inverse=True)[1].astype(np.int64) for way in self.ways)
        return Groups(self.name, tuple(ways))

    def sum_by_group(self, part: Numbers, whole: Numbers) -> list[ShareSums]:
        """Return the sums of numerators and denominators in each group, for each grouping."""
        sums = []
        for way in self.ways:
            size = int(way.max(initial=-1)) + 1
            parts = (np.bincount(way, values, minlength=size).astype(np.float64) for values in (part, whole))
            sums.append(ShareSums(*parts))
        return sums


def number_pairs(first: Codes, second: Codes) -> Ints:
    """Return the number of each mention's pair of groups; distinct pairs are numbered from 0."""
    keys = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)
