"""Typographical marks: quotes, dashes, primes, blanks that do not break, full width."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .edits import Edit, in_order, respelled
from .subject import Change, Draw, Subject

NO_BREAK = "\N{NO-BREAK SPACE}"
_STRAIGHT = {
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
_CURLY = re.compile(f"[{''.join(_STRAIGHT)}]")
_DASHES = re.compile("[\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{MINUS SIGN}]")
_PRIME = re.compile("(?<=[0-9])['\N{RIGHT SINGLE QUOTATION MARK}](?!s)|(?<=[0-9])\N{PRIME}")
_FULL_WIDTH = re.compile(r"[()\[\]%:;,]")
Respell = Callable[[re.Match[str]], str]


def _by(
    pattern: re.Pattern[str], respell: Respell, otherwise: tuple[re.Pattern[str], Respell] | None
) -> Change:
    """Each find respelled; where there is none, those of another pattern."""

    def changed(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
        for one, respelling in ((pattern, respell), *((otherwise,) if otherwise else ())):
            edits = in_order(
                e for m in one.finditer(subject.text) for e in respelled(m.start(), m[0], respelling(m))
            )
            if edits:
                return edits
        return []

    return changed


def _curly(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1] if match.start() else " "
    opens = before.isspace() or before in "([{\N{EM DASH}"
    if match[0] == '"':
        return "\N{LEFT DOUBLE QUOTATION MARK}" if opens else "\N{RIGHT DOUBLE QUOTATION MARK}"
    return "\N{LEFT SINGLE QUOTATION MARK}" if opens else "\N{RIGHT SINGLE QUOTATION MARK}"


def no_break(subject: Subject, draw: Draw) -> list[Edit]:  # noqa: ARG001 - a change's signature
    """Blanks inside names, and beside a number, as blanks at which no line breaks."""
    text = subject.text
    inside = [i for start, end in subject.zones for i in range(start, end) if text[i] == " "]
    beside = [m.start() for m in re.finditer(r"(?<=[0-9]) | (?=[0-9])", text)]
    return [Edit(i, i + 1, NO_BREAK) for i in sorted({*inside, *beside})]


def variants(subjects: Sequence[Subject]) -> dict[str, Change]:  # noqa: ARG001 - as all have it
    """Each kind of mark as another of its kind."""
    return {
        "quotes": _by(re.compile(r"""["']"""), _curly, (_CURLY, lambda m: _STRAIGHT[m[0]])),
        "dashes": _by(re.compile(r"(?<=\w)-(?=\w)"), lambda _: "\N{EN DASH}", (_DASHES, lambda _: "-")),
        "primes": _by(_PRIME, lambda m: "'" if m[0] == "\N{PRIME}" else "\N{PRIME}", None),
        "no_break": no_break,
        "full_width": _by(_FULL_WIDTH, lambda m: chr(ord(m[0]) + 0xFEE0), None),
    }
