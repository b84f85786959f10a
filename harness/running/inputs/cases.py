"""What a tagger is sent: the texts of a suite or corpus as bytes, whole and in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ....catalogues.core.arrays import Bytes, inner_bytes, places_of
from ..encodings import is_utf8, is_wide

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    r"""Some cases, as they are sent.

    Attributes
    ----------
    numbers : array of int64
        Which cases: their places in the whole input, from 0.
    data : array of uint8
        Their texts in UTF-8, each ended by ``\n``.
    starts : array of int64
        Where each begins in `data`; one longer than `numbers`.
    names : list of str
        What stands for each case where an identifier is sent.
    """

    numbers: Places
    data: Bytes
    starts: Places
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.numbers)

    def text(self, place: int) -> bytes:
        """Text of the case at `place` of this batch."""
        return self.data[self.starts[place] : self.starts[place + 1] - 1].tobytes()

    def texts(self) -> list[bytes]:
        """All texts."""
        content = self.data.tobytes()
        return [content[s : e - 1] for s, e in pairwise(self.starts.tolist())]

    def take(self, places: Places) -> Batch:
        """The cases at some places, in that order."""
        names = self.names
        chosen = [names[i] for i in places.tolist()]
        if len(places) and np.array_equal(places, np.arange(places[0], places[0] + len(places))):
            low, high = int(self.starts[places[0]]), int(self.starts[places[-1] + 1])
            starts = self.starts[places[0] : places[-1] + 2] - low
            return Batch(self.numbers[places], self.data[low:high], starts, chosen)
        lengths = self.starts[places + 1] - self.starts[places]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        index = np.repeat(self.starts[places] - starts[:-1], lengths) + np.arange(starts[-1])
        return Batch(self.numbers[places], self.data[index], starts, chosen)

    def take_one(self, place: int) -> Batch:
        """The case at one place."""
        return self.take(np.array([place], dtype=np.int64))

    @property
    def characters(self) -> Places:
        """Code points of each text."""
        lengths: Places = np.diff(self.starts) - 1
        return lengths if self.is_ascii else lengths - np.diff(self.inner_before)

    @cached_property
    def is_ascii(self) -> bool:
        """Whether bytes and code points are the same."""
        # as signed numbers the bytes beyond ASCII are negative
        return not len(self.data) or int(self.data.view(np.int8).min()) >= 0

    @cached_property
    def inner(self) -> Places:
        """Where bytes stand that begin no code point."""
        return inner_bytes(self.data)

    @cached_property
    def inner_before(self) -> Places:
        """How many of these stand before each case."""
        return np.searchsorted(self.inner, self.starts)

    def to_points(self, place: Places, offset: Places) -> Places:
        """Byte offsets into `data` as code point offsets into the text of the case at `place`."""
        base = self.starts[place]
        if self.is_ascii:
            return offset - base
        points = offset - base
        more = np.flatnonzero(self._wide[place])
        points[more] -= np.searchsorted(self.inner, offset[more]) - self.inner_before[place[more]]
        return points

    @cached_property
    def _wide(self) -> NDArray[np.bool_]:
        """Which cases are not ASCII."""
        wide: NDArray[np.bool_] = self.inner_before[1:] > self.inner_before[:-1]
        return wide

    def without(self, unwanted: bytes) -> Batch:
        """The same with some ASCII characters inside texts made blanks: no offset moves."""
        bad = np.setdiff1d(places_of(self.data, unwanted), self.starts[1:] - 1, assume_unique=True)
        if not len(bad):
            return self
        data = self.data.copy()
        data[bad] = 32
        return replace(self, data=data)

    def in_encoding(self, encoding: str) -> Batch:
        """The same with each character that `encoding` lacks made ``?``: no code point offset moves."""
        whole = is_utf8(encoding) or is_wide(encoding)
        if whole or self.is_ascii:
            return self
        changed = [t.decode().encode(encoding, "replace").decode(encoding).encode() for t in self.texts()]
        return assemble(changed, self.numbers, self.names)


def assemble(texts: Sequence[bytes], numbers: Places, names: Sequence[str]) -> Batch:
    """A batch of given texts."""
    lengths = np.fromiter((len(t) + 1 for t in texts), dtype=np.int64, count=len(texts))
    data = np.frombuffer(b"".join(t + b"\n" for t in texts), dtype=np.uint8)
    return Batch(numbers, data, np.concatenate(([0], np.cumsum(lengths))), names)


def white(data: Bytes) -> NDArray[np.bool_]:
    """Where ASCII white space stands."""
    result: NDArray[np.bool_] = (data == 32) | ((data >= 9) & (data <= 13))
    return result


@dataclass(frozen=True)
class Cases:
    """The whole input of a run.

    Attributes
    ----------
    spec : str
        What was named on the command line: ``FORMAT:PATH`` or a suite folder.
    name : str
        The corpus's name in score tables.
    signature : str
        ``suite:…`` or ``corpus:…`` with the first digits of the digest.
    ids : Arrow array
        `text_id` of each case, int64 or string.
    data, starts : arrays
        As in `Batch`.
    digest : str
        BLAKE2b over identifiers and texts.
    check : callable
        Raises InputError when the texts are not what the input holds elsewhere. For a suite that means
        reading it a second time, which may be done while the tagger runs.
    gold_types : callable
        The types of the gold mentions; empty when there are none.
    """

    spec: str
    name: str
    signature: str
    ids: pa.Array
    data: Bytes
    starts: Places
    digest: str
    check: Callable[[], None]
    gold_types: Callable[[], frozenset[str]] = frozenset

    def __len__(self) -> int:
        return len(self.ids)

    def batch(self, low: int, high: int, identifier: str = "number") -> Batch:
        """The cases from `low` up to `high`."""
        own = self.ids[low:high].to_pylist() if identifier == "text_id" else range(low + 1, high + 1)
        first, last = int(self.starts[low]), int(self.starts[high])
        return Batch(
            np.arange(low, high, dtype=np.int64),
            self.data[first:last],
            self.starts[low : high + 1] - first,
            [str(i) for i in own],
        )
