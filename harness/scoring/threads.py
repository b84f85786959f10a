"""Linear algebra on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """A context, or decorator, in which linear algebra keeps to one thread.

    The matrices of models have a few hundred rows: threads wait for each other longer than they calculate,
    and the last digits would hang on how many processors there are.
    """
    # scipy has a library of its own beside numpy's, which has to be loaded to be told
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield
