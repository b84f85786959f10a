"""The process of a Python function: it imports the function and answers window after window.

Its arguments are ``PACKAGE.MODULE:FUNCTION [NAME VALUE …]``. It reads a JSON object a line (``texts``) and
prints one (``answers``). With ``--describe`` first it says what there is to know of the function.
What the function prints, by whatever means, goes to standard error.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from pathlib import Path
from typing import IO, Any

from .calling import Caller, converted, described, version

MOST = 2_000
"""Files of a package that are looked at."""


def main(arguments: list[str]) -> int:
    """Describe a function, or answer for it."""
    # the function's prints, and those of what it is written in, must not meet the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.path.insert(0, str(Path.cwd()))
    describing = arguments[0] == "--describe"
    if describing:
        return _describe(arguments[1], answers)
    name, *options = arguments
    function = _found(name)
    known = described(function)
    given = dict(zip(options[::2], options[1::2], strict=True))
    kinds = known["options"]
    values = {k: converted(kinds[k]["kind"] if k in kinds else "text", text) for k, text in given.items()}
    caller = Caller(function, values, several=known["several"])
    for line in sys.stdin.buffer:
        answers.write(json.dumps({"answers": caller.answers(json.loads(line)["texts"])}) + "\n")
        answers.flush()
    caller.close()
    return 0


def _found(name: str) -> Any:
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _describe(name: str, answers: IO[str]) -> int:
    """Say what a function takes, of which version it is, and the digests of its sources."""
    try:
        function = _found(name)
        module = sys.modules[name.partition(":")[0]]
        known = {**described(function), "version": version(module, sys.modules), "sources": _sources(module)}
    except (Exception, SystemExit) as error:
        known = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(known) + "\n")
    answers.flush()
    return 0


def _sources(module: Any) -> list[str]:
    """Name and digest of the module's source, and of all Python files of the package that it is in."""
    top = sys.modules.get(str(module.__name__).partition(".")[0])
    folders = [Path(p) for p in getattr(top, "__path__", [])]
    files = sorted((f, f.relative_to(folder).as_posix()) for folder in folders for f in folder.rglob("*.py"))
    if not files or len(files) > MOST:
        own = getattr(module, "__file__", None)
        files = [(Path(own), Path(own).name)] if own else []
    return [f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file, name in files]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
