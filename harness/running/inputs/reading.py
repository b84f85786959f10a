"""The texts of a suite folder or of ``FORMAT:PATH``, read for a run: no mentions, no pandas for a suite."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa

from ....catalogues.core.arrays import Bytes, places_of
from ....catalogues.core.errors import InputError
from .cases import Cases, Places

if TYPE_CHECKING:
    import pyarrow.parquet as pq

LINE_END = b"\n"
BLOCK = 8192
"""Cases that are compared at once: few enough for a core's cache."""


def read_cases(spec: str) -> Cases:
    """Read the texts (and no mentions) of a suite folder or of ``FORMAT:PATH``.

    A suite's texts come from its `raw.txt`, which holds them as they are sent; `Cases.check` compares them
    with `cases.parquet`, and must be called before anybody relies on them.

    Raises
    ------
    InputError
        When it cannot be read, or holds no text.
    """
    path = Path(spec)
    check: Callable[[], None] = _nothing
    types: Callable[[], frozenset[str]] = partial(_types_of, path)
    if (path / "cases.parquet").is_file():
        name, signature = _described(path)
        if (path / "raw.txt").is_file():
            ids, data, starts = _raw(path)
            check = partial(_compare, path, data, starts)
        else:
            ids, texts = _columns(path, "case_id", "text")
            data, starts = _layout(texts)
    else:
        ids, texts, name, signature, held = _corpus(spec)
        types = partial(frozenset, held)
        data, starts = _layout(texts)
    if len(ids) == 0:
        raise InputError("the input holds no text", file=spec)
    digest = _digest(ids, data, starts)
    return Cases(spec, name, signature or f"corpus:{digest[:12]}", ids, data, starts, digest, check, types)


def _nothing() -> None:
    """There is nothing to compare with."""


def _digest(ids: pa.Array, data: Bytes, starts: Places) -> str:
    total = hashlib.blake2b(digest_size=32)
    total.update(_bytes_of(ids))
    total.update(starts.data)
    total.update(data.data)
    return total.hexdigest()


def _described(path: Path) -> tuple[str, str]:
    """Name and signature of a suite."""
    from ....sentences.suite_file import read_suite_meta

    suite = read_suite_meta(path).get("suite", {})
    return suite.get("name") or path.name, suite.get("signature", "")


@contextlib.contextmanager
def _open(path: Path, *names: str) -> Iterator[pq.ParquetFile]:
    from ....catalogues.core.parquet import opened_parquet

    file = path / "cases.parquet"
    with opened_parquet(file) as found:
        schema = found.schema_arrow
        missing = {"case_id", "text"} - set(schema.names)
        if missing:
            raise InputError("columns are missing", file=file, found=", ".join(sorted(missing)))
        for name in names:
            kind = schema.field(name).type
            fits = pa.types.is_string(kind) or pa.types.is_large_string(kind)
            if not (fits or (name == "case_id" and pa.types.is_integer(kind))):
                raise InputError(f"column {name} is of the wrong type", file=file, found=str(kind))
        yield found


def _columns(path: Path, *names: str) -> list[pa.Array]:
    with _open(path, *names) as file:
        table = file.read(columns=list(names))
    if table["case_id"].null_count:
        raise InputError("column case_id holds missing values", file=path / "cases.parquet")
    return [table[name].combine_chunks() for name in names]


def _raw(path: Path) -> tuple[pa.Array, Bytes, Places]:
    """Identifiers, and the lines of raw.txt as they are."""
    (ids,) = _columns(path, "case_id")
    data = np.fromfile(path / "raw.txt", dtype=np.uint8)
    # where lines begin, and one place beyond the last line end
    starts = np.append(0, places_of(data, LINE_END) + 1)
    if len(starts) - 1 != len(ids) or starts[-1] != len(data):
        raise InputError(
            "raw.txt has another number of lines than cases.parquet has cases",
            file=path / "raw.txt",
            found=f"{len(starts) - 1} lines" + ("" if starts[-1] == len(data) else " and one without an end"),
            allowed=f"{len(ids)}; generate the suite anew",
        )
    return ids, data, starts


