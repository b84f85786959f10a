"""How many taggers run at once."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Slots:
    """A tagger runs inside a slot; its output is parsed outside, while the next tagger runs in the slot."""

    def __init__(self, count: int) -> None:
        self._free = threading.Semaphore(count)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Hold a slot."""
        with self._free:
            yield
