"""Memory for work done block by block."""

from __future__ import annotations

import numpy as np

_KEPT = 16 << 20


def keep_freed_memory() -> None:
    """Let the arrays of one block use the memory of those of the block before.

    The C library gives the memory of arrays above a threshold back to the system when they are freed, and to
    take it anew, page by page, can take longer than to compute what is in them. On Linux the threshold rises
    to the size of the largest array that was freed so far; so one is, which costs nothing as it is never
    written. Elsewhere this does nothing.
    """
    np.empty(_KEPT, dtype=np.uint8)
