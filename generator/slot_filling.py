"""The other slots of a sentence: drawn, or all of them in turn, and distinct within a case unless asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from .material import Ints

STREAM_KEY = 1
"""The purpose of a random stream, so that one choice does not disturb another."""
MAX_GENE_TRIES = 100
"""How many others are looked at for one of another gene."""


def make_stream(seed: int, *keys: int) -> np.random.Generator:
    """Make the random stream of a purpose: the same keys give the same draws, whatever was drawn before."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *keys])))


@dataclass(frozen=True)
class SlotFilling:
    """How the slots of a case are filled.

    Attributes
    ----------
    form_codes : array of int32
        For each filler a number that equal forms share.
    seed, part : int
        What the draws hang on.
    distinct_forms : bool
        Whether the forms within a case must differ.
    counterpart : array of int32, optional
        For each filler the other form (symbol or name) of the same catalogue entry, or -1.
    organisms : array of int32 and array of bool, optional
        For each filler the number of its organism; which organisms go together (organisms × organisms). A
        sentence gets names of organisms that do, where its slots have such.
    genes : array of int32, optional
        For each filler a number that names of one gene share. A sentence gets names of different genes, where
        its slots have such, but for appositions.
    """

    form_codes: NDArray[np.int32]
    seed: int
    part: int
    distinct_forms: bool = True
    counterpart: NDArray[np.int32] | None = None
    organisms: tuple[NDArray[np.int32], NDArray[np.bool_]] | None = None
    genes: Ints | None = None

    def complete(
        self,
        context: int,
        place: int,
        focus: Ints,
        pools: Sequence[Ints],
        extra_seed: int | None = None,
        paired: dict[int, int] | None = None,
        same_entry: bool = False,
    ) -> NDArray[np.int32]:
        """Fill the other slots of a context around its chosen entities.

        Each pool is laid out in a random order of its own and repeated, so that every member comes up
        equally often; where a form would stand twice in a case the next in that order is taken.

        Parameters
        ----------
        context : int
            The context's row; draws hang on it.
        place : int
            The slot that the entities of `focus` take.
        focus : array of int32
            One filler a case.
        pools : sequence of arrays
            What may stand in each slot.
        extra_seed : int, optional
            Draws hang on this number too, so that one context can be filled more than once.
        paired : dict, optional
            From a slot to its partner in an appositive pair.
        same_entry : bool
            Whether partners are always of one entry; the pools hold such only.

        Returns
        -------
        array of int32
            One row a case, one column a slot.

        Raises
        ------
        InputError
            When the pools hold too few different forms.
        """
        n, k = len(focus), len(pools)
        filled = np.empty((n, k), dtype=np.int32)
        filled[:, place] = focus
        extra = () if extra_seed is None else (extra_seed,)
        rng = make_stream(self.seed, self.part, STREAM_KEY, context, place, *extra)
        done = [place]
        partners = paired or {}
        for other in order_slots(place, pools, partners)[1:]:
            mate = partners.get(other)
            if same_entry and mate in done and self.counterpart is not None:
                filled[:, other] = self.counterpart[filled[:, mate]]
                done.append(other)
                continue
            order = pools[other][rng.permutation(len(pools[other]))]
            at = (np.arange(n) + rng.integers(len(order))) % len(order)
            column = order[at]
            fixed = np.zeros(n, dtype=bool)
            if mate in done and self.counterpart is not None:
                found = self.counterpart[filled[:, mate]]
                fixed = found >= 0
                column = np.where(fixed, found, column)
            column, at = self._match_organisms(filled[:, done], column, fixed, order, at)
            column, at = self._avoid_same_genes(filled[:, done], column, fixed, order, at)
            if self.distinct_forms:
                column = self._avoid_same_forms(
                    filled[:, done], column, fixed, order, at, same_entry and mate is not None
                )
            filled[:, other] = column
            done.append(other)
        return filled

    def _match_organisms(
        self, filled: Ints, column: Ints, fixed: NDArray[np.bool_], order: Ints, at: NDArray[np.int64]
    ) -> tuple[Ints, NDArray[np.int64]]:
        """A column of fillers, those of an organism that does not go with the case's replaced.

        Where a slot's pool has none that does, the sentence speaks of several: what was drawn stays.
        """
        if self.organisms is None:
            return column, at
        own, together = self.organisms
        column, at = column.copy(), at.copy()
        # cases × organisms: which go with all that stands in the case
        good: NDArray[np.bool_] = np.logical_and.reduce(together[own[filled]], axis=1)
        wrong = np.flatnonzero(~good[np.arange(len(column)), own[column]] & ~fixed)
        patterns, which = np.unique(good[wrong], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            fit, rows = np.flatnonzero(pattern[own[order]]), wrong[which.reshape(-1) == number]
            if len(fit):
                at[rows] = fit[np.searchsorted(fit, at[rows]) % len(fit)]
                column[rows] = order[at[rows]]
        return column, at

    def _avoid_same_genes(
        self, filled: Ints, column: Ints, fixed: NDArray[np.bool_], order: Ints, at: NDArray[np.int64]
    ) -> tuple[Ints, NDArray[np.int64]]:
        """A column of fillers, those of a gene that their case has replaced by the next that fits.

        Where none of the next `FURTHER` does, what was drawn stays.
        """
        if self.genes is None:
            return column, at
        column, at = column.copy(), at.copy()
        taken = self.genes[filled]
        left = np.flatnonzero((self.genes[column][:, None] == taken).any(axis=1) & ~fixed)
        for step in range(1, min(len(order), MAX_GENE_TRIES)):
            if not len(left):
                break
            place = (at[left] + step) % len(order)
            found = order[place]
            good = ~(self.genes[found][:, None] == taken[left]).any(axis=1)
            if self.organisms is not None:
                own, together = self.organisms
                good &= together[own[filled[left]], own[found][:, None]].all(axis=1)
            at[left[good]], column[left[good]] = place[good], found[good]
            left = left[~good]
        return column, at

    def _avoid_same_forms(
        self,
        filled: Ints,
        column: Ints,
        fixed: NDArray[np.bool_],
        order: Ints,
        at: NDArray[np.int64],
        with_mate: bool,
    ) -> Ints:
        """A column of fillers, those that stand in their case already (or their counterparts do) replaced."""
        column = column.copy()
        taken = self.form_codes[filled]
        clash = np.flatnonzero(self._clashes(column, taken, with_mate))
        step = 0
        at = at.copy()
        while len(clash):
            step += 1
            if step > len(order) + 1:
                raise InputError(
                    "too few different forms for the slots of one sentence",
                    found=f"{len(np.unique(self.form_codes[order]))} forms",
                    allowed="a wider query, or --repeat-forms",
                )
            move = clash[~fixed[clash]] if step == 1 else clash
            fixed[clash] = False
            at[move] = (at[move] + 1) % len(order)
            column[clash] = order[at[clash]]
            clash = clash[self._clashes(column[clash], taken[clash], with_mate)]
        return column

    def _clashes(self, column: Ints, taken: Ints, with_mate: bool) -> NDArray[np.bool_]:
        """Which cases (rows of `taken`, cases × filled slots) have a form of the column already."""
        found = (self.form_codes[column][:, None] == taken).any(axis=1)
        if with_mate and self.counterpart is not None:
            found |= (self.form_codes[self.counterpart[column]][:, None] == taken).any(axis=1)
        return np.asarray(found, dtype=bool)

    def is_admitted(self, filled: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which cases (cases × slots) may be: with different forms where that is asked."""
        if not self.distinct_forms or filled.shape[1] < 2:
            return np.ones(len(filled), dtype=bool)
        ordered = np.sort(self.form_codes[filled], axis=1)
        return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1), dtype=bool)

    def take_counterparts(self, fillers: Ints) -> Ints:
        """The counterparts of some fillers."""
        if self.counterpart is None:
            raise ValueError("pairs of one entry need their counterparts")
        found: Ints = self.counterpart[fillers]
        return found


def order_slots(place: int, pools: Sequence[Ints], partners: Mapping[int, int]) -> list[int]:
    """Order in which a context's slots are filled: `place`, then those that few fit; partners together."""
    turns: list[int] = []
    few = sorted(range(len(pools)), key=lambda s: (len(pools[s]), s))
    for slot in (place, *few):
        both = (slot, *([partners[slot]] if slot in partners else []))
        # one that nothing of the query fits takes what its partner brings
        turns += [s for s in sorted(both, key=lambda s: (s != place, not len(pools[s]), s)) if s not in turns]
    return turns
