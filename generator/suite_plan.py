"""Plan of a suite: its recipe, its catalogues and the plans of its parts."""

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
    """Recipe and catalogues of a suite, and plans of its parts, before the suite is written.

    Attributes
    ----------
    recipe : SuiteRecipe
        Recipe of the suite.
    sources : Sources
        Catalogues that were read for the recipe.
    material : Material
        Material from which the suite is made.
    parts : list of PartPlan
        Plans of the parts.
    notes : tuple of str
        Notes for the user that concern all parts.
    inputs : tuple of path
        Files and folders from which the suite is made.
    """

    recipe: SuiteRecipe
    sources: Sources
    material: Material
    parts: list[PartPlan]
    notes: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()

    @property
    def case_count(self) -> int:
        """Number of cases in all parts, or a lower bound if counting stopped (see `is_counted`)."""
        return sum(p.cases for p in self.parts)

    @property
    def is_counted(self) -> bool:
        """True if all cases were counted; False if there may be more than `case_count` cases."""
        return all(p.is_counted for p in self.parts)

    @property
    def size_text(self) -> str:
        """Number of cases, formatted for messages."""
        return format_count(self.case_count, is_counted=self.is_counted)

    def estimate_bytes(self) -> int:
        """Estimate the size of raw.txt, in bytes, from the line lengths in the first block of each part."""
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
    """Read the catalogues of a recipe and plan its parts.

    Parameters
    ----------
    recipe : SuiteRecipe
        Recipe of the suite.
    recipe_folder : Path, optional
        Folder of the recipe file; relative file names are also looked up there.
    progress : callable, optional
        Called with the number of covered combinations and the number of all combinations while a covering
        suite is built.
    max_cases : int
        Maximum number of cases; counting stops if there are more.

    Raises
    ------
    InputError
        If a catalogue is missing or does not match its checksum in the recipe, if the recipe was written by
        another version of tagsuite, or if a part cannot be made.
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
    material = replace(add_fillers(base, made), contrasts=tuple(names))
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
    notes = (
        note_mixed_catalogues(recipe, sources),
        note_fixed_lists(sources.contexts, recipe.list_lengths),
        sources.note,
    )
    return SuitePlan(
        recipe, sources, material, parts, tuple(filter(None, notes)), list_input_paths(recipe, recipe_folder)
    )


def assemble_sources(recipe: SuiteRecipe, sources: Sources) -> Material:
    """Assemble the material for a recipe from the catalogues that were read for it."""
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
    """Raise InputError if the catalogues or the version of tagsuite differ from those in the recipe."""
    for role, digest in sources.digests.items():
        expected = recipe.record.digests.get(role)
        if expected is not None and expected != digest:
            raise InputError(
                f"the {role.replace('_', '-')} have changed since the suite was made; to make a new suite "
                "with them, remove the table [digests] from the recipe",
                found=f"checksum {digest[:12]}",
                allowed=f"checksum {expected[:12]}",
            )
    if recipe.record.tagsuite not in ("", __version__):
        raise InputError(
            "the suite was made by another version of tagsuite; to make a new suite with this version, "
            "remove the key `tagsuite` from the recipe",
            found=recipe.record.tagsuite,
            allowed=__version__,
        )
