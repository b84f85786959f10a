"""The parts of a suite before they are written: what each may combine, and its cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from ..catalogues.core.errors import InputError
from .attestation import prefer_attested, select_attested_names
from .cases import Blocks, Cases, count_cases, join_small_blocks, limit_cases, repeat_by_weight, slot_rows
from .combination_space import CombinationSpace, make_space
from .combine import product, sample, zip_and_each
from .combine.mixture import make_mixture
from .combine.strata import make_strata
from .contrast.minimal_pairs import MinimalPairs, count_pairs, make_pair_cases, place_pairs
from .covering.tway import choose_covering_cases
from .material import Material, Part, add_fillers, replace_forms
from .negatives import make_control_cases, make_look_alike_cases, make_look_alike_space
from .recipe import DEFAULT_MAX_CASES, DEFAULT_SIZE, PartOptions

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PartPlan:
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
    pair_count : int
        How many minimal pairs are among them.
    is_counted : bool
        False if there may be more than `cases`.
    """

    options: PartOptions
    space: CombinationSpace
    cases: int
    blocks: Blocks
    notes: tuple[str, ...] = ()
    pair_count: int = 0
    is_counted: bool = True


def format_count(cases: int, *, is_counted: bool) -> str:
    """Return a number of cases as text; "more than" one case less if not all are counted."""
    return f"{cases:,}" if is_counted else f"more than {cases - 1:,}"


def plan_part(
    part: Part,
    *,
    contrasts: Sequence[MinimalPairs] = (),
    first_pair: int = 0,
    progress: Progress | None = None,
    max_cases: int = DEFAULT_MAX_CASES,
) -> PartPlan:
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
    options, space = part.options, restrict_to_attested(part.options, make_space(part))
    main = space
    if options.controls is not None:
        main = replace(space, places=replace(space.places, contexts=space.slotted))
    if options.combine == "contrast":
        planned = _plan_contrast(main, options, contrasts, first_pair)
    elif options.combine == "tway":
        planned = _plan_covering(main, options, progress)
    else:
        planned = _plan_combination(main, options, max_cases)
    notes = (*space.notes, *planned.notes)
    if not len(space.places.slots) and options.entities != "all":
        notes = (*notes, "no chosen context has a slot: no entity is used")
    planned = _apply_limits(part.material, replace(planned, space=space, notes=notes), max_cases)
    return _add_negatives(part, planned)


def restrict_to_attested(options: PartOptions, space: CombinationSpace) -> CombinationSpace:
    """The space of a sample with attested contexts, and invented ones for what these lack.

    Names are those that stand so in a source, where no query chooses among names.
    """
    if options.combine != "sample" or options.attested == "any":
        return space
    places, note = prefer_attested(space.material, space.places, options.stratify)
    fillers, left_out = space.fillers, ""
    if options.entities == "all" and not options.stratify:
        fillers, left_out = select_attested_names(space.material, space.fillers)
    notes = (*space.notes, *(n for n in (note, left_out) if n))
    return replace(space, places=places, fillers=fillers, notes=notes)


def _plan_contrast(
    space: CombinationSpace, options: PartOptions, contrasts: Sequence[MinimalPairs], first_pair: int
) -> PartPlan:
    found, notes = [], []
    for whole in contrasts:
        left = place_pairs(space, whole)
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
    return PartPlan(
        options,
        space,
        2 * pairs,
        lambda: make_pair_cases(space, found, options.size, first_pair),
        tuple(notes),
        pairs,
    )


def _plan_covering(space: CombinationSpace, options: PartOptions, progress: Progress | None) -> PartPlan:
    t = options.t or 2
    found = choose_covering_cases(
        space,
        t,
        times=options.times,
        limit=options.limit,
        features=options.features,
        natural=options.attested == "first",
        progress=progress,
    )
    notes = [
        f"{found.attested:,} combinations of {t} can occur; {found.attested - found.open_count:,} are covered"
    ]
    if found.repeated_count:
        notes.append(
            f"{found.repeated_count} cases repeat another one exactly: no other entity or sentence covers "
            f"the same combinations, and each is to be covered {options.times} times"
        )
    return PartPlan(options, space, len(found.chosen), found.blocks, tuple(notes))


