"""A suite before it is written: its catalogues read, its parts laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.version import __version__
from .contrast.minimal_pairs import MinimalPairs, find_minimal_pairs
from .list_lengths import add_list_lengths, note_fixed_lists
from .material import Material, Part, add_fillers, assemble_material
from .part_plans import PartPlan, Progress, add_capitalised_forms, format_count, plan_part
from .recipe import DEFAULT_MAX_CASES, SuiteRecipe
from .sources import Sources, list_input_paths, note_mixed_catalogues, read_sources
from .writing.case_texts import CaseTextWriter


@dataclass(frozen=True)
class SuitePlan:
    """A suite before it is written.

    Attributes
    ----------
    recipe : SuiteRecipe
        What was asked.
    sources : Sources
        The catalogues.
    material : Material
        What is combined.
    parts : list of PlannedPart
        The parts.
    notes : tuple of str
        Remarks on all of them.
    inputs : tuple of path
        The files and folders that it is made from.
    """

    recipe: SuiteRecipe
    sources: Sources
    material: Material
    parts: list[PartPlan]
    notes: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()

    @property
    def case_count(self) -> int:
        """Number of cases; where they are counted one by one, at most one more than are allowed."""
        return sum(p.cases for p in self.parts)

    @property
    def is_counted(self) -> bool:
        """Return False if there may be more than `cases`."""
        return all(p.is_counted for p in self.parts)

    @property
    def size_text(self) -> str:
        """Number of cases in words."""
        return format_count(self.case_count, is_counted=self.is_counted)

    def estimate_bytes(self) -> int:
        """About how large raw.txt will be: the mean line of the first cases times their number."""
        size = 0
        for part in self.parts:
            block = next(iter(part.blocks()), None)
            if block is not None:
                size += round(len(CaseTextWriter(self.material)(block).raw) / len(block) * part.cases)
        return size


def plan_suite_parts(
    recipe: SuiteRecipe,
    recipe_folder: Path | None = None,
    progress: Progress | None = None,
    max_cases: int = DEFAULT_MAX_CASES,
) -> SuitePlan:
    """Read the catalogues and lay out the parts.

    Parameters
    ----------
    recipe : SuiteRecipe
        What is asked.
    recipe_folder : Path, optional
        The folder of the recipe's file, where catalogues are looked for too.
    progress : callable, optional
        Told how far the choice of a covering suite is.
    max_cases : int
        Where cases are counted one by one, counting stops after this many.

    Raises
    ------
    InputError
        When a catalogue is missing or not the one that the recipe's digests tell, or a part cannot be made.
    """
    sources = read_sources(recipe, recipe_folder)
    _require_same_sources(recipe, sources)
    suite = recipe.suite
    base = assemble_sources(recipe, sources)
    contrasts: dict[int, list[MinimalPairs]] = {}
    made: list[pd.DataFrame] = []
    for number, options in enumerate(recipe.parts):
        if options.combine == "contrast":
            first_made = len(base.fillers) + sum(map(len, made))
            contrasts[number], frames = find_minimal_pairs(base, options, first_made)
            made += frames
    names = dict.fromkeys(contrast.feature for found in contrasts.values() for contrast in found)
    material = add_fillers(base, made)
    if names:
        material = replace(material, contrasts=tuple(names))
    parts: list[PartPlan] = []
    for number, options in enumerate(recipe.parts):
        planned = plan_part(
            Part(material, options, suite.seed, number),
            contrasts=contrasts.get(number, ()),
            first_pair=sum(p.pair_count for p in parts),
            progress=progress,
            max_cases=max_cases,
        )
        parts.append(planned)
    if suite.capitalise_initial:
        material, parts = add_capitalised_forms(material, parts)
    notes = note_mixed_catalogues(recipe, sources), note_fixed_lists(sources.contexts, recipe.list_lengths)
    return SuitePlan(
        recipe, sources, material, parts, tuple(filter(None, notes)), list_input_paths(recipe, recipe_folder)
    )


def assemble_sources(recipe: SuiteRecipe, sources: Sources) -> Material:
    """Return the material of a recipe's catalogues."""
    contexts = add_list_lengths(sources.contexts, recipe.list_lengths)
    return assemble_material(
        sources.entities,
        contexts.contexts,
        contexts.slots,
        sources.look_alikes,
        recipe.suite.tag,
        sources.lists,
    )


def _require_same_sources(recipe: SuiteRecipe, sources: Sources) -> None:
    """Refuse other catalogues, or another version, than the suite was made from that is to come again."""
    for role, digest in sources.digests.items():
        expected = recipe.record.digests.get(role)
        if expected is not None and expected != digest:
            raise InputError(
                f"the {role.replace('_', '-')} are not those that the suite was made from",
                found=digest[:12],
                allowed=f"digest {expected[:12]}, or a recipe without [digests]",
            )
    if recipe.record.tagsuite not in ("", __version__):
        raise InputError(
            "the suite was made by another version",
            found=f"tagsuite {recipe.record.tagsuite}",
            allowed=f"{__version__} here: take the key `tagsuite` out to make a new suite",
        )
