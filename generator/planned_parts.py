"""The parts of a suite laid out: what each may combine, how many cases it gives, and the cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ..catalogues.core.errors import InputError
from .adjust import capped, total, weighted
from .attested import attested_names, preferred
from .cases import Cases, gathered
from .combination_space import CombinationSpace, space_of
from .combine import pairing, product, sample
from .combine.mixture import mixture
from .combine.pairing import Blocks
from .combine.strata import strata_of
from .contrast.cases import count_pairs, pair_cases, placed
from .contrast.pairs import MinimalPairs
from .material import Material, Part
from .negative import control_cases, look_alike_cases, look_alike_space, share_of
from .recipe import DEFAULT_SIZE, PartOptions

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
        How many cases it gives.
    blocks : callable
        Gives the cases.
    notes : tuple of str
        Remarks for the user.
    pairs : int
        How many minimal pairs are among them.
    """

    options: PartOptions
    space: CombinationSpace
    cases: int
    blocks: Blocks
    notes: tuple[str, ...] = ()
    pairs: int = 0


def plan_part(
    part: Part,
    *,
    contrasts: Sequence[MinimalPairs] = (),
    first_pair: int = 0,
    progress: Progress | None = None,
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
    """
    options, space = part.options, with_attested(part.options, space_of(part))
    main = space
    if options.controls is not None:
        main = replace(space, places=replace(space.places, contexts=space.slotted))
    if options.combine == "contrast":
        planned = _contrasted(main, options, contrasts, first_pair)
    else:
        planned = _combined(main, options, progress)
    planned = replace(planned, notes=(*space.notes, *planned.notes))
    if not len(space.places.slots) and options.entities != "all":
        planned = replace(planned, notes=(*planned.notes, "no chosen context has a slot: no entity is used"))
    return _with_negatives(part, _adjusted(part.material, replace(planned, space=space)))


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
    found = [placed(space, contrast) for contrast in contrasts]
    for whole, left in zip(contrasts, found, strict=True):
        if not len(left):
            raise InputError(
                "no pair of this contrast fits a place",
                found=f"{whole.feature}: {len(whole)} pairs",
                allowed="wider queries, or --fillers any",
            )
    pairs = count_pairs(found, options.size)
    notes = tuple(
        f"{p.feature}: {len(p) - p.transformed} real pairs, {p.transformed} with a transformed form"
        + (f"; {len(w) - len(p)} fit no place" if len(p) < len(w) else "")
        for w, p in zip(contrasts, found, strict=True)
    )
    return PlannedPart(
        options,
        space,
        2 * pairs,
        lambda: pair_cases(space, found, options.size, first_pair),
        notes,
        pairs,
    )


def _combined(space: CombinationSpace, options: PartOptions, progress: Progress | None) -> PlannedPart:
    if options.combine == "product":
        full = options.fill == "product"
        size = product.count(space, full=full)
        return PlannedPart(options, space, size, lambda: product.cases(space, full=full))
    if options.combine == "sample":
        full = options.fill == "product"
        wanted = options.size or min(DEFAULT_SIZE, product.count(space, full=full))
        drawn = list(
            sample.cases(
                space,
                wanted,
                full=full,
                strata=strata_of(options),
                mixture=mixture(space, options),
            )
        )
        size = total(drawn)
        notes = () if size == wanted else (f"the strata hold only {size:,} of {wanted:,} cases",)
        options = replace(options, size=wanted or None)
        return PlannedPart(options, space, size, lambda: iter(drawn), notes)
    if options.combine == "zip":
        return PlannedPart(options, space, *pairing.zip_cases(space))
    if options.combine == "each":
        return PlannedPart(options, space, *pairing.each_cases(space))
    return _covering(space, options, progress)


def _adjusted(material: Material, part: PlannedPart) -> PlannedPart:
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

    cases, notes = total(blocks()), part.notes
    if options.max_per:
        whole = total(uncapped()) if options.weights else part.cases
        if left := whole - cases:
            notes = (*notes, f"--max-per leaves out {left:,} of {whole:,} cases")
    return replace(part, blocks=blocks, cases=cases, notes=notes)


def _with_negatives(asked: Part, part: PlannedPart) -> PlannedPart:
    """The part with look-alikes in slots and controls beside it, in the shares asked for."""
    options = part.options
    wanted = bool(options.look_alikes) or options.negatives is not None
    if not wanted and options.controls is None:
        return part
    negatives = options.negatives or 0.0
    controls = options.controls or 0.0
    if negatives + controls >= 1.0:
        raise InputError(
            "negatives and controls leave no room for entities",
            found=f"{negatives} and {controls}",
            allowed="shares that add up to less than 1",
        )
    whole = share_of(part.cases, negatives + controls)
    control_share = 0 if not controls else round(whole * controls / (negatives + controls))
    look_alikes = whole - control_share
    later: list[Blocks] = []
    notes = list(part.notes)
    size = part.cases
    if wanted:
        space = look_alike_space(asked)
        if options.negatives is None:
            look_alikes = product.count(space, full=False)
        later.append(lambda: look_alike_cases(space, look_alikes))
        notes.append(f"{look_alikes:,} cases with look-alikes in their slots")
        size += look_alikes
    if options.controls is not None:
        bare = len(part.space.bare)
        if control_share and not bare:
            raise InputError("no context without an entity to take as a control", found=options.contexts)
        later.append(lambda: control_cases(part.space, control_share))
        notes.append(f"{control_share:,} controls from {bare} contexts without slots")
        size += control_share
    blocks = part.blocks
    return replace(
        part, cases=size, notes=tuple(notes), blocks=lambda: chain(blocks(), *(more() for more in later))
    )


def _covering(space: CombinationSpace, options: PartOptions, progress: Progress | None) -> PlannedPart:
    from .covering.bounds import lower_bound
    from .covering.tway import cover

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
    if found.fewest is not None:
        price = len(found.chosen) - found.fewest
        sentences = len({c.context for c in found.chosen})
        notes.append(
            f"{len(found.chosen)} cases of {sentences} sentences: {max(price, 0)} more than where only their "
            "number counts (--attested any)"
        )
    if found.repeated:
        notes.append(
            f"{found.repeated} cases repeat another word for word: no other entity or sentence has what they "
            f"cover, and {options.times} times each was asked"
        )
    if t == 2 and options.limit is None:
        bound = lower_bound(found.problem, options.times)
        mentions = sum(len(c.kinds) or 1 for c in found.chosen)
        notes.append(f"{len(found.chosen)} cases, at least {bound.cases} are needed by the linear programme")
        if bound.pairs:
            notes.append(
                f"{mentions} mentions, at least {bound.pairs} are needed by the largest pair of features"
            )
    return PlannedPart(options, space, len(found.chosen), found.blocks, tuple(notes))
