"""Greek letters and their English names."""

from __future__ import annotations

_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
    "nu xi pi rho sigma tau phi chi psi omega"
)
GREEK_LETTERS = dict(zip(_NAMES.split(), "αβγδεζηθικλμνξπρστφχψω", strict=True))
"""Mapping of English names to Greek letters."""
GREEK_NAMES = {letter: name for name, letter in GREEK_LETTERS.items()}
"""Mapping of Greek letters to their English names."""
