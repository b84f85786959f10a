"""Measure the maximum text lengths that `tagsuite probe` finds for simulated taggers with known limits.

python benchmarks/length.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tagsuite.harness.probing import LengthOptions
from tagsuite.harness.probing.length import probe_length
from tagsuite.harness.running.preparation import prepare_tagger

PROGRAM = Path(__file__).parents[1] / "tests" / "harness" / "probing" / "planted.py"
SPECIFICATION = """format = 1
name = "planted"
version = "1"
command = [{command}]
[input]
form = "jsonl"
[output]
form = "jsonl"
"""
PLANTED = (
    "",
    "--window 384 --overlap 32 --answers listed",
    "--window 384 --overlap 32 --answers parts",
    "--window 384 --overlap 32 --answers first",
    "--window 384 --overlap 32 --answers merged",
    "--window 384 --overlap 2 --answers merged",
    "--window 512 --overlap 0 --answers merged",
    "--window 512 --overlap 0 --answers merged --alarms",
    "--window 128 --overlap 16 --answers listed",
    "--window 128 --overlap 16 --answers parts",
    "--unit tokens --window 384 --overlap 32 --answers listed",
    "--unit characters --window 1000 --overlap 100 --answers listed",
    "--limit 384",
    "--limit 384 --alarms",
    "--unit tokens --limit 384",
    "--unit characters --limit 1000",
    "--last 500",
    "--refuse 600",
    "--decay 0.9",
    "--misses 0.3",
    "--flips 0.3",
)


def main() -> None:
    """Print a Markdown table of planted limits, found limits, and numbers of texts sent."""
    print("| planted | found | texts sent |\n|---|---|---:|")
    for arguments in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, str(PROGRAM), *arguments.split()]
            path = Path(folder) / "planted.toml"
            path.write_text(SPECIFICATION.format(command=", ".join(map(json.dumps, words))), encoding="utf-8")
            out = Path(folder) / "out"
            out.mkdir()
            found = probe_length(prepare_tagger(path), out, LengthOptions())
        print(f"| `{arguments or 'nothing'}` | {found.verdict} | {found.call_count} |", flush=True)


if __name__ == "__main__":
    main()
