"""Beam search for combinations of conditions under which mentions are wrong, and the choice among them.

All single conditions and all pairs are counted. Each further condition is added to the most surprising
shorter combinations only. Of what is found, one combination after the other is chosen, each by what the
earlier ones leave unexplained: refinements of a fault, and the same mentions in other words, go with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import Flags, Ints, Numbers
from ..options import DiscoverOptions
from .conditions import SHAPE_COLUMN, ConditionAxis

Bits = NDArray[np.uint64]
ConditionNumbers = tuple[int, ...]
"""Numbers of conditions, ascending."""

MIN_SURPRISE = 3.0
"""Standard errors by which a combination must be worse than all mentions to be a candidate."""
BEAM_WIDTH = 256
"""Combinations of each length to which a further condition is added."""
MAX_SAME_FEATURES = 4
"""Combinations of the same features that come before others of these features are considered."""
MAX_CANDIDATES = 500
"""Maximum number of candidates of each length."""
MAX_CHOSEN = 40
MIN_JACCARD = 0.8
"""Jaccard index from which two combinations describe the same mentions."""
MIN_SHARED_SURPRISE = 0.9
"""Part of a longer description's surprise that a shorter one of the same mentions needs to be preferred."""
CHUNK_SIZE = 512
"""Combinations counted together."""


@dataclass(frozen=True)
class Combination:
    """A combination of conditions.

    Attributes
    ----------
    conditions : tuple of int
        Their numbers in the space, ascending.
    cases, wrong : int
        Number of mentions that meet all of them, and of wrong ones among these.
    surprise : float
        Standard errors by which the wrong mentions exceed their share of all.
    also : tuple of tuple of int
        Other combinations of nearly the same mentions.
    """

    conditions: ConditionNumbers
    cases: int
    wrong: int
    surprise: float
    also: tuple[ConditionNumbers, ...] = ()

    @property
    def sort_key(self) -> tuple[object, ...]:
        """The order of candidates: the most surprising first, then the shorter."""
        return (-self.surprise, len(self.conditions), self.conditions)


def list_parents(conditions: ConditionNumbers) -> list[ConditionNumbers]:
    """Return the combinations with one condition fewer."""
    return [conditions[:i] + conditions[i + 1 :] for i in range(len(conditions))]


