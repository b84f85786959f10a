"""Whole numbers written as differences, and texts as lengths and bytes.

Source: the Apache Parquet format specification, "Delta Encoding" and "Delta-length byte array". Widths are
whole bytes, so that a miniblock is the differences' own memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .thrift import varint, zigzag

MINIBLOCK = 128
MINIBLOCKS = 32
BLOCK = MINIBLOCK * MINIBLOCKS


def delta_encoded(values: NDArray[np.int64]) -> bytes:
    """Numbers as DELTA_BINARY_PACKED; all blocks use the width that the widest needs."""
    count = len(values)
    head = varint(BLOCK) + varint(MINIBLOCKS) + varint(count)
    if not count:
        return head + zigzag(0)
    head += zigzag(int(values[0]))
    if count == 1:
        return head
    steps = np.diff(values)
    blocks = -(-len(steps) // BLOCK)
    filled = np.full(blocks * BLOCK, steps[-1], dtype=np.int64)
    filled[: len(steps)] = steps
    padded = filled.reshape(blocks, BLOCK)
    least = padded.min(axis=1)
    rest = padded - least[:, None]
    highest = int(rest.max())
    width = 0 if not highest else 1 if highest < 1 << 8 else 2 if highest < 1 << 16 else 4
    if highest >= 1 << 32:
        raise ValueError("differences of more than 32 bits")
    # miniblocks without any value are left out, though their widths are still told
    used = -(-(len(steps) - (blocks - 1) * BLOCK) // MINIBLOCK)
    content = rest.astype(f"<u{width}") if width else None
    widths = bytes([8 * width]) * MINIBLOCKS
    out = [head]
    for number, low in enumerate(least.tolist()):
        out += (zigzag(low), widths)
        if content is not None:
            row = content[number]
            out.append(row.tobytes() if number < blocks - 1 else row[: used * MINIBLOCK].tobytes())
    return b"".join(out)
