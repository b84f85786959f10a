"""Ctrl-C and SIGTERM while a run works."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType


class Interruption:
    """Within this block Ctrl-C and SIGTERM end the run: its taggers are ended and its shards kept.

    Either raises KeyboardInterrupt at once, wherever the main thread is. Where that is a destructor, or a
    library's import that catches everything, the exception is lost; so it is remembered as well, and raised
    again by `check` and at the end of the block. A program that handles Ctrl-C by itself keeps its handler.
    """

    def __init__(self) -> None:
        self._seen = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        for number, usual in (
            (signal.SIGINT, signal.default_int_handler),
            (signal.SIGTERM, signal.SIG_DFL),
        ):
            if signal.getsignal(number) is usual:
                try:
                    self._before[number] = signal.signal(number, self._interrupt)
                except ValueError:
                    # not the main thread: signals are somebody else's
                    break
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise what was lost.

        Raises
        ------
        KeyboardInterrupt
            When the run was interrupted.
        """
        if self._seen:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._seen = True
        raise KeyboardInterrupt
