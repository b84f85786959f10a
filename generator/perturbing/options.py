"""Options of perturbations, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.errors import InputError, sort_by_similarity
from ...catalogues.core.options import Option, Options
from . import PERTURBATIONS


@dataclass(frozen=True)
class PerturbOptions(Options):
    """Options of perturbations; see ``docs/how-to/perturb-texts.md``.

    Attributes
    ----------
    perturb : tuple of str
        Names of the perturbations; all if empty.
    seed : int
        Random seed.
    sample : int
        Number of texts to perturb, drawn at random; all if 0.
    swap_types : tuple of str
        Types of the mentions that the perturbation `name` replaces; types of genes and their products if
        empty.

    Raises
    ------
    InputError
        If a perturbation is unknown.
    """

    perturb: Annotated[
        tuple[str, ...],
        Option(f"Perturbations, separated by commas: {', '.join(PERTURBATIONS)}. All by default."),
    ] = ()
    seed: Annotated[int, Option("Random seed.", minimum=0)] = 0
    sample: Annotated[
        int, Option("Perturb N texts, drawn at random; all by default.", label="sample", minimum=0)
    ] = 0
    swap_types: Annotated[
        tuple[str, ...],
        Option(
            "Type of the mentions that `name` replaces (repeatable); types of genes and proteins by default.",
            flag="--swap-type",
        ),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        named = [name.strip() for each in self.perturb for name in each.split(",")]
        for name in named:
            if name not in PERTURBATIONS:
                allowed = ", ".join(sort_by_similarity(name, PERTURBATIONS))
                raise InputError("unknown perturbation", found=name, allowed=allowed)
        chosen = tuple(name for name in PERTURBATIONS if name in named or not named)
        object.__setattr__(self, "perturb", chosen)
