"""The command line: one program, put together from each room's commands."""

from __future__ import annotations

import importlib
import sys
from typing import Annotated

import typer

from . import __version__
from .catalogues.plumbing.errors import TagsuiteError

COMMANDS = (
    "reports.commands",
    "reports.study_commands",
    "catalogues.commands",
    "sentences.commands",
    "generator.commands",
    "harness.running.commands",
    "harness.scoring.commands",
    "harness.scoring.findings_commands",
    "harness.tasks.commands",
)


def build() -> typer.Typer:
    """Put the commands of all rooms together."""
    app = typer.Typer(
        name="tagsuite",
        help="Targeted test suites for entity taggers: generate, run, score per class, compare, report.",
        no_args_is_help=True,
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    ) -> None:
        if version:
            typer.echo(f"tagsuite {__version__}")
            raise typer.Exit

    for module in COMMANDS:
        try:
            importlib.import_module(f".{module}", __package__).register(app)
        except ModuleNotFoundError as error:
            if error.name is None or not f"tagsuite.{module}".startswith(error.name):
                raise
    return app


def main() -> None:
    """Run the command line; errors that are the user's to mend are shown without a traceback."""
    try:
        build()()
    except TagsuiteError as error:
        sys.stderr.write(f"tagsuite: {error}\n")
        raise SystemExit(2) from None
    except OSError as error:
        if error.filename is None:
            raise
        # a folder that may not be written, a full disk: the user's to mend too
        sys.stderr.write(f"tagsuite: {error.filename}: {error.strerror}\n")
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
