"""A recipe carried out: catalogues read, parts laid out, the suite written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_folder, digest_bytes, digest_file
from ..catalogues.core.version import __version__
from ..sentences.suites import CONTENT, GOLD, META, RAW
from .assemble import Assembler
from .capitals import capitalised
from .contrast.cases import Pairing
from .lists import with_lists
from .material import Material, assemble_material, extended
from .plan import PlannedPart, Progress, pairings_of, plan_part
from .recipe import DEFAULT_MAX_CASES, Recipe, write_recipe
from .sources import Sources, read_sources
from .suite import DATA_FILES, Counts, chained, write_blocks


@dataclass(frozen=True)
class Plan:
    """A suite before it is written.

    Attributes
    ----------
    recipe : Recipe
        What was asked.
    sources : Sources
        The catalogues.
    material : Material
        What is combined.
    parts : list of PlannedPart
        The parts.
    """

    recipe: Recipe
    sources: Sources
    material: Material
    parts: list[PlannedPart]

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return sum(p.cases for p in self.parts)

    def estimated_bytes(self) -> int:
        """About how large raw.txt will be: the mean line of the first cases times their number."""
        lengths: list[int] = []
        for part in self.parts:
            block = next(iter(part.blocks()), None)
            if block is None:
                continue
            lines = len(Assembler(self.material)(block).raw)
            lengths.append(round(lines / len(block) * part.cases))
        return sum(lengths)


def make_plan(recipe: Recipe, beside: Path | None = None, progress: Progress | None = None) -> Plan:
    """Read the catalogues and lay out the parts.

    Parameters
    ----------
    recipe : Recipe
        What is asked.
    beside : Path, optional
        The folder of the recipe's file, where catalogues are looked for too.
    progress : callable, optional
        Told how far the choice of a covering suite is.

    Raises
    ------
    InputError
        When a catalogue is missing or not the one that the recipe's digests tell, or a part cannot be made.
    """
    suite = recipe.suite
    sources = read_sources(
        suite.catalogue,
        suite.sentences,
        suite.look_alikes,
        wants_look_alikes=any(p.look_alikes or p.negatives for p in recipe.part),
        beside=beside,
        lists=suite.lists,
    )
    for role, digest in sources.digests.items():
        expected = recipe.digests.get(role)
        if expected is not None and expected != digest:
            raise InputError(
                f"the {role.replace('_', '-')} are not those that the suite was made from",
                found=digest[:12],
                allowed=f"digest {expected[:12]}, or a recipe without [digests]",
            )
    if recipe.suite.tagsuite not in (None, __version__):
        raise InputError(
            "the suite was made by another version",
            found=f"tagsuite {recipe.suite.tagsuite}",
            allowed=f"{__version__} here: take the key `tagsuite` out to make a new suite",
        )
    contexts = sources.contexts
    lengths = sorted({n for part in recipe.part for n in part.list_lengths})
    if lengths:
        contexts = with_lists(contexts, lengths)
    base = assemble_material(
        sources.entities,
        contexts.contexts,
        contexts.slots,
        sources.look_alikes,
        suite.tag,
        sources.lists,
    )
    pairings: dict[int, list[Pairing]] = {}
    made: list[pd.DataFrame] = []
    for number, part in enumerate(recipe.part):
        if part.combine == "contrast":
            pairings[number], frames = pairings_of(base, part, len(base.fillers) + sum(map(len, made)))
            made += frames
    names = dict.fromkeys(p.feature for found in pairings.values() for p in found)
    material = replace(extended(base, made), contrasts=tuple(names))
    parts: list[PlannedPart] = []
    for number, part in enumerate(recipe.part):
        first_pair = sum(p.pairs for p in parts)
        parts.append(
            plan_part(
                material,
                part,
                suite.seed,
                number,
                pairings=pairings.get(number, ()),
                first_pair=first_pair,
                progress=progress,
            )
        )
    if suite.capitalise_initial:
        material, parts = capitalised(material, parts)
    return Plan(recipe, sources, material, parts)


def carry_out(
    plan: Plan,
    out: str | PathLike[str],
    *,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Write the suite of a plan.

    Raises
    ------
    InputError
        When it has more than `max_cases` cases (the number is told), none, or the folder is not empty.
    """
    if plan.cases > max_cases:
        raise InputError(
            "more cases than allowed", found=f"{plan.cases:,}", allowed=f"at most {max_cases:,} (--max-cases)"
        )
    if plan.cases == 0:
        raise InputError("the suite would have no cases", allowed="a wider query")
    if not plan.recipe.suite.name:
        named = plan.recipe.suite.model_copy(update={"name": Path(out).resolve().name})
        plan = replace(plan, recipe=plan.recipe.model_copy(update={"suite": named}))
    with atomic_folder(out, force=force) as folder:
        counts = write_blocks(folder, plan.material, chained(p.blocks() for p in plan.parts), progress)
        recipe = described(plan, counts, {name: digest_file(folder / name) for name in DATA_FILES})
        (folder / META).write_text(write_recipe(recipe), encoding="utf-8", newline="\n")
    return counts


def described(plan: Plan, counts: Counts, digests: dict[str, str]) -> Recipe:
    """The recipe with what was made: counts, digests, version and signature.

    The signature follows from the texts and from what the tables hold, not from the tables' bytes, which
    another version of the library that writes them would change.
    """
    whole = digest_bytes(*(part.encode() for part in (digests[RAW], digests[GOLD], counts.content)))
    combine = "+".join(dict.fromkeys(p.combine for p in plan.recipe.part))
    suite = plan.recipe.suite.model_copy(
        update={
            "cases": counts.cases,
            "mentions": counts.mentions,
            "combine": combine,
            "tagsuite": __version__,
            "signature": f"suite:{whole[:12]}",
        }
    )
    numbers = {f"part-{number + 1}": cases for number, cases in sorted(counts.by_part.items())}
    if counts.pairs:
        numbers["pairs"] = counts.pairs
    return plan.recipe.model_copy(
        update={
            "suite": suite,
            "digests": {**plan.sources.digests, CONTENT: whole, **digests},
            "counts": numbers,
        }
    )


def generate(
    recipe: Recipe,
    out: str | PathLike[str],
    *,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Make a suite folder from a recipe.

    Examples
    --------
    >>> from tagsuite.generator.recipe import PartRecipe, Recipe
    >>> recipe = Recipe(part=[PartRecipe(entities="case = upper", combine="sample", size=100)])
    >>> counts = generate(recipe, "out/upper")  # doctest: +SKIP
    """
    return carry_out(make_plan(recipe), out, force=force, max_cases=max_cases, progress=progress)
