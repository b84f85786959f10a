"""What the programs of libraries share: JSON lines in (id, text) and out (id, mentions), window by window.

An empty line ends a window, whose texts are tagged in one call; so does the end of the input.
It is imported by a Python that has the library, and has no tagsuite.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

Mentions = list[dict[str, Any]]
Tag = Callable[[list[str]], list[Mentions]]
"""Takes texts that are not empty; gives the mentions of each."""


def serve(load: Callable[[], Tag]) -> None:
    """Load a tagger, and answer window after window until the input ends.

    What the library prints goes to standard error, so that it meets no answer.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    tag = load()
    for window in _windows(sys.stdin.buffer):
        # an empty text is no input for some models
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
