"""Write docs/reference/commands.md: the help of every command, with shared options once.

`make docs` runs it, and a test fails if the page differs from what it writes.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from tagsuite.__main__ import build_app

PAGE = Path(__file__).parent / "reference" / "commands.md"
WIDTH = 100
MIN_COMMANDS = 2
"""Minimum number of commands with the same option for which the option is described once."""
UBIQUITOUS = ("--help", "--format", "--spreadsheet-csv")
"""Shared options that the sections of single commands do not name."""
OPTION = re.compile(r"^  -.*\n(?:^ {8,}\S.*\n)*", re.MULTILINE)
"""An option with its help in the help of a command."""
SUBCOMMANDS = re.compile(r"^Commands:\n(?:^  .*\n)+", re.MULTILINE)
"""List of commands in the help of a group; the page has a section for each of them."""
COMMAND_ROW = re.compile(r"^  ([a-z]+) {2,}[A-Z].*\n(?: {5,}.*\n)*", re.MULTILINE)
"""Command in the main list, with its description, which its own section repeats."""
EMPTY_GROUP = re.compile(r"^\S[^\n]*:\n(?=\n|\Z)", re.MULTILINE)
HEAD = """# Commands

`make docs` writes this page from `tagsuite COMMAND --help`. Options that several commands share are
described only in the first section.

Commands that print a table also take `--format` (`table`, `json`, `jsonl`, `csv` or `markdown`) and
`--spreadsheet-csv`. Messages and progress go to standard error. In a terminal, tables are fitted to its
width, and coloured unless the variable `NO_COLOR` is set. `tagsuite --install-completion` lets the shell
complete commands.

The exit status is 0 on success, 1 if an acceptance criterion failed, 2 after wrong usage or bad input, 3 if
a tagger failed on some input, and 4 after an internal error.
"""


def list_commands(
    command: Any = None, name: str = "tagsuite", parent: Any = None
) -> Iterator[tuple[str, Any]]:
    """Yield the name and context of each command, groups before their commands."""
    command = get_command(build_app()) if command is None else command
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield context.command_path, context
    for child in getattr(command, "commands", {}):
        yield from list_commands(command.commands[child], child, context)


def name_option(entry: str) -> str:
    """Return the long name of an option from its help."""
    match = re.search(r"--[\w-]+", entry)
    return match[0] if match else ""


def align_option(entry: str) -> str:
    """Return an option and its help with the column of the help at a fixed place."""
    first, *more = entry.rstrip().split("\n")
    head, _, start = first.strip().partition("  ")
    words = " ".join([start, *more]).split()
    indent = " " * 32
    lines = textwrap.wrap(" ".join(words), WIDTH, initial_indent=indent, subsequent_indent=indent)
    if len(head) < 29:
        lines[0] = f"  {head:<30}{lines[0].strip()}"
        return "\n".join(lines) + "\n"
    return "\n".join([f"  {head}", *lines]) + "\n"


def describe_shared(names: list[str]) -> str:
    """Return a sentence that refers to the section of shared options."""
    *first, last = [f"`{name}`" for name in names]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"See [shared options](#shared-options) for {listed}."


def page() -> str:
    """Return the text of the page."""
    helps = {path: f"{context.get_help().strip()}\n" for path, context in list_commands()}
    counts = Counter(" ".join(entry.split()) for text in helps.values() for entry in OPTION.findall(text))
    sharable = {name_option(words): words for words, _ in reversed(counts.most_common())}
    shared: dict[str, str] = {}
    parts: list[str] = []
    for path, text in helps.items():
        omitted: list[str] = []
        for entry in OPTION.findall(text):
            words = " ".join(entry.split())
            is_sharable = sharable[name_option(words)] == words and "[required]" not in words
            if is_sharable and counts[words] >= MIN_COMMANDS:
                shared.setdefault(words, entry)
                omitted += [name] if (name := name_option(entry)) not in UBIQUITOUS else []
                text = text.replace(entry, "", 1)
        text = COMMAND_ROW.sub(r"  \1\n", text) if path == "tagsuite" else SUBCOMMANDS.sub("", text)
        while EMPTY_GROUP.search(text):
            text = EMPTY_GROUP.sub("", text)
        text = re.sub(r"\n{3,}", "\n\n", text).strip()
        level = "##" if path.count(" ") < 2 else "###"
        also = f"\n\n{describe_shared(omitted)}" if omitted else ""
        parts.append(f"{level} {path}\n\n```text\n{text}\n```{also}\n")
    options = "".join(align_option(shared[words]) for words in sorted(shared, key=name_option))
    return "\n".join([HEAD, f"## Shared options\n\n```text\n{options}```\n", *parts])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
