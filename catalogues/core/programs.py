"""Programs for maintainers, beside the command line: subcommands that each run a function."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .errors import TagsuiteError
from .tables import say


def run_program(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Run the function that the chosen subcommand has as its default `run`; the exit status.

    Parameters
    ----------
    parser : ArgumentParser
        Its ``prog`` is ``python -m PACKAGE``; errors are printed under the package's last name.
    arguments : sequence of str, optional
        The command line's when None.
    """
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except TagsuiteError as error:
        say(f"{parser.prog.rpartition('.')[2]}: {error}")
        return 2
    return 0
