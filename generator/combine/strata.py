"""Strata: combinations of feature values that a sample is shared out over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.taxonomy import Feature, taxonomy
from ...catalogues.value_codes import joint_codes
from ...sentences.annotate import annotate
from ...sentences.scene import surface_forms
from ..combination_space import CombinationSpace
from ..recipe import SCOPES, PartOptions
from .allocate import allocate
from .frequency import band_feature, corpus_for_shares, elsewhere
from .mixture import Mixture, mixture, mixture_features
from .spread import Spread
from .units import Units

UNIFORM, PROPORTIONAL = ("", "uniform"), "proportional"


@dataclass(frozen=True)
class Strata:
    """How a sample is shared out.

    Attributes
    ----------
    features : tuple of Feature
        What divides the space.
    weights : mapping, optional
        From a combination of values (text, in the order of `features`; "" where absent) to its weight; all
        equal when None.
    mixture : Mixture, optional
        What the weights are from where names are drawn as a corpus has them. Contexts without slots then have
        no part in this: they come as often as all pairs come.
    """

    features: tuple[Feature, ...]
    weights: Mapping[tuple[str, ...], float] | None = None
    mixture: Mixture | None = None

    @classmethod
    def by(cls, names: Sequence[str], weights: Mapping[tuple[str, ...], float] | None = None) -> Strata:
        """Strata by features' names."""
        known = taxonomy()
        return cls(tuple(known.find(n, SCOPES) for n in names), weights)

    def draw(
        self, spread: Spread, units: Units, size: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Different cases shared out over the strata.

        Returns
        -------
        array, array, array
            Numbers of slots among the units', the entities there, and rows of contexts without slots.
        """
        material = units.space.material
        own = [f for f in self.features if f.scope == "entity"]
        around = [f for f in self.features if f.scope != "entity"]
        if self.mixture is not None:
            of_filler, filler_values = self.mixture.sort, list(self.mixture.names)
        else:
            of_filler, filler_values = joint_codes(material.fillers, own)
        of_slot, slot_values = joint_codes(material.environments, around)
        of_bare, bare_values = joint_codes(material.contexts.take(units.bare), around)
        codes = of_slot[units.slots]
        pools = units.space.distinct_pools
        # values of slots × pools: how many slots; pools × values of entities: how many entities
        slots_with = np.zeros((len(slot_values), len(pools)), dtype=np.int64)
        np.add.at(slots_with, (codes, units.space.pool_number[units.slots]), 1)
        held_by = np.stack([np.bincount(of_filler[pool], minlength=len(filler_values)) for pool in pools])
        # values of slots × values of entities: the pairs there are
        sizes = slots_with @ held_by
        held = {
            self._merge(own, filler_values[e], around, slot_values[s]): (s, e)
            for s, e in zip(*(x.tolist() for x in np.nonzero(sizes)), strict=True)
        }
        alone = {self._merge(own, ("",) * len(own), around, v): i for i, v in enumerate(bare_values)}
        alone = {k: i for k, i in alone.items() if (of_bare == i).any()}
        keys = sorted({*held, *alone})
        apart = 0
        if self.mixture is not None:
            apart = _shared(size, int(sizes.sum()), len(units.bare))[1]
            alone, keys = {}, sorted(held)
        pairs = np.array([int(sizes[held[k]]) if k in held else 0 for k in keys], dtype=np.int64)
        others = np.array(
            [int((of_bare == alone[k]).sum()) if k in alone else 0 for k in keys], dtype=np.int64
        )
        weights = np.array([1.0 if self.weights is None else self.weights.get(k, 0.0) for k in keys])
        spread.divide(of_filler)
        if self.mixture is not None:
            spread.weigh(self.mixture.turns)
        slots: list[NDArray[np.int64]] = []
        fillers: list[NDArray[np.int64]] = []
        bare: list[NDArray[np.int64]] = []
        for place, count in enumerate(allocate(pairs + others, weights, size - apart).tolist()):
            if not count:
                continue
            key = keys[place]
            mixed = _shared(count, int(pairs[place]), int(others[place]))
            if mixed[0]:
                s, e = held[key]
                drawn = spread.draw(mixed[0], codes == s, e)
                slots.append(drawn[0])
                fillers.append(drawn[1])
            if mixed[1]:
                bare.append(spread.some(units.bare[of_bare == alone[key]], mixed[1]))
        if apart:
            bare.append(spread.some(units.bare, apart))
        none = [np.empty(0, dtype=np.int64)]
        return np.concatenate(slots or none), np.concatenate(fillers or none), np.concatenate(bare or none)

    def _merge(
        self, own: list[Feature], own_values: tuple[str, ...], around: list[Feature], values: tuple[str, ...]
    ) -> tuple[str, ...]:
        found = dict(zip([f.path for f in own], own_values, strict=True))
        found |= zip([f.path for f in around], values, strict=True)
        return tuple(found[f.path] for f in self.features)


def _shared(total: int, *sizes: int) -> list[int]:
    """A number of cases shared out over strata as large as these, in proportion to their sizes."""
    held = np.array(sizes, dtype=np.int64)
    shares: list[int] = allocate(held, held.astype(np.float64), total).tolist()
    return shares


def strata_of(options: PartOptions, space: CombinationSpace) -> Strata | None:
    """How a sample is shared out; None when it is not.

    Where nothing is said and entities have frequencies, names of each band and kind have those of a corpus.

    Raises
    ------
    InputError
        When a target is given without features to share out by.
    """
    if not options.stratify:
        if options.target not in (*UNIFORM, PROPORTIONAL) or options.shares:
            raise InputError("a target needs features", found=options.target, allowed="--stratify FEATURE")
        found = None if options.target or options.fill == "product" else mixture(space, options)
        if found is None:
            return None
        weights = dict(zip(found.names, found.shares.tolist(), strict=True))
        return Strata(mixture_features(), weights, found)
    if options.shares:
        return Strata.by(options.stratify, {tuple(s.values): s.weight for s in options.shares})
    if options.target in UNIFORM:
        return Strata.by(options.stratify)
    if options.target == PROPORTIONAL:
        return None
    return Strata.by(options.stratify, corpus_shares(options.target, options.stratify))


def corpus_shares(spec: str, names: Sequence[str]) -> dict[tuple[str, ...], float]:
    """How often each combination of values occurs among a corpus's gold mentions."""
    features = [taxonomy().find(n, SCOPES) for n in names]
    corpus = corpus_for_shares(spec)
    gold = corpus.gold
    frame = annotate(corpus, gold, [f.column for f in features if not f.catalogue_only])
    if band_feature() in features:
        # how well known a name is, the rest of the corpus shows
        known = elsewhere(surface_forms(corpus.texts, gold))
        frame = frame.assign(**{band_feature().column: pd.Series(known, index=gold.index)})
    codes, combinations = joint_codes(frame, features)
    return dict(zip(combinations, np.bincount(codes).astype(float).tolist(), strict=True))
