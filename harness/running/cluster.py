"""`--engine dask`: the same shards on the workers of a dask cluster, local or remote.

A worker needs the tagger at the same paths as the machine that plans the run; it is sent the texts of its
shard and gives the finished shard back as bytes, the same as a local run's.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import queue
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError, MissingExtraError
from ...catalogues.core.tables import say
from .bisection import run_shard
from .engines import Engine, Finished
from .folder.shard import Shard
from .inputs.cases import Batch
from .modes.attempt import Attempt
from .outcomes import Fault
from .plan import Plan, Tally
from .processes import trees
from .processes.guards import Guards
from .processes.slots import Slots
from .tagger import Tagger

RETRIES = 3
"""Workers that may die over one shard before the run stops; finished shards are kept."""
AHEAD = 2
"""Shards that are handed out for each core, so that no worker waits and the scheduler holds few texts."""


LOOK = 1.0
"""Seconds between two looks at whether there are workers, while nothing is finished."""


def dask_engine(
    scheduler: str = "", patience: float = 30.0, *, quiet: float = 10.0, workers: float = 3600.0
) -> Engine:
    """An engine over a dask scheduler, or over this machine's cores.

    Parameters
    ----------
    scheduler : str
        Its address; empty for a cluster on this machine.
    patience : float
        Seconds for which a scheduler is awaited.
    quiet, workers : float
        Seconds without a worker until a warning, and until the run stops.
    """

    def work(plan: Plan, shards: Sequence[int], jobs: int, scratch: Path, tally: Tally) -> Finished:
        del tally  # a worker says nothing of a shard before it is finished
        resources = plan.tagger.spec.resources
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise MissingExtraError("distributed", "cluster", "--engine dask") from None
        if scheduler:
            try:
                client = distributed.Client(scheduler, timeout=patience, set_as_default=False)
            except OSError as error:
                raise InputError(f"no dask scheduler answers ({error})", found=scheduler) from None
            with _our_words(), client:
                found = _Workers(client, scheduler, quiet, workers, resources)
                yield from _Spread(client, plan, found).shards(shards, scratch)
            return
        options: dict[str, Any] = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
        # each of our own workers has what one tagger asks for
        options |= {"resources": resources} if resources else {}
        with (
            tempfile.TemporaryDirectory(prefix="tagsuite-dask-", ignore_cleanup_errors=True) as own,
            distributed.LocalCluster(
                **options, local_directory=own, processes=True, silence_logs=40
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            address = str(cluster.scheduler_address)
            found = _Workers(client, address, quiet, workers, resources)
            yield from _Spread(client, plan, found).shards(shards, scratch)

    return work


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


@contextlib.contextmanager
def _our_words() -> Iterator[None]:
    """Keep the client's account of a lost connection, a traceback, off the screen: we say what happened."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "core")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class _Workers:
    """The workers that a scheduler has; without any there is a warning after a while, then an error.

    Where a tagger asks for resources, those workers alone that have them.
    """

    def __init__(
        self, client: Any, address: str, quiet: float, awaited: float, resources: Mapping[str, float]
    ) -> None:
        self.client, self.address, self.quiet, self.awaited = client, address, quiet, awaited
        self.resources = resources
        asked = ",".join(f"{name}={amount:g}" for name, amount in resources.items())
        self.command = f"`dask worker {address}{f' --resources {asked}' if asked else ''}`"
        self.kind = f"workers with {asked}" if asked else "workers"
        self.seen = time.monotonic()
        self.warned: float | None = None

    def threads(self) -> int:
        """How many tasks can run at once.

        Raises
        ------
        InputError
            When there has been no worker for too long.
        """
        try:
            threads = self.client.nthreads()
            found = sum(threads.values()) if not self.resources else self._with_resources()
        except OSError:
            raise self.gone() from None
        now = time.monotonic()
        if found:
            self.seen, self.warned = now, None
            return int(found)
        if self.warned is None and now - self.seen >= self.quiet:
            self.warned = now
            say(
                f"tagsuite: the dask scheduler {self.address} has no {self.kind}; they are awaited for "
                f"{_duration(self.awaited - self.quiet)} more ({self.command} starts one)"
            )
        # from the warning on, which a busy machine may give late
        if self.warned is not None and now - self.warned >= self.awaited - self.quiet:
            raise InputError(
                f"the dask scheduler has had no {self.kind} for {_duration(self.awaited)}",
                found=self.address,
                allowed=f"{self.command}, then the same command again: finished shards are kept",
            )
        return 0

    def _with_resources(self) -> int:
        """How many tasks can run at once on workers that have what each needs."""
        known = self.client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return sum(
            int(min(w["nthreads"], *(w["resources"].get(k, 0) // n for k, n in self.resources.items())))
            for w in known
        )

    def gone(self) -> InputError:
        """The error when the scheduler has ended."""
        return InputError(
            "the dask scheduler is gone",
            found=self.address,
            allowed="a scheduler, then the same command again: finished shards are kept",
        )


class _Spread:
    """Shards on the workers of a cluster."""

    def __init__(self, client: Any, plan: Plan, workers: _Workers) -> None:
        self.client, self.plan, self.workers = client, plan, workers
        self._distributed: Any = importlib.import_module("distributed")
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._token = f"tagsuite-{uuid.uuid4().hex}"

    def shards(self, numbers: Sequence[int], scratch: Path) -> Iterator[tuple[int, Shard]]:
        """Give each shard as it is finished, once a case alone has shown whether the tagger starts."""
        if len(numbers) > 1:
            self._send("probe", numbers[0], self.plan.batch(numbers[0]).take([0]))
            verdict = self._next()[2]
            if verdict is not None:
                yield from self._given_up(numbers, verdict, scratch)
                return
        yield from self._all(numbers)

    def _all(self, numbers: Sequence[int]) -> Iterator[tuple[int, Shard]]:
        """Hand all shards out, a few ahead of the workers."""
        todo = list(reversed(numbers))
        running = 0
        while todo or running:
            while todo and running < self._room():
                number = todo.pop()
                self._send(str(number), number, self.plan.batch(number))
                running += 1
            number, content, _ = self._next()
            running -= 1
            yield number, Shard.from_bytes(content)

    def _given_up(self, numbers: Sequence[int], verdict: Fault, scratch: Path) -> Iterator[tuple[int, Shard]]:
        """Shards of a tagger that cannot start: nothing is started for them, here or elsewhere."""
        tagger = self.plan.tagger
        with Guards(ready=False) as guards:
            for number in numbers:
                batch = self.plan.batch(number)
                yield number, run_shard(Attempt(tagger, batch, guards, Slots(1, verdict), scratch))

    def _room(self) -> int:
        """How many shards may be handed out at once."""
        with self._explained():
            return max(self.workers.threads(), 1) * AHEAD

    def _send(self, key: str, number: int, batch: Batch) -> None:
        tagger = self.plan.tagger
        with self._explained():
            # pure=False: the same texts twice are two shards
            future = self.client.submit(
                run_remotely, number, tagger, batch,
                retries=RETRIES, pure=False, key=f"{self._token}-{key}",
                resources=tagger.spec.resources or None,
            )  # fmt: skip
            future.add_done_callback(self._finished.put)

    def _next(self) -> tuple[int, bytes, Fault | None]:
        """Wait for something that is finished."""
        while True:
            with self._explained():
                # the warning that there are no workers comes from here
                self.workers.threads()
                with contextlib.suppress(queue.Empty):
                    future = self._finished.get(timeout=LOOK)
                    try:
                        number, content, verdict = future.result()
                    except OSError:
                        # the shard's own error on its worker, or nobody who could give it any more
                        if future.status == "error":
                            raise
                        raise self.workers.gone() from None
                    return number, content, verdict

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what has become of a cluster in our own words."""
        try:
            yield
        except self._distributed.KilledWorker as error:
            raise InputError(
                f"workers died over a shard again and again ({error})",
                allowed="the same command again: finished shards are kept; or smaller batches",
            ) from None
        except (CancelledError, self._distributed.CancelledError, self._distributed.comm.CommClosedError):
            raise self.workers.gone() from None


def run_remotely(number: int, tagger: Tagger, batch: Batch) -> tuple[int, bytes, Fault | None]:
    """Run a shard on a worker; gives its number, its bytes, and why the tagger cannot start, if it cannot."""
    slots = Slots(1)
    place = Path(tempfile.gettempdir())
    with Guards() as guards, contextlib.ExitStack() as ending:
        ending.callback(slots.close, patient=False)
        ending.callback(guards.stop)
        scratch = ending.enter_context(trees.scratch(place, "tagsuite-shard-"))
        shard = run_shard(Attempt(tagger, batch, guards, slots, scratch))
        # a worker may go at any time: what it runs for a shard ends with the shard
        shard.record.add_kept(slots.close(patient=True))
        return number, shard.to_bytes(), slots.verdict
