"""Program that imports a Python function in its own process, and calls it for each window of texts.

Its arguments are ``PACKAGE.MODULE:FUNCTION [NAME VALUE …]``. After the import it prints the line
`READY_LINE`. Each request is one line, a JSON object with ``number`` and ``text``; an empty line ends a
window (the requests that are sent together). Each answer is one line: the number of its request, a space, and
the answer as JSON. With ``--describe`` as the first argument, it prints a description of the function
instead.

Requests and answers use their own file descriptors. The function's output goes to standard error, and its
standard input is empty. If the function forks this process, the copy exits when the function returns.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from pathlib import Path
from typing import IO, Any

from .caller import READY_LINE, Caller, convert_value, exit_if_forked, find_version, inspect_function


def main(arguments: list[str]) -> int:
    """Print a description of a function, or call it for each window (texts that are sent together)."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.path.insert(0, str(Path.cwd()))
    describing = arguments[0] == "--describe"
    if describing:
        return _describe(arguments[1], answers)
    name, *options = arguments
    function = _import_function(name)
    description = inspect_function(function)
    given = dict(zip(options[::2], options[1::2], strict=True))
    kinds = description["options"]
    values = {k: convert_value(kinds[k]["kind"] if k in kinds else "text", v) for k, v in given.items()}
    caller = Caller(function, values, several=description["several"])
    answers.write(READY_LINE.encode() + b"\n")
    answers.flush()
    window: list[dict[str, str]] = []
    for line in requests:
        if line.strip():
            window.append(json.loads(line))
            continue
        results = caller.answer_texts([request["text"] for request in window])
        for request, answer in zip(window, results, strict=True):
            answers.write(f"{request['number']} {json.dumps(answer)}\n".encode())
        answers.flush()
        window = []
    caller.close()
    return 0


def _import_function(name: str) -> Any:
    module, _, path = name.partition(":")
    process = os.getpid()
    try:
        function: Any = importlib.import_module(module)
    finally:
        exit_if_forked(process)
    for part in path.split("."):
        function = getattr(function, part)
    return function


def _describe(name: str, answers: IO[bytes]) -> int:
    """Print the parameters and version of a function, and the checksum of its module's source."""
    try:
        function = _import_function(name)
        module = sys.modules[name.partition(":")[0]]
        file = getattr(module, "__file__", None)
        source = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
        description = {**inspect_function(function), "version": find_version(module), "source": source}
    except (Exception, SystemExit) as error:
        description = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(description).encode() + b"\n")
    answers.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
