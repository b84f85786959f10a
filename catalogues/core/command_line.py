"""Classes and functions that all commands share: help with titled groups of options, and common options."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextvars import copy_context
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from .errors import unknown_name_error
from .options import COMMON, OTHER, OUTPUT
from .tables import OutputFormat, spreadsheet_csv_requested

FormatOption = Annotated[
    OutputFormat,
    typer.Option(
        "--format",
        metavar="|".join(OutputFormat),
        help="Format of the printed result.",
        rich_help_panel=OUTPUT,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print no messages.", rich_help_panel=OUTPUT)]


def force_option(content: str) -> Any:
    """Return the option --force, which replaces a folder; `content` describes the content of the folder."""
    return typer.Option(
        "--force", help=f"Replace the folder if it contains {content}.", rich_help_panel=OUTPUT
    )


def out_option(help_: str) -> Any:
    """Return the option --out, with the given help text, for a command that writes a folder."""
    return typer.Option("--out", "-o", help=help_, metavar="FOLDER", rich_help_panel=COMMON)


SPREADSHEET_HELP = "In CSV, put ' before text that a spreadsheet program would run as a formula."
METAVARS = {
    "path": "FILE",
    "str": "TEXT",
    "int": "N",
    "int range": "N",
    "float": "NUMBER",
    "float range": "NUMBER",
    "list[str]": "TEXT",
    "list[int]": "N",
    "list[Path]": "FILE",
}
"""Placeholders that the help shows for values, keyed by the name of the value's type."""
MAX_LEFT_WIDTH = 30
"""Maximum width of the options' column in the help; longer options have their description on a new line."""


