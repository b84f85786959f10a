"""Spans of mentions as arrays: in texts, as zones where they overlap, and as fragments."""

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


def find_text_rows(texts: pd.DataFrame, text_ids: pd.Series, file: str | PathLike[str] | None = None) -> Ints:
    """The row in `texts` of each id.

    Raises
    ------
    InputError
        When an id is not among those of the texts.
    """
    rows: Ints = pd.Index(texts["text_id"]).get_indexer(pd.Index(text_ids)).astype(np.int64)
    if len(rows) and rows.min() < 0:
        unknown = text_ids.iloc[int(np.argmin(rows))]
        raise InputError("a mention of an unknown text: a text that is not there", file=file, found=unknown)
    return rows


def locate_spans(
    texts: pd.DataFrame, table: pd.DataFrame, file: str | PathLike[str] | None = None
) -> tuple[Ints, Ints, Ints]:
    """Text row, start and end of each row of a table of spans; see `find_text_rows`."""
    starts, ends = (table[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    return find_text_rows(texts, table["text_id"], file), starts, ends


def sort_order(rows: Ints, starts: Ints, ends: Ints, types: ExtensionArray) -> Ints:
    """The order of mentions in a corpus: by text, start, end and type."""
    codes, _ = pd.factorize(types, sort=True)  # type: ignore[call-overload]
    return np.lexsort((codes, ends, starts, rows))


def locate_checked_spans(
    texts: pd.DataFrame, mentions: pd.DataFrame, file: str | PathLike[str] | None = None
) -> tuple[Ints, Ints, Ints]:
    """As `locate_spans`; a span that is not inside its text is refused."""
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
    """Refuse a span that is empty, turned round or not inside its text.

    Parameters
    ----------
    rows, starts, ends : arrays (spans,)
        The text of each span, and its edges.
    lengths : array (texts,)
        Characters of each text.
    file : path or None
        For messages.
    lines : sequence of int, optional
        The line of each span in the file; without it messages have its number.
    """
    limit = lengths[rows]
    bad = (starts < 0) | (ends <= starts) | (ends > limit)
    if bad.any():
        i = int(np.argmax(bad))
        empty = starts[i] >= 0 and ends[i] <= starts[i]
        span = f"{starts[i]} to {ends[i]}"
        raise InputError(
            "an empty mention" if empty else "an offset outside the text: the span is not within its text",
            file=file,
            line=None if lines is None else int(lines[i]),
            found=span if lines is not None else f"{span} (mention number {i + 1})",
            allowed=f"0 <= start < end <= {limit[i]}, within the text's characters",
        )


def find_containing(starts: Ints, ends: Ints, places: Ints) -> Ints:
    """For each place, the index of the interval that holds it, or -1; intervals are sorted and disjoint."""
    if not len(starts):
        return np.full(len(places), -1, dtype=np.int64)
    index = np.searchsorted(starts, places, side="right") - 1
    held = (index >= 0) & (places < ends[np.maximum(index, 0)])
    return np.where(held, index, -1)


def merge_intervals(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Unite intervals that overlap (those that only touch stay apart) into sorted, disjoint zones."""
    if not len(starts):
        return starts, ends
    order = np.lexsort((-ends, starts))
    first, last = starts[order], np.maximum.accumulate(ends[order])
    opens = np.concatenate(([True], first[1:] >= last[:-1]))
    at = np.flatnonzero(opens)
    return first[at], last[np.concatenate((at[1:], [len(first)])) - 1]


def mark_covered(size: int, zone_starts: Ints, zone_ends: Ints) -> Flags:
    """Which of so many characters lie in a zone."""
    # +1 where a zone opens, -1 where one closes: the running sum is the number of zones open at each place
    edges = np.zeros(size + 1, dtype=np.int32)
    np.add.at(edges, zone_starts, 1)
    np.add.at(edges, zone_ends, -1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)


def join_fragments(owner: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Owner, start and end of fragments, those of one owner that touch joined, sorted by owner and start.

    Owners of which one fragment alone is left are contiguous, and left out.
    """
    if not len(owner):
        return owner, start, end
    order = np.lexsort((end, start, owner))
    owner, start, end = owner[order], start[order], end[order]
    # a running maximum over all owners at once: each owner is lifted above the one before
    lift = np.cumsum(np.concatenate(([False], owner[1:] != owner[:-1]))) * (int(end.max()) + 2)
    reach = np.maximum.accumulate(end + lift)
    heads = np.flatnonzero(np.concatenate(([True], (start + lift)[1:] > reach[:-1])))
    owner, start, end = owner[heads], start[heads], np.maximum.reduceat(end, heads)
    several = np.bincount(owner)[owner] > 1
    return owner[several], start[several], end[several]


def number_shapes(owner: Ints, start: Ints, end: Ints, hull: Ints) -> Ints:
    """A number for each mention's exact set of fragments, relative to its start: 0 where it is contiguous.

    Fragments are sorted by owner, as `joined` gives them; `hull` has each mention's start. The number depends
    on the fragments alone, so that two tables number alike: it is a hash (two different shapes of one hull
    share it with a probability of about 1e-19).
    """
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    begin = hull[owner]
    for mention, *span in zip(owner.tolist(), (start - begin).tolist(), (end - begin).tolist(), strict=True):
        parts[mention].append((span[0], span[1]))
    numbers = np.zeros(len(hull), dtype=np.int64)
    for mention, spans in parts.items():
        numbers[mention] = (hash(tuple(spans)) & (2**63 - 1)) | 1
    return numbers
