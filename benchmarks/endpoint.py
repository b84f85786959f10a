"""Measure runs with an endpoint that takes 200 ms per request: speed, and safety under faults and kills.

    python benchmarks/endpoint.py [--cases 10000] [--in-flight 32] [--kills 5] [--calm]

Prints the tables of docs/reference/endpoints.md. The endpoint is a separate process on this machine
(tests/endpoint_server.py); each run is a complete ``tagsuite run``.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from measuring import Taken, options_of, tagsuite, taken

from tagsuite.catalogues.core.files import digest_bytes
from tagsuite.harness.running.folder.runs import read_run

SERVER = Path(__file__).parents[1] / "tests" / "endpoint_server.py"
SECONDS = 0.2
FAULTS = 0.05
TRIES = 5
SPECIFICATION = """format = 1
name = "endpoint"
version = "1"
mode = "http"
[http]
url = "{url}"
preset = "openai"
model = "m"
in_flight = {in_flight}
tries = {tries}
backoff = 0.2
[output]
form = "jsonl"
[limits]
case = 60.0
"""


@contextlib.contextmanager
def endpoint(log: Path, *more: str) -> Iterator[str]:
    """Start an endpoint and yield its address."""
    command = [sys.executable, str(SERVER), "--seconds", str(SECONDS), "--log", str(log), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1/chat/completions"
        finally:
            server.kill()


def specification(folder: Path, url: str, in_flight: int) -> Path:
    """Write the tagger specification and return its path."""
    path = folder / "endpoint.toml"
    path.write_text(SPECIFICATION.format(url=url, in_flight=in_flight, tries=TRIES), encoding="utf-8")
    return path


def command(source: Path, spec: Path, out: Path) -> list[str]:
    """Return the command of a run."""
    words = ("--tagger", spec, "--out", out, "--no-cache", "--quiet")
    return [*tagsuite("run", f"sgml:{source}", *words)]


def timed(words: list[str]) -> Taken:
    """Run a command and return its time and memory; exit status 3 (some input failed) is allowed."""
    return taken(words, allowed=(0, 3))


def kept_in(out: Path) -> set[str]:
    """Return the checksums of the replies that an unfinished run has stored."""
    file = out / ".shards" / "replies.sqlite"
    if not file.is_file():
        return set()
    with contextlib.closing(sqlite3.connect(file)) as replies:
        return {row[0] for row in replies.execute("SELECT digest FROM replies")}


def killed(
    words: list[str], out: Path, log: Path, url: str, kills: int, clock: float
) -> tuple[list[int], int]:
    """Run a command, kill it several times, and let it finish.

    Returns the number of stored replies at each kill, and the number of requests that were sent again
    although their reply was stored.
    """
    draw = random.Random(7)
    snapshots: list[tuple[int, set[str]]] = []
    for _ in range(kills):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            time.sleep(draw.uniform(0.5, 1.5) * clock / (kills + 1))
            running.send_signal(signal.SIGKILL)
        # requests that were under way have arrived
        time.sleep(1.0)
        snapshots.append((len(log.read_text(encoding="utf-8").splitlines()), kept_in(out)))
    timed(words)
    asked = [
        digest_bytes(url.encode(), line.encode()) for line in log.read_text(encoding="utf-8").splitlines()
    ]
    again = sum(digest in kept for seen, kept in snapshots for digest in asked[seen:])
    return [len(kept) for _, kept in snapshots], again


def main() -> None:
    """Run the measurements and print the tables."""
    parser = options_of(__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--calm", action="store_true", help="only the run without faults")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tagsuite-endpoint-"))
    os.environ["TAGSUITE_CACHE"] = str(folder / "cache")
    try:
        _measure(folder, given.cases, given.in_flight, given.kills, calm=given.calm)
    finally:
        shutil.rmtree(folder)


def _measure(folder: Path, cases: int, in_flight: int, kills: int, *, calm: bool) -> None:
    source = folder / "cases.txt"
    lines = (f"the gene Abc{i} binds Wnt{i % 97} and no other\n" for i in range(cases))
    source.write_text("".join(lines), encoding="utf-8")
    least = cases * SECONDS / in_flight
    log = folder / "calm.log"
    with endpoint(log) as url:
        took = timed(command(source, specification(folder, url, in_flight), folder / "calm"))
    counts = read_run(folder / "calm").outcome_counts
    print("| cases | in flight | least possible | run | ratio | processor | outcomes |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {cases:,} | {in_flight} | {least:.1f} s | {took.clock:.1f} s | {took.clock / least:.2f} "
        f"| {took.processor:.1f} s | {counts} |",
        flush=True,
    )
    if calm:
        return
    log = folder / "faults.log"
    with endpoint(log, "--faults", str(FAULTS)) as url:
        clock = timed(command(source, specification(folder, url, in_flight), folder / "whole")).clock
    whole = read_run(folder / "whole")
    requests = Counter(log.read_text(encoding="utf-8").splitlines())
    print(
        f"\nWith faults: {clock:.1f} s, {sum(requests.values()):,} requests, "
        f"at most {max(requests.values())} per case"
    )
    print(f"outcomes {whole.outcome_counts}")
    for failure in whole.meta.get("failure", []):
        print(f"  {failure['count']} {failure['outcome']}: {failure['said']}")
    sys.stdout.flush()
    # the same address, since it is part of the tagger's identity
    port = url.split(":")[2].split("/")[0]
    log = folder / "killed.log"
    out = folder / "killed"
    with endpoint(log, "--faults", str(FAULTS), "--port", port) as url:
        words = command(source, specification(folder, url, in_flight), out)
        kept, again = killed(words, out, log, url, kills, clock)
    print(f"\nKilled {kills} times, with {', '.join(f'{n:,}' for n in kept)} replies stored")
    print(f"requests sent again although their reply was stored: {again}")
    for name in ("predictions.parquet", "outcomes.parquet", "run.toml"):
        same = (out / name).read_bytes() == (folder / "whole" / name).read_bytes()
        print(f"{name}: {'identical' if same else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
