"""Cases before they are text: which context each has and what fills its slots, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ENOUGH = 1 << 17
"""Cases and mentions that a block has at least, so that it is worth its overhead."""


@dataclass(frozen=True)
class Cases:
    """A block of cases before it is text.

    Attributes
    ----------
    context : array of int32
        The context of each case.
    fillers : array of int32
        The filler of every slot, case after case.
    part : int
        The part of the suite.
    pair : array of int64, optional
        The pair each case belongs to, -1 where to none.
    contrast : array of int32, optional
        For each filled slot which of the material's contrasts it is the place of, -1 for none.
    """

    context: NDArray[np.int32]
    fillers: NDArray[np.int32]
    part: int = 0
    pair: NDArray[np.int64] | None = None
    contrast: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.context)

    @classmethod
    def of_context(cls, context: int, filled: NDArray[np.int32], part: int) -> Cases:
        """Cases of one context; `filled` is cases × slots."""
        return cls(np.full(len(filled), context, dtype=np.int32), filled.ravel(), part)

    @classmethod
    def bare(cls, contexts: NDArray[np.int32], part: int) -> Cases:
        """A case of each of some contexts without slots."""
        return cls(contexts, np.empty(0, dtype=np.int32), part)


def gathered(blocks: Iterable[Cases]) -> Iterator[Cases]:
    """Join neighbouring blocks of the same part until they are large enough to be worth their overhead."""
    held: list[Cases] = []
    size = 0
    for block in blocks:
        if not len(block):
            continue
        weight = len(block) + len(block.fillers)
        if held and (held[0].part != block.part or weight >= ENOUGH):
            yield _joined(held)
            held, size = [], 0
        held.append(block)
        size += weight
        if size >= ENOUGH:
            yield _joined(held)
            held, size = [], 0
    if held:
        yield _joined(held)


def _joined(blocks: list[Cases]) -> Cases:
    if len(blocks) == 1:
        return blocks[0]
    pair = contrast = None
    if any(b.pair is not None for b in blocks):
        pair = np.concatenate(
            [np.full(len(b), -1, dtype=np.int64) if b.pair is None else b.pair for b in blocks]
        )
    if any(b.contrast is not None for b in blocks):
        contrast = np.concatenate(
            [
                np.full(len(b.fillers), -1, dtype=np.int32) if b.contrast is None else b.contrast
                for b in blocks
            ]
        )
    return Cases(
        np.concatenate([b.context for b in blocks]),
        np.concatenate([b.fillers for b in blocks]),
        blocks[0].part,
        pair,
        contrast,
    )
