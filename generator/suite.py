"""The suite folder: raw.txt, gold.sgml, cases.parquet and mentions.parquet, written block by block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .assemble import Assembler, Cases
from .batches import gathered
from .material import Material
from .mention_table import MentionTable

RAW, GOLD, CASES, MENTIONS, META = "raw.txt", "gold.sgml", "cases.parquet", "mentions.parquet", "suite.toml"
DATA_FILES = (RAW, GOLD, CASES, MENTIONS)
ROWS_IN_GROUP = 1 << 18


@dataclass(frozen=True)
class Counts:
    """What was written.

    Attributes
    ----------
    cases, mentions : int
        How many in all.
    by_part : dict of int to int
        Cases of each part.
    pairs : int
        How many minimal pairs.
    """

    cases: int
    mentions: int
    by_part: dict[int, int]
    pairs: int = 0


class SuiteWriter:
    """Writes the four data files of a suite into a folder.

    Parameters
    ----------
    folder : Path
        An existing folder.
    material : Material
        What the cases are made from.
    """

    def __init__(self, folder: Path, material: Material) -> None:
        self.material = material
        self._assemble = Assembler(material)
        self._stack = contextlib.ExitStack()
        self._raw = self._stack.enter_context((folder / RAW).open("wb"))
        self._gold = self._stack.enter_context((folder / GOLD).open("wb"))
        mentions = self._stack.enter_context((folder / MENTIONS).open("wb"))
        self._mentions = MentionTable(mentions, material)
        ids = [str(i) for i in material.contexts["context_id"]]
        self._contexts = pa.array(ids, type=pa.string())
        fields = [
            pa.field("case_id", pa.int64(), nullable=False),
            pa.field("text", pa.large_string(), nullable=False),
            pa.field("context_id", pa.dictionary(pa.int32(), pa.string()), nullable=False),
            pa.field("part", pa.int32(), nullable=False),
            pa.field("pair_id", pa.int64(), nullable=False),
        ]
        self._schema = pa.schema(fields)
        self._cases = self._stack.enter_context(
            pq.ParquetWriter(
                folder / CASES,
                self._schema,
                compression="snappy",
                use_dictionary=["context_id"],
                column_encoding={"case_id": "DELTA_BINARY_PACKED", "part": "PLAIN", "pair_id": "PLAIN"},
                write_statistics=False,
                store_schema=True,
            )
        )
        self._written = 0
        self._parts: dict[int, int] = {}
        self._pairs = 0

    def __enter__(self) -> SuiteWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._mentions.close()
        self._stack.close()

    def add(self, cases: Cases) -> None:
        """Write a block."""
        block = self._assemble(cases)
        size = len(cases)
        self._raw.write(block.raw)
        self._gold.write(block.gold)
        pair = np.full(size, -1, dtype=np.int64) if cases.pair is None else cases.pair
        arrays: list[Any] = [
            pa.array(np.arange(self._written, self._written + size, dtype=np.int64)),
            block.text,
            pa.DictionaryArray.from_arrays(pa.array(cases.context, type=pa.int32()), self._contexts),
            pa.array(np.full(size, cases.part, dtype=np.int32)),
            pa.array(pair),
        ]
        self._cases.write_batch(pa.record_batch(arrays, schema=self._schema), row_group_size=ROWS_IN_GROUP)
        self._mentions.add(cases, block, self._written)
        self._written += size
        self._parts[cases.part] = self._parts.get(cases.part, 0) + size
        if cases.pair is not None:
            self._pairs += len(np.unique(pair[pair >= 0]))

    @property
    def counts(self) -> Counts:
        """What was written so far."""
        return Counts(self._written, self._mentions.count, dict(self._parts), self._pairs)


def write_blocks(
    folder: Path, material: Material, blocks: Iterable[Cases], progress: Callable[[int], None] | None = None
) -> Counts:
    """Write all blocks into a folder.

    Parameters
    ----------
    folder : Path
        An existing folder.
    material : Material
        What the cases are made from.
    blocks : iterable of Cases
        The cases, in order.
    progress : callable, optional
        Told the number of cases of each block when it is written.
    """
    with SuiteWriter(folder, material) as writer:
        for block in gathered(blocks):
            writer.add(block)
            if progress is not None:
                progress(len(block))
        counted = writer
    return counted.counts


def chained(parts: Iterable[Iterable[Cases]]) -> Iterator[Cases]:
    """The blocks of all parts, one part after the other."""
    for part in parts:
        yield from part
