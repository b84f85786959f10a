"""The command line: one program, put together from each room's commands."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import platform
import shlex
import sys
import tempfile
import traceback
from typing import Annotated

import typer

from . import __version__
from .catalogues.core.command_line import offer_spreadsheet_csv
from .catalogues.core.errors import TagsuiteError
from .catalogues.core.files import DISK_FULL_ERRORS, INPUT_MB_VARIABLE
from .catalogues.core.messages import flush_streams, is_reader_gone, prepare_streams, say
from .catalogues.core.tables import OutputFormat, print_text

# every room's command module, and the commands that it adds to the program
COMMANDS = {
    "reports.commands": ("report", "study", "demo", "init", "invariance", "probe"),
    "catalogues.commands": ("catalogue",),
    "sentences.commands": ("sentences",),
    "generator.commands": ("generate",),
    "harness.running.commands": ("run", "cases", "taggers"),
    "harness.scoring.commands": ("score", "repeats", "effects"),
    "harness.scoring.comparison.commands": ("compare",),
    "harness.scoring.acceptance.commands": ("accept",),
    "harness.scoring.transfer.commands": ("composition", "calibrate"),
    "reports.discover_commands": ("discover",),
    "harness.tasks.commands": ("evaluate",),
}


def build_app(command: str = "") -> typer.Typer:
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
            os.environ[INPUT_MB_VARIABLE] = str(input_mb)
        if version:
            print_text(f"tagsuite {__version__}\n")
            raise typer.Exit

    for module in [m for m, names in COMMANDS.items() if command in names] or COMMANDS:
        importlib.import_module(f".{module}", __package__).register(app)
    offer_spreadsheet_csv(app, OutputFormat)
    return app


def main() -> None:
    """Run the command line and exit with its status.

    0: done; 1: an acceptance criterion failed; 2: wrong usage, bad input, or output that cannot be written;
    3: done, but a tagger failed on some input; 4: a fault of tagsuite's own; 130: interrupted.
    """
    # the classes and functions of a command's libraries stay to the end: to search them for garbage while
    # they are loaded, and all of them once more at the end, takes a tenth of a second and more
    gc.set_threshold(300_000, 50, 100)
    atexit.register(gc.freeze)
    # to look for plugins of pydantic's, the metadata of every installed package would be read
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    prepare_streams()
    try:
        # an int where the command ends with a status of its own
        status = build_app(*sys.argv[1:2])(standalone_mode=False) or 0
    except KeyboardInterrupt:
        # while commands are loaded; inside one the same is done by typer
        say("tagsuite: interrupted")
        status = 130
    except SystemExit as end:
        # typer exits so for a pipe that was closed
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        status = _report_error(end.__context__)
    except Exception as error:
        status = _report_error(error)
    finally:
        gc.freeze()
    if (problem := flush_streams()) is not None:
        # what the command found did not reach the user
        say(f"tagsuite: cannot write to standard output: {problem.strerror}")
        status = 4 if status == 4 else 2
    raise SystemExit(status)


def _report_error(error: Exception) -> int:
    """Report an error; the exit status that it gives."""
    if isinstance(error, BrokenPipeError) and is_reader_gone():
        return 0
    if isinstance(error, TagsuiteError):
        say(f"tagsuite: {error}")
        return 2
    if isinstance(error, OSError) and (error.filename is not None or error.errno in DISK_FULL_ERRORS):
        # a folder that may not be written, a full disk: the user's to mend too
        place = "cannot write: " if error.filename is None else f"{error.filename}: "
        say(f"tagsuite: {place}{error.strerror}")
        return 2
    if hasattr(error, "show") and hasattr(error, "exit_code"):
        # wrong usage: typer's own errors, whose common class it does not export
        with contextlib.suppress(OSError):
            error.show()
        return int(error.exit_code)
    _report_fault(error)
    return 4


def _report_fault(error: Exception) -> None:
    """Write the traceback of an unforeseen error to a file, and say where it is."""
    details = "".join(traceback.format_exception(error))
    head = f"tagsuite {__version__}, Python {platform.python_version()}, {platform.platform()}"
    problem = "tagsuite: internal error: " + " ".join(f"{type(error).__name__}: {error}".split())[:200]
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="tagsuite-", suffix=".txt", delete=False
        ) as file:
            file.write(f"{head}\n{shlex.join(sys.argv)}\n\n{details}")
    except OSError:
        say(f"{problem}; please report it with this traceback:\n{details}")
        return
    say(f"{problem}; please report it and attach {file.name}")


if __name__ == "__main__":
    main()
