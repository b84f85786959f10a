"""The parts of a suite before they are written: what each may combine, and its cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from ..catalogues.core.errors import InputError
from .attested import attested_names, preferred
from .cases import Blocks, Cases, capped, count_cases, gathered, slot_rows, weighted
from .combination_space import CombinationSpace, space_of
from .combine import pairing, product, sample
from .combine.mixture import mixture
from .combine.strata import strata_of
from .contrast.pairs import MinimalPairs, count_pairs, pair_cases, placed
from .covering.tway import cover
from .material import Material, Part, extended, with_forms
from .negatives import control_cases, look_alike_cases, look_alike_space
from .recipe import DEFAULT_MAX_CASES, DEFAULT_SIZE, PartOptions

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PlannedPart:
    """A part before it is written.

    Attributes
    ----------
    options : PartOptions
        What was asked.
    space : CombinationSpace
        What may be combined.
    cases : int
        How many cases it gives; where they are counted one by one, at most one more than are allowed.
    blocks : callable
        Gives the cases.
    notes : tuple of str
        Remarks for the user.
    pairs : int
        How many minimal pairs are among them.
    is_counted : bool
        False if there may be more than `cases`.
    """

    options: PartOptions
    space: CombinationSpace
    cases: int
    blocks: Blocks
    notes: tuple[str, ...] = ()
    pairs: int = 0
    is_counted: bool = True


def in_words(cases: int, *, is_counted: bool) -> str:
    """Return a number of cases as text; "more than" one case less if not all are counted."""
    return f"{cases:,}" if is_counted else f"more than {cases - 1:,}"


def plan_part(
    part: Part,
    *,
    contrasts: Sequence[MinimalPairs] = (),
    first_pair: int = 0,
    progress: Progress | None = None,
    max_cases: int = DEFAULT_MAX_CASES,
) -> PlannedPart:
    """Lay out a part.

    Parameters
    ----------
    part : Part
        What is asked, and what it is made from, transformed forms included.
    contrasts : sequence of MinimalPairs
        The minimal pairs of its contrasts.
    first_pair : int
        The number of the first pair.
    progress : callable, optional
        Told how far the choice of a covering suite is.
    max_cases : int
        Where cases are counted one by one, counting stops after this many.
    """
    options, space = part.options, with_attested(part.options, space_of(part))
    main = space
    if options.controls is not None:
        main = replace(space, places=replace(space.places, contexts=space.slotted))
    if options.combine == "contrast":
        planned = _contrasted(main, options, contrasts, first_pair)
    elif options.combine == "tway":
        planned = _covering(main, options, progress)
    else:
        planned = _combined(main, options, max_cases)
    notes = (*space.notes, *planned.notes)
    if not len(space.places.slots) and options.entities != "all":
        notes = (*notes, "no chosen context has a slot: no entity is used")
    planned = _adjusted(part.material, replace(planned, space=space, notes=notes), max_cases)
    return _with_negatives(part, planned)


def with_attested(options: PartOptions, space: CombinationSpace) -> CombinationSpace:
    """The space of a sample with attested contexts, and invented ones for what these lack.

    Names are those that stand so in a source, where no query chooses among names.
    """
    if options.combine != "sample" or options.attested == "any":
        return space
    places, note = preferred(space.material, space.places, options.stratify)
    fillers, left_out = space.fillers, ""
    if options.entities == "all" and not options.stratify:
        fillers, left_out = attested_names(space.material, space.fillers)
    notes = (*space.notes, *(n for n in (note, left_out) if n))
    return replace(space, places=places, fillers=fillers, notes=notes)


def _contrasted(
    space: CombinationSpace, options: PartOptions, contrasts: Sequence[MinimalPairs], first_pair: int
) -> PlannedPart:
    found, notes = [], []
    for whole in contrasts:
        left = placed(space, whole)
        if not len(left):
            raise InputError(
                "no pair of this contrast fits a place",
                found=f"{whole.feature}: {len(whole)} pairs",
                allowed="wider queries, or --fillers any",
            )
        lost = f"; {len(whole) - len(left)} fit no place" if len(left) < len(whole) else ""
        real = len(left) - left.transformed
        notes.append(f"{left.feature}: {real} real pairs, {left.transformed} with a transformed form{lost}")
        found.append(left)
    pairs = count_pairs(found, options.size)
    return PlannedPart(
        options,
        space,
        2 * pairs,
        lambda: pair_cases(space, found, options.size, first_pair),
        tuple(notes),
        pairs,
    )


def _covering(space: CombinationSpace, options: PartOptions, progress: Progress | None) -> PlannedPart:
    t = options.t or 2
    found = cover(
        space,
        t,
        times=options.times,
        limit=options.limit,
        features=options.features,
        natural=options.attested == "first",
        progress=progress,
    )
    notes = [f"{found.attested:,} combinations of {t} can occur; {found.attested - found.open:,} are covered"]
    if found.repeated:
        notes.append(
            f"{found.repeated} cases repeat another word for word: no other entity or sentence has what they "
            f"cover, and {options.times} times each was asked"
        )
    return PlannedPart(options, space, len(found.chosen), found.blocks, tuple(notes))


def _combined(space: CombinationSpace, options: PartOptions, max_cases: int) -> PlannedPart:
    """A part whose way to combine is product, sample, zip or each."""
    full = options.fill == "product"
    if options.combine == "zip":
        return PlannedPart(options, space, *pairing.zip_cases(space))
    if options.combine == "each":
        return PlannedPart(options, space, *pairing.each_cases(space))
    if options.combine == "product":
        size = product.count(space, full=full, most=max_cases)
        is_counted = not full or size <= max_cases
        return PlannedPart(
            options, space, size, lambda: product.cases(space, full=full), is_counted=is_counted
        )
    wanted = options.size or min(DEFAULT_SIZE, product.count(space, full=full, most=DEFAULT_SIZE))
    strata, weights = strata_of(options), mixture(space, options)
    drawn = list(sample.cases(space, wanted, full=full, strata=strata, mixture=weights))
    size = sum(map(len, drawn))
    notes = () if size == wanted else (f"the strata hold only {size:,} of {wanted:,} cases",)
    return PlannedPart(replace(options, size=wanted or None), space, size, lambda: iter(drawn), notes)


def _adjusted(material: Material, part: PlannedPart, max_cases: int) -> PlannedPart:
    """The part with weights and limits; a covering suite's limits may uncover, which the verifier tells."""
    options = part.options
    if not options.weights and not options.max_per:
        return part

    def uncapped() -> Iterator[Cases]:
        # a query asks for all cases of a block at once
        found = gathered(part.blocks())
        return weighted(material, found, options.weights) if options.weights else found

    def blocks() -> Iterator[Cases]:
        return capped(material, uncapped(), options.max_per) if options.max_per else uncapped()

    cases, notes = count_cases(blocks(), max_cases), part.notes
    if options.max_per:
        whole = count_cases(uncapped(), max_cases) if options.weights else part.cases
        if left := whole - cases:
            notes = (*notes, f"--max-per leaves out {left:,} of {whole:,} cases")
    return replace(part, blocks=blocks, cases=cases, notes=notes, is_counted=cases <= max_cases)


