"""Errors that a user can act on: where, what was found, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike


class TagsuiteError(Exception):
    """Base of every error that is the user's to mend; shown without a traceback, exit status 2."""


class InputError(TagsuiteError):
    """Raised when a file, a query or an option does not hold what it must.

    Parameters
    ----------
    problem : str
        What is wrong, as a sentence without a full stop.
    file : path, optional
        The file that holds the fault.
    line, column : int, optional
        One-based place in the file.
    found : object, optional
        What stands there.
    allowed : str, optional
        What may stand there, or what to do next.
    near : sequence of str
        Names that may have been meant, the nearest first.

    Examples
    --------
    >>> print(InputError("unknown feature", file="classes.toml", line=3, found="lenght", near=["length"]))
    classes.toml:3: unknown feature: found 'lenght'; did you mean length?
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        column: int | None = None,
        found: object = None,
        allowed: str | None = None,
        near: Sequence[str] = (),
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.line = line
        self.column = column
        self.found = found
        self.allowed = allowed
        self.near = tuple(near)
        super().__init__(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        # keyword-only arguments: the default reduction would lose them between processes
        return (_rebuild, (type(self), self.problem, self.__dict__))

    def __str__(self) -> str:
        place = "" if self.file is None else self.file
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
            if self.column is not None:
                place += f":{self.column}"
        text = f"{place}: {self.problem}" if place else self.problem
        if self.found is not None:
            shown = self.found if isinstance(self.found, str) else _as_text(self.found)
            shown = shown if len(shown) <= 200 else shown[:197] + "..."
            text += f": found {shown!r}"
        if self.allowed is not None:
            text += f"; allowed: {self.allowed}"
        if self.near:
            text += f"; {self.suggestion()}"
        return text

    def suggestion(self) -> str:
        """The names that may have been meant, as a question."""
        *others, last = self.near
        return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def _as_text(found: object) -> str:
    try:
        return str(found)
    except (RecursionError, ValueError):
        # nested a thousand deep, or a number of thousands of digits
        return f"a {type(found).__name__} too large to be shown"


def _rebuild(kind: type[InputError], problem: str, state: dict[str, object]) -> InputError:
    error = kind(problem)
    error.__dict__.update(state)
    Exception.__init__(error, str(error))
    return error


class MissingExtraError(TagsuiteError):
    """Raised when a command needs an optional library that is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}, which is not installed: pip install 'tagsuite[{extra}]'"
        )


def sort_by_similarity(name: str, known: Iterable[str]) -> list[str]:
    """Known names, those that look like an unknown one before the others.

    Examples
    --------
    >>> nearest_first("hyphn", ["name", "case", "hyphen"])
    ['hyphen', 'name', 'case']
    """
    import difflib

    others = list(known)
    near = difflib.get_close_matches(name, others, n=3)
    return [*near, *(other for other in others if other not in near)]
