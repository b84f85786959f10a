"""What a run is to do: a tagger over the cases of an input, shard by shard, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...catalogues.core.files import digest_bytes
from .inputs.cases import Batch, Cases
from .tagger import Tagger

LAYOUT = "10"
"""Of shards and run folder; part of the key, so that a change of layout never meets old shards."""
SMALLEST, LARGEST, AIM = 500, 100_000, 6


@dataclass(frozen=True)
class Plan:
    """A tagger over the cases of an input.

    Attributes
    ----------
    tagger : Tagger
    cases : Cases
    bounds : sequence of (int, int)
        First case and last (exclusive) of each shard.
    folder : Path
        The run folder.
    divisible : bool
        Whether the cases of a shard may be divided among jobs: not where the size of shards was given.
    """

    tagger: Tagger
    cases: Cases
    bounds: Sequence[tuple[int, int]]
    folder: Path
    divisible: bool = True

    def batch(self, shard: int) -> Batch:
        """The cases of a shard."""
        return self.cases.batch(*self.bounds[shard], self.tagger.spec.input.identifier)

    @cached_property
    def key(self) -> str:
        """A digest of all that the run's results depend on."""
        cuts = repr(list(self.bounds)).encode()
        parts = [LAYOUT.encode(), self.tagger.digest.encode(), self.cases.digest.encode(), cuts]
        if self.tagger.keep_replies != "failed":
            parts.append(f"replies {self.tagger.keep_replies}".encode())
        if self.tagger.repeat > 1:
            # what one repetition gave is never handed to another
            parts.append(f"repeat {self.tagger.repeat}".encode())
        return digest_bytes(*parts)


class Tally:
    """Number of cases that are done in each shard.

    Parameters
    ----------
    sizes : sequence of int
        Cases of each shard.
    show : callable
        Called with the sum.
    """

    def __init__(self, sizes: Sequence[int], show: Callable[[int], None]) -> None:
        self._sizes, self._show = sizes, show
        self._done = [0] * len(sizes)
        self._shown = -1

    def add(self, shard: int, count: int) -> None:
        """Add cases of a shard, never more than it has: some are asked again."""
        self._done[shard] = min(self._done[shard] + count, self._sizes[shard])

    def finish(self, shard: int) -> None:
        """Note that all cases of a shard are done."""
        self._done[shard] = self._sizes[shard]

    def show(self) -> None:
        """Show the sum where it has changed."""
        if (done := sum(self._done)) != self._shown:
            self._shown = done
            self._show(done)


def bounds(count: int, batch_size: int | None) -> list[tuple[int, int]]:
    """Cut an input into shards; a function of its size alone, never of the number of jobs.

    Without a declared size an input gives about six shards of 500 to 100,000 cases: enough to keep a few
    cores busy, few enough that starting the tagger costs little.
    """
    size = batch_size or min(max(-(-count // AIM), SMALLEST), LARGEST)
    return [(low, min(low + size, count)) for low in range(0, count, size)]
