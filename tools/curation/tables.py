"""Reading of curated tables; rows know their file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.files import read_text


@dataclass(frozen=True)
class Row:
    """Row of a table, with its cells by column."""

    file: Path
    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def error(self, problem: str, found: str, allowed: str | None = None) -> InputError:
        """Return an error with the file and line of this row."""
        return InputError(problem, file=self.file, line=self.line, found=found, allowed=allowed)


def read_rows(path: Path, columns: Sequence[str], *, can_end_early: bool = False) -> list[Row]:
    """Read a tab-separated table; lines that begin with ``#`` and white space are comments.

    Raises
    ------
    InputError
        When a row has a wrong number of cells (`can_end_early` allows fewer); with file and line.
    """
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line or line.startswith(("# ", "#\t")):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if can_end_early:
            cells += [""] * (len(columns) - len(cells))
        row = Row(path, number, dict(zip(columns, cells, strict=False)))
        if len(cells) != len(columns):
            raise row.error("wrong number of cells", f"{len(cells)} cells", f"{len(columns)} cells")
        rows.append(row)
    return rows
