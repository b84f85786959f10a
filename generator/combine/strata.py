"""Strata of a sample: combinations of feature values among which the cases are divided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.feature import Feature
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import encode_combinations
from ...sentences.annotate import annotate
from ...sentences.annotated_texts import get_surface_forms
from ...sentences.corpus import Corpus
from ...sentences.formats.registry import read_corpus
from ..case_limits import SCOPES
from ..combination_space import CombinationSpace
from ..material import Ints
from ..part_options import PartOptions
from .mixture import count_elsewhere, frequency_feature

UNIFORM, PROPORTIONAL = ("", "uniform"), "proportional"


@dataclass(frozen=True)
class Stratum:
    """Possible cases with the same values of the stratification features.

    Attributes
    ----------
    values : tuple of str
        Feature values; "" for absent ones.
    slots, names : array of bool
        Masks of the selected slots and of the fillers that have these values.
    pairs : int
        Number of pairs of a slot and a fitting name that have these values.
    slotless : array of int32
        Contexts without slots that have these values.
    """

    values: tuple[str, ...]
    slots: NDArray[np.bool_]
    names: NDArray[np.bool_]
    pairs: int
    slotless: Ints

    def __len__(self) -> int:
        return self.pairs + len(self.slotless)


@dataclass(frozen=True)
class Strata:
    """Stratification of a sample.

    Attributes
    ----------
    features : tuple of Feature
        Stratification features; all cases form one stratum if there are none.
    weights : mapping, optional
        Weight of each combination of values, given in the order of `features` with "" for absent values. If
        None, all strata have equal weights.
    """

    features: tuple[Feature, ...] = ()
    weights: Mapping[tuple[str, ...], float] | None = None

    def weight(self, stratum: Stratum) -> float:
        """Return the weight of a stratum; 0 if `weights` does not contain it."""
        return 1.0 if self.weights is None else self.weights.get(stratum.values, 0.0)

    def divide(self, space: CombinationSpace) -> list[Stratum]:
        """Return the strata of a combination space, sorted by their values."""
        material, slots, pools = space.material, space.places.slots, space.distinct_pools
        own = [f for f in self.features if f.scope == "entity"]
        around = [f for f in self.features if f.scope != "entity"]
        of_name, name_values = encode_combinations(material.fillers, own)
        of_slot, slot_values = encode_combinations(material.environments.take(slots), around)
        of_bare, bare_values = encode_combinations(material.contexts.take(space.slotless), around)
        # values of slots × pools: number of slots; pools × values of names: number of names
        slots_with = np.zeros((len(slot_values), len(pools)), dtype=np.int64)
        np.add.at(slots_with, (of_slot, space.pool_number[slots]), 1)
        held_by = np.stack([np.bincount(of_name[pool], minlength=len(name_values)) for pool in pools])
        # values of slots × values of names: number of pairs
        pairs = slots_with @ held_by
        held = {
            self._merge(own, name_values[n], around, slot_values[s]): (s, n)
            for s, n in zip(*(x.tolist() for x in np.nonzero(pairs)), strict=True)
        }
        alone = {
            self._merge(own, ("",) * len(own), around, values): number
            for number, values in enumerate(bare_values)
        }
        found = []
        for values in sorted({*held, *alone}):
            s, n = held.get(values, (-1, -1))
            bare = space.slotless[of_bare == alone.get(values, -1)]
            found.append(Stratum(values, of_slot == s, of_name == n, int(pairs[s, n]) if s >= 0 else 0, bare))
        return found

    def _merge(
        self, own: list[Feature], own_values: tuple[str, ...], around: list[Feature], values: tuple[str, ...]
    ) -> tuple[str, ...]:
        found = dict(zip([f.qualified_name for f in own], own_values, strict=True))
        found |= zip([f.qualified_name for f in around], values, strict=True)
        return tuple(found[f.qualified_name] for f in self.features)


def make_strata(options: PartOptions) -> Strata:
    """Make the stratification of a sample from the options of its part.

    Raises
    ------
    InputError
        If `shares` are set, or `target` is a corpus, but there are no stratification features.
    """
    if not options.stratify and (options.target not in (*UNIFORM, PROPORTIONAL) or options.shares):
        raise InputError(
            "target and shares need stratification features; set stratify = FEATURE", found=options.target
        )
    if not options.stratify or (options.target == PROPORTIONAL and not options.shares):
        return Strata()
    features = tuple(taxonomy().find(name, SCOPES) for name in options.stratify)
    if options.shares:
        return Strata(features, {tuple(s.values): s.weight for s in options.shares})
    if options.target in UNIFORM:
        return Strata(features)
    return Strata(features, count_corpus_shares(options.target, features))


def read_gold_corpus(spec: str) -> Corpus:
    """Read a corpus with gold mentions.

    Raises
    ------
    InputError
        If the corpus has no gold mentions or cannot be read.
    """
    corpus = read_corpus(spec)
    if corpus.gold.empty:
        raise InputError("the corpus has no gold mentions to compute shares from", found=spec)
    return corpus


def count_corpus_shares(spec: str, features: Sequence[Feature]) -> dict[tuple[str, ...], float]:
    """Count the gold mentions of a corpus for each combination of feature values."""
    corpus = read_gold_corpus(spec)
    gold = corpus.gold
    frame = annotate(corpus, gold, [f.column for f in features if not f.is_catalogue_only])
    if frequency_feature() in features:
        # the frequency of a name does not count the mention itself
        known = count_elsewhere(get_surface_forms(corpus.texts, gold))
        frame = frame.assign(**{frequency_feature().column: pd.Series(known, index=gold.index)})
    codes, combinations = encode_combinations(frame, features)
    return dict(zip(combinations, np.bincount(codes).astype(float).tolist(), strict=True))


def allocate_cases(sizes: NDArray[np.int64], weights: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Allocate `total` cases to strata in proportion to their weights.

    If a stratum has too few cases, all its cases are used, and the other strata get more. Fractions are
    rounded by the method of largest remainders; in a tie, the first stratum is preferred. The allocated cases
    add up to `total`, unless the strata with a positive weight have fewer cases.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    open_ = (np.asarray(weights, dtype=float) > 0) & (sizes > 0)
    total = int(min(total, int(sizes[open_].sum())))
    shares = np.zeros(len(sizes), dtype=np.float64)
    left = float(total)
    while open_.any() and left > 1e-9:
        part = np.where(open_, weights, 0.0)
        wanted = shares + left * part / part.sum()
        full = open_ & (wanted >= sizes)
        if not full.any():
            shares = wanted
            break
        left -= float((sizes[full] - shares[full]).sum())
        shares[full] = sizes[full]
        open_ &= ~full
    counts = np.floor(shares + 1e-9).astype(np.int64)
    missing = total - int(counts.sum())
    if missing > 0:
        room = counts < sizes
        order = np.lexsort((np.arange(len(sizes)), -(shares - counts)))
        order = order[room[order] & (np.asarray(weights)[order] > 0)]
        while missing > 0 and len(order):
            take = order[:missing]
            counts[take] += 1
            missing -= len(take)
            order = order[counts[order] < sizes[order]]
    return counts
