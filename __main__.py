"""The command line: one program, put together from each room's commands."""

from __future__ import annotations

import importlib
import sys

import typer

from .catalogues.plumbing.errors import TagsuiteError

ROOMS = (
    "reports",
    "catalogues",
    "sentences",
    "generator",
    "harness.running",
    "harness.scoring",
    "harness.scoring.findings",
    "harness.tasks",
)


def build() -> typer.Typer:
    """Put the commands of all rooms together."""
    app = typer.Typer(
        name="tagsuite",
        help="Targeted test suites for entity taggers: generate, run, score per class, compare, report.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root() -> None:
        pass

    for room in ROOMS:
        name = (
            f"tagsuite.{room}.commands"
            if not room.endswith("findings")
            else "tagsuite.harness.scoring.findings_commands"
        )
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            continue
        module.register(app)
    return app


def main() -> None:
    """Run the command line; errors that are the user's to mend are shown without a traceback."""
    try:
        build()()
    except TagsuiteError as error:
        sys.stderr.write(f"tagsuite: {error}\n")
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
