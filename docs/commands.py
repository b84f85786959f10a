"""Write docs/reference/commands.md: every command's help, as the command line prints it.

`make docs` runs it; a test tells when the page is no longer what it writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from tagsuite.__main__ import build_app

PAGE = Path(__file__).parent / "reference" / "commands.md"
WIDTH = 100
HEAD = """# Commands

Made by `make docs` from what `tagsuite COMMAND --help` prints.

Results go to standard output (`--format table|json|csv|markdown`), messages and progress to standard error.
A spreadsheet program computes cells that begin with `=`, `+`, `-` or `@`: `--spreadsheet-csv` puts an
apostrophe before text (never numbers) that begins so, or with a control character. A terminal that holds
ASCII alone gets other characters as escapes.
The exit status is 0 when all is done, 1 when an acceptance criterion failed, 2 for wrong usage or bad input,
3 when all is done but a tagger failed on some input, 4 for a fault of tagsuite's own. `tagsuite
--install-completion` makes the shell complete commands and options.
"""


def commands(command: Any = None, name: str = "tagsuite", parent: Any = None) -> Iterator[tuple[str, Any]]:
    """Every command with its context, groups before what is in them."""
    command = get_command(build_app()) if command is None else command
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield context.command_path, context
    for child in getattr(command, "commands", {}):
        yield from commands(command.commands[child], child, context)


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for path, context in commands():
        level = "##" if context.parent is None or context.parent.parent is None else "###"
        parts.append(f"{level} {path}\n\n```text\n{context.get_help().strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
