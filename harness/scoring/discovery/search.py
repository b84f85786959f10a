"""Beam search for combinations of conditions under which mentions are often wrong.

All single conditions and all pairs are evaluated. Further conditions are only added to the most surprising
combinations. Then combinations are chosen one by one; each must explain wrong mentions that the earlier ones
do not explain. Other combinations that select the same mentions are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import Flags, Ints, Numbers
from ..search_options import DiscoverOptions
from .conditions import SHAPE_COLUMN, ConditionAxis

Bits = NDArray[np.uint64]
ConditionNumbers = tuple[int, ...]
"""Numbers of the conditions of a combination, in ascending order."""

MIN_SURPRISE = 3.0
"""Minimum excess of wrong mentions in a candidate, in standard errors; see `compute_surprise`."""
BEAM_WIDTH = 256
"""Number of combinations of each length that are extended by a further condition."""
MAX_SAME_FEATURES = 4
"""Number of combinations of the same features in the beam; more are added only if there is room."""
MAX_CANDIDATES = 500
"""Maximum number of candidates of each length."""
MAX_CHOSEN = 40
MIN_JACCARD = 0.8
"""Minimum Jaccard index of two combinations that are treated as selecting the same mentions."""
MIN_SHARED_SURPRISE = 0.9
"""Minimum surprise at which a shorter query is preferred, as a fraction of the highest surprise."""
CHUNK_SIZE = 512
"""Number of combinations that are evaluated together, which limits the use of memory."""


@dataclass(frozen=True)
class Combination:
    """Combination of conditions, with the number of wrong mentions among those that meet them.

    Attributes
    ----------
    conditions : tuple of int
        Numbers of the conditions in the search space, in ascending order.
    cases, wrong : int
        Number of mentions that meet all conditions, and number of wrong mentions among them.
    surprise : float
        Excess of wrong mentions in standard errors; see `compute_surprise`.
    also : tuple of tuple of int
        Other combinations that select nearly the same mentions.
    """

    conditions: ConditionNumbers
    cases: int
    wrong: int
    surprise: float
    also: tuple[ConditionNumbers, ...] = ()

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Key that sorts candidates by decreasing surprise and, in case of a tie, by length."""
        return (-self.surprise, len(self.conditions), self.conditions)


def list_parents(conditions: ConditionNumbers) -> list[ConditionNumbers]:
    """Return all combinations that result from dropping one condition."""
    return [conditions[:i] + conditions[i + 1 :] for i in range(len(conditions))]


class SearchSpace:
    """Numbered conditions of all axes, with a bit set of the mentions that meet each condition.

    Parameters
    ----------
    axes : sequence of ConditionAxis
    wrong : array of bool
        True for wrong mentions.
    rows : array, optional
        Positions of the mentions to search; by default all mentions.
    """

    def __init__(self, axes: Sequence[ConditionAxis], wrong: Flags, rows: Ints | None = None) -> None:
        self.places = [(axis, value) for axis in axes for value in range(len(axis.queries))]
        # each shape counts as a separate feature
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
        # mentions that meet each condition, [condition, word of 64 bits]
        bits = []
        for axis in axes:
            parts = [axis.codes[part] for part in order]
            bits += [_pack([codes == value for codes in parts]) for value in range(len(axis.queries))]
        self.bits = np.array(bits, dtype=np.uint64).reshape(len(self.places), len(self.every))

    def match_conditions(self, conditions: ConditionNumbers) -> Flags:
        """Return a mask of all mentions, searched or not, that meet all conditions."""
        chosen = np.ones(len(self.places[0][0].codes), dtype=bool)
        for axis, value in (self.places[i] for i in conditions):
            chosen &= axis.codes == value
        return chosen

    def list_queries(self, conditions: ConditionNumbers) -> tuple[str, ...]:
        """Return the conditions as queries."""
        return tuple(axis.queries[value] for axis, value in (self.places[i] for i in conditions))

    def rank(self, conditions: ConditionNumbers) -> int:
        """Return the sum of the ranks of a combination's conditions; see `ConditionAxis.rank`."""
        return sum(self.places[i][0].rank for i in conditions)

    def match_rows(self, conditions: Ints) -> Bits:
        """Return one bit set per combination (row), with the mentions that meet all its conditions."""
        return np.asarray(self.every & np.bitwise_and.reduce(self.bits[conditions], axis=-2))

    def count_wrong(self, bits: Bits) -> tuple[Numbers, Numbers]:
        """Return the number of mentions and the number of wrong mentions in each bit set (row)."""
        ones = np.bitwise_count(bits)
        wrong = ones[..., : self.words].sum(axis=-1, dtype=np.uint32)
        right = ones[..., self.words :].sum(axis=-1, dtype=np.uint32)
        return (wrong + right).astype(np.float64), wrong.astype(np.float64)

    def count_matches(self, conditions: Ints) -> tuple[Numbers, Numbers]:
        """Return the numbers of all mentions and of wrong mentions that each combination (row) selects."""
        chunks = np.split(conditions, range(CHUNK_SIZE, len(conditions), CHUNK_SIZE))
        counts = [self.count_wrong(self.match_rows(chunk)) for chunk in chunks]
        cases, wrong = (np.concatenate(parts) for parts in zip(*counts, strict=True))
        return cases, wrong


