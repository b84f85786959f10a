"""Perturbations, which change texts and track the position of each mention.

A perturbation has one or more variants, which are tried on each text in random order until one changes it. A
variant is a pure function of a text, its mentions and random numbers for this text. It returns edits, from
which the new positions of mentions are computed. If a mention cannot be mapped, the variant is not applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...sentences.neutral import find_named_sentences
from .edits import Edit, SpanMap, apply_edits
from .spellings import VARIANTS, make_sentence_variants
from .subject import Subject, TextChange, TextRandom

PERTURBATIONS = {
    "name": "another name of the same kind",
    "case": "letter case of names, or of the first word",
    "hyphen": "hyphen, blank or nothing inside names",
    "greek": "Greek letters and their names",
    "typography": "quotes, dashes, primes, blanks, full width",
    "sentence": "a neutral sentence before or after",
}
"""Description of each perturbation, keyed by name; tables list the perturbations in this order."""


def make_variants(name: str, subjects: Sequence[Subject]) -> Mapping[str, TextChange]:
    """Return the variants of a perturbation by name; each is a function that changes a text."""
    if name == "sentence":
        return make_sentence_variants(find_avoided_sentences(subjects))
    if name != "name":
        return VARIANTS[name]
    # imported here, as only this perturbation needs the catalogue
    from .name_swaps import NamePool

    return {"swapped": NamePool.from_subjects(subjects).swap_names}


def find_avoided_sentences(subjects: Sequence[Subject]) -> frozenset[str]:
    """Return the neutral sentences that contain the name or type of a mention that is not a gene."""
    others = [(s.text[m.start : m.end], m.type) for s in subjects for m in s.mentions if m.type]
    return find_named_sentences([name for name, _ in others], {kind for _, kind in others})


@dataclass(frozen=True)
class PerturbedText:
    """Text after a perturbation.

    Attributes
    ----------
    text : str
        Text after the edits.
    edits : tuple of Edit
        Edits of the original text.
    variant : str
        Name of the variant.
    """

    text: str
    edits: tuple[Edit, ...]
    variant: str


def perturb_texts(name: str, subjects: Sequence[Subject], seed: int = 0) -> list[PerturbedText | None]:
    """Return the perturbed version of each text, or None if the perturbation does not change it.

    If all mentions are genes, the result for a text depends only on the text, its mentions and the seed.
    Names of other types are replaced with names from the other texts, and added sentences contain none of
    these names.

    Parameters
    ----------
    name : str
        Name of a perturbation in `PERTURBATIONS`.
    subjects : sequence of Subject
        Texts with their mentions.
    seed : int
        Random seed.
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
