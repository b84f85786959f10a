"""The plan of a run, shard by shard, and the engine that works through it on this machine.

A cluster is in `cluster`.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from ...catalogues.core.files import digest_bytes
from .bisection import Bisection
from .folder.shard import Shard
from .inputs.cases import Batch, RunInput
from .modes.attempt import Attempt
from .processes.guards import Guards
from .processes.slots import Slots
from .tagger import Tagger

RUN_LAYOUT = "10"
"""Layout of run folders; part of the key of a run."""
MIN_SHARD_SIZE, MAX_SHARD_SIZE, TARGET_SHARDS = 500, 100_000, 6
POLL_SECONDS = 0.2
"""Seconds between two looks at how many cases are done."""


@dataclass(frozen=True)
class Plan:
    """What a run is to do: a tagger over the cases of an input, into a folder.

    Attributes
    ----------
    tagger : Tagger
    cases : Cases
    bounds : sequence of (int, int)
        First case and last (exclusive) of each shard.
    folder : Path
        The run folder.
    is_divisible : bool
        Whether the cases of a shard may be divided among jobs: not where the size of shards was given.
    """

    tagger: Tagger
    cases: RunInput
    bounds: Sequence[tuple[int, int]]
    folder: Path
    is_divisible: bool = True

    def make_batch(self, shard: int) -> Batch:
        """Return the cases of a shard."""
        cases, (low, high) = self.cases, self.bounds[shard]
        own = range(low + 1, high + 1)
        if self.tagger.spec.input.identifier == "text_id":
            own = cases.ids[low:high].to_pylist()
        return Batch(cases.texts[low:high].to_pylist(), [str(i) for i in own])

    @cached_property
    def key(self) -> str:
        """A digest of all that the run's results depend on."""
        cuts = repr(list(self.bounds)).encode()
        parts = [RUN_LAYOUT.encode(), self.tagger.digest.encode(), self.cases.digest.encode(), cuts]
        if self.tagger.keep_replies != "failed":
            parts.append(f"replies {self.tagger.keep_replies}".encode())
        if self.tagger.repeat > 1:
            # what one repetition gave is never handed to another
            parts.append(f"repeat {self.tagger.repeat}".encode())
        return digest_bytes(*parts)


def compute_bounds(count: int, batch_size: int | None) -> list[tuple[int, int]]:
    """Cut an input into shards; a function of its size alone, never of the number of jobs.

    Without a declared size an input gives about six shards of 500 to 100,000 cases: enough to keep a few
    cores busy, few enough that starting the tagger costs little.
    """
    size = batch_size or min(max(-(-count // TARGET_SHARDS), MIN_SHARD_SIZE), MAX_SHARD_SIZE)
    return [(low, min(low + size, count)) for low in range(0, count, size)]


Progress = Callable[[int, int], None]
"""What shows the progress of a run: called with the number of cases done and of all cases."""


@dataclass
class Tally:
    """Number of cases that are done in each shard.

    Attributes
    ----------
    sizes : sequence of int
        Cases of each shard.
    check : callable
        Called each time; raises KeyboardInterrupt where the run is to stop.
    progress : callable or None
        Called with the sum, where it has changed, and the number of all cases.
    done_counts : Counter
        Cases that are done, by the number of their shard.
    last_total : int
        The sum that `progress` was last called with.
    """

    sizes: Sequence[int]
    check: Callable[[], None]
    progress: Progress | None = None
    done_counts: Counter[int] = field(default_factory=Counter)
    last_total: int = -1

    def add(self, shard: int, count: int) -> None:
        """Add cases of a shard, never more than it has: some are asked again."""
        self.done_counts[shard] = min(self.done_counts[shard] + count, self.sizes[shard])

    def show(self) -> None:
        """Show the sum where it has changed."""
        self.check()
        if self.progress is not None and (done := self.done_counts.total()) != self.last_total:
            self.last_total = done
            self.progress(done, sum(self.sizes))


ShardResults = Generator[tuple[int, Shard], None, None]
"""Shards with their numbers, as they are finished; closed before the last, it ends what still runs."""
Engine = Callable[[Plan, Sequence[int], int, Path, Tally], ShardResults]
"""Given a plan, the numbers of shards, the number of jobs and a folder, gives each shard with its number.

They come in whatever order they are finished. It may add cases to the tally before their shard is finished.
"""


def run_locally(plan: Plan, shards: Sequence[int], jobs: int, scratch: Path, tally: Tally) -> ShardResults:
    """Run processes on this machine, `jobs` of them at a time.

    There is one thread more than jobs: while one parses what a tagger printed, the next tagger runs already.
    A persistent tagger stays in its slot from shard to shard and is ended when the last is done. Where there
    are fewer shards than jobs, their cases are divided among the slots.
    """
    tagger = plan.tagger
    # scratch folders stand beside the finished shards; objects in memory and endpoints need no process
    needed = bool(shards) and tagger.function is None and tagger.spec.mode != "http"
    slots = Slots(jobs)
    share = -(-len(plan.cases) // jobs) if needed and jobs > 1 and plan.is_divisible else 0

    with Guards(home=scratch.parent, ready=needed) as guards, contextlib.ExitStack() as ending:
        # also on Ctrl-C, an error, or a reader that has had enough
        ending.callback(slots.close, patient=False)
        pool = ThreadPoolExecutor(jobs + 1)
        ending.callback(pool.shutdown, wait=True, cancel_futures=True)
        ending.callback(guards.stop)
        queue = list(reversed(shards))
        running: dict[Future[Shard], int] = {}
        while queue or running:
            while queue and len(running) <= jobs:
                number = queue.pop()
                note = partial(tally.add, number)
                batch = plan.make_batch(number)
                whole = Attempt(tagger, batch, guards, slots, scratch, cases_per_job=share, on_progress=note)
                running[pool.submit(Bisection(whole).run)] = number
            done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            tally.show()
            for future in done:
                number, shard = running.pop(future), future.result()
                if not (queue or running):
                    # the last: processes that were kept end before it is given, so that it can tell of them
                    shard.summary.add_ends(*slots.close(patient=True))
                yield number, shard


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
