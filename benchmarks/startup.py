"""Measure how long `tagsuite --help`, completion and light commands take; the best of several starts.

python benchmarks/startup.py [--times 10]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from measuring import options_of, taken

PROGRAM = str(Path(sys.executable).with_name("tagsuite"))
CALLS: tuple[tuple[str, list[str], dict[str, str]], ...] = (
    ("tagsuite --help", [PROGRAM, "--help"], {}),
    ("tagsuite score --help", [PROGRAM, "score", "--help"], {}),
    (
        "completion in the shell",
        [PROGRAM],
        {"_TAGSUITE_COMPLETE": "complete_bash", "COMP_WORDS": "tagsuite sc", "COMP_CWORD": "1"},
    ),
    ("import tagsuite", [sys.executable, "-c", "import tagsuite"], {}),
    ("an empty Python", [sys.executable, "-c", ""], {}),
    ("tagsuite catalogue count --by case", [PROGRAM, "catalogue", "count", "--by", "case"], {}),
)
LIMIT = 0.3


def main() -> None:
    """Print the times, and exit with an error if the help takes longer than the limit."""
    parser = options_of(__doc__)
    parser.add_argument("--times", type=int, default=10)
    times = parser.parse_args().times
    least: dict[str, float] = {}
    for name, command, extra in CALLS:
        environment = {**os.environ, **extra}
        taken(command, env=environment)  # also writes byte code and caches
        spent = sorted(taken(command, env=environment).clock for _ in range(times))
        least[name] = spent[0]
        print(f"{name:40} {spent[0]:.3f} s (median {spent[times // 2]:.3f})")
    if least["tagsuite --help"] > LIMIT:
        raise SystemExit(f"tagsuite --help took more than {LIMIT} s")


if __name__ == "__main__":
    main()