def _pack(parts: Sequence[Flags]) -> Bits:
    """Pack boolean arrays into bits; each array starts a new 64-bit word."""
    packed = [np.packbits(part) for part in parts]
    return np.concatenate([np.pad(p, (0, -len(p) % 8)) for p in packed]).view(np.uint64)


def compute_surprise(cases: Numbers, wrong: Numbers, size: float, errors: float) -> Numbers:
    """Return the excess of wrong mentions over their expected number, in standard errors.

    `cases` is the number of mentions of each combination, `wrong` the number of wrong mentions among them.
    `size` and `errors` are the numbers of all mentions and of all wrong mentions.
    """
    p = errors / size if size else 0.0
    # finite population correction of the hypergeometric distribution
    left = np.maximum(size - cases, 1.0) / max(size, 1.0)
    return np.asarray((wrong - cases * p) / np.sqrt(np.maximum(cases * p * (1.0 - p) * left, 1e-9)))


@dataclass(frozen=True)
class _Level:
    """Combinations of the same length that have a higher share of wrong mentions than all mentions together.

    Attributes
    ----------
    conditions : array
        Numbers of the conditions: combinations × length.
    cases, wrong, surprise : array
        See `Combination`.
    worse : array of bool
        True for combinations in which the added condition increases the share of wrong mentions by at least
        the minimum effect, compared with the mentions that meet only the other conditions. A pair must do so
        for both conditions.
    """

    conditions: Ints
    cases: Numbers
    wrong: Numbers
    surprise: Numbers
    worse: Flags

    def take(self, rows: Ints) -> _Level:
        """Return the selected combinations."""
        return _Level(*(values[rows] for values in vars(self).values()))


def search_combinations(space: SearchSpace, options: DiscoverOptions) -> list[Combination]:
    """Return all candidates, the most surprising first.

    A candidate has enough mentions and a surprise of at least `MIN_SURPRISE`. Its share of wrong mentions is
    higher, by at least the minimum effect, than the share among mentions that meet all conditions except one.
    """
    candidates: list[Combination] = []
    if not space.errors or not space.places:
        return candidates
    beam = np.zeros((1, 0), dtype=np.int64)
    for depth in range(1, options.depth + 1):
        if not len(beam):
            break
        level = _extend_combinations(space, beam, options)
        candidates += _select_candidates(space, level, options)
        beam = np.arange(len(space.places))[:, None] if depth == 1 else _select_beam(space, level)
    return sorted(candidates, key=lambda candidate: candidate.sort_key)


def _extend_combinations(space: SearchSpace, beam: Ints, options: DiscoverOptions) -> _Level:
    """Return all combinations that result from adding one condition to a combination in the beam."""
    single_cases, single_wrong = space.count_wrong(space.bits)
    blocks = []
    for conditions in beam:
        # each pair is counted once, from its first condition
        first = int(conditions[0]) + 1 if len(conditions) == 1 else 0
        members = space.match_rows(conditions)
        size, errors = space.count_wrong(members)
        cases, wrong = space.count_wrong(members & space.bits[first:])
        # share of wrong mentions among those that meet all conditions but one
        worst = (errors - wrong) / np.maximum(size - cases, 1.0)
        kept = (cases >= options.min_mentions) & (cases < size) & (wrong > cases * space.base)
        if len(conditions):
            # skip combinations that select the same mentions as one of their conditions
            kept &= cases < single_cases[first:]
        if len(conditions) == 1:
            others = single_cases[first:] - cases
            worst = np.maximum(worst, (single_wrong[first:] - wrong) / np.maximum(others, 1.0))
        worse = wrong - cases * (worst + options.effect) >= 0
        at = np.flatnonzero(kept)
        longer = np.column_stack((np.tile(conditions, (len(at), 1)), first + at))
        blocks.append((np.sort(longer, axis=1), cases[at], wrong[at], worse[at]))
    conditions, cases, wrong, worse = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    level = _Level(conditions, cases, wrong, compute_surprise(cases, wrong, space.size, space.errors), worse)
    return level.take(np.unique(_row_keys(conditions), return_index=True)[1])


