"""Perturbations: changes of a text that leave the places of its names what they were.

A transformation is a pure function of a text with its mentions, and of what is drawn for that text alone: it
gives edits, so that each place can be carried along; where a mention could not be, it does not apply. A
perturbation has one or several variants; each text gets the first in its own order that changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .edits import Carrying, Edit, applied
from .spellings import VARIANTS
from .subject import Change, Draw, Subject

PERTURBATIONS = {
    "name": "another name of the same kind",
    "case": "letter case of names, or of the first word",
    "hyphen": "hyphen, blank or nothing inside names",
    "greek": "Greek letters and their names",
    "typography": "quotes, dashes, primes, blanks, full width",
    "sentence": "a neutral sentence before or after",
}
"""What each perturbation does, in the order of tables."""


def variants_of(name: str, subjects: Sequence[Subject]) -> Mapping[str, Change]:
    """Return the variants of a perturbation, ready for some texts."""
    if name != "name":
        return VARIANTS[name]
    # only now: other perturbations need no catalogue
    from .names import Names

    return {"swapped": Names.of(subjects).swapped}


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
    changes = variants_of(name, subjects)
    return [_perturbed(s, Draw(seed, name, s.text), changes) for s in subjects]


def _perturbed(subject: Subject, draw: Draw, changes: Mapping[str, Change]) -> Perturbed | None:
    for variant in draw.order(list(changes)):
        edits = changes[variant](subject, draw)
        text = applied(subject.text, edits)
        carrying = Carrying(edits)
        if text != subject.text and all(carrying.span(*span) for span in subject.spans):
            return Perturbed(text, tuple(edits), variant)
    return None
