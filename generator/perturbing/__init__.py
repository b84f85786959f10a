"""Perturbations: changes of a text that leave the places of its names what they were.

A transformation is a pure function of a text with its mentions, and of what is drawn for that text alone: it
gives edits, so that each place can be carried along; where a mention could not be, it does not apply. A
perturbation has one or several variants; each text gets the first in its own order that changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from .edits import Carrying, Edit, applied
from .subject import Change, Draw, Subject


@dataclass(frozen=True)
class Perturbation:
    """A perturbation.

    Attributes
    ----------
    name : str
    module : str
        Where its `variants` are.
    note : str
        What it does, in a few words.
    """

    name: str
    module: str
    note: str

    def variants(self, subjects: Sequence[Subject]) -> Mapping[str, Change]:
        """Its variants, ready for some texts."""
        made: Callable[[Sequence[Subject]], Mapping[str, Change]]
        made = import_module(f".{self.module}", __package__).variants
        return made(subjects)


PERTURBATIONS = {
    p.name: p
    for p in (
        Perturbation("name", "names", "another name of the same kind"),
        Perturbation("case", "letter_case", "letter case of names, or of the first word"),
        Perturbation("hyphen", "hyphens", "hyphen, blank or nothing inside names"),
        Perturbation("greek", "greek", "Greek letters and their names"),
        Perturbation("typography", "typography", "quotes, dashes, primes, blanks, full width"),
        Perturbation("sentence", "neutral", "a neutral sentence before or after"),
    )
}
"""All perturbations by name, in the order of tables."""


@dataclass(frozen=True)
class Perturbed:
    """A text that was perturbed.

    Attributes
    ----------
    text : str
    edits : tuple of Edit
    variant : str
    """

    text: str
    edits: tuple[Edit, ...]
    variant: str


def perturb(name: str, subjects: Sequence[Subject], seed: int = 0) -> list[Perturbed | None]:
    """Perturb texts; None for each that a perturbation leaves alone.

    What becomes of a text hangs on the text, its mentions and the seed alone.

    Parameters
    ----------
    name : str
        One of `PERTURBATIONS`.
    subjects : sequence of Subject
    seed : int
    """
    changes = PERTURBATIONS[name].variants(subjects)
    return [_perturbed(s, Draw(seed, name, s.text), changes) for s in subjects]


def _perturbed(subject: Subject, draw: Draw, changes: Mapping[str, Change]) -> Perturbed | None:
    for variant in draw.order(list(changes)):
        edits = changes[variant](subject, draw)
        text = applied(subject.text, edits)
        carrying = Carrying(edits)
        if text != subject.text and all(carrying.span(*span) for span in subject.spans):
            return Perturbed(text, tuple(edits), variant)
    return None