def _plan_combination(space: CombinationSpace, options: PartOptions, max_cases: int) -> PartPlan:
    """A part whose way to combine is product, sample, zip or each."""
    full = options.fill == "product"
    if options.combine == "zip":
        return PartPlan(options, space, *zip_and_each.make_zip_cases(space))
    if options.combine == "each":
        return PartPlan(options, space, *zip_and_each.make_each_cases(space))
    if options.combine == "product":
        size = product.count_product(space, full=full, most=max_cases)
        is_counted = not full or size <= max_cases
        return PartPlan(
            options, space, size, lambda: product.make_product_cases(space, full=full), is_counted=is_counted
        )
    wanted = options.size or min(DEFAULT_SIZE, product.count_product(space, full=full, most=DEFAULT_SIZE))
    strata, weights = make_strata(options), make_mixture(space, options)
    drawn = list(sample.draw_cases(space, wanted, full=full, strata=strata, mixture=weights))
    size = sum(map(len, drawn))
    notes = () if size == wanted else (f"the strata hold only {size:,} of {wanted:,} cases",)
    return PartPlan(replace(options, size=wanted or None), space, size, lambda: iter(drawn), notes)


def _apply_limits(material: Material, part: PartPlan, max_cases: int) -> PartPlan:
    """The part with weights and limits; a covering suite's limits may uncover, which the verifier tells."""
    options = part.options
    if not options.weights and not options.max_per:
        return part

    def uncapped() -> Iterator[Cases]:
        # a query asks for all cases of a block at once
        found = join_small_blocks(part.blocks())
        return repeat_by_weight(material, found, options.weights) if options.weights else found

    def blocks() -> Iterator[Cases]:
        return limit_cases(material, uncapped(), options.max_per) if options.max_per else uncapped()

    cases, notes = count_cases(blocks(), max_cases), part.notes
    if options.max_per:
        whole = count_cases(uncapped(), max_cases) if options.weights else part.cases
        if left := whole - cases:
            notes = (*notes, f"--max-per leaves out {left:,} of {whole:,} cases")
    return replace(part, blocks=blocks, cases=cases, notes=notes, is_counted=cases <= max_cases)


def _add_negatives(asked: Part, part: PartPlan) -> PartPlan:
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
        space = make_look_alike_space(asked)
        number = both - bare if options.negatives is not None else product.count_product(space, full=False)
        blocks.append(lambda: make_look_alike_cases(space, number))
        notes.append(f"{number:,} cases with look-alikes in their slots")
        size += number
    if options.controls is not None:
        there = len(part.space.slotless)
        if bare and not there:
            raise InputError("no context without an entity to take as a control", found=options.contexts)
        blocks.append(lambda: make_control_cases(part.space, bare))
        notes.append(f"{bare:,} controls from {there} contexts without slots")
        size += bare
    if len(blocks) == 1:
        return part
    return replace(
        part, cases=size, notes=tuple(notes), blocks=lambda: chain.from_iterable(more() for more in blocks)
    )


def add_capitalised_forms(material: Material, parts: Sequence[PartPlan]) -> tuple[Material, list[PartPlan]]:
    """The material with a capitalised variant of each small-letter form, and parts that use them.

    A variant keeps its entry's identity. It stands where a slot begins its sentence; elsewhere forms stay as
    they are.
    """
    forms = material.forms
    small = np.array([f[:1].islower() and len(f[:1].upper()) == 1 for f in forms], dtype=bool)
    rows = np.flatnonzero(small & material.gold)
    if not len(rows):
        return material, list(parts)
    fresh = replace_forms(
        material.fillers.take(rows),
        [forms[r][0].upper() + forms[r][1:] for r in rows.tolist()],
        material.lists,
    )
    variant = np.arange(len(forms), dtype=np.int32)
    variant[rows] = len(forms) + np.arange(len(rows))
    initial = (material.slots["position"].astype("str") == "initial").to_numpy(dtype=bool)

    def capitalised(part: PartPlan) -> Iterator[Cases]:
        for block in part.blocks():
            rows, _ = slot_rows(material, block)
            yield replace(block, fillers=np.where(initial[rows], variant[block.fillers], block.fillers))

    return add_fillers(material, [fresh]), [replace(p, blocks=partial(capitalised, p)) for p in parts]
