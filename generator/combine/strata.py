"""Strata: combinations of feature values that a sample is shared out over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.taxonomy import Feature, taxonomy
from ...sentences.annotate import annotate
from ...sentences.formats.registry import read_corpus
from ..recipe import PartOptions
from ..values import value_codes
from .allocate import allocate
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
    """

    features: tuple[Feature, ...]
    weights: Mapping[tuple[str, ...], float] | None = None

    @classmethod
    def by(cls, names: Sequence[str], weights: Mapping[tuple[str, ...], float] | None = None) -> Strata:
        """Strata by features' names."""
        known = taxonomy()
        return cls(tuple(known.find(n, ("entity", "context", "slot")) for n in names), weights)

    def draw(self, rng: np.random.Generator, units: Units, size: int) -> NDArray[np.int64]:
        """Different numbers of units, sorted, shared out over the strata."""
        material = units.space.material
        own = [f for f in self.features if f.scope == "entity"]
        around = [f for f in self.features if f.scope != "entity"]
        filler_key = _keys(material.fillers, own)
        slot_key = _keys(material.environments, around)
        bare_key = _keys(material.contexts, around)
        groups: dict[tuple[str, ...], list[tuple[int, NDArray[np.int64]]]] = {}
        for index, (slot, pool) in enumerate(zip(units.slots.tolist(), units.pools, strict=True)):
            codes, names = filler_key
            present, inverse = np.unique(codes[pool], return_inverse=True)
            for position, code in enumerate(present.tolist()):
                key = self._merge(own, names[code], around, slot_key[1][slot_key[0][slot]])
                groups.setdefault(key, []).append((index, np.flatnonzero(inverse == position)))
        for number, context in enumerate(units.bare.tolist()):
            key = self._merge(own, ("",) * len(own), around, bare_key[1][bare_key[0][context]])
            groups.setdefault(key, []).append((-1, np.array([number])))
        keys = sorted(groups)
        sizes = np.array([sum(len(members) for _, members in groups[k]) for k in keys], dtype=np.int64)
        weights = np.array([1.0 if self.weights is None else self.weights.get(k, 0.0) for k in keys])
        counts = allocate(sizes, weights, size)
        chosen: list[NDArray[np.int64]] = []
        for key, count, total in zip(keys, counts.tolist(), sizes.tolist(), strict=True):
            if not count:
                continue
            picks = np.sort(rng.choice(total, size=count, replace=False, shuffle=False))
            begin = 0
            for index, members in groups[key]:
                own_picks = picks[(picks >= begin) & (picks < begin + len(members))] - begin
                begin += len(members)
                base = units.first[index] if index >= 0 else units.first[-1]
                chosen.append(base + members[own_picks])
        return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, dtype=np.int64)

    def _merge(
        self, own: list[Feature], own_values: tuple[str, ...], around: list[Feature], values: tuple[str, ...]
    ) -> tuple[str, ...]:
        found = dict(zip([f.path for f in own], own_values, strict=True))
        found |= zip([f.path for f in around], values, strict=True)
        return tuple(found[f.path] for f in self.features)


def _keys(frame: pd.DataFrame, features: list[Feature]) -> tuple[NDArray[np.int64], list[tuple[str, ...]]]:
    """For each row a code for its combination of values, and the combinations."""
    codes = np.zeros(len(frame), dtype=np.int64)
    names: list[tuple[str, ...]] = [()]
    for feature in features:
        own, values = value_codes(frame, feature)
        joint = codes * len(values) + own
        present, codes = np.unique(joint, return_inverse=True)
        names = [(*names[j // len(values)], values[j % len(values)]) for j in present.tolist()]
    return codes.astype(np.int64), names


def strata_of(options: PartOptions) -> Strata | None:
    """How a sample is shared out; None when it is not.

    Raises
    ------
    InputError
        When a target is given without features to share out by.
    """
    if not options.stratify:
        if options.target not in ("", PROPORTIONAL) or options.shares:
            raise InputError("a target needs features", found=options.target, allowed="--stratify FEATURE")
        return None
    if options.shares:
        return Strata.by(options.stratify, {tuple(s.values): s.weight for s in options.shares})
    if options.target in UNIFORM:
        return Strata.by(options.stratify)
    if options.target == PROPORTIONAL:
        return None
    return Strata.by(options.stratify, corpus_shares(options.target, options.stratify))


def corpus_shares(spec: str, names: Sequence[str]) -> dict[tuple[str, ...], float]:
    """How often each combination of values occurs among a corpus's gold mentions."""
    features = [taxonomy().find(n, ("entity", "context", "slot")) for n in names]
    corpus = read_corpus(spec)
    gold = corpus.mentions[corpus.mentions["side"] == "gold"]
    frame = annotate(corpus, gold, [f.column for f in features])
    columns = []
    for feature in features:
        codes, values = value_codes(frame, feature)
        columns.append([values[c] for c in codes.tolist()])
    found: dict[tuple[str, ...], float] = {}
    for key in zip(*columns, strict=True):
        found[key] = found.get(key, 0.0) + 1.0
    if not found:
        raise InputError("the corpus has no mentions to take shares from", found=spec)
    return found
