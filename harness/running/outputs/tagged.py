"""The text that a tagger printed again, a record a line, with mentions in it."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ....sentences.formats.fields import FOUND_FIELDS
from ....sentences.formats.inline import Inline, Places, own_names
from ....sentences.formats.records import TOO_LONG
from .printed import Printed


@dataclass
class Tagged(Inline):
    """The text that a tagger gave back, a record a line, its mentions as byte spans.

    Broken are also records whose columns are not what the specification says.

    Attributes
    ----------
    names : list of str or None
        Identifiers of the records, where the output has them.
    damaged : array of int64
        Records that could not be read: bytes of another encoding.
    hint : str
        Which keys of the specification say what a record of this form is.
    first_lines : array of int64 or None
        The line at which each record begins, and the number of lines; None where each record is one line.
    undeclared : dict of int to Counter
        Tags of each record that the specification does not list; the records do not have them.
    tags : frozenset of str or None
        The tags that the specification lists; None where it lists none.
    """

    names: list[str] | None = None
    damaged: Places = field(default_factory=lambda: np.zeros(0, np.int64))
    hint: str = ""
    first_lines: Places | None = None
    undeclared: dict[int, Counter[str]] = field(default_factory=dict)
    tags: frozenset[str] | None = None

    def why(self, record: int) -> str:
        """What is wrong with a record that cannot be used; one without a problem of its own is too long."""
        problem = self.problems.get(record, TOO_LONG)
        if problem == TOO_LONG:
            return problem
        what, mark, found = problem.partition(FOUND_FIELDS)
        return what + self.hint + mark + found

    def lines_of(self, record: int) -> list[int]:
        """Return the lines of a record."""
        if self.first_lines is None:
            return [record]
        return list(range(*self.first_lines[record : record + 2].tolist()))

    def make_one_record(self) -> None:
        """Make one record of all: lines of a file that is about one case."""
        data = self.data.copy()
        data[self.starts[1:-1] - 1] = 32
        self.data, self.starts = data, np.array([0, len(data)], dtype=np.int64)
        if len(self.damaged):
            self.damaged = np.zeros(1, np.int64)
        if self.problems:
            self.problems = {0: self.problems[min(self.problems)]}
        if self.undeclared:
            self.undeclared = {0: sum(self.undeclared.values(), Counter())}


def describe_undeclared(counts: Mapping[str, int]) -> str:
    """Say which tags were found that the specification does not list."""
    found = ", ".join(f"<{name}> {n} time{'' if n == 1 else 's'}" for name, n in sorted(counts.items()))
    return f"found {found}; output.tags does not list {'it' if len(counts) == 1 else 'them'}"


def names_in(text: bytes) -> frozenset[str]:
    """Return the names of tags in a text, also of those that it writes with entities (``&lt;b&gt;``)."""
    if b"&lt;" in text:
        text += html.unescape(text.decode()).encode()
    return own_names(text)


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
