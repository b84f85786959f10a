"""How long an import of HGNC takes, and a query over it: whole processes, start of Python included.

    python benchmarks/import_hgnc.py HGNC_COMPLETE_SET [--repeat 3]

Prints seconds (best of `--repeat`, wall clock and processor) and the greatest memory of such a process.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUERY = "contains_hyphen and name_vs_symbol = name"


def measure(command: list[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Wall seconds, processor seconds, greatest memory in MB of one process."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # one core, and a cache of its own
        environment = {**os.environ, "TAGSUITE_CACHE": f"{folder}/cache", "OMP_NUM_THREADS": "1"}
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        out = f"{folder}/hgnc.parquet"
        tool = [sys.executable, "-m", "tagsuite", "catalogue"]
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
            runs = [measure(command, environment) for _ in range(times)]
            wall, processor, memory = min(runs)[0], min(r[1] for r in runs), max(r[2] for r in runs)
            print(f"{name:60} {wall:8.2f} {processor:8.2f} {memory:8.0f}", flush=True)


if __name__ == "__main__":
    main()
