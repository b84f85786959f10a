"""Spans of mentions as arrays: the row of each one's text, where it begins and ends, and whether it fits."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray

from ..catalogues.core.errors import InputError
from ..catalogues.core.text import Ints


def text_rows(texts: pd.DataFrame, text_ids: pd.Series, file: str | PathLike[str] | None = None) -> Ints:
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


def spans_of(
    texts: pd.DataFrame, table: pd.DataFrame, file: str | PathLike[str] | None = None
) -> tuple[Ints, Ints, Ints]:
    """Text row, start and end of each row of a table of spans; see `text_rows`."""
    starts, ends = (table[c].to_numpy(dtype=np.int64) for c in ("start", "end"))
    return text_rows(texts, table["text_id"], file), starts, ends


def span_order(rows: Ints, starts: Ints, ends: Ints, types: ExtensionArray) -> Ints:
    """The order of mentions in a corpus: by text, start, end and type."""
    codes, _ = pd.factorize(types, sort=True)  # type: ignore[call-overload]
    return np.lexsort((codes, ends, starts, rows))


def checked_spans(
    texts: pd.DataFrame, mentions: pd.DataFrame, file: str | PathLike[str] | None = None
) -> tuple[Ints, Ints, Ints]:
    """As `spans_of`; a span that is not inside its text is refused."""
    spans = spans_of(texts, mentions, file)
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
