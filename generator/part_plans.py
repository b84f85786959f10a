"""Plans of the parts of a suite."""

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
from .part_options import DEFAULT_SIZE, DEFAULT_T, PartOptions
from .recipe import DEFAULT_MAX_CASES

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PartPlan:
    """Plan of a part: its combination space, cases and notes, before the cases are written.

    Attributes
    ----------
    options : PartOptions
        Options of the part.
    space : CombinationSpace
        Entities, contexts and slots that are combined.
    cases : int
        Number of cases, or a lower bound if counting stopped (see `is_counted`).
    blocks : callable
        Function that returns an iterator over the blocks of cases.
    notes : tuple of str
        Notes for the user.
    pair_count : int
        Number of minimal pairs among the cases.
    is_counted : bool
        False if counting stopped because there are more cases than the maximum.
    """

    options: PartOptions
    space: CombinationSpace
    cases: int
    blocks: Blocks
    notes: tuple[str, ...] = ()
    pair_count: int = 0
    is_counted: bool = True


def format_count(cases: int, *, is_counted: bool) -> str:
    """Format a number of cases, with "more than" if `is_counted` is False."""
    return f"{cases:,}" if is_counted else f"more than {cases - 1:,}"


def plan_part(
    part: Part,
    *,
    contrasts: Sequence[MinimalPairs] = (),
    first_pair: int = 0,
    progress: Progress | None = None,
    max_cases: int = DEFAULT_MAX_CASES,
) -> PartPlan:
    """Plan a part: make its combination space, its cases and its negative cases.

    Parameters
    ----------
    part : Part
        Part with its options and material. The material includes the transformed forms of minimal pairs.
    contrasts : sequence of MinimalPairs
        Minimal pairs for each contrasted feature.
    first_pair : int
        Number of the first minimal pair of the part.
    progress : callable, optional
        Called with the number of covered combinations and the number of all combinations while a covering
        suite is built.
    max_cases : int
        Maximum number of cases; counting stops if there are more.
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
        notes = (*notes, "no selected context has a slot, so no entity is used")
    planned = _apply_limits(part.material, replace(planned, space=space, notes=notes), max_cases)
    return _add_negatives(part, planned)


def restrict_to_attested(options: PartOptions, space: CombinationSpace) -> CombinationSpace:
    """Remove constructed contexts, except those with feature values that few attested contexts have.

    Only samples with ``attested = first`` are changed. Constructed names are also removed if the query
    selects all entities and the sample is not stratified.
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
    placed, notes = [], []
    for contrast in contrasts:
        left = place_pairs(space, contrast)
        if not len(left):
            raise InputError(
                f"none of the {len(contrast)} minimal pairs for {contrast.feature} fits a selected slot; "
                "use wider queries, or set fillers = any"
            )
        lost = f"; {len(contrast) - len(left)} fit no slot" if len(left) < len(contrast) else ""
        real = len(left) - left.transformed
        notes.append(f"{left.feature}: {real} real pairs, {left.transformed} with a transformed form{lost}")
        placed.append(left)
    pairs = count_pairs(placed, options.size)
    return PartPlan(
        options,
        space,
        2 * pairs,
        lambda: make_pair_cases(space, placed, options.size, first_pair),
        tuple(notes),
        pairs,
    )


def _plan_covering(space: CombinationSpace, options: PartOptions, progress: Progress | None) -> PartPlan:
    covering = choose_covering_cases(space, options, progress)
    notes = [
        f"{covering.attested:,} combinations of {options.t or DEFAULT_T} feature values can occur; "
        f"{covering.attested - covering.open_count:,} are covered"
    ]
    if covering.repeated_count:
        notes.append(
            f"{covering.repeated_count} cases repeat another case exactly: each combination must be covered "
            f"{options.times} times, and no other entity or sentence covers these combinations"
        )
    return PartPlan(options, space, len(covering.chosen), covering.blocks, tuple(notes))


