"""Output by tokens on one line: ``IL-2/NN gene/NN``."""

from __future__ import annotations

from ....sentences.formats.conll import TokenLines
from ....sentences.formats.records import found_in, missing_fields
from .conll import columns, tagged_tokens
from .place_text import place_text
from .placed import Placed
from .printed import Printed
from .tagged import Tagged, named, named_lines


def read(printed: Printed) -> Placed:
    """Lines of ``token/TAG``; the tag is what follows the last slash."""
    return place_text(printed, _tagged(printed))


def _tagged(printed: Printed) -> Tagged:
    # a function of its own: the tokens are gone when mentions are placed
    text, names, wrong = named_lines(printed)
    found = TokenLines(damaged=set(wrong))
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines):
        for word in line.split():
            token, slash, tag = word.rpartition(b"/")
            if not slash or not token:
                lacks, has = ("tag", "token") if not slash else ("token", "tag")
                problem = missing_fields("a word of token/TAG", [lacks], [has])
                found.broken.setdefault(number, f"{problem}: {found_in(word.decode())}")
                token, tag = word, b"O"
            found.tokens.append(token)
            found.tags.append(tag)
        found.end(number + 1)
    tagged = tagged_tokens(found, columns(printed.form), "output.scheme")
    return named(printed, tagged, names)