class Command(TyperCommand):
    """Command whose help shows an example first and the options in titled groups."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command's arguments; if a value is not allowed, suggest similar ones."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            descriptor = getattr(getattr(error, "param", None), "type_descriptor", None)
            value = re.search("'(.*)' is not one of", error.message)
            if descriptor is not None and descriptor.choices and value:
                option = error.param.opts[-1]  # type: ignore[union-attr]
                raise unknown_name_error(
                    f"value of {option}", value[1], map(str, descriptor.choices)
                ) from None
            raise

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line, in which required arguments have no brackets."""
        pieces = (re.sub(r"^\{(.*)\}", r"\1", piece) for piece in self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, " ".join(pieces))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as in the base class
        """Write the command's description to the help, with each example on its own line."""
        _write_description(self.help or "", formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the command's arguments and groups of options to the help."""
        _write_options(self.get_params(ctx), ctx, formatter)


class CommandGroup(TyperGroup):
    """Group of commands whose help lists the commands by task, with their full descriptions.

    Attributes
    ----------
    tasks : mapping of str to sequence of str
        Names of the commands to list under each title in the help.
    """

    tasks: ClassVar[Mapping[str, Sequence[str]]] = {}

    format_help_text = Command.format_help_text

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands (grouped by task) and the options to the help."""
        listed = {name for names in self.tasks.values() for name in names}
        tasks = {**self.tasks, "Commands": [name for name in self.commands if name not in listed]}
        groups = {
            title: [
                (name, inspect.cleandoc(command.help or "").split("\n\n")[0])
                for name in names
                if (command := self.commands.get(name)) is not None and not command.hidden
            ]
            for title, names in tasks.items()
        }
        _write_groups(groups, formatter)
        _write_options(self.get_params(ctx), ctx, formatter)


def _write_description(text: str, formatter: Any) -> None:
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        formatter.write_paragraph()
        with formatter.indentation():
            line = " ".join(paragraph.split())
            title, _, command = line.partition(": tagsuite ")
            if not command:
                formatter.write_text(line)
                continue
            formatter.write_text(f"{title}:")
            with formatter.indentation():
                indent = " " * formatter.current_indent
                lines = wrap_command(f"tagsuite {command}", formatter.width - len(indent))
                formatter.write("".join(f"{indent}{line}\n" for line in lines))


def wrap_command(command: str, width: int) -> list[str]:
    r"""Split a shell command into lines joined by backslashes; an option and its value stay on one line.

    Examples
    --------
    >>> wrap_command("tagsuite score run --by 'case = upper'", 24)
    ['tagsuite score run \\', "  --by 'case = upper'"]
    """
    lines = [""]
    for word in re.findall(r"-\S+(?: (?!-)(?:'[^']*'|\S)+)?|(?:'[^']*'|\S)+", command):
        if lines[-1].strip() and len(f"{lines[-1]} {word} \\") > width:
            lines[-1] += " \\"
            lines.append(f"  {word}")
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def _write_options(parameters: Iterable[Any], ctx: Any, formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], COMMON: []}
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        left, help_text = record
        if parameter.param_type_name == "argument":
            left, title = re.sub(" <.*>$", "", left), "Arguments"
        else:
            left = re.sub("<(.*)>", lambda match: METAVARS.get(match[1], match[1]), left)
            title = getattr(parameter, "rich_help_panel", None) or OTHER
        groups.setdefault(title, []).append((left, _simplify_range(help_text)))
    groups |= {title: groups.pop(title) for title in (OUTPUT, OTHER) if title in groups}
    titles = [title for title, rows in groups.items() if rows and title != "Arguments"]
    if len(titles) > 1 and titles[-1] == OTHER and len(groups[OTHER]) == 1:
        # --help alone needs no group
        groups[titles[-2]] += groups.pop(titles.pop())
    if len(titles) == 1:
        groups["Options"] = groups.pop(titles[0])
    _write_groups(groups, formatter)


def _simplify_range(help_text: str) -> str:
    """Rewrite the bounds in a help text in words, for example ``1<=x<=6`` as "1 to 6"."""
    help_text = re.sub(r"([-.\w]+)<=x<=([-.\w]+)(?=[];])", r"\1 to \2", help_text)
    help_text = re.sub(r"(; |(?<=\[))x>=[01](?=\])", "", help_text).replace("  []", "")
    return help_text.replace("x>=", "at least ").replace("x<=", "at most ")


def _write_groups(groups: Mapping[str, Sequence[tuple[str, str]]], formatter: Any) -> None:
    """Write groups of options or commands under their titles, with aligned columns."""
    widths = [len(left) for rows in groups.values() for left, _ in rows if len(left) <= MAX_LEFT_WIDTH]
    width = max(widths, default=0)
    for title, rows in groups.items():
        if rows:
            with formatter.section(title):
                formatter.write_dl([(left.ljust(width), text) for left, text in rows], col_max=width)


def add_group(app: typer.Typer, name: str, description: str, commands: Iterable[Callable[..., Any]]) -> None:
    """Add a group of commands to a program.

    Parameters
    ----------
    app : Typer
        Program to which the group is added.
    name, description : str
        Name of the group, and its description in the help.
    commands : iterable of callable
        Functions that implement the commands. A command has the name of its function, with hyphens instead of
        underscores; a trailing underscore is removed.
    """
    group = typer.Typer(name=name, help=description, no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        group.command(command.__name__.rstrip("_").replace("_", "-"))(command)
    app.add_typer(group)


def complete_commands(
    app: typer.Typer, wrap: Callable[[Callable[..., Any]], Callable[..., Any]], unwrapped: Collection[str]
) -> None:
    """Arrange the help of all commands in titled groups, and add the options that many commands share.

    Parameters
    ----------
    app : Typer
        Program with its commands.
    wrap : callable
        Function that adds options to the function of a command. In addition, each command with the option
        `--format` gets the option `--spreadsheet-csv`.
    unwrapped : collection of str
        Names of the commands and groups to which `wrap` is not applied.
    """
    for command in app.registered_commands:
        command.cls = Command
        if command.callback is None:
            continue
        if "" not in unwrapped and command.name not in unwrapped:
            command.callback = wrap(command.callback)
        parameters = inspect.signature(command.callback, eval_str=True).parameters.values()
        if any(getattr(p.annotation, "__origin__", None) is OutputFormat for p in parameters):
            option = typer.Option("--spreadsheet-csv", help=SPREADSHEET_HELP, rich_help_panel=OUTPUT)
            command.callback = add_option(
                command.callback,
                "spreadsheet_csv",
                Annotated[bool, option],
                False,
                spreadsheet_csv_requested.set,
            )
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group.cls = CommandGroup
            name = group.typer_instance.info.name
            complete_commands(group.typer_instance, wrap, ("",) if name in unwrapped else unwrapped)


def add_option(
    function: Callable[..., Any], name: str, annotation: Any, default: Any, use: Callable[[Any], object]
) -> Callable[..., Any]:
    """Add an option to the function of a command; the option takes effect only while the command runs.

    Parameters
    ----------
    function : callable
        Function of the command.
    name, annotation, default
        Name, type and default of the option, as for a parameter of the function.
    use : callable
        Function that is called with the value of the option before the command runs. The context variables
        that it sets apply only to this run of the command.
    """
    signature = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        context = copy_context()
        context.run(use, keywords.pop(name, default))
        return context.run(function, *arguments, **keywords)

    parameter = inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
    parameters = [*signature.parameters.values(), parameter]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call
