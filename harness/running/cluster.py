"""`--engine dask`: the same shards on the workers of a dask cluster, local or remote.

A worker needs the tagger at the same paths as the machine that plans the run; it is sent the texts of its
shard and gives the packed shard back, the same bytes as a local run's.
"""

from __future__ import annotations

import importlib
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...catalogues.plumbing.errors import InputError, MissingExtraError
from .cases import Batch, Cases
from .engines import Engine, Work
from .processes import Guard
from .shards import pack
from .slots import Slots
from .solving import solve
from .tagger import Tagger

RETRIES = 3
"""Workers that may die over one shard before the run stops; finished shards are kept."""
AHEAD = 2
"""Shards that are handed out for each core, so that no worker waits and the scheduler holds few texts."""


def dask_engine(scheduler: str = "", patience: float = 30.0) -> Engine:
    """An engine over a dask scheduler, awaited for `patience` seconds, or over this machine's cores."""

    def work(
        tagger: Tagger, cases: Cases, shards: Work, jobs: int, scratch: Path
    ) -> Iterator[tuple[int, bytes]]:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise MissingExtraError("distributed", "cluster", "--engine dask") from None
        del scratch
        if scheduler:
            try:
                client = distributed.Client(scheduler, timeout=patience, set_as_default=False)
            except OSError as error:
                raise InputError(f"no dask scheduler answers ({error})", found=scheduler) from None
            with client:
                yield from _spread(client, tagger, cases, shards)
            return
        options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
        with (
            tempfile.TemporaryDirectory(prefix="tagsuite-dask-", ignore_cleanup_errors=True) as own,
            distributed.LocalCluster(
                **options, local_directory=own, processes=True, silence_logs=40
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield from _spread(client, tagger, cases, shards)

    return work


def _spread(client: Any, tagger: Tagger, cases: Cases, shards: Work) -> Iterator[tuple[int, bytes]]:
    """Hand shards out, a few ahead of the workers; give each as it is finished."""
    distributed: Any = importlib.import_module("distributed")
    queue = list(reversed(shards))
    token = f"tagsuite-{uuid.uuid4().hex}"

    def next_one() -> object:
        number, low, high = queue.pop()
        batch = cases.batch(low, high, tagger.spec.input.identifier)
        content = (batch.numbers, batch.data, batch.starts, list(batch.names))
        # pure=False: the same texts twice are two shards
        return client.submit(
            solve_remotely, number, tagger, content, retries=RETRIES, pure=False, key=f"{token}-{number}"
        )

    threads = sum(client.nthreads().values()) or 1
    first = [next_one() for _ in range(min(len(queue), threads * AHEAD))]
    if not first:
        return
    pending = distributed.as_completed(first, loop=client.loop)
    for future in pending:
        try:
            result: tuple[int, bytes] = future.result()
        except distributed.KilledWorker as error:
            raise InputError(
                f"workers died over a shard again and again ({error})",
                allowed="the same command again: finished shards are kept; or smaller batches",
            ) from None
        if queue:
            pending.add(next_one())
        yield result


def solve_remotely(
    number: int, tagger: Tagger, content: tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]
) -> tuple[int, bytes]:
    """Solve a shard on a worker."""
    guard = Guard()
    try:
        with tempfile.TemporaryDirectory(prefix="tagsuite-shard-", ignore_cleanup_errors=True) as scratch:
            return number, pack(solve(tagger, Batch(*content), guard, Slots(1), Path(scratch)))
    finally:
        guard.stop()
        guard.close()
