"""What a tagger is sent: the texts of a suite or corpus as bytes, whole and in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ...catalogues.plumbing.errors import InputError

NEWLINE = 10
Bytes = NDArray[np.uint8]
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

    @cached_property
    def is_ascii(self) -> bool:
        """Whether bytes and code points are the same."""
        return not bool((self.data & 0x80).any())

    @cached_property
    def inner(self) -> Places:
        """Where bytes stand that begin no code point."""
        return np.flatnonzero((self.data & 0xC0) == 0x80)

    def points(self, offset: Places) -> Places:
        """How many code points begin before each byte offset."""
        return offset - np.searchsorted(self.inner, offset)

    def to_points(self, place: Places, offset: Places) -> Places:
        """Byte offsets into `data` as code point offsets into the text of the case at `place`."""
        base = self.starts[place]
        if self.is_ascii:
            return offset - base
        return self.points(offset) - self.points(base)

    def as_lines(self) -> Batch:
        r"""The same with line breaks inside texts (``\n`` and ``\r``) made blanks: no offset moves."""
        inside = (self.data == NEWLINE) | (self.data == 13)
        inside[self.starts[1:] - 1] = False
        if not inside.any():
            return self
        data = self.data.copy()
        data[inside] = 32
        return Batch(self.numbers, data, self.starts, self.names)

    def without(self, unwanted: bytes) -> Batch:
        """The same with some ASCII characters made blanks: no offset moves."""
        bad = np.isin(self.data, np.frombuffer(unwanted, dtype=np.uint8))
        if not bad.any():
            return self
        data = self.data.copy()
        data[bad] = 32
        return Batch(self.numbers, data, self.starts, self.names)

    def in_encoding(self, encoding: str) -> Batch:
        """The same with each character that `encoding` lacks made ``?``: no code point offset moves."""
        if encoding.lower().replace("_", "-") in {"utf-8", "utf8", "utf-16", "utf-16-le", "utf-16-be"} or (
            self.is_ascii
        ):
            return self
        changed = [t.decode().encode(encoding, "replace").decode(encoding).encode() for t in self.texts()]
        return assemble(changed, self.numbers, self.names)


def assemble(texts: Sequence[bytes], numbers: Places, names: Sequence[str]) -> Batch:
    """A batch of given texts."""
    lengths = np.fromiter((len(t) + 1 for t in texts), dtype=np.int64, count=len(texts))
    data = np.frombuffer(b"".join(t + b"\n" for t in texts), dtype=np.uint8)
    return Batch(numbers, data, np.concatenate(([0], np.cumsum(lengths))), names)


class _Numbers(Sequence[str]):
    """The numbers from 1 as text, without a list of them all."""

    def __init__(self, first: int, size: int) -> None:
        self.first = first
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, slice):
            start, stop, _ = item.indices(self.size)
            return _Numbers(self.first + start, max(stop - start, 0))
        if not 0 <= item < self.size:
            raise IndexError(item)
        return str(self.first + item)


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
        SHA-256 over identifiers and texts.
    """

    spec: str
    name: str
    signature: str
    ids: pa.Array
    data: Bytes
    starts: Places
    digest: str

    def __len__(self) -> int:
        return len(self.ids)

    def batch(self, low: int, high: int, identifier: str = "number") -> Batch:
        """The cases from `low` up to `high`."""
        names: Sequence[str] = _Numbers(low + 1, high - low)
        if identifier == "text_id":
            names = [str(i) for i in self.ids[low:high].to_pylist()]
        first, last = int(self.starts[low]), int(self.starts[high])
        return Batch(
            np.arange(low, high, dtype=np.int64),
            self.data[first:last],
            self.starts[low : high + 1] - first,
            names,
        )


def read_cases(spec: str) -> Cases:
    """Read the texts (and no mentions) of a suite folder or of ``FORMAT:PATH``.

    Raises
    ------
    InputError
        When it cannot be read, or holds no text.
    """
    path = Path(spec)
    if (path / "cases.parquet").is_file():
        ids, texts, name, signature = _suite(path)
    else:
        ids, texts, name, signature = _corpus(spec)
    if len(ids) == 0:
        raise InputError("the input holds no text", file=spec)
    data, starts = _layout(texts)
    total = hashlib.sha256()
    total.update(_bytes_of(ids))
    total.update(starts.data)
    total.update(data.data)
    digest = total.hexdigest()
    return Cases(spec, name, signature or f"corpus:{digest[:12]}", ids, data, starts, digest)


def _suite(path: Path) -> tuple[pa.Array, pa.Array, str, str]:
    import tomllib

    from ...catalogues.plumbing.files import read_text

    try:
        table = pq.ParquetFile(path / "cases.parquet").read(columns=["case_id", "text"])
        meta = tomllib.loads(read_text(path / "suite.toml")).get("suite", {})
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"cases.parquet cannot be read ({error})", file=path) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not valid TOML: {error}", file=path / "suite.toml") from None
    ids = table["case_id"].combine_chunks()
    return (
        ids,
        table["text"].combine_chunks(),
        str(meta.get("name") or path.name),
        str(meta.get("signature", "")),
    )


def _corpus(spec: str) -> tuple[pa.Array, pa.Array, str, str]:
    from ...sentences.formats import read_corpus

    corpus = read_corpus(spec)
    ids = pa.array(corpus.texts["text_id"])
    if not pa.types.is_integer(ids.type):
        ids = pa.array(corpus.texts["text_id"].astype(str).tolist(), pa.string())
    texts = _whole(pa.array(corpus.texts["text"], type=pa.large_string(), from_pandas=True))
    signature = f"corpus:{corpus.digest[:12]}" if corpus.digest else ""
    return ids, texts, corpus.name, signature


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _layout(texts: pa.Array) -> tuple[Bytes, Places]:
    r"""Bytes of all texts with a ``\n`` after each, and where each begins."""
    if texts.null_count:
        raise InputError("a text is missing (null)", allowed="a text for every case")
    # the buffers are read as they are: Arrow's casts load libraries that take longer than the whole of it
    wide = pa.types.is_large_string(texts.type)
    count = len(texts)
    _, edges, content = texts.buffers()
    bounds = np.frombuffer(edges, dtype=np.int64 if wide else np.int32, count=count + 1 + texts.offset)
    bounds = bounds[texts.offset :].astype(np.int64)
    size = int(bounds[-1] - bounds[0])
    # a line end goes in after each text: everything else keeps its order
    starts = bounds - bounds[0] + np.arange(count + 1)
    ends = starts[1:] - 1
    data = np.empty(size + count, dtype=np.uint8)
    inner = np.ones(len(data), dtype=bool)
    inner[ends] = False
    data[ends] = NEWLINE
    if size:
        data[inner] = np.frombuffer(content, dtype=np.uint8)[bounds[0] : bounds[-1]]
    return data, starts


def _bytes_of(ids: pa.Array) -> bytes:
    if pa.types.is_integer(ids.type):
        numbers = np.frombuffer(ids.buffers()[1], dtype=ids.type.to_pandas_dtype())
        return numbers[ids.offset : ids.offset + len(ids)].astype(np.int64).tobytes()
    return "\0".join(ids.to_pylist()).encode()
