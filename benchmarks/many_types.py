"""Mentions of very many types, from a tagger's output to scores and a report: time and memory of each step.

    python benchmarks/many_types.py                # 100,000 types, a mention each
    python benchmarks/many_types.py --types 10000

Every step is a process of its own (the commands `run`, `score` and `report`), so that its peak of resident
memory is its own. What must end does so with status 0, or 3 where some output was not used.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

TAGGER = r"""
import sys
for line in sys.stdin:
    name, text = line.rstrip("\n").split("\t", 1)
    # a text's number is in its words
    print(name, 0, 4, "type" + text.split()[2], sep="\t")
"""
SPECIFICATION = """format = 1
name = "many-types"
command = ["{{python}}", "-I", "-S", "{program}"]
[input]
form = "numbered"
[output]
form = "offsets"
columns = ["id", "start", "end", "type"]
[limits]
batch = 600
"""


def made(folder: Path, types: int) -> None:
    """A corpus of as many texts as types, each with a mention, and a tagger that finds them."""
    lines = (
        f'{{"text_id":"{i}","text":"gene number {i} binds.","mentions":'
        f'[{{"id":{i},"start":0,"end":4,"type":"type{i}"}}]}}\n'
        for i in range(types)
    )
    (folder / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "tagger.py").write_text(TAGGER, encoding="utf-8")
    (folder / "tagger.toml").write_text(SPECIFICATION.format(program=folder / "tagger.py"), encoding="utf-8")


def measured(words: list[str], folder: Path) -> tuple[int, float, float, int]:
    """Exit status, seconds, seconds of processor time and peak in MiB of a command."""
    began = time.perf_counter()
    with (folder / "printed").open("wb") as printed:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", "tagsuite", *words],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, printed.fileno(), 1)],
        )
        _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return code, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def main() -> int:
    """Run all steps and print their table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--types", type=int, default=100_000)
    types = parser.parse_args().types
    print("| step | status | seconds | processor | peak, MiB |", "|---|---|---|---|---|", sep="\n")
    worst = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made(folder, types)
        run = str(folder / "run")
        corpus, tagger = f"jsonl:{folder / 'corpus.jsonl'}", str(folder / "tagger.toml")
        steps = {
            "run": ["run", corpus, "--tagger", tagger, "--out", run],
            "score, one notion": ["score", run, "--notion", "strict", "--format", "csv"],
            "score, six notions": ["score", run, "--format", "csv"],
            "report": ["report", run, "--out", str(folder / "report.html")],
        }
        for name, words in steps.items():
            code, seconds, cpu, peak = measured(words, folder)
            print(f"| {name} | {code} | {seconds:.1f} | {cpu:.1f} | {peak:,} |", flush=True)
            worst = max(worst, 0 if code == 3 else abs(code))
    return worst


if __name__ == "__main__":
    sys.exit(main())
