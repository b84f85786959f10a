"""Covering arrays over parameters that combine freely, where every combination can occur.

In a catalogue the values of an entity hang together; here every combination can occur, so that one row can
be improved parameter by parameter. Many rows are improved at once (coordinate ascent, started from what is
not yet covered), the best is kept, and so on; at the end rows that later ones made superfluous are taken out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..slot_filling import stream

PURPOSE = 31
CANDIDATES = 12
SWEEPS = 6
EFFORT = 30_000_000
"""Combinations looked at, about, in trying to do with fewer rows: a few seconds."""
STEP = 3000
"""What a step costs beside the combinations that it looks at."""
TABU = 6


class Parameters:
    """Parameters with numbers of values, and the numbering of all combinations of t of them."""

    def __init__(self, levels: Sequence[int], t: int) -> None:
        if not 1 <= t <= len(levels) or min(levels) < 1:
            raise ValueError("t must lie between 1 and the number of parameters, and each needs a value")
        self.levels = np.asarray(levels, dtype=np.int64)
        self.subsets = np.array(list(itertools.combinations(range(len(levels)), t)), dtype=np.int64)
        sizes = self.levels[self.subsets]
        self.strides = np.ones_like(self.subsets)
        for place in range(t - 2, -1, -1):
            self.strides[:, place] = self.strides[:, place + 1] * sizes[:, place + 1]
        totals = sizes.prod(axis=1)
        self.offsets = np.cumsum(totals) - totals
        self.total = int(totals.sum())
        self._with: list[
            tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
        ] = []
        for parameter in range(len(levels)):
            at, where = np.nonzero(self.subsets == parameter)
            others = np.array([[p for p in range(t) if p != own] for own in where.tolist()], dtype=np.int64)
            others = others.reshape(len(at), t - 1)
            self._with.append(
                (
                    self.offsets[at],
                    self.strides[at, where],
                    self.subsets[at[:, None], others],
                    self.strides[at[:, None], others],
                )
            )

    def codes(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the combinations that each row has."""
        found: NDArray[np.int64] = self.offsets + (rows[:, self.subsets] * self.strides).sum(axis=2)
        return found

    def gains(self, needed: NDArray[np.bool_], rows: NDArray[np.int64], parameter: int) -> NDArray[np.int64]:
        """For each row and value of a parameter: how many needed combinations it would have with it."""
        offsets, stride, others, strides = self._with[parameter]
        base = offsets + (rows[:, others] * strides).sum(axis=2)
        codes = base[:, :, None] + (stride[:, None] * np.arange(self.levels[parameter]))[None, :, :]
        found: NDArray[np.int64] = needed[codes].sum(axis=1)
        return found

    def decode(self, code: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The parameters and values of a combination."""
        subset = int(np.searchsorted(self.offsets, code, side="right")) - 1
        rest = code - self.offsets[subset]
        values = rest // self.strides[subset] % self.levels[self.subsets[subset]]
        return self.subsets[subset], values


def covering_array(
    levels: Sequence[int], t: int, *, seed: int = 0, candidates: int = CANDIDATES, effort: int = EFFORT
) -> NDArray[np.int64]:
    """Rows of values such that every combination of t values occurs.

    Parameters
    ----------
    levels : sequence of int
        How many values each parameter has.
    t : int
        How many parameters are combined.
    seed : int
        The same seed gives the same rows.
    candidates : int
        Rows that are improved side by side before one is kept.
    effort : int
        How much is spent on doing with fewer rows; 0 leaves the greedy result.

    Returns
    -------
    array
        One row a case, one column a parameter.
    """
    known = Parameters(levels, t)
    rng = stream(seed, PURPOSE)
    needed = np.ones(known.total, dtype=bool)
    rows: list[NDArray[np.int64]] = []
    while needed.any():
        row = _improved(known, needed, rng, candidates)
        needed[known.codes(row[None, :])[0]] = False
        rows.append(row)
    return _shrunk(known, _pruned(known, np.array(rows)), rng, effort)


def _shrunk(
    known: Parameters, rows: NDArray[np.int64], rng: np.random.Generator, effort: int
) -> NDArray[np.int64]:
    """Take a row out and repair the others, again and again, while that succeeds (a tabu search).

    A repair step takes one combination that is missing and puts it into the row where that loses least; a
    row that was changed is left alone for some steps.
    """
    spent = 0
    full = rows
    while len(full) > 1:
        codes = known.codes(full)
        counts = np.bincount(codes.ravel(), minlength=known.total)
        out = int((counts[codes] == 1).sum(axis=1).argmin())
        counts[codes[out]] -= 1
        current, codes = np.delete(full, out, axis=0), np.delete(codes, out, axis=0)
        free_at = np.zeros(len(current), dtype=np.int64)
        step = 0
        while not counts.all():
            spent += codes.size + STEP
            if spent > effort:
                return full
            step += 1
            missing = np.flatnonzero(counts == 0)
            parameters, values = known.decode(int(missing[rng.integers(len(missing))]))
            changed = current.copy()
            changed[:, parameters] = values
            new = known.codes(changed)
            moved = new != codes
            loss = (moved & (counts[codes] == 1)).sum(axis=1) - (moved & (counts[new] == 0)).sum(axis=1)
            score = loss + rng.random(len(loss)) * 0.5
            score[free_at > step] += len(known.subsets)
            row = int(score.argmin())
            np.subtract.at(counts, codes[row], 1)
            np.add.at(counts, new[row], 1)
            current[row], codes[row] = changed[row], new[row]
            free_at[row] = step + TABU
        full = current
    return full


def _improved(
    known: Parameters, needed: NDArray[np.bool_], rng: np.random.Generator, candidates: int
) -> NDArray[np.int64]:
    """The best of many rows after coordinate ascent."""
    open_ = np.flatnonzero(needed)
    rows = (rng.random((candidates, len(known.levels))) * known.levels).astype(np.int64)
    for number, code in enumerate(rng.choice(open_, size=candidates).tolist()):
        parameters, values = known.decode(code)
        rows[number, parameters] = values
    best = np.full(candidates, -1)
    for _ in range(SWEEPS):
        for parameter in rng.permutation(len(known.levels)).tolist():
            gains = known.gains(needed, rows, parameter)
            noisy = gains + rng.random(gains.shape) * 0.5
            rows[:, parameter] = noisy.argmax(axis=1)
        score = needed[known.codes(rows)].sum(axis=1)
        if (score <= best).all():
            break
        best = np.maximum(best, score)
    chosen: NDArray[np.int64] = rows[int(score.argmax())].copy()
    return chosen


def _pruned(known: Parameters, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Without rows whose combinations all occur in others."""
    codes = known.codes(rows)
    counts = np.bincount(codes.ravel(), minlength=known.total)
    keep = np.ones(len(rows), dtype=bool)
    for number in range(len(rows)):
        if (counts[codes[number]] > 1).all():
            counts[codes[number]] -= 1
            keep[number] = False
    return rows[keep]
