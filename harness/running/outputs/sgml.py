"""Inline tags, and marks of other kinds: ``<START:gene> p53 <END>``."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from ....catalogues.core.patterns import searched
from ....sentences.formats.inline import own_names, parse_inline
from ..specification.output import marks
from .place_text import place_text
from .placed import Placed
from .printed import Printed
from .tagged import Tagged, named, named_lines, names_in


def read(printed: Printed) -> Placed:
    """Lines with tags or other marks."""
    return place_text(printed, _tagged(printed))


def _tagged(printed: Printed) -> Tagged:
    # a function of its own: the lines are gone when mentions are placed
    form = printed.form
    text, names, wrong = named_lines(printed)
    if form.open:
        text = as_tags(text, form.open, form.close)
    sent = printed.sent.data.tobytes()
    declared = frozenset(form.tags) if form.tags and not form.open else None
    own = own_names(sent) if declared is None else names_in(sent)
    others: dict[int, Counter[str]] | None = None if declared is None else {}
    found = parse_inline(text, form.tags, own, others=others)
    tagged = Tagged(**vars(found), damaged=np.array(sorted(wrong), dtype=np.int64))
    tagged.tags, tagged.undeclared = declared, others or {}
    tagged.hint = "; specification: output.tags, output.open"
    return named(printed, tagged, names)


def as_tags(text: bytes, open_: str, close: str) -> bytes:
    """Other marks as tags: ``<START:gene> p53 <END>`` as ``<gene> p53 </gene>``.

    Parameters
    ----------
    text : bytes
        UTF-8.
    open_, close : str
        Regular expressions; the group ``type`` of the first, where it has one, names the tag.
    """
    pattern = marks(open_, close)
    groups = re.compile(pattern).groupindex
    opens, kind = groups["opens_"] - 1, groups.get("type", 0) - 1
    text_lines = text.decode().split("\n")
    lines = []
    for line, found in zip(text_lines, searched(pattern, text_lines, every=True), strict=True):
        stack: list[str] = []
        at = 0
        parts: list[str] = []
        for match in found:
            if match.groups[opens] is not None:
                stack.append((match.groups[kind] if kind >= 0 else None) or "mention")
                tag = f"<{stack[-1]}>"
            else:
                # a mark that closes nothing stays unpaired, which the parser reports
                tag = f"</{stack.pop() if stack else 'mention'}>"
            parts += [line[at : match.start], tag]
            at = match.end
        lines.append("".join([*parts, line[at:]]))
    return "\n".join(lines).encode()
