"""Variants of perturbations that change spellings or add a neutral sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...sentences.neutral import read_neutral_sentences
from ..greek import GREEK_LETTERS, GREEK_NAMES
from .edits import Edit, apply_edits, make_edits, sort_edits
from .subject import Subject, TextChange, TextRandom

_NAME = re.compile(r"(?s).+")
_FIRST_WORD = re.compile(r"[A-Za-z]?[a-z]+(?=[\s,])")

_GREEK = "".join(GREEK_LETTERS.values())
_JOINT = re.compile(
    # between a letter and a digit or Greek letter; between a capital or digit and the name of a Greek letter
    rf"(?<=[A-Za-z])[- ]?(?=[0-9{_GREEK}])|(?<=[A-Z0-9])[- ]?(?=(?:{'|'.join(GREEK_LETTERS)})(?![a-z]))"
)
_WORD = re.compile(r"[a-z]{3,}$")

AMBIGUOUS_LETTERS = ("mu", "nu", "xi", "pi", "psi", "eta")
"""Names of Greek letters that often have another meaning (a unit, a number or a word)."""
_NAMED = [name for name in GREEK_LETTERS if name not in AMBIGUOUS_LETTERS]
_LETTER = re.compile(
    # the name of a letter must not have a small letter before or after it
    rf"(?<![a-z{''.join(GREEK_NAMES)}])(?:{'|'.join(sorted(_NAMED, key=len, reverse=True))})(?![a-z])"
    rf"|[{''.join(GREEK_LETTERS[name] for name in _NAMED)}]"
)

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_STRAIGHT = {
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
_DASHES = "[\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{MINUS SIGN}]"
_PRIMES = "(?<=[0-9])['\N{RIGHT SINGLE QUOTATION MARK}](?!s)|(?<=[0-9])\N{PRIME}"
Respell = Callable[[re.Match[str]], str]


def _respell(pattern: str | re.Pattern[str], respell: Respell, *, in_names: bool = False) -> TextChange:
    """Return a function that respells each match of a pattern, in the whole text or only in names."""
    compiled = re.compile(pattern)

    def change(subject: Subject, _draw: TextRandom) -> list[Edit]:
        text = subject.text
        return sort_edits(
            edit
            for start, end in (subject.zones if in_names else [(0, len(text))])
            for match in compiled.finditer(text[start:end])
            for edit in make_edits(start + match.start(), match[0], respell(match))
        )

    return change


def _first_applicable(first: TextChange, second: TextChange) -> TextChange:
    """Return a function that applies `second` to texts that `first` does not change."""
    return lambda subject, draw: first(subject, draw) or second(subject, draw)


def _upper(text: str) -> str:
    """Convert ASCII letters to upper case, but not Greek letters, whose capitals can look Latin."""
    return "".join(c.upper() if c.isascii() else c for c in text)


def _lower(text: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in text)


def _first_word(subject: Subject, _draw: TextRandom) -> list[Edit]:
    """Swap the case of the first letter of a text unless the first word is a name or an acronym."""
    found = _FIRST_WORD.match(subject.text)
    if found is None or any(start < found.end() for start, _ in subject.zones):
        return []
    return make_edits(0, found[0][0], found[0][0].swapcase())


def join_by(mark: str) -> TextChange:
    """Return a function that joins the parts of names with a separator (a hyphen, a space or nothing).

    A blank after a word (*factor 2*) is neither removed nor added.
    """

    def joined(joint: re.Match[str]) -> str:
        after_word = "" in (joint[0], mark) and _WORD.search(joint.string, 0, joint.start())
        return joint[0] if after_word else mark

    return _respell(_JOINT, joined, in_names=True)


_swap_letters = _respell(_LETTER, lambda m: GREEK_LETTERS.get(m[0]) or GREEK_NAMES[m[0]])


def _respell_greek(subject: Subject, draw: TextRandom) -> list[Edit]:
    """Replace Greek letters with their names, and names with letters.

    A text is not changed if the reverse replacement would not restore it (*αv* would become *alphav*).
    """
    edits = _swap_letters(subject, draw)
    there = apply_edits(subject.text, edits)
    return edits if apply_edits(there, _swap_letters(Subject(there), draw)) == subject.text else []


def _curly(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1] if match.start() else " "
    opens = before.isspace() or before in "([{\N{EM DASH}"
    if match[0] == '"':
        return "\N{LEFT DOUBLE QUOTATION MARK}" if opens else "\N{RIGHT DOUBLE QUOTATION MARK}"
    return "\N{LEFT SINGLE QUOTATION MARK}" if opens else "\N{RIGHT SINGLE QUOTATION MARK}"


_inside_names = _respell(" ", lambda _: NO_BREAK_SPACE, in_names=True)
_beside_numbers = _respell("(?<=[0-9]) | (?=[0-9])", lambda _: NO_BREAK_SPACE)


def make_sentence_variants(avoid: frozenset[str]) -> dict[str, TextChange]:
    """Return functions that add a neutral sentence; sentences in `avoid` are not used."""
    sentences = [sentence for sentence in read_neutral_sentences() if sentence not in avoid]

    def draw_sentence(draw: TextRandom) -> str:
        return sentences[draw.draw_below(len(sentences), "sentence")]

    def add_before(subject: Subject, draw: TextRandom) -> list[Edit]:
        return [Edit(0, 0, f"{draw_sentence(draw)} ")] if subject.text.strip() else []

    def add_after(subject: Subject, draw: TextRandom) -> list[Edit]:
        """Add a sentence after the text if the text ends with a full stop, "!" or "?"."""
        end = len(subject.text)
        return [Edit(end, end, f" {draw_sentence(draw)}")] if subject.text.endswith((".", "!", "?")) else []

    return {"before": add_before, "after": add_after}


VARIANTS: dict[str, dict[str, TextChange]] = {
    "case": {
        "lower": _respell(_NAME, lambda m: _lower(m[0]), in_names=True),
        "upper": _respell(_NAME, lambda m: _upper(m[0]), in_names=True),
        "capital": _respell(_NAME, lambda m: _upper(m[0][:1]) + _lower(m[0][1:]), in_names=True),
        "first_word": _first_word,
    },
    "hyphen": {"hyphen": join_by("-"), "blank": join_by(" "), "nothing": join_by("")},
    "greek": {"respelled": _respell_greek},
    "typography": {
        "quotes": _first_applicable(
            _respell("[\"']", _curly), _respell(f"[{''.join(_STRAIGHT)}]", lambda m: _STRAIGHT[m[0]])
        ),
        "dashes": _first_applicable(
            _respell(r"(?<=\w)-(?=\w)", lambda _: "\N{EN DASH}"), _respell(_DASHES, lambda _: "-")
        ),
        "primes": _respell(_PRIMES, lambda m: "'" if m[0] == "\N{PRIME}" else "\N{PRIME}"),
        "no_break": lambda subject, draw: sort_edits(
            [*_inside_names(subject, draw), *_beside_numbers(subject, draw)]
        ),
        "full_width": _respell(r"[()\[\]%:;,]", lambda m: chr(ord(m[0]) + 0xFEE0)),
    },
}
"""Functions that change a text, keyed by the name of the perturbation and of the variant."""
