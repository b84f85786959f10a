"""Errors that a user can correct; their messages show the file and line, the value and the allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

COMMANDS_AND_FLAGS = re.compile(r"`[^`]*`|tagsuite [^;,)]*|(--[a-z][a-z-]*)")
"""Pattern for quoted text, commands and options in a message; its group captures only options."""


class TagsuiteError(Exception):
    """Base class of errors that the user can correct; they are shown without a traceback (exit status 2)."""


class InputError(TagsuiteError):
    """Error in the content of a file, a query or an option.

    Parameters
    ----------
    problem : str
        Description of the error and, if useful, what to do next; without a full stop.
    file : path, optional
        File that contains the error.
    line, column : int, optional
        Line and column of the error, counted from 1.
    found : object, optional
        The invalid value.
    allowed : str, optional
        Allowed values.
    near : sequence of str
        Similar names that are allowed, most similar first.

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
        # the default would lose the keyword-only arguments when a process sends the error to another
        return (type(self).__new__, (type(self), str(self)), self.__dict__)

    @property
    def placed_problem(self) -> str:
        """Description of the problem, preceded by the file, line and column if they are known."""
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
            if self.column is not None:
                place += f":{self.column}"
        return f"{place}: {self.problem}" if place else self.problem

    def __str__(self) -> str:
        text = self.placed_problem
        if self.found is not None:
            shown = self.found if isinstance(self.found, str) else _as_text(self.found)
            shown = shown if len(shown) <= 200 else shown[:197] + "..."
            text += f": found {shown!r}"
        if self.allowed is not None:
            text += f"; allowed: {self.allowed}"
        if self.near:
            text += f"; {self.suggestion()}"
        return text

    def use_keywords(self, keyword_of_flag: Mapping[str, str]) -> None:
        """Replace command-line options in the message with the corresponding keywords of a Python function.

        Examples
        --------
        >>> error = InputError("--plan requires --pool FORMAT:PATH")
        >>> error.use_keywords({"--plan": "plan", "--pool": "pool"})
        >>> print(error)
        `plan` requires `pool` FORMAT:PATH
        """

        def translate(text: str) -> str:
            return COMMANDS_AND_FLAGS.sub(
                lambda match: f"`{keyword_of_flag[match[1]]}`" if match[1] in keyword_of_flag else match[0],
                text,
            )

        self.problem = translate(self.problem)
        self.found = translate(self.found) if isinstance(self.found, str) else self.found
        self.allowed = self.allowed and translate(self.allowed)
        self.args = (str(self),)

    def suggestion(self) -> str:
        """Return a question that suggests the similar names, such as "did you mean length?"."""
        *others, last = self.near
        return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def _as_text(found: object) -> str:
    try:
        return str(found)
    except (RecursionError, ValueError):
        # nested too deeply, or a number with thousands of digits
        return f"a {type(found).__name__} too large to be shown"


class MissingExtraError(TagsuiteError):
    """Error raised if an optional library is needed but not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}, which is not installed: pip install 'tagsuite[{extra}]'"
        )


def sort_by_similarity(name: str, known: Iterable[str]) -> list[str]:
    """Sort known names so that those similar to an unknown name come first.

    Examples
    --------
    >>> sort_by_similarity("hyphn", ["name", "case", "hyphen"])
    ['hyphen', 'name', 'case']
    """
    names = list(known)
    near = find_similar(name, names)
    return [*near, *(other for other in names if other not in near)]


def find_similar(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that are similar to an unknown name, most similar first."""
    import difflib

    return difflib.get_close_matches(name, list(known), n=3)


def unknown_name_error(kind: str, name: object, known: Iterable[str]) -> InputError:
    """Return an error that lists the known names and suggests the most similar ones.

    Examples
    --------
    >>> print(unknown_name_error("notion", "strct", ["strict", "sloppy"]))
    unknown notion: found 'strct'; allowed: strict, sloppy; did you mean strict?
    """
    names = list(known)
    return InputError(
        f"unknown {kind}", found=name, allowed=", ".join(names), near=find_similar(str(name), names)
    )
