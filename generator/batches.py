"""Small blocks put together, so that each block that is written is worth its overhead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from .assemble import Cases

ENOUGH = 1 << 16


def gathered(blocks: Iterable[Cases]) -> Iterator[Cases]:
    """Join neighbouring blocks of the same part until they are large enough."""
    held: list[Cases] = []
    size = 0
    for block in blocks:
        if not len(block):
            continue
        if held and held[0].part != block.part:
            yield _joined(held)
            held, size = [], 0
        weight = len(block) + len(block.fillers)
        if weight >= ENOUGH:
            if held:
                yield _joined(held)
                held, size = [], 0
            yield block
            continue
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
    pair = None
    if any(b.pair is not None for b in blocks):
        pair = np.concatenate(
            [np.full(len(b), -1, dtype=np.int64) if b.pair is None else b.pair for b in blocks]
        )
    contrast = None
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
        contrast=contrast,
    )
