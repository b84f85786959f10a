"""The command line as a user calls it: within this process, or in one of its own."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

VARIABLES = {"COLUMNS": "200", "NO_COLOR": "1"}


def _status(program: Callable[[], None]) -> int:
    """Run the program as the interpreter does: its exit status, and a traceback for what it did not catch."""
    try:
        program()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def in_this_process(
    *arguments: object,
    cwd: Path | None = None,
    stdin: str = "",
    env: dict[str, str] | None = None,
    encoding: str = "utf-8",
    merged: bool = False,
) -> CompletedProcess[str]:
    """Run the command line within this process and give what it printed.

    It is what `python -m tagsuite` runs, with arguments, streams, variables and a working folder of its own.
    For what only a process has (its locale, its modules, its start and end, programs that write to the same
    terminal) there is `in_own_process`.

    Parameters
    ----------
    encoding
        The terminal's.
    merged
        Standard output holds the errors too, in the order in which they were written.
    """
    from tagsuite.__main__ import main

    words = ["tagsuite", *map(str, arguments)]
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding, newline="\n", write_through=True),
        "stderr": io.TextIOWrapper(
            out if merged else err, encoding, "backslashreplace", newline="\n", write_through=True
        ),
    }
    collection, variables = gc.get_threshold(), dict(os.environ)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        os.environ.update({**VARIABLES, **(env or {})})
        patch.setattr(sys, "argv", words)
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        if cwd is not None:
            patch.chdir(cwd)
        try:
            status = _status(main)
        finally:
            gc.unfreeze()
            gc.set_threshold(*collection)
            # variables that the command set are gone too
            for name in os.environ.keys() - variables.keys():
                del os.environ[name]
            os.environ.update(variables)
    return CompletedProcess(words, status, out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8"))


def refusal(*arguments: object, **options: Any) -> str:
    """Run the command line within this process; the message with which it refuses what is asked.

    It is an error of the user's: exit status 2, one message, no traceback.
    """
    done = in_this_process(*arguments, **options)
    before, mark, message = f"\n{done.stderr}".partition("\ntagsuite: ")
    assert done.returncode == 2 and mark, (done.returncode, done.stdout, done.stderr)  # noqa: PT018
    assert "Traceback" not in before + message
    return message.rstrip("\n")


def in_own_process(
    *arguments: object,
    cwd: Path | None = None,
    stdin: str | None = None,
    env: dict[str, str] | None = None,
) -> CompletedProcess[str]:
    """Run the command line in a process of its own and give what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "tagsuite", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **VARIABLES, **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
