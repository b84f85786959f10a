"""Steps 1 to 4 of Yapex: lexical category of each word, and filters that exclude words from names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .lists import read_lists

TERMS = read_lists("terms.txt")
GRAMMAR = read_lists("grammar.txt")
SHORT_NAMES = read_lists("short_names.txt")[""]

# the lexical categories
NONE, CORE, POTENTIAL, STRONG, INTERNAL, EXTERNAL, SPECIFIER = range(7)
FEATURES = frozenset({STRONG, INTERNAL, EXTERNAL})

NUMERAL = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?$")
ROMAN = re.compile(r"(?=[IVX])(?:X{0,3})(?:IX|IV|V?I{0,3})[A-Za-z]?$")
_GREEK = "|".join(sorted(TERMS["greek"], key=lambda w: (-len(w), w)))
SPECIFIER_FORM = re.compile(
    rf"(?:\d{{1,3}}|[A-Za-z]|(?:{_GREEK})|[IVX]{{1,4}})(?:[-/]?(?:\d{{1,2}}|[A-Za-z]|(?:{_GREEK})))?$", re.I
)
MEASURE = re.compile(r"[\d.,]+-?([A-Za-z]+)$")

# Step 4, expressions that are not names
AMINO = "Ala|Arg|Asn|Asp|Cys|Gln|Glu|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Ser|Thr|Trp|Tyr|Val|Xaa"
ELEMENT = (
    "H|C|N|O|F|P|S|K|I|B|Na|Mg|Al|Si|Cl|Ca|Mn|Fe|Co|Ni|Cu|Zn|Se|Br|Ag|Cd|Ba|Pb|Hg|Li|Rb|Cs|Gd|La|Tc|U|Sr|Tl|Au"
    "|Xe|In|Ga|Pu"
)
NOT_CORE = (
    # amino acid residues and sequences: Ser15, Asp-Glu-Ala-Asp, R249S, Y705F
    re.compile(rf"(?:(?:{AMINO})-?\d*(?:--?|/)?)+(?:\(\d+\))?$"),
    re.compile(r"[ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWY*]?$"),
    # chemical formulas and isotopes: Ca2+, H2SO4, Na+, 32P, 125I, 3H
    re.compile(rf"(?:(?:{ELEMENT})\d*){{1,6}}[+-]$"),
    re.compile(rf"(?=.*\d)(?:(?:{ELEMENT})\d?){{2,8}}$"),
    re.compile(rf"\d{{1,3}}m?-?(?:{ELEMENT})(?:-.+)?$"),
    re.compile(rf"(?:{ELEMENT})-\d{{2,3}}m?$"),
    # powers of units, and hyphenated words without a name: kg-1, DNA-binding
    re.compile(rf"(?:{'|'.join(sorted(TERMS['unit']))})-?\d$", re.I),
    re.compile(r"(?:[a-z]{0,3}[DR]NA|[ACGU]TP|GDP|ATP|Ca2\+?|UV|X)-[A-Za-z]+$"),
    # arithmetic: n=12, P<0.05, 10-fold, 5'-flanking, 1st
    re.compile(r".*[=<>±×~≤≥]"),
    re.compile(
        r"\d+(?:[.,-]\d+)*-?(?:fold|kDa|kd|kb|bp|mer|mers|day|days|week|weeks|year|years|hour|hours|st|nd|rd|th|h|d|min|aa)$"
    ),
    re.compile(r"(?:[35]'|[NC])-[a-z]+$"),
    # nucleotide sequences
    re.compile(r"(?:[35]'-?)?[ACGTUN]{5,}(?:-?[35]')?$"),
    # parts of references and dates: 1999a, S12, A.
    re.compile(r"(?:19|20)\d\d[a-z]?$"),
    re.compile(r"[A-Z]\.(?:[A-Z]\.)*$"),
    # hyphenated words with an initial capital: Full-length, Long-term
    re.compile(r"[A-Z]?[a-z]+(?:-[a-z]+)+$"),
    # cell lines and strains by their usual forms, loci, clones: p-values, D17S250
    re.compile(r"D\d{1,2}S\d+$"),
)
CHEMICAL = re.compile(rf"(?:{'|'.join(sorted(GRAMMAR['chemical'], key=lambda w: (-len(w), w)))})$")
NAME_LIKE = re.compile(r"[A-Z][a-z]+(?:'s)?$")
PROTEIN_ENDING = re.compile(r"[a-z]{2,}(?:ase|in)$")
LONG_CAPITALS = re.compile(r"[A-Z]{6,}$")
CAPITALS_HYPHENS = re.compile(r"[A-Z]+-[A-Z]*-[A-Z-]*$")


class Word(NamedTuple):
    """Lexical properties of a word.

    Attributes
    ----------
    category : int
        ``CORE``, ``POTENTIAL``, ``SPECIFIER``, ``NONE``, or the category of a feature term.
    plural : bool
        True for a feature term in the plural.
    numeral : bool
        True for a numeral.
    unit : bool
        True for a measuring unit.
    """

    category: int
    plural: bool = False
    numeral: bool = False
    unit: bool = False


@lru_cache(maxsize=300_000)
def analyse(word: str, first: bool) -> Word:
    """Return the properties of a word by steps 1 to 4.

    `first` is True for the first word of a text, where a capital letter is not informative.
    """
    low = word.lower()
    found = _feature(low)
    if found is not None:
        return found
    numeral = bool(NUMERAL.match(word))
    unit = low in TERMS["unit"] and (len(word) > 1 or word.islower())
    specifier = SPECIFIER_FORM.match(word) and word not in SHORT_NAMES
    if numeral or specifier or ROMAN.match(word):
        return Word(SPECIFIER, numeral=numeral, unit=unit)
    if unit:
        return Word(NONE, unit=True)
    measure = MEASURE.match(word)
    if measure and measure[1].lower() in TERMS["unit"]:
        return Word(NONE, numeral=True, unit=True)
    return Word(_rank(word, low, first))


def _feature(low: str) -> Word | None:
    """Return the feature term (step 1) that equals a word or its part after the last hyphen, or None."""
    tail = low.rpartition("-")[2]
    for form, plural in ((tail, False), (tail.removesuffix("s"), True), (_singular(tail), True)):
        for name, category in (("strong", STRONG), ("internal", INTERNAL), ("external", EXTERNAL)):
            if form in TERMS[name]:
                if tail != low and category == EXTERNAL:
                    return None
                return Word(category, plural=plural)
    return None


def _singular(low: str) -> str:
    return low[:-3] + "y" if low.endswith("ies") else low


def _rank(word: str, low: str, first: bool) -> int:
    """Return the category of a word: core term, potential core term or none (steps 2 and 4)."""
    bare = low.removesuffix("s")
    letters = sum(c.isalnum() for c in word)
    if low in TERMS["established"] or bare in TERMS["established"]:
        return CORE
    ending = bool(PROTEIN_ENDING.search(low)) and low not in TERMS["ordinary_in"]
    capital = any(c.isupper() for c in (word[1:] if first and word[1:].islower() else word))
    marked = capital or any(c.isdigit() for c in word)
    if not (ending or marked) or letters * 2 <= len(word):
        return NONE
    if low in TERMS["not_core"] or bare in TERMS["not_core"] or _filtered(word, low):
        return NONE
    if NAME_LIKE.match(word) and not ending:
        return NONE if low in TERMS["not_name"] or low in GRAMMAR["closed"] or first else POTENTIAL
    if len(word) <= 3:
        return CORE if word in SHORT_NAMES else POTENTIAL
    return CORE


def _filtered(word: str, low: str) -> bool:
    """Return True if step 4 excludes a word, such as a chemical, a formula or a long word in capitals."""
    if LONG_CAPITALS.match(word) or CAPITALS_HYPHENS.match(word):
        return True
    if any(rule.match(word) for rule in NOT_CORE):
        return True
    stem = low.rstrip("0123456789-")
    return len(stem) > 4 and bool(CHEMICAL.search(stem)) and stem not in GRAMMAR["not_chemical"]
