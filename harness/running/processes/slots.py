"""How many taggers run at once, and whether the tagger runs at all."""

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
"""Starts that fail alike, none of which read its input, after which a tagger is one that cannot start."""


class StartFailure(Exception):  # noqa: N818 - no error: the verdict on a tagger
    """Raised where a tagger would be started once more that cannot; `verdict` is how each start failed."""

    def __init__(self, verdict: Fault) -> None:
        super().__init__(verdict.message)
        self.verdict = verdict


class Slots:
    """A tagger runs inside a slot; its output is parsed outside, while the next tagger runs in the slot.

    A process that fails before it has read anything of its input does not fail at its input. After
    `MAX_FAILED_STARTS`
    such failures, all alike, and as long as no process has done better, no other is started. From the first
    of them on taggers are started one after another, so that there are not more for the number of jobs.
    A `verdict` that is known already is one that was found elsewhere.

    Slots have numbers, the lowest that is free is given; a process may stay in its slot from one batch to the
    next. `close` ends those that did.
    """

    def __init__(self, count: int, verdict: Fault | None = None) -> None:
        self._free = threading.Semaphore(count)
        self._numbers = list(range(count))
        self._residents: dict[int, PersistentProcess] = {}
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._running = 0
        self._has_started = False
        self._failures = 0
        self._last_failure: tuple[str, ...] = ()
        self.verdict = verdict

    @contextlib.contextmanager
    def hold_slot(self) -> Iterator[int]:
        """Hold a slot; gives its number.

        Raises
        ------
        CannotStart
            When it has turned out that the tagger cannot start.
        """
        # where it is in doubt whether it can start, one after another
        with self._free, self._turn if self._failures and not self._has_started else contextlib.nullcontext():
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

    def keep_process(self, number: int, partner: PersistentProcess) -> None:
        """Leave a process in the slot that is held."""
        self._residents[number] = partner

    def take_process(self, number: int) -> PersistentProcess | None:
        """Take the process that was left in the slot that is held, if there is one."""
        return self._residents.pop(number, None)

    def close(self, *, patient: bool) -> tuple[list[ProcessEnd], list[bytes]]:
        """End the processes that are left, all at the same time; gives how each ended, and its last words."""
        left = [self._residents.pop(number) for number in sorted(self._residents)]
        with ThreadPoolExecutor(len(left) or 1) as pool:
            ended = list(pool.map(lambda one: one.finish(timed_out=False, patient=patient), left))
        return [end for end, _ in ended], [said for _, said in ended]

    def check(self) -> None:
        """Raise CannotStart when it has turned out that the tagger cannot start."""
        if self.verdict is not None:
            raise StartFailure(self.verdict)

    def note_started(self) -> None:
        """Say that the tagger can start: a process has read of its input, or has ended well."""
        with self._state:
            self._has_started = True

    def note_failed_start(self, fault: Fault) -> None:
        """Say that a process failed that had read nothing of its input, while its slot is held."""
        with self._state:
            # times, process numbers and addresses differ each time
            last = re.sub(r"[0-9a-f]*\d[0-9a-f]*", "0", get_last_line(fault.excerpt))
            sign = (fault.outcome, fault.message, last)
            self._failures = self._failures + 1 if sign == self._last_failure else 1
            self._last_failure = sign
            if not self._has_started and self._failures >= MAX_FAILED_STARTS and self._running == 1:
                self.verdict = fault
