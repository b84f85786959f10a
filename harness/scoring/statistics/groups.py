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
    """Kind of dependence between mentions or cases: the groupings by which they are resampled.

    Attributes
    ----------
    name : str
        `ENTITIES_BY_CONTEXTS`, the name of another crossed design, or that of a single grouping.
    """

    name: str

    @property
    def pair_weight(self) -> float:
        """Fraction of the variance due to pairs to subtract; see `jackknife`."""
        return PAIR_WEIGHT if self.name == ENTITIES_BY_CONTEXTS else CORPUS_PAIR_WEIGHT

    @property
    def name_way(self) -> int:
        """Index of the grouping by entities or surface forms: 0 for entities × contexts, otherwise 1."""
        return 0 if self.name == ENTITIES_BY_CONTEXTS else 1


@dataclass(frozen=True)
class Groups(Dependence):
    """Group numbers of mentions or cases.

    Attributes
    ----------
    ways : tuple of array
        One array of group numbers per grouping: a single grouping, or two crossed groupings (such as entities
        and contexts) and their pairs.
    """

    ways: tuple[Codes, ...]

    @classmethod
    def from_crossed(cls, name: str, first: Codes, second: Codes) -> Groups:
        """Return the groups of two crossed groupings."""
        return cls(name, (first, second, number_pairs(first, second)))

    def take(self, rows: Ints | Flags) -> Groups:
        """Return the groups of the selected mentions or cases."""
        return Groups(self.name, tuple(np.asarray(way[rows]) for way in self.ways))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of groups in each grouping."""
        return tuple(len(np.unique(way)) for way in self.ways)

    @property
    def renumbered(self) -> Groups:
        """The same groups, numbered consecutively from 0 in each grouping."""
        ways = (np.unique(way, return_inverse=True)[1].astype(np.int64) for way in self.ways)
        return Groups(self.name, tuple(ways))

    def sum_by_group(self, part: Numbers, whole: Numbers) -> list[ShareSums]:
        """Return the sums of numerators and denominators by group, for each grouping."""
        sums = []
        for way in self.ways:
            size = int(way.max(initial=-1)) + 1
            parts = (np.bincount(way, values, minlength=size).astype(np.float64) for values in (part, whole))
            sums.append(ShareSums(*parts))
        return sums


def number_pairs(first: Codes, second: Codes) -> Ints:
    """Number the distinct pairs of two groups from 0, and return the number for each mention or case."""
    keys = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)
