"""Options of perturbations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.errors import unknown_name_error
from ...catalogues.core.options import COMMON, Option, Options
from . import PERTURBATIONS


@dataclass(frozen=True)
class PerturbOptions(Options):
    """Options that select and configure perturbations (see ``docs/how-to/perturb-texts.md``).

    Attributes
    ----------
    perturb : tuple of str
        Names of the perturbations; all if empty.
    seed : int
        Random seed.
    sample : int
        Number of texts to perturb, drawn at random; all if 0.
    swap_types : tuple of str
        Types of the mentions that the perturbation `name` replaces; genes and their products if empty.

    Raises
    ------
    InputError
        If a perturbation is unknown.
    """

    perturb: Annotated[
        tuple[str, ...],
        Option(
            "Perturbations to apply, separated by commas (repeatable); all by default.",
            COMMON,
            metavar="|".join(PERTURBATIONS),
        ),
    ] = ()
    seed: Annotated[int, Option("Random seed.", COMMON, minimum=0)] = 0
    sample: Annotated[
        int,
        Option("Number of texts to draw at random; 0 for all texts.", COMMON, label="sample", minimum=0),
    ] = 0
    swap_types: Annotated[
        tuple[str, ...],
        Option(
            "Type of the mentions to replace with other names (repeatable); genes and proteins by default.",
            COMMON,
            flag="--swap-type",
            metavar="TYPE",
        ),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [name.strip() for text in self.perturb for name in text.split(",")]
        for name in names:
            if name not in PERTURBATIONS:
                raise unknown_name_error("perturbation", name, PERTURBATIONS)
        chosen = tuple(name for name in PERTURBATIONS if name in names or not names)
        object.__setattr__(self, "perturb", chosen)
