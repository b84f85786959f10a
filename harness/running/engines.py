"""Plan of a run, its division into shards, and the engine that runs the shards on this machine."""

from __future__ import annotations

import contextlib
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
"""Layout version of run folders; it is part of the cache key of a run."""
MIN_SHARD_SIZE, MAX_SHARD_SIZE, TARGET_SHARDS = 500, 100_000, 6
POLL_SECONDS = 0.2
"""Seconds between two updates of the progress display."""


@dataclass(frozen=True)
class Plan:
    """Plan of a run: the tagger, the cases, the shards and the output folder.

    Attributes
    ----------
    tagger : Tagger
    cases : RunInput
    bounds : sequence of (int, int)
        Half-open range of the cases in each shard.
    folder : Path
        The run folder.
    is_divisible : bool
        True if a shard's cases may be divided among parallel processes; False if the user set the shard size.
    """

    tagger: Tagger
    cases: RunInput
    bounds: Sequence[tuple[int, int]]
    folder: Path
    is_divisible: bool = True

    def make_batch(self, shard: int) -> Batch:
        """Return the identifiers and texts of a shard's cases."""
        cases, (low, high) = self.cases, self.bounds[shard]
        case_ids = range(low + 1, high + 1)
        if self.tagger.spec.input.identifier == "text_id":
            case_ids = cases.ids[low:high].to_pylist()
        return Batch(cases.texts[low:high].to_pylist(), [str(i) for i in case_ids])

    @cached_property
    def key(self) -> str:
        """Cache key of the run: a checksum of everything that can change its results."""
        cuts = repr(list(self.bounds)).encode()
        parts = [RUN_LAYOUT.encode(), self.tagger.digest.encode(), self.cases.digest.encode(), cuts]
        if self.tagger.keep_replies != "failed":
            parts.append(f"replies {self.tagger.keep_replies}".encode())
        if self.tagger.repeat > 1:
            # a repetition never reuses the result of another one
            parts.append(f"repeat {self.tagger.repeat}".encode())
        return digest_bytes(*parts)


def compute_bounds(count: int, batch_size: int | None) -> list[tuple[int, int]]:
    """Divide the cases into shards, independently of the number of jobs; return the range of each shard.

    If `batch_size` is None, the input is divided into about six shards of 500 to 100,000 cases. Six shards
    are enough for several cores, and starting the tagger six times costs little. The ranges are half-open.
    """
    size = batch_size or min(max(-(-count // TARGET_SHARDS), MIN_SHARD_SIZE), MAX_SHARD_SIZE)
    return [(low, min(low + size, count)) for low in range(0, count, size)]


Progress = Callable[[int, int], None]
"""Progress callback of a run, which receives the number of finished cases and the number of all cases."""


@dataclass
class Tally:
    """Number of finished cases in each shard.

    Attributes
    ----------
    sizes : sequence of int
        Number of cases in each shard.
    interrupts : sequence of int
        Signals that the run has received; if there are any, `show` raises KeyboardInterrupt.
    progress : callable or None
        Function called after each change, with the number of finished cases and the number of all cases.
    done_counts : Counter
        Number of finished cases by shard number.
    last_total : int
        Number of finished cases in the last call of `progress`.
    """

    sizes: Sequence[int]
    interrupts: Sequence[int]
    progress: Progress | None = None
    done_counts: Counter[int] = field(default_factory=Counter)
    last_total: int = -1

    def add(self, shard: int, count: int) -> None:
        """Add `count` to the number of finished cases of a shard, but never exceed the shard's size."""
        self.done_counts[shard] = min(self.done_counts[shard] + count, self.sizes[shard])

    def show(self) -> None:
        """Call `progress` if the number of finished cases has changed since the last call."""
        if self.interrupts:
            raise KeyboardInterrupt
        if self.progress is not None and (done := self.done_counts.total()) != self.last_total:
            self.last_total = done
            self.progress(done, sum(self.sizes))


ShardResults = Generator[tuple[int, Shard], None, None]
"""Generator of finished shards with their numbers; closing it early ends the running taggers."""
Engine = Callable[[Plan, Sequence[int], int, Path, Tally], ShardResults]
"""Function that runs shards, given the plan, shard numbers, number of jobs, scratch folder and tally.

It yields each shard with its number when the shard is finished. It may count finished cases in the tally
before their shard is finished.
"""


def run_locally(plan: Plan, shards: Sequence[int], jobs: int, scratch: Path, tally: Tally) -> ShardResults:
    """Run the shards in up to `jobs` tagger processes on this machine.

    The number of threads is one more than the number of jobs, so that the next process runs while the output
    of the previous one is parsed. The process of a persistent tagger runs until the last shard is finished.
    If there are fewer shards than jobs, the cases of a shard are divided among the processes.
    """
    tagger = plan.tagger
    # scratch folders are in the folder of the shards; functions in memory and endpoints need no process
    needed = bool(shards) and tagger.function is None and tagger.spec.mode != "http"
    slots = Slots(jobs)
    share = -(-len(plan.cases.ids) // jobs) if needed and jobs > 1 and plan.is_divisible else 0

    with Guards(home=scratch.parent, ready=needed) as guards, contextlib.ExitStack() as ending:
        # also after Ctrl-C, an error, or an early close of this generator
        ending.callback(slots.close, patient=False)
        pool = ThreadPoolExecutor(jobs + 1)
        ending.callback(pool.shutdown, wait=True, cancel_futures=True)
        ending.callback(guards.stop)
        queue = list(reversed(shards))
        running: dict[Future[Shard], int] = {}
        while queue or running:
            while queue and len(running) <= jobs:
                number = queue.pop()
                count = partial(tally.add, number)
                batch = plan.make_batch(number)
                attempt = Attempt(
                    tagger, batch, guards, slots, scratch, cases_per_job=share, on_progress=count
                )
                running[pool.submit(Bisection(attempt).run)] = number
            done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            tally.show()
            for future in done:
                number, shard = running.pop(future), future.result()
                if not (queue or running):
                    # persistent processes end before the last shard is returned, which records their ends
                    shard.summary.add_ends(*slots.close(patient=True))
                yield number, shard
