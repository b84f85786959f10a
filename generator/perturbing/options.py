"""What is perturbed, and of which texts: each option declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.errors import InputError, sort_by_similarity
from ...catalogues.core.options import Option, Options
from . import PERTURBATIONS


@dataclass(frozen=True)
class PerturbOptions(Options):
    """What is perturbed; see ``docs/how-to/perturb-texts.md``.

    Attributes
    ----------
    perturb : tuple of str
        Names of perturbations; all where none is named.
    seed : int
        Of all that is drawn.
    sample : int
        So many texts, drawn by the seed; all when 0.
    swap_types : tuple of str
        Types whose mentions `name` exchanges; those of genes and their products where none is named.

    Raises
    ------
    InputError
        If there is no such perturbation.
    """

    perturb: Annotated[
        tuple[str, ...],
        Option(f"Of {', '.join(PERTURBATIONS)}: several with commas, or repeatable; all by default."),
    ] = ()
    seed: Annotated[int, Option("Of all that is drawn.", minimum=0)] = 0
    sample: Annotated[
        int, Option("Perturb so many texts, drawn by the seed; all by default.", label="sample", minimum=0)
    ] = 0
    swap_types: Annotated[
        tuple[str, ...],
        Option(
            "A type whose mentions `name` exchanges (repeatable); those of genes and proteins by default.",
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
