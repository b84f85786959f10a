"""Measurements for the benchmarks: time and memory of processes, best of several calls.

Uses only the standard library, because `score_peers.py` imports it in other environments.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("TAGSUITE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
"""Folder of corpora."""


@dataclass(frozen=True)
class Taken:
    """Time and memory of a process.

    Attributes
    ----------
    status : int
        Exit status.
    clock, processor : float
        Seconds of wall-clock time, and of processor time (user and system, children included).
    peak : float
        Peak resident memory of the process or one of its children, in MiB.
    """

    status: int
    clock: float
    processor: float
    peak: float


def taken(
    command: Sequence[str | Path],
    *,
    given: Path | None = None,
    to: Path | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    allowed: Collection[int] = (0,),
) -> Taken:
    """Run a command as a process and return its time and memory.

    Parameters
    ----------
    command : sequence of str or Path
        Program and arguments.
    given, to : Path, optional
        Files for standard input and standard output.
    cwd, env : optional
        As for `subprocess`.
    allowed : collection of int
        Allowed exit statuses; any other ends the benchmark.
    """
    with Path(given or os.devnull).open("rb") as source, Path(to or os.devnull).open("wb") as sink:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, env=env, stdin=source, stdout=sink)
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed:
        raise SystemExit(f"exit status {process.returncode}: {' '.join(map(str, command))}")
    return Taken(process.returncode, clock, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def tagsuite(*words: str | Path) -> list[str]:
    """Return a tagsuite command as a list of words."""
    return [sys.executable, "-m", "tagsuite", *map(str, words)]


def best(
    call: Callable[[], Any], times: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Return the shortest time of several calls, and the result of the last one.

    With `time.process_time`, other programs on the machine do not affect the result.
    """
    least, result = float("inf"), None
    for _ in range(times):
        begin = clock()
        result = call()
        least = min(least, clock() - begin)
    return least, result


def peak_memory() -> float:
    """Return the peak resident memory of this process in MiB (Linux only)."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def options_of(text: str | None) -> argparse.ArgumentParser:
    """Return an argument parser whose help is `text` with its line breaks."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
