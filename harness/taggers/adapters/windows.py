"""Input and output shared by the programs that run taggers from Python libraries.

Each program reads one JSON object with `id` and `text` per line, and writes one JSON object with `id` and
`mentions` for it. The texts up to an empty line, or up to the end of the input, form a window and are tagged
in one call of the library. This module runs in a Python environment that contains the library but not
tagsuite.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

Mentions = list[dict[str, Any]]
Tag = Callable[[list[str]], list[Mentions]]
"""Function that takes several non-empty texts and returns the mentions in each."""


def serve(load: Callable[[], Tag]) -> None:
    """Load a tagger, tag the texts on standard input, and write the answers to standard output.

    Everything that the library prints is redirected to standard error, so that it does not mix with the
    answers.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    tag = load()
    for window in _windows(sys.stdin.buffer):
        # some models do not accept empty texts
        filled = [case for case in window if case["text"].strip()]
        found = zip(filled, tag([case["text"] for case in filled]) if filled else [], strict=True)
        known = {case["id"]: mentions for case, mentions in found}
        for case in window:
            answers.write(json.dumps({"id": case["id"], "mentions": known.get(case["id"], [])}) + "\n")
        answers.flush()


def _windows(lines: IO[bytes]) -> Iterator[list[dict[str, Any]]]:
    window: list[dict[str, Any]] = []
    for line in lines:
        if line.strip():
            window.append(json.loads(line))
        elif window:
            yield window
            window = []
    if window:
        yield window
