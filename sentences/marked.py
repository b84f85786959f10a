"""Texts with their mentions marked, as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from .zones import merge

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""Texts that a notebook shows of a corpus."""


def marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Escape a text and put its spans into ``<mark>``; of overlapping spans the longest hull.

    Examples
    --------
    >>> marked("a<b p53", [(4, 7)])
    'a&lt;b <mark>p53</mark>'
    """
    parts: list[str] = []
    at = 0
    edges = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    for start, end in zip(*(edge.tolist() for edge in merge(edges[:, 0], edges[:, 1])), strict=True):
        parts += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
        at = end
    return "".join([*parts, escape(text[at:])])


def marked_texts(name: str, all_texts: pd.DataFrame, mentions: pd.DataFrame) -> str:
    """A corpus's name and size, and its first texts with the mentions marked."""
    texts = all_texts.head(SHOWN)
    chosen = mentions[mentions["text_id"].isin(texts["text_id"])]
    spans: dict[object, list[tuple[int, int]]] = {}
    for text_id, start, end in zip(chosen["text_id"], chosen["start"], chosen["end"], strict=True):
        spans.setdefault(text_id, []).append((int(start), int(end)))
    rows = "".join(
        f"<tr><td>{escape(str(text_id))}</td>"
        f"<td style='text-align:left'>{marked(text, spans.get(text_id, ()))}</td></tr>"
        for text_id, text in zip(texts["text_id"], texts["text"], strict=True)
    )
    size = f"{len(all_texts):,} texts, {len(mentions):,} mentions"
    more = "" if len(texts) == len(all_texts) else f" (the first {len(texts)} are shown)"
    return f"<p><b>{escape(name)}</b>: {size}{more}</p><table>{rows}</table>"
