"""Conversion between token tags (IOB1, IOB2, IOBES, BILOU, BIOES) and spans of tokens."""

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
"""Code of each tag prefix; equivalent prefixes of different schemes have the same code."""
OUT, BEGIN, INSIDE, LAST, SINGLE = 0, 1, 2, 3, 4


def parse_tags(tags: Sequence[str]) -> tuple[NDArray[np.int8], Ints, list[str], NDArray[np.bool_]]:
    """Split tags such as ``B-TYPE`` or ``B_TYPE`` into prefix and type.

    Returns
    -------
    prefixes, type_codes : arrays
        Code of the prefix of each tag, and index of its type in `types`. The type of a bare ``B`` or ``I`` is
        the empty string.
    types : list of str
        Distinct types.
    is_invalid : array of bool
        True for each string that is not a tag.
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
    """Return the first token, the last token plus 1, and the type code of each mention.

    The same rule applies to all schemes. A mention begins at B or S. It also begins at I or E in three
    cases: the token is the first in its sentence, the previous tag is O, E or S, or the previous tag has
    another type. It ends before the next mention, before O, or at the end of the sentence.

    Parameters
    ----------
    prefix, kind : arrays
        Prefix and type code of each token, from `parse_tags`.
    bounds : array of shape (sentences + 1,)
        Index of the first token of each sentence, followed by the total number of tokens.
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
    first: Ints,
    last: Ints,
    kind: Ints,
    types: list[str],
    scheme: Scheme,
    bounds: Ints,
) -> list[str]:
    """Return the tags of all tokens, given non-overlapping mentions sorted by first token.

    `first`, `last` and `kind` have the form that `decode_tags` returns. For `types` and `bounds`, see
    `parse_tags` and `decode_tags`.
    """
    tags = ["O"] * int(bounds[-1])
    heads = set(bounds.tolist())
    mark = [f"-{name}" if name else "" for name in types]
    before = (-1, -1)
    for start, end, code in zip(first.tolist(), last.tolist(), kind.tolist(), strict=True):
        tags[start:end] = [f"I{mark[code]}"] * (end - start)
        # IOB1 uses B only if a mention directly follows another of the same type
        if scheme != "iob1" or (before == (start, code) and start not in heads):
            tags[start] = f"B{mark[code]}"
        if scheme == "iobes":
            tags[end - 1] = f"E{mark[code]}" if end - start > 1 else f"S{mark[code]}"
        before = (end, code)
    return tags
