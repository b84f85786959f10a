"""Perturbations: changes of a text that leave the places of its names what they were.

A transformation is a pure function of a text with its mentions, and of what is drawn for that text alone: it
gives edits, so that each place can be carried along; where a mention could not be, it does not apply. A
perturbation has one or several variants; each text gets the first in its own order that changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .edits import Edit, SpanMap, apply_edits
from .spellings import VARIANTS
from .subject import Subject, TextChange, TextRandom

PERTURBATIONS = {
    "name": "another name of the same kind",
    "case": "letter case of names, or of the first word",
    "hyphen": "hyphen, blank or nothing inside names",
    "greek": "Greek letters and their names",
    "typography": "quotes, dashes, primes, blanks, full width",
    "sentence": "a neutral sentence before or after",
}
"""What each perturbation does, in the order of tables."""


def make_variants(name: str, subjects: Sequence[Subject]) -> Mapping[str, TextChange]:
    """Return the variants of a perturbation, ready for some texts."""
    if name != "name":
        return VARIANTS[name]
    # only now: other perturbations need no catalogue
    from .name_swaps import NamePool

    return {"swapped": NamePool.from_subjects(subjects).swap_names}


@dataclass(frozen=True)
class PerturbedText:
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


def perturb_texts(name: str, subjects: Sequence[Subject], seed: int = 0) -> list[PerturbedText | None]:
    """Perturb texts; None for each that a perturbation leaves alone.

    What becomes of a text hangs on the text, its mentions and the seed alone.

    Parameters
    ----------
    name : str
        One of `PERTURBATIONS`.
    subjects : sequence of Subject
    seed : int
    """
    changes = make_variants(name, subjects)
    return [_perturb_text(s, TextRandom(seed, name, s.text), changes) for s in subjects]


def _perturb_text(
    subject: Subject, draw: TextRandom, changes: Mapping[str, TextChange]
) -> PerturbedText | None:
    for variant in draw.shuffle_names(list(changes)):
        edits = changes[variant](subject, draw)
        text = apply_edits(subject.text, edits)
        carrying = SpanMap(edits)
        if text != subject.text and all(carrying.map_span(*span) for span in subject.spans):
            return PerturbedText(text, tuple(edits), variant)
    return None
