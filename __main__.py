"""The command line: one program, put together from each room's commands."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
from typing import Annotated

import typer

from . import __version__
from .catalogues.core import limits
from .catalogues.core.errors import TagsuiteError
from .catalogues.core.spreadsheets import offer
from .catalogues.core.tables import Format, prepare_streams

# every room's command module, and the commands that it adds to the program
COMMANDS = {
    "reports.commands": ("report",),
    "reports.study_commands": ("study", "demo", "init"),
    "catalogues.commands": ("catalogue",),
    "sentences.commands": ("sentences",),
    "generator.commands": ("generate",),
    "harness.running.commands": ("run", "taggers"),
    "harness.scoring.commands": ("score", "repeats", "effects"),
    "harness.scoring.comparison.commands": ("compare",),
    "harness.scoring.acceptance.commands": ("accept",),
    "harness.scoring.transfer.commands": ("composition", "calibrate"),
    "reports.discover_commands": ("discover",),
    "reports.invariance_commands": ("invariance",),
    "reports.probe_commands": ("probe",),
    "harness.tasks.commands": ("evaluate",),
}


def build(command: str = "") -> typer.Typer:
    """Put the program together: the commands of all rooms, or of the room of one command.

    Parameters
    ----------
    command
        The command that is going to be called. To read the options of all the others costs a fifth of a
        second. Where it is no command's name, all are there: for the help, for completion, and for an error
        that can say what was meant.
    """
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
        input_mb: Annotated[
            int | None,
            typer.Option(
                "--input-mb",
                min=1,
                help="How much one input may hold, in megabytes: a text, a pipe, or what is unpacked. [512]",
            ),
        ] = None,
    ) -> None:
        if input_mb is not None:
            # worker processes are told too
            os.environ[limits.VARIABLE] = str(input_mb)
        if version:
            typer.echo(f"tagsuite {__version__}")
            raise typer.Exit

    for module in [m for m, names in COMMANDS.items() if command in names] or COMMANDS:
        importlib.import_module(f".{module}", __package__).register(app)
    offer(app, Format)
    return app


def main() -> None:
    """Run the command line; errors that are the user's to mend are shown without a traceback."""
    # the classes and functions of a command's libraries stay to the end: to search them for garbage while
    # they are loaded, and all of them once more at the end, takes a tenth of a second and more
    gc.set_threshold(300_000, 50, 100)
    atexit.register(gc.freeze)
    # to look for plugins of pydantic's, the metadata of every installed package would be read
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    prepare_streams()
    try:
        build(*sys.argv[1:2])()
    except KeyboardInterrupt:
        # while commands are loaded; inside one the same is done by typer
        sys.stderr.write("tagsuite: interrupted\n")
        raise SystemExit(130) from None
    except TagsuiteError as error:
        sys.stderr.write(f"tagsuite: {error}\n")
        raise SystemExit(2) from None
    except OSError as error:
        if error.filename is None:
            raise
        # a folder that may not be written, a full disk: the user's to mend too
        sys.stderr.write(f"tagsuite: {error.filename}: {error.strerror}\n")
        raise SystemExit(2) from None
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
