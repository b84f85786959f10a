"""Write the tables of tagger faults in docs/reference/running.md from the tests that prove them.

A test tells when the page is no longer what this writes.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "reference" / "running.md"
TESTS = Path(__file__).parents[1] / "tests" / "harness" / "running" / "test_faults.py"
PLACE = re.compile(r"(?<=<!-- faults -->\n).*?(?=<!-- end of faults -->)", re.DOTALL)


def _tests() -> Any:
    specification = importlib.util.spec_from_file_location("faults_that_are_tested", TESTS)
    if specification is None or specification.loader is None:
        raise FileNotFoundError(TESTS)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def tables() -> str:
    """The two tables: what taggers do in each mode, and what only some forms of output know."""
    tests = _tests()
    lines = [
        "",
        "| fault | the tagger | batch | persistent | document |",
        "|---|---|---|---|---|",
    ]
    for fault, _, _, why in tests.BATCH:
        outcomes = [tests.expected_of(fault, mode)[0] for mode in ("batch", "persistent", "document")]
        lines.append(f"| {fault} | {why} | " + " | ".join(f"`{o}`" for o in outcomes) + " |")
    lines += ["", "| form | fault | the output has | outcome |", "|---|---|---|---|"]
    lines += [f"| `{form}` | {fault} | {why} | `{outcome}` |" for form, fault, outcome, _, why in tests.NAMED]
    return "\n".join([*lines, "", ""])


def page() -> str:
    """The page as it should be."""
    text, count = PLACE.subn(lambda _: tables(), PAGE.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError(f"{PAGE}: the mark of the tables is missing")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
