"""What the forms that print the text again share: identifiers before lines, and a record a line, placed."""

from __future__ import annotations

import numpy as np

from ....sentences.formats.records import TOO_LONG
from .parsed import Printed, Tagged
from .placed import Placed
from .placing import place


def place_lines(printed: Printed, tagged: Tagged) -> Placed:
    """Place the mentions of a text that was printed again."""
    if printed.whole_case and tagged.records != 1 and tagged.records:
        # several lines of a file that is about one case
        tagged = _one_record(tagged)
    return place(printed.sent, tagged)


def named(printed: Printed, tagged: Tagged, names: list[str] | None) -> Tagged:
    """Records of lines that may begin with an identifier; lines that were cut off are broken."""
    tagged.names = names
    if printed.long:
        tagged.problems |= dict.fromkeys(printed.long, TOO_LONG)
    return tagged


def named_lines(printed: Printed) -> tuple[bytes, list[str] | None, list[int]]:
    """The lines without their identifiers, these (None where the form has none), and the wrong lines."""
    if not printed.form.numbered:
        return printed.text, None, printed.wrong
    return _strip_names(printed.text, printed.form.separator.encode(), printed.wrong)


def _strip_names(text: bytes, separator: bytes, wrong: list[int]) -> tuple[bytes, list[str], list[int]]:
    """Take the identifier off each line; a line without one gets an empty name, which is nobody's."""
    lines = text.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    names: list[str] = []
    rest: list[bytes] = []
    for line in lines:
        name, found, content = line.partition(separator)
        names.append(name.decode().strip() if found else "")
        rest.append(content if found else line)
    return b"".join(r + b"\n" for r in rest), names, wrong


def _one_record(tagged: Tagged) -> Tagged:
    data = tagged.data.copy()
    inner = tagged.starts[1:-1] - 1
    data[inner] = 32
    tagged.data = data
    tagged.starts = np.array([0, len(data)], dtype=np.int64)
    if len(tagged.damaged):
        tagged.damaged = np.zeros(1, np.int64)
    if tagged.problems:
        tagged.problems = {0: tagged.problems[min(tagged.problems)]}
    return tagged
