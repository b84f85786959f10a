"""Linear algebra on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def limit_to_one_thread() -> Iterator[None]:
    """A context, or decorator, in which linear algebra keeps to one thread.

    The matrices have a few hundred rows or columns: threads wait for each other longer than they calculate,
    and the last digits would hang on how many processors there are.
    """
    with _load_thread_controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _load_thread_controller() -> ThreadpoolController:
    """The libraries of linear algebra, which stay the same once they are loaded."""
    # scipy has a library of its own beside numpy's, which has to be loaded to be told
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
