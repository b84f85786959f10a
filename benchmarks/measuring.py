"""What the programs beside this one measure with: a whole process, the best of several calls, peak memory.

Of the standard library alone: `score_peers.py` imports it in the Pythons of others.
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
"""Where the real corpora are."""


@dataclass(frozen=True)
class Taken:
    """What a process took.

    Attributes
    ----------
    status : int
        Its exit status.
    clock, processor : float
        Seconds on the clock, and of processors (user and system) by it and its children.
    peak : float
        The greatest resident memory of it or one of its children, in MiB.
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
    """Run a whole process, start included.

    Parameters
    ----------
    command : sequence of str or Path
    given, to : Path, optional
        A file that it reads, and one that gets what it prints.
    cwd, env : optional
        As `subprocess` has them.
    allowed : collection of int
        With another exit status all ends.
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
    """A call of tagsuite as a command."""
    return [sys.executable, "-m", "tagsuite", *map(str, words)]


def best(
    call: Callable[[], Any], times: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """The least time of several calls, and what the last one gave.

    With `time.process_time` other programs on the machine do not count.
    """
    least, result = float("inf"), None
    for _ in range(times):
        begin = clock()
        result = call()
        least = min(least, clock() - begin)
    return least, result


def peak_memory() -> float:
    """Peak resident memory of this process in MiB (Linux; `ru_maxrss` would begin with the parent's)."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def options_of(text: str | None) -> argparse.ArgumentParser:
    """A parser of a program's options; its help is the program's text, line by line as it stands there."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