class SearchSpace:
    """All conditions of some axes, numbered, and which mentions meet them, one bit per mention.

    Parameters
    ----------
    axes : sequence of Axis
    wrong : array of bool
        One flag per mention.
    rows : array, optional
        Positions of the mentions that are searched; all when None.
    """

    def __init__(self, axes: Sequence[ConditionAxis], wrong: Flags, rows: Ints | None = None) -> None:
        self.places = [(axis, value) for axis in axes for value in range(len(axis.queries))]
        # shapes have little in common: each counts as a feature of its own
        names = [axis.queries[0] if axis.feature == SHAPE_COLUMN else axis.feature for axis, _ in self.places]
        self.features = pd.factorize(np.array(names, dtype=object))[0]
        self.rows = np.arange(len(wrong)) if rows is None else rows
        flags = wrong[self.rows]
        self.size, self.errors = len(flags), int(flags.sum())
        self.base = self.errors / max(self.size, 1)
        # the wrong mentions fill the first words
        self.words = -(-self.errors // 64)
        order = [self.rows[flags], self.rows[~flags]]
        self.every = _pack([np.ones(len(part), dtype=bool) for part in order])
        # bits of each condition, [condition, word of 64 mentions]
        bits = []
        for axis in axes:
            parts = [axis.codes[part] for part in order]
            bits += [_pack([codes == value for codes in parts]) for value in range(len(axis.queries))]
        self.bits = np.array(bits, dtype=np.uint64).reshape(len(self.places), len(self.every))

    def match_conditions(self, conditions: ConditionNumbers, rows: Ints | None = None) -> Flags:
        """Return which mentions meet all conditions, among all mentions or some."""
        size = len(self.places[0][0].codes) if rows is None else len(rows)
        chosen = np.ones(size, dtype=bool)
        for axis, value in (self.places[i] for i in conditions):
            chosen &= (axis.codes if rows is None else axis.codes[rows]) == value
        return chosen

    def list_queries(self, conditions: ConditionNumbers) -> tuple[str, ...]:
        """Return the conditions as queries."""
        return tuple(axis.queries[value] for axis, value in (self.places[i] for i in conditions))

    def rank(self, conditions: ConditionNumbers) -> int:
        """Return how far the conditions are from the mention itself; see `Axis.rank`."""
        return sum(self.places[i][0].rank for i in conditions)

    def match_rows(self, conditions: Ints) -> Bits:
        """Return the mentions that each row of conditions selects."""
        return np.asarray(self.every & np.bitwise_and.reduce(self.bits[conditions], axis=-2))

    def count_wrong(self, bits: Bits) -> tuple[Numbers, Numbers]:
        """Return the number of mentions in each row, and of wrong ones among them."""
        ones = np.bitwise_count(bits)
        wrong = ones[..., : self.words].sum(axis=-1, dtype=np.uint32)
        right = ones[..., self.words :].sum(axis=-1, dtype=np.uint32)
        return (wrong + right).astype(np.float64), wrong.astype(np.float64)

    def compute_wrong_rates(self, conditions: Ints) -> Numbers:
        """Return the share of wrong mentions of each row of conditions; 0 where it selects none."""
        chunks = np.split(conditions, range(CHUNK_SIZE, len(conditions), CHUNK_SIZE))
        counts = [self.count_wrong(self.match_rows(chunk)) for chunk in chunks]
        return np.concatenate([wrong / np.maximum(cases, 1.0) for cases, wrong in counts])


def _pack(parts: Sequence[Flags]) -> Bits:
    """Return flags as bits, each part in 64-bit words of its own."""
    packed = [np.packbits(part) for part in parts]
    return np.concatenate([np.pad(p, (0, -len(p) % 8)) for p in packed]).view(np.uint64)


def compute_surprise(cases: Numbers, wrong: Numbers, size: float, errors: float) -> Numbers:
    """Return by how many standard errors the wrong mentions among some exceed their share of all."""
    p = errors / size if size else 0.0
    # hypergeometric: drawn without replacement
    left = np.maximum(size - cases, 1.0) / max(size, 1.0)
    return np.asarray((wrong - cases * p) / np.sqrt(np.maximum(cases * p * (1.0 - p) * left, 1e-9)))


@dataclass(frozen=True)
class _Level:
    """Combinations of one length that are worse than all mentions.

    Attributes
    ----------
    conditions : array
        Combinations × conditions.
    cases, wrong, surprise : array
    worse : array of bool
        Which are worse by the effect than what they were made from: of pairs, both of their conditions.
    """

    conditions: Ints
    cases: Numbers
    wrong: Numbers
    surprise: Numbers
    worse: Flags

    def take(self, rows: Ints) -> _Level:
        """Return some combinations."""
        return _Level(*(values[rows] for values in vars(self).values()))


def search_combinations(space: SearchSpace, options: DiscoverOptions) -> list[Combination]:
    """Return all candidates, the most surprising first.

    A candidate has enough mentions, is clearly worse than all mentions together, and is worse than each
    combination with one condition fewer by the effect asked for.
    """
    found: list[Combination] = []
    if not space.errors or not space.places:
        return found
    beam = np.zeros((1, 0), dtype=np.int64)
    for depth in range(1, options.depth + 1):
        if not len(beam):
            break
        level = _extend_combinations(space, beam, options)
        found += _select_candidates(space, level, options)
        beam = np.arange(len(space.places))[:, None] if depth == 1 else _select_beam(space, level)
    return sorted(found, key=lambda one: one.sort_key)


def _extend_combinations(space: SearchSpace, beam: Ints, options: DiscoverOptions) -> _Level:
    """Add one more condition to each combination of a beam."""
    single_cases, single_wrong = space.count_wrong(space.bits)
    blocks = []
    for conditions in beam:
        # every pair is counted once, from its first condition
        first = int(conditions[0]) + 1 if len(conditions) == 1 else 0
        own = space.match_rows(conditions)
        whole, errors = space.count_wrong(own)
        cases, wrong = space.count_wrong(own & space.bits[first:])
        worst = errors / np.maximum(whole, 1.0)
        kept = (cases >= options.min_mentions) & (cases < whole) & (wrong > cases * space.base)
        if len(conditions):
            # what selects the same mentions as one of its conditions is no further combination
            kept &= cases < single_cases[first:]
        if len(conditions) == 1:
            worst = np.maximum(worst, single_wrong[first:] / np.maximum(single_cases[first:], 1.0))
        worse = wrong - cases * (worst + options.effect) >= 0
        at = np.flatnonzero(kept)
        longer = np.column_stack((np.tile(conditions, (len(at), 1)), first + at))
        blocks.append((np.sort(longer, axis=1), cases[at], wrong[at], worse[at]))
    conditions, cases, wrong, worse = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    level = _Level(conditions, cases, wrong, compute_surprise(cases, wrong, space.size, space.errors), worse)
    return level.take(np.unique(_row_keys(conditions), return_index=True)[1])


def _row_keys(rows: Ints) -> Ints:
    """Return one number for each row, the same for equal rows only."""
    size = int(rows.max(initial=0)) + 1
    return np.asarray(rows @ size ** np.arange(rows.shape[1])[::-1], dtype=np.int64)


def _select_candidates(space: SearchSpace, level: _Level, options: DiscoverOptions) -> list[Combination]:
    """Return the most surprising combinations that are worse than each with one condition fewer."""
    level = level.take(np.flatnonzero(level.worse & (level.surprise >= MIN_SURPRISE)))
    size = level.conditions.shape[1]
    if size > 2 and len(level.cases):
        worst = np.max(
            [space.compute_wrong_rates(np.delete(level.conditions, i, axis=1)) for i in range(size)], axis=0
        )
        level = level.take(np.flatnonzero(level.wrong - level.cases * (worst + options.effect) >= 0))
    level = level.take(np.argsort(-level.surprise, kind="stable")[:MAX_CANDIDATES])
    rows = zip(level.conditions.tolist(), level.cases, level.wrong, level.surprise, strict=True)
    return [Combination(tuple(c), int(n), int(w), float(much)) for c, n, w, much in rows]


def _select_beam(space: SearchSpace, level: _Level) -> Ints:
    """Return the most surprising combinations; those of features that have enough already come last."""
    level = level.take(np.argsort(-level.surprise, kind="stable"))
    features = pd.Series(_row_keys(np.sort(space.features[level.conditions], axis=1)))
    alike = features.groupby(features).cumcount().to_numpy()
    return level.conditions[np.argsort(alike >= MAX_SAME_FEATURES, kind="stable")[:BEAM_WIDTH]]


def choose_combinations(
    space: SearchSpace, candidates: Sequence[Combination], options: DiscoverOptions
) -> list[Combination]:
    """Choose combinations until no surprising one is left among the mentions that earlier ones leave."""
    if not candidates:
        return []
    inside = np.array([space.match_rows(np.array(one.conditions)) for one in candidates])
    own, _ = space.count_wrong(inside)
    left = space.every
    undecided = np.ones(len(candidates), dtype=bool)
    chosen: list[Combination] = []
    while len(chosen) < MAX_CHOSEN:
        total, wrong = space.count_wrong(left)
        if not 0 < wrong < total:
            break
        cases, bad = space.count_wrong(inside & left)
        much = compute_surprise(cases, bad, float(total), float(wrong))
        still = undecided & (cases >= options.min_mentions) & (much >= MIN_SURPRISE)
        still &= bad / np.maximum(cases, 1.0) - wrong / total >= options.effect
        if not still.any():
            break
        at = min(np.flatnonzero(still).tolist(), key=lambda i: (-much[i], *candidates[i].sort_key[1:]))
        undecided[at] = False
        if not _needs_all_conditions(space, candidates[at].conditions, left, options):
            continue
        common, _ = space.count_wrong(inside & inside[at])
        alike = np.flatnonzero((common / (own + own[at] - common) >= MIN_JACCARD) & undecided).tolist()
        best = _find_shortest(space, candidates, much, [at, *alike])
        also = tuple(candidates[i].conditions for i in (at, *alike) if i != best)
        chosen.append(replace(candidates[best], also=also))
        undecided[alike] = False
        left = left & ~inside[best]
    return chosen


def _find_shortest(
    space: SearchSpace, candidates: Sequence[Combination], much: Numbers, places: list[int]
) -> int:
    """Return which of some descriptions of the same mentions is the shortest, if not much less surprising.

    Of equally short ones, that which is closest to the mention itself: in a suite they select the same
    mentions, in a corpus they do not.
    """
    top = max(much[i] for i in places)

    def key(i: int) -> tuple[object, ...]:
        conditions = candidates[i].conditions
        return len(conditions), space.rank(conditions), -much[i], candidates[i].sort_key

    return min((i for i in places if much[i] >= MIN_SHARED_SURPRISE * top), key=key)


def _needs_all_conditions(
    space: SearchSpace, conditions: ConditionNumbers, left: Bits, options: DiscoverOptions
) -> bool:
    """Return True if every condition makes a difference among the mentions that are left."""
    own = space.match_rows(np.array(conditions))
    cases, wrong = space.count_wrong(own & left)
    share = float(wrong) / max(float(cases), 1.0)
    for parent in list_parents(conditions):
        others, bad = space.count_wrong(space.match_rows(np.array(parent, dtype=np.int64)) & left & ~own)
        if not others or share - bad / others < options.effect:
            return False
    return True