def _plan_combination(space: CombinationSpace, options: PartOptions, max_cases: int) -> PartPlan:
    """Plan a part whose combine method is `product`, `sample`, `zip` or `each`."""
    if options.combine == "zip":
        return PartPlan(options, space, *zip_and_each.make_zip_cases(space))
    if options.combine == "each":
        return PartPlan(options, space, *zip_and_each.make_each_cases(space))
    if options.combine == "product":
        full = options.fill == "product"
        size = product.count_product(space, full=full, most=max_cases)
        is_counted = not full or size <= max_cases
        return PartPlan(
            options, space, size, lambda: product.make_product_cases(space, full=full), is_counted=is_counted
        )
    wanted = options.size or min(DEFAULT_SIZE, product.count_product(space, full=False))
    drawn = list(sample.draw_cases(space, wanted, make_strata(options), make_mixture(space, options)))
    size = sum(map(len, drawn))
    notes = () if size == wanted else (f"the strata have only {size:,} of the {wanted:,} requested cases",)
    return PartPlan(replace(options, size=wanted or None), space, size, lambda: iter(drawn), notes)


def _apply_limits(material: Material, part: PartPlan, max_cases: int) -> PartPlan:
    """Apply the options `weights` and `max_per` to the cases of a plan.

    Limits can reduce the coverage of a covering suite (see `measure_coverage`).
    """
    options = part.options
    if not options.weights and not options.max_per:
        return part

    def uncapped() -> Iterator[Cases]:
        # queries are evaluated once per block
        joined = join_small_blocks(part.blocks())
        return repeat_by_weight(material, joined, options.weights) if options.weights else joined

    def blocks() -> Iterator[Cases]:
        return limit_cases(material, uncapped(), options.max_per) if options.max_per else uncapped()

    cases, notes = count_cases(blocks(), max_cases), part.notes
    if options.max_per:
        total = count_cases(uncapped(), max_cases) if options.weights else part.cases
        if left_out := total - cases:
            notes = (*notes, f"the option max_per leaves out {left_out:,} of {total:,} cases")
    return replace(part, blocks=blocks, cases=cases, notes=notes, is_counted=cases <= max_cases)


def _add_negatives(part: Part, plan: PartPlan) -> PartPlan:
    """Add control cases and cases with look-alikes to a plan, with the shares set in the options."""
    options = plan.options
    wanted = bool(options.look_alikes) or options.negatives is not None
    negatives, controls = options.negatives or 0.0, options.controls or 0.0
    share = negatives + controls
    if share >= 1.0:
        raise InputError(
            "the shares of negatives and controls must add up to less than 1",
            found=f"{negatives} and {controls}",
        )
    added = round(plan.cases * share / (1.0 - share))
    control_count = round(added * controls / share) if controls else 0
    blocks = [plan.blocks]
    notes, size = list(plan.notes), plan.cases
    if wanted:
        space = make_look_alike_space(part)
        possible = product.count_product(space, full=False)
        number = possible if options.negatives is None else added - control_count
        blocks.append(lambda: make_look_alike_cases(space, number))
        notes.append(f"{number:,} cases with look-alikes in their slots")
        size += number
    if options.controls is not None:
        contexts = len(plan.space.slotless)
        if control_count and not contexts:
            raise InputError(
                "controls need contexts without slots, but the query selects none", found=options.contexts
            )
        blocks.append(lambda: make_control_cases(plan.space, control_count))
        notes.append(f"{control_count:,} controls from {contexts} contexts without slots")
        size += control_count
    return replace(
        plan, cases=size, notes=tuple(notes), blocks=lambda: chain.from_iterable(more() for more in blocks)
    )


def add_capitalised_forms(material: Material, parts: Sequence[PartPlan]) -> tuple[Material, list[PartPlan]]:
    """Capitalise forms with a lower-case first letter where they begin a sentence.

    The capitalised forms are added to the material, with the identifiers of the original entities.
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
