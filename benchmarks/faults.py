"""Measure memory and time of runs with each kind of fault in each mode.

    python benchmarks/faults.py                                  # all kinds and modes, 5 of 2,000 faulty
    python benchmarks/faults.py --mode batch --kinds crash long  # one mode, some kinds
    python benchmarks/faults.py --cases 20000 --kinds crash hang garbage flood drop daemon
    python benchmarks/faults.py --results faults.jsonl           # resume: finished rows are not run again
    python benchmarks/faults.py --results faults.jsonl --table   # run nothing, print the table

The kinds of faults, the tagger and the expected outcomes are those of `tests/harness/running/test_faults.py`:
each faulty case must have the expected outcome, and all other cases exactly their mentions. Each run is a
separate process; time (start included) and peak resident memory (without the tagger) are printed. An
unexpected result is shown in its row, and the exit status is 1. In document mode a shell script answers the
good cases and starts the tagger of the tests for faulty ones only. Needs Linux.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import options_of

TESTS = Path(__file__).parents[1] / "tests" / "harness" / "running"
QUICK = Path(__file__).with_name("quick_tagger.sh")
"""Script that answers good cases in document mode: starting the tagger of the tests takes 25 ms of CPU."""
MODES = ("batch", "persistent", "document")
LONG = "long"
"""Additional kind of fault, not in the tests: a line of 60 MB."""

SPECIFICATION = """format = 1
name = "faulty"
command = [{front}"{{python}}", "-I", "-S", "{program}", "sgml"{live}]
mode = "{mode}"
[output]
tags = ["gp"]
[limits]
{limits}
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

Row = dict[str, Any]
Key = tuple[str, str, int]


def _tests() -> Any:
    specification = importlib.util.spec_from_file_location("faults_that_are_tested", TESTS / "test_faults.py")
    if specification is None or specification.loader is None:
        raise FileNotFoundError(TESTS)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def limits(kind: str, mode: str, outcome: str, output_mb: int) -> str:
    """Return the limits of a run: short time-outs for hanging processes, generous ones otherwise."""
    if kind == LONG:
        return f"start = 60.0\noutput_mb = {output_mb}"
    lines = ["case = 0.5", f"output_mb = {output_mb}"]
    # without a limit the tagger's memory need not be looked at all the time
    lines += ["memory_mb = 200"] if kind == "memory" else []
    if outcome == "timeout":
        lines += ["start = 3.0", *(["batch = 1.0"] if mode == "batch" else [])]
    else:
        lines += ["start = 60.0"]
    return "\n".join(lines)


def measured(tests: Any, kind: str, mode: str, count: int, faulty: int, output_mb: int, jobs: int) -> Row:
    """Return the row of one run: outcomes, seconds, peak memory in MiB, and unexpected results."""
    from tagsuite.harness.running.folder.runs import read_run

    step = count // faulty
    guilty = dict.fromkeys(range(step // 2, count, step), kind)
    texts = tests.sentences(count, guilty)
    outcome, mentions = ("garbage", 0) if kind == LONG else tests.expected_of(kind, mode)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "input.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        (folder / "long.py").write_text(LONG_TAGGER, encoding="utf-8")
        program = folder / "long.py" if kind == LONG else TESTS / "programs" / "faulty_tagger.py"
        (folder / "tagger.toml").write_text(
            SPECIFICATION.format(
                program=program,
                mode=mode,
                front=f'"/bin/sh", "{QUICK}", ' if mode == "document" and kind != LONG else "",
                live=', "live"' if mode == "persistent" else "",
                limits=limits(kind, mode, outcome, output_mb),
            ),
            encoding="utf-8",
        )
        words = [f"sgml:{folder / 'input.txt'}", folder / "tagger.toml", folder / "run", jobs]
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", RUN, *map(str, words)], check=False, capture_output=True, text=True
        )
        row: Row = {
            "kind": kind, "mode": mode, "cases": count, "faulty": len(guilty),
            "seconds": time.perf_counter() - began, "outcomes": {}, "peak": 0, "wrong": "",
        }  # fmt: skip
        if done.returncode:
            return {**row, "wrong": f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"}
        row["peak"] = int(done.stdout.split()[-1]) // 1024
        found = read_run(folder / "run")
        row["outcomes"] = {name: number for name, number in found.outcome_counts.items() if number}
        try:
            tests.check(found, texts, dict.fromkeys(guilty, outcome), mentions)
        except AssertionError as error:
            row["wrong"] = str(error)[:300] or "a check failed"
    return row


def shown(row: Row) -> str:
    """Return a row of the Markdown table."""
    outcomes = ", ".join(f"{number:,} `{name}`" for name, number in row["outcomes"].items())
    wrong = f" **{row['wrong']}**" if row["wrong"] else ""
    return (
        f"| {row['kind']} | {row['mode']} | {row['cases']:,} | {outcomes}{wrong} "
        f"| {row['seconds']:.1f} | {row['peak']} |"
    )


def results(path: Path | None) -> dict[Key, Row]:
    """Return the rows of a results file; later rows replace earlier ones."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["kind"], row["mode"], row["cases"]): row for row in rows}


def wanted(kinds: list[str], modes: list[str], cases: int) -> Iterator[Key]:
    """Return the runs to make: kind, mode and number of cases."""
    for mode in modes:
        for kind in kinds:
            yield kind, mode, 300 if kind == LONG else cases


def main() -> int:
    """Run the missing measurements and print the table."""
    tests = _tests()
    known = [*(row[0] for row in tests.BATCH), LONG]
    parser = options_of(__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--kinds", nargs="+", choices=known, default=known, metavar="KIND")
    parser.add_argument("--mode", nargs="+", choices=MODES, default=[*MODES])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--long-mb", type=int, default=64, help="limits.output_mb for the line of 60 MB")
    parser.add_argument("--results", type=Path, help="file of finished rows, which is read and extended")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table of --results")
    arguments = parser.parse_args()
    rows = results(arguments.results)
    print("| fault | mode | cases | outcomes | seconds | peak, MiB |", "|---|---|---|---|---|---|", sep="\n")
    if arguments.table:
        order = {kind: place for place, kind in enumerate(known)}
        for key in sorted(rows, key=lambda k: (k[2] > 2000, order[k[0]], MODES.index(k[1]))):
            print(shown(rows[key]))
        return int(any(row["wrong"] for row in rows.values()))
    wrong = False
    for key in wanted(arguments.kinds, arguments.mode, arguments.cases):
        row = rows.get(key)
        if row is None:
            kind, mode, count = key
            faulty, size, jobs = (3, arguments.long_mb, 1) if kind == LONG else (5, 4, arguments.jobs)
            row = measured(tests, kind, mode, count, faulty, size, jobs)
            if arguments.results is not None:
                with arguments.results.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(row) + "\n")
                    stream.flush()
                    os.fsync(stream.fileno())
        wrong = wrong or bool(row["wrong"])
        print(shown(row), flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
