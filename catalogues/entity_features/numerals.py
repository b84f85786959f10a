"""Recognition of Arabic and Roman numerals in surface forms."""

from __future__ import annotations

import re

import numpy as np

from ..core.text import CharKind, Ints, TextColumn
from . import lexicon

WELL_FORMED = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_CAPITAL = re.compile(r"[IVXLCDM]+(?![^\W_])")
_SMALL = re.compile(r" (?:i{2,3}|iv|vi{1,3}|ix)(?![^\W_])")
_JOINT = r"\s*(?:/|,|-|–|&|\band\b|\bor\b|\bto\b)\s*(?:\band\b\s*|\bor\b\s*)?"
_BEFORE_JOINT = re.compile(r"(?<![^\W_])([IVXLCDM]+)" + _JOINT + r"$")
_AFTER_JOINT = re.compile(_JOINT + r"([IVXLCDM]+)(?![^\W_])")
_LETTERED = re.compile(r"([IVX]+)([A-Ha-i])(?![^\W_])")
_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_LETTERED_COMPLEX = re.compile(r"factor\s+\d\w*,?\s+subunit\s+$", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[\s(\[-]+(?:alpha|beta|gamma)?$")
_CAPITAL_HYPHEN = re.compile(r"(?<![^\W_])[A-Z]-$")
_LETTERED_FACTOR = re.compile(r"(?:complement|regulatory)\s+(?:component\s+)?factor\s+$", re.IGNORECASE)
WINDOW_CHARACTERS = 40
"""Number of characters examined on each side of a possible Roman numeral."""


def find_arabic(strings: TextColumn) -> tuple[Ints, Ints]:
    """Return the start and end positions of all runs of digits in a column of strings."""
    return strings.find_runs(CharKind.DIGIT)


def find_roman(strings: TextColumn) -> tuple[Ints, Ints]:
    """Return the start and end positions of all Roman numerals in a column of strings."""
    text = strings.joined
    starts, ends = [], []
    spans = [m.span() for m in _CAPITAL.finditer(text) if not (m.start() and text[m.start() - 1].isalnum())]
    spans += [(m.start() + 1, m.end()) for m in _SMALL.finditer(text)]
    for match in _LETTERED.finditer(text):
        # IID is ambiguous: all letters may be a numeral, or a numeral is followed by a letter
        if not (match.start() and text[match.start() - 1].isalnum()):
            spans.append(match.span())
    for start, end in sorted(set(spans)):
        # windows end at line feeds, that is, at the edges of the string
        before = text[max(start - WINDOW_CHARACTERS, 0) : start].rpartition("\n")[2]
        after = text[end : end + WINDOW_CHARACTERS].partition("\n")[0]
        token = text[start:end]
        if is_lettered_numeral(token, before) or is_roman(token, before, after):
            starts.append(start)
            ends.append(end)
    return np.array(starts, np.int64), np.array(ends, np.int64)


def is_roman(letters: str, before: str, after: str) -> bool:
    """Return True if a token is a Roman numeral in its context.

    Parameters
    ----------
    letters : str
        A token, that is, a maximal run of letters and digits.
    before, after : str
        Text of the entity before and after the token.
    """
    if letters.islower():
        return bool(before.strip())
    if WELL_FORMED.fullmatch(letters) is None:
        return False
    if len(letters) > 1 and letters not in lexicon.read_words("roman_letters.txt"):
        return True
    joined = _coordinated_numerals(before, after)
    if len(letters) > 1 or letters in "LCDM":
        return any(len(n) > 1 and n not in lexicon.read_words("roman_letters.txt") for n in joined)
    if any(n in "IVX" or n not in lexicon.read_words("roman_letters.txt") for n in joined if n not in "LCDM"):
        return True
    # a letter between two hyphens is a position in a motif: C-X-C
    if _CAPITAL_HYPHEN.search(before) and not after.startswith("-"):
        return True
    word = _word_before(before)
    if _LETTERED_FACTOR.search(before) or _LETTERED_COMPLEX.search(before):
        return False
    return letters in lexicon.read_mapping("roman_classifiers.tsv").get(word, "")


def is_lettered_numeral(token: str, before: str) -> bool:
    """Return True if a token is a Roman numeral followed by a letter, such as *VIa* or *IIH*.

    A numeral of two or more letters may follow any word; a single I, V or X may follow only certain words
    (such as *class* or *type*). A token directly after an opening parenthesis is not a numeral.
    """
    match = _LETTERED.fullmatch(token)
    if match is None or WELL_FORMED.fullmatch(match[1]) is None:
        return False
    numeral, letter = match.groups()
    word = _word_before(before)
    if len(numeral) > 1:
        return bool(word) and not before.endswith("(")
    # Ig is immunoglobulin
    return (
        letter not in "ghi"
        and bool(lexicon.read_mapping("roman_classifiers.tsv").get(word))
        and not before.endswith("(")
    )


def _word_before(before: str) -> str:
    """Return the lower-cased word before a token; text in parentheses is skipped (*polymerase (RNA) I*)."""
    word = _WORD_BEFORE.search(_PARENTHESIS.sub(" ", before) if before.rstrip().endswith(")") else before)
    return word[1].lower() if word is not None else ""


def _coordinated_numerals(before: str, after: str) -> list[str]:
    """Return the Roman numerals that a word or mark joins to a token, as in *I and II* or *I/II*."""
    matches = (_BEFORE_JOINT.search(before), _AFTER_JOINT.match(after))
    return [m[1] for m in matches if m is not None and WELL_FORMED.fullmatch(m[1])]
