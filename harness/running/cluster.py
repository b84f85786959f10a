"""Engine for `--engine dask`, which runs the shards on the workers of a local or remote dask cluster.

The tagger's files must have the same paths on each worker as on the machine that starts the run. A worker
receives the texts of a shard and returns the finished shard as bytes, which are the same as in a local run.
"""

from __future__ import annotations

import contextlib
import importlib
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError, MissingExtraError
from ...catalogues.core.messages import say
from .bisection import Bisection
from .engines import Engine, Plan, ShardResults, Tally
from .folder.shard import Shard
from .inputs.cases import Batch
from .modes.attempt import Attempt
from .outcomes import Fault
from .processes.guards import Guards
from .processes.scratch import make_scratch_folder
from .processes.slots import Slots
from .tagger import Tagger

RETRIES = 3
"""Maximum number of times that a shard is run again after its dask worker failed."""


def make_dask_engine(scheduler: str = "", timeout: float = 30.0) -> Engine:
    """Return an engine that runs shards on a dask cluster.

    Parameters
    ----------
    scheduler : str
        Address of the scheduler; if empty, a cluster is started on this machine.
    timeout : float
        Maximum number of seconds to wait for the scheduler.
    """

    def work(plan: Plan, shards: Sequence[int], jobs: int, place: Path, tally: Tally) -> ShardResults:
        del place, tally  # a worker has its own folder, and reports only finished shards
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise MissingExtraError("distributed", "cluster", "--engine dask") from None
        with contextlib.ExitStack() as stack:
            address = scheduler or stack.enter_context(_make_local_cluster(distributed, plan, jobs))
            try:
                client = distributed.Client(address, timeout=timeout, set_as_default=False)
            except OSError as error:
                raise InputError(f"the dask scheduler {scheduler} does not answer ({error})") from None
            stack.enter_context(client)
            if not client.nthreads():
                say(f"tagsuite: the scheduler has no workers yet; start one with `dask worker {scheduler}`")
            try:
                yield from _collect_shards(distributed, client, plan, shards)
            except distributed.KilledWorker as error:
                raise InputError(
                    f"several dask workers died while running the same shard ({error}); run the same command "
                    "again (finished shards are kept), or use smaller batches"
                ) from None
            except (CancelledError, distributed.CancelledError, distributed.comm.CommClosedError):
                raise InputError(
                    "the connection to the dask scheduler was lost; start a scheduler and run the same "
                    "command again (finished shards are kept)"
                ) from None

    return work


@contextlib.contextmanager
def _make_local_cluster(distributed: Any, plan: Plan, jobs: int) -> Iterator[Any]:
    """Start dask workers on this machine, each with the resources that the tagger requires."""
    with tempfile.TemporaryDirectory(prefix="tagsuite-dask-", ignore_cleanup_errors=True) as own:
        settings = {"n_workers": jobs, "threads_per_worker": 1, "processes": True, "local_directory": own}
        if plan.tagger.spec.resources:
            settings["resources"] = plan.tagger.spec.resources
        with distributed.LocalCluster(dashboard_address=None, silence_logs=40, **settings) as cluster:
            yield cluster


def _collect_shards(distributed: Any, client: Any, plan: Plan, shards: Sequence[int]) -> ShardResults:
    """Yield the finished shards; if there are several shards, first run one case to test the tagger."""
    tagger = plan.tagger

    def submit(number: int, batch: Batch, verdict: Fault | None = None) -> Any:
        # pure=False: two shards with the same texts are both run
        return client.submit(
            run_shard_remotely, number, tagger, batch, verdict,
            retries=RETRIES, pure=False, resources=tagger.spec.resources or None,
        )  # fmt: skip

    verdict = None
    if len(shards) > 1:
        verdict = submit(shards[0], plan.make_batch(shards[0]).take([0])).result()[2]
    futures = [submit(number, plan.make_batch(number), verdict) for number in shards]
    for future in distributed.as_completed(futures, loop=client.loop):
        number, content, _ = future.result()
        yield number, Shard.from_bytes(content)


def run_shard_remotely(
    number: int, tagger: Tagger, batch: Batch, verdict: Fault | None
) -> tuple[int, bytes, Fault | None]:
    """Run a shard on a dask worker; return its number and bytes, and the fault if the tagger cannot start.

    If an earlier call returned such a fault, it is given as `verdict`, and no process is started.
    """
    slots = Slots(1, verdict)
    with Guards(ready=verdict is None) as guards, contextlib.ExitStack() as ending:
        ending.callback(slots.close, patient=False)
        ending.callback(guards.stop)
        place = ending.enter_context(make_scratch_folder(Path(tempfile.gettempdir()), "tagsuite-shard-"))
        shard = Bisection(Attempt(tagger, batch, guards, slots, place)).run()
        # a worker may disappear at any time, so its processes end with the shard
        shard.summary.add_ends(*slots.close(patient=True))
        return number, shard.to_bytes(), slots.verdict
