"""Command line of tagsuite, assembled from the command modules of all packages."""

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
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from . import __version__
from .catalogues.core.command_line import CommandGroup, add_option, complete_commands
from .catalogues.core.errors import TagsuiteError
from .catalogues.core.files import DISK_FULL_ERRORS, INPUT_MB_VARIABLE
from .catalogues.core.messages import flush_streams, is_reader_gone, prepare_streams, say
from .catalogues.core.tables import print_text

# commands by the module that adds them to the program
COMMANDS = {
    "reports.diagnose_commands": ("diagnose",),
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


class Program(CommandGroup):
    """Program whose help lists the commands by task."""

    tasks: ClassVar = {
        "Start here": ("diagnose", "demo", "init", "study"),
        "Make test suites": ("generate", "catalogue", "sentences"),
        "Run taggers": ("run", "taggers"),
        "Judge taggers": ("score", "compare", "accept", "report"),
        "Explain errors": ("discover", "cases", "repeats", "effects", "invariance", "probe"),
        "Predict results on a corpus": ("composition", "calibrate"),
        "Published evaluations": ("evaluate",),
    }


def build_app(command: str = "") -> typer.Typer:
    """Build the program with all commands, or only with those of one module.

    Parameters
    ----------
    command : str
        Name of the command that will be run. Only the module that defines it is loaded, so that the program
        starts faster. If no command has this name, all modules are loaded, because the help, shell completion
        and suggestions of similar names need all commands.
    """
    app = typer.Typer(
        name="tagsuite",
        cls=Program,
        help="Make targeted test suites for entity taggers, run the taggers, and report their errors."
        "\n\nExample: tagsuite diagnose kex --quick",
        no_args_is_help=True,
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )

    @app.callback()
    def root(
        version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
        input_mb: Annotated[
            int | None,
            typer.Option(
                "--input-mb",
                min=1,
                help="Maximum size of one input (a file, a text, a pipe or unpacked data) in megabytes."
                "  [default: 512]",
            ),
        ] = None,
    ) -> None:
        if input_mb is not None:
            # an environment variable, so that worker processes get the limit too
            os.environ[INPUT_MB_VARIABLE] = str(input_mb)
        if version:
            print_text(f"tagsuite {__version__}\n")
            raise typer.Exit

    for module in [m for m, names in COMMANDS.items() if command in names] or COMMANDS:
        importlib.import_module(f".{module}", __package__).register(app)
    complete_commands(app, _with_taxonomy_option, WITHOUT_FEATURES)
    return app


WITHOUT_FEATURES = ("run", "demo", "init", "taggers", "probe", "evaluate")
"""Commands and command groups that use no features and therefore lack the option `--taxonomy`."""


def _with_taxonomy_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--taxonomy` to the function of a command that uses features."""

    def use(files: list[Path] | None) -> None:
        if files:
            from .catalogues.own_features import use_taxonomy

            use_taxonomy(*files)

    option = typer.Option("--taxonomy", help="File with features of your own (repeatable).")
    return add_option(function, "taxonomy", Annotated[list[Path] | None, option], None, use)


def main() -> None:
    """Run the command line and exit with its status.

    The exit status is 0 if the command succeeded, 1 if an acceptance criterion failed, 2 if arguments or
    input are invalid or output cannot be written, 3 if a tagger failed on some input, 4 after an internal
    error, and 130 after an interruption.
    """
    # garbage collection during imports and at exit would take more than a tenth of a second and find nothing
    gc.set_threshold(300_000, 50, 100)
    atexit.register(gc.freeze)
    # pydantic would read the metadata of every installed package to find plugins
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    prepare_streams()
    try:
        # an int if the command sets an exit status
        status = build_app(*sys.argv[1:2])(standalone_mode=False) or 0
    except KeyboardInterrupt:
        # while commands are loaded; typer handles an interrupt within a command
        say("tagsuite: interrupted")
        status = 130
    except SystemExit as end:
        # typer raises this when a pipe was closed
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        status = _report_error(end.__context__)
    except Exception as error:
        status = _report_error(error)
    finally:
        gc.freeze()
    if (problem := flush_streams()) is not None:
        # the result did not reach the user
        say(f"tagsuite: cannot write to standard output: {problem.strerror}")
        status = 4 if status == 4 else 2
    raise SystemExit(status)


def _report_error(error: Exception) -> int:
    """Print the message of an error and return the exit status."""
    if isinstance(error, BrokenPipeError) and is_reader_gone():
        return 0
    if isinstance(error, TagsuiteError):
        say(f"tagsuite: {error}")
        return 2
    if isinstance(error, OSError) and (error.filename is not None or error.errno in DISK_FULL_ERRORS):
        # for example a read-only folder or a full disk: the user can correct it
        place = "cannot write: " if error.filename is None else f"{error.filename}: "
        say(f"tagsuite: {place}{error.strerror}")
        return 2
    if hasattr(error, "show") and hasattr(error, "exit_code"):
        # wrong usage: typer does not export the common class of these errors
        with contextlib.suppress(OSError):
            error.show()
        return int(error.exit_code)
    _report_fault(error)
    return 4


def _report_fault(error: Exception) -> None:
    """Write the traceback of an internal error to a file and print the file's name."""
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
