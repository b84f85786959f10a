"""What works through the shards: processes on this machine. A cluster is in `cluster`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

from .bisection import run_shard
from .folder.shard import Shard
from .modes.attempt import Attempt
from .plan import Plan, Tally
from .processes.process import Guards
from .processes.slots import Slots

Finished = Generator[tuple[int, Shard], None, None]
"""Shards with their numbers, as they are finished; closed before the last, it ends what still runs."""
Engine = Callable[[Plan, Sequence[int], int, Path, Tally], Finished]
"""Given a plan, the numbers of shards, the number of jobs and a folder, gives each shard with its number.

They come in whatever order they are finished. It may add cases to the tally before their shard is finished.
"""
LOOK = 0.2
"""Seconds between two looks at how many cases are done."""


def local(plan: Plan, shards: Sequence[int], jobs: int, scratch: Path, tally: Tally) -> Finished:
    """Run processes on this machine, `jobs` of them at a time.

    There is one thread more than jobs: while one parses what a tagger printed, the next tagger runs already.
    A persistent tagger stays in its slot from shard to shard and is ended when the last is done. Where there
    are fewer shards than jobs, their cases are divided among the slots.
    """
    tagger = plan.tagger
    # scratch folders stand beside the finished shards; objects in memory and endpoints need no process
    needed = bool(shards) and tagger.function is None and tagger.spec.mode != "http"
    slots = Slots(jobs)
    share = -(-len(plan.cases) // jobs) if needed and jobs > 1 and plan.divisible else 0

    def one(number: int) -> tuple[int, Shard]:
        note = partial(tally.add, number)
        return number, run_shard(
            Attempt(tagger, plan.batch(number), guards, slots, scratch, share=share, note=note)
        )

    with Guards(home=scratch.parent, ready=needed) as guards, contextlib.ExitStack() as ending:
        # also on Ctrl-C, an error, or a reader that has had enough
        ending.callback(slots.close, patient=False)
        pool = ThreadPoolExecutor(jobs + 1)
        ending.callback(pool.shutdown, wait=True, cancel_futures=True)
        ending.callback(guards.stop)
        queue = list(reversed(shards))
        running: set[Future[tuple[int, Shard]]] = set()
        while queue or running:
            while queue and len(running) <= jobs:
                running.add(pool.submit(one, queue.pop()))
            done, running = wait(running, timeout=LOOK, return_when=FIRST_COMPLETED)
            tally.show()
            for left, future in enumerate(done, 1 - len(done)):
                number, shard = future.result()
                if not (queue or running or left):
                    # the last: processes that were kept end before it is given, so that it can tell of them
                    shard.record.add_kept(slots.close(patient=True))
                yield number, shard


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
