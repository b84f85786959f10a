"""Choice of fillers for the other slots of a sentence after one slot has been filled.

The forms within a sentence differ. If enough fillers fit, the genes also differ and the organisms are
compatible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from .material import Ints

STREAM_KEY = 1
"""Key that makes the random draws of this module independent of those of other modules."""
MAX_GENE_TRIES = 100
"""Maximum number of attempts to find a name of a different gene."""


def make_stream(seed: int, *keys: int) -> np.random.Generator:
    """Make a random generator that always gives the same draws for the same seed and keys."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *keys])))


def make_forms_error(count: int) -> InputError:
    """Return the error for a sentence with too few different forms for its slots; only `count` forms fit."""
    return InputError(
        f"too few different forms for the slots of one sentence: only {count} fit; "
        "use a wider query, or set repeat_forms = true"
    )


@dataclass(frozen=True)
class SlotFilling:
    """Method that fills the other slots of a case after one slot has been filled.

    Attributes
    ----------
    form_codes : array of int32
        For each filler, the code of its form.
    seed, part : int
        Random seed, and the number of the part.
    distinct_forms : bool
        If True, the forms within a case must differ.
    counterpart : array of int32, optional
        For each filler, the row of the other form (symbol or name) of its catalogue entry; -1 if there is
        none.
    organisms : array of int32 and array of bool, optional
        For each filler, the number of its organism; and a matrix (organisms × organisms) that is True if two
        organisms are compatible, so that a sentence may mention both. Incompatible organisms are combined
        only if no other filler fits.
    genes : array of int32, optional
        For each filler, the number of its gene. If possible, all names in a sentence belong to different
        genes, except the two names in an appositive.
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
        extra_seed: int | None,
        partners: Mapping[int, int],
        same_entry: bool,
    ) -> NDArray[np.int32]:
        """Make one case per filler in `focus`: put this filler into slot `place`, and fill the other slots.

        The fillers that fit a slot are used one after the other in a random order, so that all occur about
        equally often. If a form would occur twice in a case, the next filler is used instead.

        Parameters
        ----------
        context : int
            Row of the context; the random draws also depend on it.
        place : int
            Number of the slot that the fillers in `focus` fill.
        focus : array of int32
            One filler per case.
        pools : sequence of arrays
            Fillers that fit each slot.
        extra_seed : int or None
            Additional random seed, which allows different fillings of the same context.
        partners : mapping
            For each slot in an appositive, the number of the other slot of this appositive.
        same_entry : bool
            If True, the two names in an appositive always belong to one catalogue entry; `pools` must contain
            only fillers for which this is possible.

        Returns
        -------
        array of int32
            One row per case, one column per slot.

        Raises
        ------
        InputError
            If the pools have too few different forms.
        """
        n, k = len(focus), len(pools)
        filled = np.empty((n, k), dtype=np.int32)
        filled[:, place] = focus
        extra = () if extra_seed is None else (extra_seed,)
        rng = make_stream(self.seed, self.part, STREAM_KEY, context, place, *extra)
        done = [place]
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
            self._match_organisms(filled[:, done], column, fixed, order, at)
            self._avoid_same_genes(filled[:, done], column, fixed, order, at)
            self._avoid_same_forms(filled[:, done], column, fixed, order, at, same_entry and mate is not None)
            filled[:, other] = column
            done.append(other)
        return filled

    def _match_organisms(
        self, filled: Ints, column: Ints, fixed: NDArray[np.bool_], order: Ints, at: NDArray[np.int64]
    ) -> None:
        """Replace each filler whose organism is not compatible with the other names in its case.

        `column` (fillers) and `at` (their positions in `order`) are changed in place. A filler is kept if no
        filler in `order` is compatible.
        """
        if self.organisms is None:
            return
        own, together = self.organisms
        # cases × organisms: which are compatible with all names in the case
        good: NDArray[np.bool_] = np.logical_and.reduce(together[own[filled]], axis=1)
        wrong = np.flatnonzero(~good[np.arange(len(column)), own[column]] & ~fixed)
        patterns, which = np.unique(good[wrong], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            fit, rows = np.flatnonzero(pattern[own[order]]), wrong[which.reshape(-1) == number]
            if len(fit):
                at[rows] = fit[np.searchsorted(fit, at[rows]) % len(fit)]
                column[rows] = order[at[rows]]

    def _avoid_same_genes(
        self, filled: Ints, column: Ints, fixed: NDArray[np.bool_], order: Ints, at: NDArray[np.int64]
    ) -> None:
        """Replace each filler whose gene already occurs in its case.

        `column` (fillers) and `at` (their positions in `order`) are changed in place. At most
        `MAX_GENE_TRIES` following fillers in `order` are tried; if none is suitable, the filler is kept.
        """
        if self.genes is None:
            return
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

    def _avoid_same_forms(
        self,
        filled: Ints,
        column: Ints,
        fixed: NDArray[np.bool_],
        order: Ints,
        at: NDArray[np.int64],
        with_mate: bool,
    ) -> None:
        """Replace each filler whose form already occurs in its case.

        If `with_mate` is True, the form of the counterpart of a filler must not occur either. `column`,
        `fixed` and `at` are changed in place.
        """
        if not self.distinct_forms:
            return
        taken = self.form_codes[filled]
        clash = np.flatnonzero(self._clashes(column, taken, with_mate))
        step = 0
        while len(clash):
            step += 1
            if step > len(order) + 1:
                raise make_forms_error(len(np.unique(self.form_codes[order])))
            move = clash[~fixed[clash]] if step == 1 else clash
            fixed[clash] = False
            at[move] = (at[move] + 1) % len(order)
            column[clash] = order[at[clash]]
            clash = clash[self._clashes(column[clash], taken[clash], with_mate)]

    def _clashes(self, column: Ints, taken: Ints, with_mate: bool) -> NDArray[np.bool_]:
        """Return a mask of the fillers whose form already occurs in their case.

        `taken` contains the form codes of the filled slots (cases × slots). If `with_mate` is True, the forms
        of the counterparts are also compared.
        """
        found = (self.form_codes[column][:, None] == taken).any(axis=1)
        if with_mate and self.counterpart is not None:
            found |= (self.form_codes[self.counterpart[column]][:, None] == taken).any(axis=1)
        return np.asarray(found, dtype=bool)

    def is_admitted(self, filled: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return a mask of the cases in which all forms differ, or of all cases if forms may be repeated."""
        if not self.distinct_forms or filled.shape[1] < 2:
            return np.ones(len(filled), dtype=bool)
        ordered = np.sort(self.form_codes[filled], axis=1)
        return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1), dtype=bool)

    def take_counterparts(self, fillers: Ints) -> Ints:
        """Return the counterpart of each filler, which is the other form of its catalogue entry."""
        if self.counterpart is None:
            raise ValueError("SlotFilling.counterpart must not be None for appositives of one entry")
        found: Ints = self.counterpart[fillers]
        return found


def order_slots(place: int, pools: Sequence[Ints], partners: Mapping[int, int]) -> list[int]:
    """Return the order in which slots are filled: `place`, then the others by ascending number of fillers.

    The two slots of an appositive follow each other directly.
    """
    turns: list[int] = []
    few = sorted(range(len(pools)), key=lambda s: (len(pools[s]), s))
    for slot in (place, *few):
        pair = (slot, *([partners[slot]] if slot in partners else []))
        # a slot without fillers of its own takes the counterpart of its partner's filler
        turns += [s for s in sorted(pair, key=lambda s: (s != place, not len(pools[s]), s)) if s not in turns]
    return turns
