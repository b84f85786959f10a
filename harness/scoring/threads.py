"""Limit linear algebra to one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def limit_to_one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread; usable as a context manager or a decorator.

    Several threads are slower than one for matrices with only a few hundred rows or columns. With one thread,
    the last digits of the results do not depend on the number of processors.
    """
    with _load_thread_controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _load_thread_controller() -> ThreadpoolController:
    """Return the controller of the loaded linear algebra libraries; it is created only once."""
    # scipy loads its own BLAS, apart from numpy's; the controller only limits libraries that are loaded
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
