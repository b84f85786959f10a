"""The choice: which sentences were taken, and what a reader judged of their slots."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_text
from ..contexts import JUDGED

COLUMNS = ("id", *JUDGED, "sentence", "remark")
"""Columns of a file of choices: the sentence's id; what was judged of each slot, the slots' values parted by
semicolons (one value stands for all, - for none); the sentence in usual typography where the rule gives
another; a remark."""

FILES = "attested*.tsv"


@dataclass(frozen=True)
class Choice:
    """One sentence that was taken.

    Attributes
    ----------
    id : str
        The sentence's id in the corpus.
    slots : dict of str to tuple of str
        What was judged, by attribute: a value for each slot, or one for all.
    sentence : str
        The template in usual typography; empty where the rule is right.
    file, line : str, int
        Where it stands.
    """

    id: str
    slots: dict[str, tuple[str, ...]]
    sentence: str
    file: str
    line: int

    def attributes(self, slot: int, slots: int) -> dict[str, str]:
        """What was judged of one slot.

        Raises
        ------
        InputError
            When the values are neither one nor as many as the slots.
        """
        found: dict[str, str] = {}
        for name, values in self.slots.items():
            if len(values) not in (0, 1, slots):
                raise InputError(
                    f"{name}: not as many values as slots",
                    file=self.file,
                    line=self.line,
                    found="; ".join(values),
                    allowed=f"one value for all, or {slots}",
                )
            value = values[0 if len(values) == 1 else slot] if values else ""
            if value and value != "-":
                found[name] = value
        return found


def read_choices(folder: Path) -> Iterator[Choice]:
    """The choices of every file in a folder, in the files' order.

    Raises
    ------
    InputError
        With file and line: no file, other columns, a sentence that is chosen twice.
    """
    paths = sorted(folder.glob(FILES))
    if not paths:
        raise InputError("no file of choices", file=folder, allowed=FILES)
    seen: dict[str, str] = {}
    for path in paths:
        text = read_text(path)
        if not text.strip():
            raise InputError("the file is empty", file=path, allowed=f"a head line: {', '.join(COLUMNS)}")
        rows = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, cells in enumerate(rows, start=1):
            if number == 1 and tuple(cells) != COLUMNS:
                raise InputError(
                    "other columns", file=path, line=1, found=", ".join(cells), allowed=", ".join(COLUMNS)
                )
            if number == 1 or not cells or cells[0].startswith("#"):
                continue
            if len(cells) > len(COLUMNS):
                raise InputError("more cells than columns", file=path, line=number, found=cells[-1])
            row = dict(zip(COLUMNS, (c.strip() for c in cells), strict=False))
            place = f"{path.name}:{number}"
            if seen.setdefault(row["id"], place) != place:
                problem = f"a sentence is chosen twice (first in {seen[row['id']]})"
                raise InputError(problem, file=path, line=number, found=row["id"])
            judged = {n: tuple(v.strip() for v in row[n].split(";")) for n in JUDGED if row.get(n)}
            yield Choice(row["id"], judged, row.get("sentence", ""), str(path), number)
