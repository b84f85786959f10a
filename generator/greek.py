"""Greek letters and their English names."""

from __future__ import annotations

_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
    "nu xi pi rho sigma tau phi chi psi omega"
)
GREEK_LETTERS = dict(zip(_NAMES.split(), "αβγδεζηθικλμνξπρστφχψω", strict=True))
"""Greek letters, keyed by their English names."""
GREEK_NAMES = {letter: name for name, letter in GREEK_LETTERS.items()}
"""English names of Greek letters, keyed by letter."""
