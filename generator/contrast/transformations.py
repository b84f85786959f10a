"""Transformations that each change one feature of a surface form.

A transformation is a function that returns the new form, or None if it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..greek import GREEK_LETTERS, GREEK_NAMES

FormChange = Callable[[str], str | None]

_SPELLED = re.compile(
    r"(?<![A-Za-z])(" + "|".join(sorted(GREEK_LETTERS, key=len, reverse=True)) + r")(?![A-Za-z])", re.I
)
_ANY_GREEK = re.compile(r"[\[{](" + "|".join(GREEK_LETTERS) + r")[\]}]|([α-ω])", re.I)
_ONES = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
_ROMAN = {str(number): "X" * (number // 10) + _ONES[number % 10] for number in range(1, 40)}
_ARABIC = {roman: arabic for arabic, roman in _ROMAN.items()}
_ROMAN_TOKEN = re.compile(r"(?<![A-Za-z0-9])(X{0,3}(?:IX|IV|V?I{0,3}))(?![A-Za-z0-9])")
_ARABIC_TOKEN = re.compile(r"(?<![A-Za-z0-9])([1-9]|[12]\d|3[0-9])(?![A-Za-z0-9])")


def _different(text: str, changed: str) -> str | None:
    return changed if changed != text and changed.strip() else None


def _greek(text: str, write: Callable[[str], str]) -> str | None:
    def plain(match: re.Match[str]) -> str:
        return match[1].lower() if match[1] else GREEK_NAMES.get(match[2], match[2])

    spelled = _ANY_GREEK.sub(plain, text)
    return _different(text, _SPELLED.sub(lambda m: write(m[1].lower()), spelled))


def _to_roman(text: str) -> str | None:
    return _different(text, _ARABIC_TOKEN.sub(lambda m: _ROMAN[m[1]], text))


def _to_arabic(text: str) -> str | None:
    return _different(text, _ROMAN_TOKEN.sub(lambda m: _ARABIC.get(m[1], ""), text))


def _move_numeral(text: str, *, front: bool) -> str | None:
    words = text.split(" ")
    numerals = [w for w in words if w.isdigit()]
    others = [w for w in words if not w.isdigit()]
    if len(numerals) != 1 or not others:
        return None
    return _different(text, " ".join([*numerals, *others] if front else [*others, *numerals]))


def _bracketed(text: str, left: str, right: str) -> str | None:
    before, space, last = text.rpartition(" ")
    return f"{before} {left}{last}{right}" if space and last.isalnum() else None


def _unbracketed(text: str) -> str | None:
    return _different(text, re.sub(r"\(([^()]*)\)", r"\1", text))


def _plural(text: str) -> str | None:
    return (
        text + "s"
        if re.search(r"[a-z]{3}$", text) and not text.endswith(("s", "x", "z", "sh", "ch", "y"))
        else None
    )


def _singular(text: str) -> str | None:
    return text[:-1] if re.search(r"[a-z]{3}[^s\W]s$", text) else None


def _genitive(text: str) -> str | None:
    first, space, rest = text.partition(" ")
    return (
        f"{first}'s {rest}"
        if space and re.fullmatch(r"[A-Z][a-z]{3,}", first) and not first.endswith("s")
        else None
    )


TRANSFORMATIONS: dict[str, FormChange] = {
    "upper_case": lambda t: _different(t, t.upper()),
    "lower_case": lambda t: _different(t, t.lower()),
    "initial_capital": lambda t: _different(t, t[:1].upper() + t[1:].lower()),
    "title_case": lambda t: _different(
        t, re.sub(r"[^\W\d_]+", lambda m: m[0][:1].upper() + m[0][1:].lower(), t)
    ),
    "hyphen_to_space": lambda t: _different(t, t.replace("-", " ")),
    "hyphen_removed": lambda t: _different(t, t.replace("-", "")),
    "Greek_to_unicode": lambda t: _greek(t, lambda name: GREEK_LETTERS[name]),
    "Greek_to_spelled": lambda t: _greek(t, lambda name: name),
    "Greek_to_square_brackets": lambda t: _greek(t, lambda name: f"[{name}]"),
    "Greek_to_curly_brackets": lambda t: _greek(t, lambda name: f"{{{name}}}"),
    "numeral_to_Roman": _to_roman,
    "numeral_to_Arabic": _to_arabic,
    "numeral_to_front": lambda t: _move_numeral(t, front=True),
    "numeral_to_end": lambda t: _move_numeral(t, front=False),
    "last_word_in_parentheses": lambda t: _bracketed(t, "(", ")"),
    "last_word_in_square_brackets": lambda t: _bracketed(t, "[", "]"),
    "parentheses_removed": _unbracketed,
    "plural_s": _plural,
    "plural_s_removed": _singular,
    "genitive_of_first_word": _genitive,
    "genitive_removed": lambda t: _different(t, re.sub(r"['’]s\b", "", t)),
}
