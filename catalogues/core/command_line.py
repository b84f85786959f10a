"""What the groups of commands have in common: how they are put together, and their common options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from .tables import OutputFormat, spreadsheet_csv_requested

FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How the result is printed.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print no messages.")]
SPREADSHEET_HELP = "In CSV, put ' before text that a spreadsheet program would compute."


def add_group(app: typer.Typer, name: str, description: str, commands: Iterable[Callable[..., Any]]) -> None:
    """Add a group of commands to a program.

    Each is called as its function, less an underscore at the end, with hyphens for those within.
    """
    group = typer.Typer(name=name, help=description, no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        group.command(command.__name__.rstrip("_").replace("_", "-"))(command)
    app.add_typer(group)


def offer_spreadsheet_csv(app: typer.Typer, form: type) -> None:
    """Give the option to every command of a program that prints its result in a form, after that choice."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _with_option(command.callback, form)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            offer_spreadsheet_csv(group.typer_instance, form)


def _with_option(function: Callable[..., Any], form: type) -> Callable[..., Any]:
    signature = inspect.signature(function, eval_str=True)
    parameters = list(signature.parameters.values())
    places = [i for i, p in enumerate(parameters) if getattr(p.annotation, "__origin__", None) is form]
    if not places or "spreadsheet_csv" in signature.parameters:
        return function

    @functools.wraps(function)
    def called(*arguments: Any, spreadsheet_csv: bool = False, **named: Any) -> Any:
        token = spreadsheet_csv_requested.set(spreadsheet_csv)
        try:
            return function(*arguments, **named)
        finally:
            spreadsheet_csv_requested.reset(token)

    kind, own = (
        parameters[places[0]].kind,
        Annotated[bool, typer.Option("--spreadsheet-csv", help=SPREADSHEET_HELP)],
    )
    parameters.insert(
        places[0] + 1, inspect.Parameter("spreadsheet_csv", kind, default=False, annotation=own)
    )
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called
