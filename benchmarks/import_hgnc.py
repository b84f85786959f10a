"""Measure time and memory of an import of HGNC and of a query on the result, as complete processes.

    python benchmarks/import_hgnc.py HGNC_COMPLETE_SET [--repeat 3]

Prints seconds (best of `--repeat`; wall clock and processor, start of Python included) and peak memory.
"""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

from measuring import options_of, tagsuite, taken

QUERY = "contains_hyphen and name_vs_symbol = name"


def main() -> None:
    """Run the benchmark."""
    parser = options_of(__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # one core, and a cache of its own
        environment = {**os.environ, "TAGSUITE_CACHE": f"{folder}/cache", "OMP_NUM_THREADS": "1"}
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        out = f"{folder}/hgnc.parquet"
        tool = tagsuite("catalogue")
        commands = {
            "import hgnc": [*tool, "import", "hgnc", str(options.source), "--out", out],
            f"count --by case --entities '{QUERY}'": [
                *tool, "count", "--catalogue", out, "--by", "case", "--entities", QUERY,
            ],
            "count (bundled entities, first time)": [*tool, "count", "--by", "case", "--entities", QUERY],
            "count (bundled entities, cached)": [*tool, "count", "--by", "case", "--entities", QUERY],
        }  # fmt: skip
        print(f"{platform.machine()}, Python {platform.python_version()}, one core")
        print(f"{'command':60} {'wall s':>8} {'CPU s':>8} {'MB':>8}")
        for name, command in commands.items():
            times = 1 if "first" in name else options.repeat
            runs = [taken(command, env=environment) for _ in range(times)]
            wall, processor = min(r.clock for r in runs), min(r.processor for r in runs)
            memory = max(r.peak for r in runs)
            print(f"{name:60} {wall:8.2f} {processor:8.2f} {memory:8.0f}", flush=True)


if __name__ == "__main__":
    main()
