"""CSV for people: cells that a spreadsheet program would take for a formula are made harmless.

A program that opens CSV computes what begins with ``=``, ``+``, ``-`` or ``@``, whoever wrote it: a name in a
text, or a file made to do harm. An apostrophe before it makes it text. CSV for programs is left as it is.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any

import typer

DANGEROUS = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20\x00-\x1f\x7f-\x9f]")
"""What a harmful cell begins with: signs of a formula, in full width too, and control characters."""

SIGN = "'"
OPTION = "--spreadsheet-csv"
HELP = "In CSV, put ' before text that a spreadsheet program would compute."

asked: ContextVar[bool] = ContextVar("asked", default=False)
"""Whether the command that runs was given the option."""


def harmless(cell: Any) -> Any:
    r"""A cell that no spreadsheet program computes: text gets an apostrophe where it needs one.

    Examples
    --------
    >>> [harmless(c) for c in ("=1+1", "-ase", -1.5, "p53", "\tx", None)]
    ["'=1+1", "'-ase", -1.5, 'p53', "'\tx", None]
    """
    return SIGN + cell if isinstance(cell, str) and DANGEROUS.match(cell) else cell


def original(cell: Any) -> Any:
    """What `harmless` was given.

    Examples
    --------
    >>> original("'=1+1"), original("'s"), original(3)
    ('=1+1', "'s", 3)
    """
    if isinstance(cell, str) and cell.startswith(SIGN) and DANGEROUS.match(cell, 1):
        return cell[1:]
    return cell


def offer(app: typer.Typer, form: type) -> None:
    """Give the option to every command of a program that prints its result in a form, after that choice."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _with_option(command.callback, form)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            offer(group.typer_instance, form)


def _with_option(function: Callable[..., Any], form: type) -> Callable[..., Any]:
    signature = inspect.signature(function, eval_str=True)
    parameters = list(signature.parameters.values())
    places = [i for i, p in enumerate(parameters) if getattr(p.annotation, "__origin__", None) is form]
    if not places or "spreadsheet_csv" in signature.parameters:
        return function

    @functools.wraps(function)
    def called(*arguments: Any, spreadsheet_csv: bool = False, **named: Any) -> Any:
        token = asked.set(spreadsheet_csv)
        try:
            return function(*arguments, **named)
        finally:
            asked.reset(token)

    kind, own = parameters[places[0]].kind, Annotated[bool, typer.Option(OPTION, help=HELP)]
    parameters.insert(
        places[0] + 1, inspect.Parameter("spreadsheet_csv", kind, default=False, annotation=own)
    )
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called
