"""The suite folder: raw.txt, gold.sgml, cases.parquet and mentions.parquet, written block by block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from .assemble import Assembler, Cases
from .batches import gathered
from .case_table import CaseTable
from .material import Material
from .mention_table import MentionTable

RAW, GOLD, CASES, MENTIONS, META = "raw.txt", "gold.sgml", "cases.parquet", "mentions.parquet", "suite.toml"
DATA_FILES = (RAW, GOLD, CASES, MENTIONS)


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
        tables = [self._stack.enter_context((folder / n).open("wb")) for n in (CASES, MENTIONS)]
        self._cases = CaseTable(tables[0], material)
        self._mentions = MentionTable(tables[1], material)
        self._written = 0
        self._parts: dict[int, int] = {}
        self._pairs = 0

    def __enter__(self) -> SuiteWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._cases.close()
            self._mentions.close()
        self._stack.close()

    def add(self, cases: Cases) -> None:
        """Write a block."""
        block = self._assemble(cases)
        size = len(cases)
        self._raw.writelines(block.raw)
        self._gold.writelines(block.gold)
        self._cases.add(cases, block)
        self._mentions.add(cases, block, self._written)
        self._written += size
        self._parts[cases.part] = self._parts.get(cases.part, 0) + size
        if cases.pair is not None:
            self._pairs += len(np.unique(cases.pair[cases.pair >= 0]))

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
