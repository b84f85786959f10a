"""Slots that limit the number of parallel tagger processes, and detection of taggers that cannot start."""

from __future__ import annotations

import contextlib
import heapq
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..outcomes import Fault
from .process import get_last_line

if TYPE_CHECKING:
    from .persistent_process import PersistentProcess
    from .process import ProcessEnd

MAX_FAILED_STARTS = 3
"""Number of identical failures before any input is read, after which no further process is started."""


class StartFailure(Exception):  # noqa: N818 - a verdict on the tagger, not an error
    """Error for a tagger that cannot start; `verdict` is the fault that all failed starts had in common."""

    def __init__(self, verdict: Fault) -> None:
        super().__init__(verdict.message)
        self.verdict = verdict


class Slots:
    """Slots that limit the number of tagger processes that run in parallel.

    The failure of a process that has not read any input is not caused by the input. No further process is
    started after `MAX_FAILED_STARTS` identical failures of this kind, if no process has read its input. From
    the first such failure on, processes are started one at a time, so that the number of failures does not
    depend on the number of jobs. If it is known that the tagger cannot start, `verdict` is the fault.

    Slots are numbered, and the lowest free number is used. A process may stay in its slot from one batch to
    the next (`residents`, by slot number); `close` ends such processes. `has_started` is set when a process
    has read its input or has succeeded, which proves that the tagger can start.
    """

    def __init__(self, count: int, verdict: Fault | None = None) -> None:
        self._free = threading.Semaphore(count)
        self._numbers = list(range(count))
        self.residents: dict[int, PersistentProcess] = {}
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._running = 0
        self.has_started = False
        self._failures = 0
        self._last_failure: tuple[str, ...] = ()
        self.verdict = verdict

    @contextlib.contextmanager
    def hold_slot(self) -> Iterator[int]:
        """Occupy a slot during the ``with`` block; yield its number.

        Raises
        ------
        StartFailure
            If the tagger cannot start.
        """
        # one process at a time while it is doubtful whether the tagger can start
        with self._free, self._turn if self._failures and not self.has_started else contextlib.nullcontext():
            self.check()
            with self._state:
                self._running += 1
                number = heapq.heappop(self._numbers)
            try:
                yield number
            finally:
                with self._state:
                    self._running -= 1
                    heapq.heappush(self._numbers, number)

    def close(self, *, patient: bool) -> tuple[list[ProcessEnd], list[bytes]]:
        """End the processes that remain in slots; return how they ended, and their last standard error."""
        processes = [self.residents.pop(number) for number in sorted(self.residents)]
        with ThreadPoolExecutor(len(processes) or 1) as pool:
            ended = list(pool.map(lambda p: p.finish(timed_out=False, patient=patient), processes))
        return [end for end, _ in ended], [stderr for _, stderr in ended]

    def check(self) -> None:
        """Raise StartFailure if the tagger cannot start."""
        if self.verdict is not None:
            raise StartFailure(self.verdict)

    def note_failed_start(self, fault: Fault) -> None:
        """Record the failure of a process that has read no input and still occupies its slot."""
        with self._state:
            # numbers such as times and process numbers differ between starts
            last = re.sub(r"[0-9a-f]*\d[0-9a-f]*", "0", get_last_line(fault.excerpt))
            failure = (fault.outcome, fault.message, last)
            self._failures = self._failures + 1 if failure == self._last_failure else 1
            self._last_failure = failure
            if not self.has_started and self._failures >= MAX_FAILED_STARTS and self._running == 1:
                self.verdict = fault
