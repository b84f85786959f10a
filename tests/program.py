"""Functions that run the command line in this process or in a separate one."""

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

Call = Callable[..., CompletedProcess[str]]
VARIABLES = {"COLUMNS": "200", "NO_COLOR": "1"}


def _status(program: Callable[[], None]) -> int:
    """Run the program and return its exit status; print the traceback of an uncaught exception."""
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
    """Run the command line in this process and return its output.

    It runs the code of `python -m tagsuite` with the given arguments, streams, environment variables and
    working folder. Use `in_own_process` for tests that depend on properties of a process (locale, modules,
    start and end, programs that write to the same terminal).

    Parameters
    ----------
    encoding
        Encoding of the terminal.
    merged
        Write errors to standard output too, in their order.
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
    """Run the command line in this process and return its error message.

    The exit status must be 2, with one message and no traceback.
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
    """Run the command line in a separate process and return its output."""
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
