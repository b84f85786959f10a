"""Six kinds of fault among good cases, in every mode: the table of memory and time in docs/running.md.

    python benchmarks/faults.py                     # 5 of 2,000 cases are faulty; 60 MB in 3 of 300
    python benchmarks/faults.py --modes persistent  # one mode
    python benchmarks/faults.py --faults crash long # some of the faults

Each run is a process of its own, whose peak of resident memory (the harness alone, without the tagger) and
time are given, its start included. The tagger is that of the tests. A row is printed when every case has an
outcome, the faulty ones theirs, and all others exactly their mentions; otherwise the benchmark ends with what
is wrong. Needs Linux.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1] / "tests" / "harness" / "running"
FAULTS = ("crash", "hang", "garbage", "flood", "drop", "daemon")
MODES = ("batch", "persistent", "document")
LONG = "long"
"""The fault beyond those of the tests: a line of 60 MB."""
MB = 2**20
JOBS = {LONG: 1}
"""Where they are not 2."""

SPECIFICATION = """format = 1
name = "faulty"
command = ["{{python}}", "-I", "-S", "{program}", "sgml"{live}]
mode = "{mode}"
[output]
tags = ["gp"]
[limits]
start = 2.0
case = 0.5
{batch}output_mb = {limit}
"""
LONG_TAGGER = r"""
import re, sys
out = open(1, "wb", closefd=False)
for line in open(0, "rb", closefd=False):
    if b"=long=" in line:
        out.write(b"x" * (60 << 20) + b"\n")
    else:
        out.write(re.sub(rb"\b[A-Z][A-Z0-9]+\b", rb"<gp>\g<0></gp>", line))
    out.flush()
"""
RUN = """
import re, sys
from pathlib import Path
from tagsuite.harness.running.run import run
source, tagger, out, jobs = sys.argv[1:]
run(source, tagger, out, jobs=int(jobs), cache=False)
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def _tests() -> Any:
    specification = importlib.util.spec_from_file_location("faults_that_are_tested", TESTS / "test_faults.py")
    if specification is None or specification.loader is None:
        raise FileNotFoundError(TESTS)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def measured(fault: str, mode: str, count: int, faulty: int, limit: int) -> tuple[dict[str, int], float, int]:
    """Outcomes, seconds and the peak in MiB of one run, once its outcomes and mentions have been checked."""
    from tagsuite.harness.running.runs import read_run

    tests = _tests()
    step = count // faulty
    guilty = dict.fromkeys(range(step // 2, count, step), fault)
    texts = tests.sentences(count, guilty)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "input.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        (folder / "long.py").write_text(LONG_TAGGER, encoding="utf-8")
        program = folder / "long.py" if fault == LONG else TESTS / "programs" / "faulty_tagger.py"
        (folder / "tagger.toml").write_text(
            SPECIFICATION.format(
                program=program,
                mode=mode,
                live=', "live"' if mode == "persistent" else "",
                batch="batch = 1.0\n" if fault != LONG else "",
                limit=limit,
            ),
            encoding="utf-8",
        )
        words = [f"sgml:{folder / 'input.txt'}", folder / "tagger.toml", folder / "run", JOBS.get(fault, 2)]
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", RUN, *map(str, words)], check=True, capture_output=True, text=True
        )
        seconds = time.perf_counter() - began
        found = read_run(folder / "run")
        outcome, mentions = ("garbage", 0) if fault == LONG else tests.expected_of(fault, mode)
        tests.check(found, texts, guilty, outcome, mentions)
        counts = {name: number for name, number in found.outcome_counts.items() if number}
    return counts, seconds, int(done.stdout.split()[-1]) // 1024


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--faults", nargs="+", choices=[*FAULTS, LONG], default=[*FAULTS, LONG])
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--long-mb", type=int, default=64, help="limits.output_mb where a line has 60 MB")
    arguments = parser.parse_args()
    limits = {LONG: arguments.long_mb}
    print("| fault | mode | cases | outcomes | seconds | peak, MiB |", "|---|---|---|---|---|---|", sep="\n")
    for fault in arguments.faults:
        for mode in arguments.modes:
            count, faulty = (300, 3) if fault == LONG else (arguments.cases, 5)
            counts, seconds, peak = measured(fault, mode, count, faulty, limits.get(fault, 4))
            outcomes = ", ".join(f"{number:,} `{name}`" for name, number in counts.items())
            print(f"| {fault} | {mode} | {count:,} | {outcomes} | {seconds:.1f} | {peak} |", flush=True)


if __name__ == "__main__":
    main()