def _with_negatives(asked: Part, part: PlannedPart) -> PlannedPart:
    """The part with look-alikes in slots and controls beside it, in the shares asked for."""
    options = part.options
    wanted = bool(options.look_alikes) or options.negatives is not None
    negatives, controls = options.negatives or 0.0, options.controls or 0.0
    share = negatives + controls
    if share >= 1.0:
        raise InputError(
            "negatives and controls leave no room for entities",
            found=f"{negatives} and {controls}",
            allowed="shares that add up to less than 1",
        )
    both = round(part.cases * share / (1.0 - share))
    bare = round(both * controls / share) if controls else 0
    blocks = [part.blocks]
    notes, size = list(part.notes), part.cases
    if wanted:
        space = look_alike_space(asked)
        number = both - bare if options.negatives is not None else product.count(space, full=False)
        blocks.append(lambda: look_alike_cases(space, number))
        notes.append(f"{number:,} cases with look-alikes in their slots")
        size += number
    if options.controls is not None:
        there = len(part.space.bare)
        if bare and not there:
            raise InputError("no context without an entity to take as a control", found=options.contexts)
        blocks.append(lambda: control_cases(part.space, bare))
        notes.append(f"{bare:,} controls from {there} contexts without slots")
        size += bare
    if len(blocks) == 1:
        return part
    return replace(
        part, cases=size, notes=tuple(notes), blocks=lambda: chain.from_iterable(more() for more in blocks)
    )


def with_capitals(material: Material, parts: Sequence[PlannedPart]) -> tuple[Material, list[PlannedPart]]:
    """The material with a capitalised variant of each small-letter form, and parts that use them.

    A variant keeps its entry's identity. It stands where a slot begins its sentence; elsewhere forms stay as
    they are.
    """
    forms = material.forms
    small = np.array([f[:1].islower() and len(f[:1].upper()) == 1 for f in forms], dtype=bool)
    rows = np.flatnonzero(small & material.gold)
    if not len(rows):
        return material, list(parts)
    fresh = with_forms(
        material.fillers.take(rows),
        [forms[r][0].upper() + forms[r][1:] for r in rows.tolist()],
        material.lists,
    )
    variant = np.arange(len(forms), dtype=np.int32)
    variant[rows] = len(forms) + np.arange(len(rows))
    initial = (material.slots["position"].astype("str") == "initial").to_numpy(dtype=bool)

    def capitalised(part: PlannedPart) -> Iterator[Cases]:
        for block in part.blocks():
            rows, _ = slot_rows(material, block)
            yield replace(block, fillers=np.where(initial[rows], variant[block.fillers], block.fillers))

    return extended(material, [fresh]), [replace(p, blocks=partial(capitalised, p)) for p in parts]
