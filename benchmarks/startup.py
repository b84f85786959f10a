"""How long `tagsuite --help`, completion and light commands take to answer; the least of several starts.

python benchmarks/startup.py [--times 10]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

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
    """Measure, print, and fail when the help takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    times = parser.parse_args().times
    least: dict[str, float] = {}
    for name, command, extra in CALLS:
        spent = []
        for _ in range(times + 1):  # the first one also writes byte code and caches
            began = time.perf_counter()
            subprocess.run(command, env={**os.environ, **extra}, capture_output=True, check=True)
            spent.append(time.perf_counter() - began)
        least[name] = min(spent[1:])
        print(f"{name:40} {least[name]:.3f} s (median {sorted(spent[1:])[times // 2]:.3f})")
    if least["tagsuite --help"] > LIMIT:
        raise SystemExit(f"tagsuite --help takes more than {LIMIT} s")


if __name__ == "__main__":
    main()
