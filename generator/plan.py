"""A suite before it is written: its catalogues read, its parts laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.version import __version__
from .contrast.pairs import MinimalPairs, minimal_pairs
from .list_lengths import note_fixed_lists, with_list_lengths
from .material import Material, Part, assemble_material, extended
from .parts import PlannedPart, Progress, in_words, plan_part, with_capitals
from .recipe import DEFAULT_MAX_CASES, SuiteRecipe
from .sources import Sources, input_paths, note_strangers, read_sources
from .writing.case_texts import CaseTextWriter


@dataclass(frozen=True)
class Plan:
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
    parts: list[PlannedPart]
    notes: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()

    @property
    def cases(self) -> int:
        """Number of cases; where they are counted one by one, at most one more than are allowed."""
        return sum(p.cases for p in self.parts)

    @property
    def is_counted(self) -> bool:
        """Return False if there may be more than `cases`."""
        return all(p.is_counted for p in self.parts)

    @property
    def size(self) -> str:
        """Number of cases in words."""
        return in_words(self.cases, is_counted=self.is_counted)

    def estimated_bytes(self) -> int:
        """About how large raw.txt will be: the mean line of the first cases times their number."""
        size = 0
        for part in self.parts:
            block = next(iter(part.blocks()), None)
            if block is not None:
                size += round(len(CaseTextWriter(self.material)(block).raw) / len(block) * part.cases)
        return size


def make_plan(
    recipe: SuiteRecipe,
    beside: Path | None = None,
    progress: Progress | None = None,
    max_cases: int = DEFAULT_MAX_CASES,
) -> Plan:
    """Read the catalogues and lay out the parts.

    Parameters
    ----------
    recipe : SuiteRecipe
        What is asked.
    beside : Path, optional
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
    sources = read_sources(recipe, beside)
    _require_same(recipe, sources)
    suite = recipe.suite
    base = assemble_sources(recipe, sources)
    contrasts: dict[int, list[MinimalPairs]] = {}
    made: list[pd.DataFrame] = []
    for number, options in enumerate(recipe.parts):
        if options.combine == "contrast":
            first_made = len(base.fillers) + sum(map(len, made))
            contrasts[number], frames = minimal_pairs(base, options, first_made)
            made += frames
    names = dict.fromkeys(contrast.feature for found in contrasts.values() for contrast in found)
    material = extended(base, made)
    if names:
        material = replace(material, contrasts=tuple(names))
    parts: list[PlannedPart] = []
    for number, options in enumerate(recipe.parts):
        planned = plan_part(
            Part(material, options, suite.seed, number),
            contrasts=contrasts.get(number, ()),
            first_pair=sum(p.pairs for p in parts),
            progress=progress,
            max_cases=max_cases,
        )
        parts.append(planned)
    if suite.capitalise_initial:
        material, parts = with_capitals(material, parts)
    notes = note_strangers(recipe, sources), note_fixed_lists(sources.contexts, recipe.list_lengths)
    return Plan(recipe, sources, material, parts, tuple(filter(None, notes)), input_paths(recipe, beside))


def assemble_sources(recipe: SuiteRecipe, sources: Sources) -> Material:
    """Return the material of a recipe's catalogues."""
    contexts = with_list_lengths(sources.contexts, recipe.list_lengths)
    return assemble_material(
        sources.entities,
        contexts.contexts,
        contexts.slots,
        sources.look_alikes,
        recipe.suite.tag,
        sources.lists,
    )


def _require_same(recipe: SuiteRecipe, sources: Sources) -> None:
    """Refuse other catalogues, or another version, than the suite was made from that is to come again."""
    for role, digest in sources.digests.items():
        expected = recipe.made.digests.get(role)
        if expected is not None and expected != digest:
            raise InputError(
                f"the {role.replace('_', '-')} are not those that the suite was made from",
                found=digest[:12],
                allowed=f"digest {expected[:12]}, or a recipe without [digests]",
            )
    if recipe.made.tagsuite not in ("", __version__):
        raise InputError(
            "the suite was made by another version",
            found=f"tagsuite {recipe.made.tagsuite}",
            allowed=f"{__version__} here: take the key `tagsuite` out to make a new suite",
        )
