"""Tags of tokens, to spans of tokens and back, by columns: IOB1, IOB2, IOBES (BILOU, BIOES)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.text import Ints

Scheme = Literal["iob1", "iob2", "iobes"]
SCHEMES: tuple[Scheme, ...] = ("iob2", "iob1", "iobes")
_PREFIXES = {"O": 0, "B": 1, "I": 2, "M": 2, "E": 3, "L": 3, "S": 4, "U": 4, "W": 4}
"""BMEWO's M is an I."""
OUT, BEGIN, INSIDE, LAST, SINGLE = 0, 1, 2, 3, 4


def parse_tags(tags: Sequence[str]) -> tuple[NDArray[np.int8], Ints, list[str], NDArray[np.bool_]]:
    """Split distinct tags, ``B-TYPE`` or ``B_TYPE``: prefix and type codes, the types, and which are no tags.

    A bare ``B`` or ``I`` (no type) has the empty type.
    """
    prefixes, types, bad = [], [], []
    for tag in tags:
        head, mark, kind = tag.partition("-")
        if not mark:
            head, mark, kind = tag.partition("_")
        known = head in _PREFIXES and (bool(kind) or not mark) and (head != "O" or not mark)
        prefixes.append(_PREFIXES[head] if known else OUT)
        types.append(kind if known else "")
        bad.append(not known)
    type_codes, names = pd.factorize(np.array(types, dtype=object), sort=True)
    made = np.array(prefixes, dtype=np.int8), type_codes.astype(np.int64)
    return *made, [str(n) for n in names], np.array(bad, dtype=bool)


def decode_tags(prefix: NDArray[np.int8], kind: Ints, bounds: Ints) -> tuple[Ints, Ints, Ints]:
    """First token, one past the last token, and type code of each mention.

    One rule reads every scheme: a mention begins at B or S, and at I or E after O, after another type, after
    E or S, or at the head of a sentence; it ends before the next beginning, before O and with the sentence.

    Parameters
    ----------
    prefix, kind : arrays
        From `parse_tags`, all sentences one after the other.
    bounds : array
        Token bounds of the sentences, one longer than their number.
    """
    count = len(prefix)
    if not count:
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    head = np.zeros(count + 1, dtype=bool)
    head[bounds] = True
    before = np.concatenate([[OUT], prefix[:-1]])
    before[head[:-1]] = OUT
    other = np.concatenate([[True], kind[1:] != kind[:-1]])
    inside = prefix != OUT
    begins = (prefix == BEGIN) | (prefix == SINGLE)
    begins |= inside & ((before == OUT) | (before == LAST) | (before == SINGLE) | other)
    first = np.flatnonzero(begins)
    goes_on = np.append(inside & ~begins, False)
    stops = np.flatnonzero(~goes_on)
    last = stops[np.searchsorted(stops, first + 1)]
    return first.astype(np.int64), last.astype(np.int64), kind[first]


def encode_tags(
    count: int,
    first: Ints,
    last: Ints,
    kind: Ints,
    types: list[str],
    scheme: Scheme,
    bounds: Ints,
) -> list[str]:
    """Tags of `count` tokens for mentions that do not overlap, sorted by `first`; see `decode`."""
    tags = ["O"] * count
    heads = set(bounds.tolist())
    mark = [f"-{name}" if name else "" for name in types]
    before = (-1, -1)
    for start, end, code in zip(first.tolist(), last.tolist(), kind.tolist(), strict=True):
        tags[start:end] = [f"I{mark[code]}"] * (end - start)
        # IOB1 has B only where a mention follows one of its own type without a gap
        if scheme != "iob1" or (before == (start, code) and start not in heads):
            tags[start] = f"B{mark[code]}"
        if scheme == "iobes":
            tags[end - 1] = f"E{mark[code]}" if end - start > 1 else f"S{mark[code]}"
        before = (end, code)
    return tags
