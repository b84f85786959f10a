"""A faulty query, shown with a caret under the fault."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from ..core.errors import InputError


class QueryError(InputError):
    """Raised when a query cannot be read or names what the taxonomy does not know.

    Parameters
    ----------
    problem : str
        What is wrong.
    query : str
        The whole query.
    start, end : int
        Half-open place of the fault in `query`, in characters.
    allowed : str, optional
        What may stand there, the nearest first.
    near : sequence of str
        Names that may have been meant, the nearest first.
    file, line : optional
        Where the query was written.

    Examples
    --------
    >>> print(QueryError("unknown feature", "lenght > 3", 0, 6, near=["length"]))
    unknown feature
        lenght > 3
        ^^^^^^
      did you mean length?
    """

    def __init__(
        self,
        problem: str,
        query: str = "",
        start: int = 0,
        end: int = 0,
        *,
        allowed: str | None = None,
        near: Sequence[str] = (),
        file: str | PathLike[str] | None = None,
        line: int | None = None,
    ) -> None:
        self.query = query
        self.start = start
        self.end = end
        super().__init__(problem, file=file, line=line, allowed=allowed, near=near)

    def __str__(self) -> str:
        place = "" if self.file is None else self.file
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        lines = [f"{place}: {self.problem}" if place else self.problem]
        begin = self.query.rfind("\n", 0, self.start) + 1
        finish = self.query.find("\n", self.start)
        finish = len(self.query) if finish < 0 else finish
        shown = self.query[begin:finish]
        # a tab stays a tab above and below, so that the caret stands under the fault
        lead = "".join("\t" if c == "\t" else " " for c in shown[: self.start - begin])
        width = max(1, min(self.end, finish) - self.start)
        lines += [f"    {shown}", f"    {lead}{'^' * width}"]
        if self.allowed is not None:
            lines.append(f"  allowed: {self.allowed}")
        if self.near:
            lines.append(f"  {self.guess()}")
        return "\n".join(lines)
