"""Marks of other kinds than tags: ``<START:gene> p53 <END>``."""

from __future__ import annotations

import re


def as_tags(text: bytes, open_: str, close: str) -> bytes:
    """Other marks as tags: ``<START:gene> p53 <END>`` as ``<gene> p53 </gene>``.

    Parameters
    ----------
    text : bytes
        UTF-8.
    open_, close : str
        Regular expressions; the group ``type`` of the first, where it has one, names the tag.
    """
    marks = re.compile(f"(?P<opens_>{open_})|(?P<closes_>{close})")
    stack: list[str] = []

    def tag(match: re.Match[str]) -> str:
        if match["opens_"] is not None:
            name = (match["type"] if "type" in marks.groupindex else None) or "mention"
            stack.append(name)
            return f"<{name}>"
        # a mark that closes nothing stays unpaired, which the parser reports
        return f"</{stack.pop() if stack else 'mention'}>"

    lines = []
    for line in text.decode().split("\n"):
        stack.clear()
        lines.append(marks.sub(tag, line))
    return "\n".join(lines).encode()