def _compare(path: Path, data: Bytes, starts: Places) -> None:
    """Refuse a suite whose raw.txt is not what its cases.parquet holds."""
    low = 0
    with _open(path, "text") as file:
        for batch in file.iter_batches(BLOCK, columns=["text"]):
            content, bounds = _buffers(batch.column(0))
            high = low + len(batch)
            lines = data[starts[low] : starts[high]].tobytes()
            same = np.array_equal(starts[low] + bounds + np.arange(len(bounds)), starts[low : high + 1])
            if not same or content.tobytes() != lines.replace(LINE_END, b""):
                texts = [content[s:e].tobytes() for s, e in pairwise(bounds.tolist())]
                _differ(path, texts, lines, low)
            low = high


def _differ(path: Path, texts: list[bytes], lines: bytes, low: int) -> NoReturn:
    """Name the first line that differs."""
    there = lines.split(b"\n")
    place = next(i for i, text in enumerate(texts) if text != there[i])
    raise InputError(
        "the line is not the text that cases.parquet holds",
        file=path / "raw.txt",
        line=low + place + 1,
        found=there[place].decode("utf-8", "replace")[:80],
        allowed="the suite as it was generated: generate it anew",
    )


def _types_of(path: Path) -> frozenset[str]:
    """The types of a suite's mentions."""
    from ....catalogues.core.parquet import opened_parquet

    file = path / "mentions.parquet"
    if not file.is_file():
        return frozenset()
    words: set[str] = set()
    with opened_parquet(file) as found:
        if "type" not in found.schema_arrow.names:
            raise InputError("columns are missing", file=file, found="type")
        kind = found.schema_arrow.field("type").type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise InputError("column type is of the wrong type", file=file, found=str(kind))
        # its few words, not its many rows
        for batch in found.iter_batches(columns=["type"]):
            words.update(batch.column(0).drop_null().unique().to_pylist())
    return frozenset(words)


def _corpus(spec: str) -> tuple[pa.Array, pa.Array, str, str, list[str]]:
    from ....sentences.formats import read_corpus

    corpus = read_corpus(spec)
    ids = pa.array(corpus.texts["text_id"])
    if not pa.types.is_integer(ids.type):
        ids = pa.array(corpus.texts["text_id"].astype(str).tolist(), pa.string())
    texts = _whole(pa.array(corpus.texts["text"], type=pa.large_string(), from_pandas=True))
    signature = f"corpus:{corpus.digest[:12]}" if corpus.digest else ""
    types = corpus.mentions["type"][corpus.mentions["side"] == "gold"].dropna().unique().tolist()
    return ids, texts, corpus.name, signature, types


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _layout(texts: pa.Array) -> tuple[Bytes, Places]:
    r"""Bytes of all texts with a ``\n`` after each, and where each begins."""
    content, bounds = _buffers(texts)
    # a line end goes in after each text: everything else keeps its order
    return np.insert(content, bounds[1:], LINE_END[0]), bounds + np.arange(len(bounds))


def _buffers(texts: pa.Array) -> tuple[Bytes, Places]:
    """Bytes of all texts, one after another, and where each begins."""
    if texts.null_count:
        raise InputError("a text is missing (null)", allowed="a text for every case")
    # the buffers are read as they are: Arrow's casts load libraries that take longer than the whole of it
    wide = pa.types.is_large_string(texts.type)
    _, edges, content = texts.buffers()
    bounds = np.frombuffer(edges, dtype=np.int64 if wide else np.int32, count=len(texts) + 1 + texts.offset)
    bounds = bounds[texts.offset :].astype(np.int64)
    own = np.frombuffer(content or b"", dtype=np.uint8)[bounds[0] : bounds[-1]]
    return own, bounds - bounds[0]


def _bytes_of(ids: pa.Array) -> bytes:
    if pa.types.is_integer(ids.type):
        numbers = np.frombuffer(ids.buffers()[1], dtype=ids.type.to_pandas_dtype())
        return numbers[ids.offset : ids.offset + len(ids)].astype(np.int64).tobytes()
    return "\0".join(ids.to_pylist()).encode()
