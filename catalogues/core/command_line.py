"""What the groups of commands have in common: how they are put together, and the choice of a form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from .tables import Format

FormatOption = Annotated[Format, typer.Option("--format", help="How the result is printed.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print no messages.")]


def add_group(app: typer.Typer, name: str, description: str, commands: Iterable[Callable[..., Any]]) -> None:
    """Add a group of commands to a program.

    Each is called as its function, less an underscore at the end, with hyphens for those within.
    """
    group = typer.Typer(name=name, help=description, no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        group.command(command.__name__.rstrip("_").replace("_", "-"))(command)
    app.add_typer(group)
