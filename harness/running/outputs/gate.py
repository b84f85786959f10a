"""What of a tagger's output is read at all: bounds for the memory of reading, whatever was printed.

Two questions are asked of the bytes before anything is made of them. Is a line so long that it cannot be an
answer? It is cut off, and its record is garbage. Would what is made of all of them take more memory than
there is for it? Then none is read: the batch is sent again in halves, and a case that is too much alone is
garbage.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ....catalogues.core.limits import Cost, memory_limit
from ....sentences.formats.registry import get_format
from ..encodings import is_utf8, is_wide
from ..inputs.cases import Batch
from ..specification.output import Output
from .placed import Placed
from .registry import COSTS

LINE, EACH = 1 << 20, 64
"""Bytes that a line of output may have: so many, and so many more for each byte of the longest text."""
HEAD = 200
"""Bytes of a line that is too long which are kept: its identifier may be there."""
PLACING = 550
"""Memory that placing takes for each line of a format of lines, besides what reading takes."""


def longest(sent: Batch) -> int:
    """Bytes that a line of an answer may have."""
    return LINE + EACH * int(np.diff(sent.starts).max(initial=0))


def cut(content: bytes, limit: int, form: Output) -> tuple[bytes, set[int]]:
    """Cut off the lines that are too long; gives their numbers too. Forms without lines are left alone."""
    lines = form.form in COSTS or get_format(form.form).lines
    by_line = lines and not is_wide(form.encoding)
    if len(content) <= limit or not by_line:
        return content, set()
    pieces: list[memoryview | bytes] = []
    view = memoryview(content)
    numbers: set[int] = set()
    number = kept = low = 0
    while low < len(content):
        end = content.rfind(b"\n", low, low + limit + 1)
        if end < 0 and len(content) - low <= limit:
            break
        if end < 0:
            end = content.find(b"\n", low)
            end = len(content) if end < 0 else end
            number += content.count(b"\n", kept, low)
            numbers.add(number)
            pieces += [view[kept:low], content[low : min(low + HEAD, end)].decode("utf-8", "ignore").encode()]
            kept = end
        low = end + 1
    return (b"".join([*pieces, view[kept:]]) if numbers else content), numbers


def too_much(content: bytes, form: Output, limit_mb: int) -> str:
    """Why the output is not read; empty when it is."""
    limit = memory_limit(limit_mb << 20)
    if form.open or form.pattern or not is_utf8(form.encoding):
        limit -= len(content) * 8
    cost = _cost(form)
    # most outputs are small enough whatever is in them
    if cost.at_most(len(content)) <= limit or cost.of(content) <= limit:
        return ""
    return f"more output than can be read at once: {len(content)} bytes"


def _cost(form: Output) -> Cost:
    """What reading and placing an output of a form takes."""
    if form.form in COSTS:
        return COSTS[form.form]
    known = get_format(form.form)
    placing = Counter({b"\n": PLACING} if known.lines else {})
    return replace(known.cost, signs=placing + Counter(known.cost.signs))


def unreadable(sent: Batch, why: str, fault: str = "garbage") -> Placed:
    """What becomes of a batch whose output is not read: nothing, and the fault where it is one case."""
    alone = len(sent) == 1
    fault_of, what = ({0: fault}, {0: why}) if alone else ({}, {})
    return replace(Placed.nothing(len(sent)), fault=fault_of, what=what, doubtful=len(sent))
