"""Functions that find the texts of spans, check spans, merge overlapping spans and join fragments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray

from ..catalogues.core.errors import InputError
from ..catalogues.core.text import Flags, Ints


def find_rows(
    known: pd.Series,
    wanted: pd.Series,
    problem: str,
    file: str | PathLike[str] | None = None,
    lines: Ints | None = None,
    allowed: str | None = None,
) -> Ints:
    """Return the position in `known` of each id in `wanted`; raise InputError for the first unknown id.

    Parameters
    ----------
    known, wanted : Series
        Distinct ids, and the ids to find.
    problem : str
        Message about an unknown id.
    file : path, optional
        File of the wanted ids, for the message.
    lines : array of int, optional
        Line number of each wanted id, for the message.
    allowed : str, optional
        Allowed ids, for the message.
    """
    rows: Ints = pd.Index(known).get_indexer(pd.Index(wanted)).astype(np.int64)
    if (rows < 0).any():
        i = int(np.argmin(rows))
        line = None if lines is None else int(lines[i])
        raise InputError(problem, file=file, line=line, found=wanted.iloc[i], allowed=allowed)
    return rows


def find_text_rows(texts: pd.DataFrame, text_ids: pd.Series, file: str | PathLike[str] | None = None) -> Ints:
    """Return the row number in `texts` of each text id.

    Raises
    ------
    InputError
        If an id does not occur in `texts`.
    """
    return find_rows(texts["text_id"], text_ids, "a mention refers to a text that does not exist", file)


def locate_spans(
    texts: pd.DataFrame, table: pd.DataFrame, file: str | PathLike[str] | None = None
) -> tuple[Ints, Ints, Ints]:
    """Return, for each span in `table`, the row number of its text, its start and its end.

    Raises
    ------
    InputError
        If a span refers to a text that is not in `texts`.
    """
    starts, ends = (table[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    return find_text_rows(texts, table["text_id"], file), starts, ends


def sort_order(rows: Ints, starts: Ints, ends: Ints, types: ExtensionArray) -> Ints:
    """Return the indexes that sort mentions by text, start, end and type."""
    codes, _ = pd.factorize(types, sort=True)  # type: ignore[call-overload]
    return np.lexsort((codes, ends, starts, rows))


def locate_checked_spans(
    texts: pd.DataFrame, mentions: pd.DataFrame, file: str | PathLike[str] | None = None
) -> tuple[Ints, Ints, Ints]:
    """Check mentions; return, for each mention, the row number of its text, its start and its end.

    Raises
    ------
    InputError
        If a mention is empty, extends beyond its text, or refers to a text that does not exist.
    """
    spans = locate_spans(texts, mentions, file)
    check_spans(*spans, np.asarray(texts["text"].str.len(), dtype=np.int64), file)
    return spans


def check_spans(
    rows: Ints,
    starts: Ints,
    ends: Ints,
    lengths: Ints,
    file: str | PathLike[str] | None,
    lines: Sequence[int] | NDArray[Any] | None = None,
) -> None:
    """Raise InputError if a span is empty, ends before it starts, or extends beyond its text.

    Parameters
    ----------
    rows, starts, ends : arrays of shape (spans,)
        Index of the text, start and end of each span.
    lengths : array of shape (texts,)
        Length of each text in characters.
    file : path or None
        File of the spans, for messages.
    lines : sequence of int, optional
        Line number of each span in the file. If it is not given, messages contain the number of the mention.
    """
    limit = lengths[rows]
    bad = (starts < 0) | (ends <= starts) | (ends > limit)
    if bad.any():
        i = int(np.argmax(bad))
        empty = starts[i] >= 0 and ends[i] <= starts[i]
        span = f"{starts[i]} to {ends[i]}"
        raise InputError(
            "a mention is empty" if empty else "a mention lies outside its text",
            file=file,
            line=None if lines is None else int(lines[i]),
            found=span if lines is not None else f"{span} (mention number {i + 1})",
            allowed=f"0 <= start < end <= {limit[i]} (characters)",
        )


def find_containing(starts: Ints, ends: Ints, places: Ints) -> Ints:
    """Return the index of the interval that contains each offset, or -1 if there is none.

    The intervals must be sorted and disjoint.
    """
    if not len(starts):
        return np.full(len(places), -1, dtype=np.int64)
    index = np.searchsorted(starts, places, side="right") - 1
    inside = (index >= 0) & (places < ends[np.maximum(index, 0)])
    return np.where(inside, index, -1)


def merge_intervals(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Merge overlapping intervals into sorted, disjoint intervals; adjacent intervals stay separate."""
    if not len(starts):
        return starts, ends
    order = np.lexsort((-ends, starts))
    first, last = starts[order], np.maximum.accumulate(ends[order])
    opens = np.concatenate(([True], first[1:] >= last[:-1]))
    at = np.flatnonzero(opens)
    return first[at], last[np.concatenate((at[1:], [len(first)])) - 1]


def mark_covered(size: int, zone_starts: Ints, zone_ends: Ints) -> Flags:
    """Return a Boolean array of length `size` that is True for each character inside a given span."""
    # +1 where a zone opens, -1 where a zone closes; the running sum is the number of open zones
    edges = np.zeros(size + 1, dtype=np.int32)
    np.add.at(edges, zone_starts, 1)
    np.add.at(edges, zone_ends, -1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)


def join_fragments(owner: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Join adjacent fragments of the same mention, and drop mentions with only one fragment left.

    `owner` is the index of the mention to which each fragment belongs. The result contains the owner, start
    and end of each remaining fragment, sorted by owner and start.
    """
    if not len(owner):
        return owner, start, end
    order = np.lexsort((end, start, owner))
    owner, start, end = owner[order], start[order], end[order]
    # a constant per owner keeps the owners apart, so that one running maximum serves all
    lift = np.cumsum(np.concatenate(([False], owner[1:] != owner[:-1]))) * (int(end.max()) + 2)
    reach = np.maximum.accumulate(end + lift)
    heads = np.flatnonzero(np.concatenate(([True], (start + lift)[1:] > reach[:-1])))
    owner, start, end = owner[heads], start[heads], np.maximum.reduceat(end, heads)
    several = np.bincount(owner)[owner] > 1
    return owner[several], start[several], end[several]


def number_shapes(owner: Ints, start: Ints, end: Ints, hull: Ints) -> Ints:
    """Return a hash of the fragment offsets of each mention, or 0 if the mention is contiguous.

    The offsets are relative to the start of the mention.

    Parameters
    ----------
    owner, start, end : arrays of shape (fragments,)
        Fragments sorted by owner, as returned by `join_fragments`.
    hull : array of shape (mentions,)
        Start of each mention.

    Notes
    -----
    Mentions with equal fragments have equal hashes, even in different tables. Two different sets of fragments
    have the same hash with a probability of about 1e-19.
    """
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    begin = hull[owner]
    for mention, *span in zip(owner.tolist(), (start - begin).tolist(), (end - begin).tolist(), strict=True):
        parts[mention].append((span[0], span[1]))
    numbers = np.zeros(len(hull), dtype=np.int64)
    for mention, spans in parts.items():
        numbers[mention] = (hash(tuple(spans)) & (2**63 - 1)) | 1
    return numbers