def _row_keys(rows: Ints) -> Ints:
    """Return one integer per row; two rows have the same integer only if they are equal."""
    size = int(rows.max(initial=0)) + 1
    return np.asarray(rows @ size ** np.arange(rows.shape[1])[::-1], dtype=np.int64)


def _select_candidates(space: SearchSpace, level: _Level, options: DiscoverOptions) -> list[Combination]:
    """Return the most surprising combinations in which each condition raises the share of wrong mentions."""
    level = level.take(np.flatnonzero(level.worse & (level.surprise >= MIN_SURPRISE)))
    size = level.conditions.shape[1]
    if size > 2 and len(level.cases):
        wider = [space.count_matches(np.delete(level.conditions, i, axis=1)) for i in range(size)]
        rates = [(bad - level.wrong) / np.maximum(n - level.cases, 1.0) for n, bad in wider]
        worst = np.max(rates, axis=0)
        level = level.take(np.flatnonzero(level.wrong - level.cases * (worst + options.effect) >= 0))
    level = level.take(np.argsort(-level.surprise, kind="stable")[:MAX_CANDIDATES])
    rows = zip(level.conditions.tolist(), level.cases, level.wrong, level.surprise, strict=True)
    return [Combination(tuple(c), int(n), int(w), float(surprise)) for c, n, w, surprise in rows]


def _select_beam(space: SearchSpace, level: _Level) -> Ints:
    """Return the most surprising combinations for extension, but only a few of the same features."""
    level = level.take(np.argsort(-level.surprise, kind="stable"))
    features = pd.Series(_row_keys(np.sort(space.features[level.conditions], axis=1)))
    earlier = features.groupby(features).cumcount().to_numpy()
    return level.conditions[np.argsort(earlier >= MAX_SAME_FEATURES, kind="stable")[:BEAM_WIDTH]]


def choose_combinations(
    space: SearchSpace, candidates: Sequence[Combination], options: DiscoverOptions
) -> list[Combination]:
    """Choose combinations one by one, until none is surprising among the mentions not yet selected."""
    if not candidates:
        return []
    inside = np.array([space.match_rows(np.array(c.conditions)) for c in candidates])
    sizes, _ = space.count_wrong(inside)
    left = space.every
    undecided = np.ones(len(candidates), dtype=bool)
    chosen: list[Combination] = []
    while len(chosen) < MAX_CHOSEN:
        total, wrong = space.count_wrong(left)
        if not 0 < wrong < total:
            break
        cases, bad = space.count_wrong(inside & left)
        surprise = compute_surprise(cases, bad, float(total), float(wrong))
        still = undecided & (cases >= options.min_mentions) & (surprise >= MIN_SURPRISE)
        others = (wrong - bad) / np.maximum(total - cases, 1.0)
        still &= bad / np.maximum(cases, 1.0) - others >= options.effect
        if not still.any():
            break
        at = min(np.flatnonzero(still).tolist(), key=lambda i: (-surprise[i], *candidates[i].sort_key[1:]))
        undecided[at] = False
        if not _needs_all_conditions(space, candidates[at].conditions, left, options):
            continue
        common, _ = space.count_wrong(inside & inside[at])
        alike = np.flatnonzero((common / (sizes + sizes[at] - common) >= MIN_JACCARD) & undecided).tolist()
        best = _find_shortest(space, candidates, surprise, [at, *alike])
        also = tuple(candidates[i].conditions for i in (at, *alike) if i != best)
        chosen.append(replace(candidates[best], also=also))
        undecided[alike] = False
        left = left & ~inside[best]
    return chosen


def _find_shortest(
    space: SearchSpace, candidates: Sequence[Combination], surprise: Numbers, places: list[int]
) -> int:
    """Return the position of the shortest of several combinations that select the same mentions.

    Combinations that are much less surprising than the others are ignored. Among equally short combinations,
    the one with the lowest rank is returned; see `ConditionAxis.rank`.
    """
    top = max(surprise[i] for i in places)

    def key(i: int) -> tuple[object, ...]:
        conditions = candidates[i].conditions
        return len(conditions), space.rank(conditions), -surprise[i], candidates[i].sort_key

    return min((i for i in places if surprise[i] >= MIN_SHARED_SURPRISE * top), key=key)


def _needs_all_conditions(
    space: SearchSpace, conditions: ConditionNumbers, left: Bits, options: DiscoverOptions
) -> bool:
    """Return True if each condition raises the share of wrong mentions among the mentions in `left`."""
    members = space.match_rows(np.array(conditions))
    cases, wrong = space.count_wrong(members & left)
    share = float(wrong) / max(float(cases), 1.0)
    for parent in list_parents(conditions):
        others, bad = space.count_wrong(space.match_rows(np.array(parent, dtype=np.int64)) & left & ~members)
        if not others or share - bad / others < options.effect:
            return False
    return True
