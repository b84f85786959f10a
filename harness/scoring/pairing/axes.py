"""The axes that mentions are scored on: all texts in a row, so that no text or document is a key any more.

A mention becomes two intervals on two common axes, of code points and of tokens. Mentions of different texts
can share neither, so pairing is one pass over sorted numbers however many texts there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....catalogues.core.arrays import bounds_from_lengths
from ....catalogues.core.errors import InputError
from ....catalogues.core.text import TextColumn
from ....catalogues.core.tokens import find_token_places
from ....sentences.spans import join_fragments, number_shapes
from ..arrays import Codes, Ints

BLOCK_SIZE = 1 << 12
"""Texts whose code points are held at once while the axes are made."""


@dataclass(frozen=True)
class TextAxes:
    """The two axes.

    Attributes
    ----------
    text_ids : Index
        The texts, in the corpus's order.
    texts : Series of str
        Their characters.
    text_starts : array
        Where each text begins on the axis of code points, as in a `TextColumn`: texts are one apart, so that
        not even an empty span at the end of one text meets the next. One longer than `text_ids`.
    token_starts, token_ends : array
        Where the tokens begin and end there.
    """

    text_ids: pd.Index
    texts: pd.Series
    text_starts: Ints
    token_starts: Codes
    token_ends: Codes

    @classmethod
    def from_texts(cls, texts: pd.DataFrame) -> TextAxes:
        """Make the axes of a corpus's texts; tokens are the notions' own."""
        lengths = texts["text"].str.len().to_numpy(dtype=np.int64)
        base = bounds_from_lengths(lengths + 1)
        # there are many tokens: their places are kept as narrow as they can be
        kind = np.int32 if base[-1] <= np.iinfo(np.int32).max else np.int64
        places: tuple[list[Codes], list[Codes]] = [np.zeros(0, kind)], [np.zeros(0, kind)]
        # texts × their code points, a block of texts at a time
        for low in range(0, len(lengths), BLOCK_SIZE):
            found = find_token_places(TextColumn(texts["text"].iloc[low : low + BLOCK_SIZE].tolist()))
            for listed, more in zip(places, found, strict=True):
                listed.append((base[low] + more).astype(kind))
        return cls(pd.Index(texts["text_id"]), texts["text"], base, *map(np.concatenate, places))

    def extract_texts(self, row: Ints, start: Ints, end: Ints) -> list[str]:
        """The characters between two places of the axis of code points, which lie in the text of each row."""
        base = self.text_starts[row]
        # each text once, however many mentions it has
        rows, place = np.unique(row, return_inverse=True)
        texts = self.texts.take(rows).tolist()
        columns = (place, start - base, end - base)
        spans = zip(*(column.tolist() for column in columns), strict=True)
        return [texts[i][a:b] for i, a, b in spans]

    def find_tokens(self, start: Ints, end: Ints) -> tuple[Codes, Codes]:
        """Half-open interval of the tokens that share a code point with each span; empty if the span is."""
        kind = self.token_starts.dtype
        first = np.searchsorted(self.token_ends, start.astype(kind), side="right")
        last = np.searchsorted(self.token_starts, end.astype(kind), side="left")
        # a span without a code point touches nothing, even within a token
        last = np.where(end > start, np.maximum(first, last), first)
        return first.astype(kind), last.astype(kind)

    def find_rows(self, text_id: pd.Series, what: str) -> Ints:
        """Position of each mention's text; a text that the corpus does not have is refused."""
        if not self.text_ids.is_unique:
            twice = self.text_ids[self.text_ids.duplicated()][0]
            raise InputError("a text_id stands for two texts", found=str(twice), allowed="unique text_ids")
        rows = self.text_ids.get_indexer(pd.Index(text_id)).astype(np.int64)
        if len(rows) and rows.min() < 0:
            stranger = text_id.iloc[int(np.argmin(rows))]
            problem = f"a {what} mention lies in a text that the gold does not have"
            raise InputError(problem, found=str(stranger))
        return rows


@dataclass(frozen=True)
class Parts:
    """Parts of mentions as intervals on the axis of code points, sorted by start.

    A contiguous mention is its own only part, so that code which works on parts works on all mentions.
    """

    owner: Ints
    start: Ints
    end: Ints

    def measure_mentions(self, mentions: int) -> Ints:
        """Number of code points of each mention's parts together."""
        return np.bincount(self.owner, self.end - self.start, minlength=mentions).astype(np.int64)


@dataclass(frozen=True)
class Side:
    """The mentions of one side, sorted by (start, end, fragments, type).

    Attributes
    ----------
    axes : Axes
        Those of the texts.
    frame_positions : array
        Position of each mention in the frame it came from.
    row : array
        Position of its text.
    start, end : array
        Its hull on the axis of code points.
    shape_code : array
        0 where the mention is contiguous, else a number that stands for its parts.
    type_code : array
        Its type, as a position in the sorted list of all types.
    parts : Parts
        Its parts; for contiguous mentions, the hull.
    first_token, last_token : array
        Half-open interval of the tokens that each *part* touches; empty where it touches none.
    has_discontinuous : bool
        Whether some mention is discontinuous; if not, parts and mentions are the same.
    """

    axes: TextAxes
    frame_positions: Ints
    row: Ints
    start: Ints
    end: Ints
    shape_code: Codes
    type_code: Codes
    parts: Parts
    first_token: Codes
    last_token: Codes
    has_discontinuous: bool

    def __len__(self) -> int:
        return len(self.row)

    def to_frame_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Numbers of the sorted mentions, put into the order of the frame they came from."""
        back = np.empty_like(values)
        back[self.frame_positions] = values
        return back

    @property
    def size(self) -> Ints:
        """Number of code points of each mention."""
        return self.parts.measure_mentions(len(self)) if self.has_discontinuous else self.end - self.start


def build_side(
    axes: TextAxes,
    mentions: pd.DataFrame,
    types: Sequence[str],
    fragments: pd.DataFrame | None = None,
    side_name: str = "gold",
) -> Side:
    """Put the mentions of one side on the axes.

    Parameters
    ----------
    axes : Axes
        Those of the texts.
    mentions : DataFrame
        `text_id`, `start`, `end`, `type`; `mention_id` too when there are fragments.
    types : sequence of str
        All types, sorted.
    fragments : DataFrame, optional
        `mention_id`, `start`, `end` of discontinuous mentions' parts.
    side_name : str
        The side's name, for errors.
    """
    row = axes.find_rows(mentions["text_id"], side_name)
    starts = mentions["start"].to_numpy(dtype=np.int64)
    ends = mentions["end"].to_numpy(dtype=np.int64)
    _check_spans(axes, mentions, row, starts, ends, side_name)
    shift = axes.text_starts[row]
    start, end = shift + starts, shift + ends
    kind = code_types(mentions["type"], types)
    parts = None if fragments is None else _read_parts(mentions, fragments, shift)
    shape: Codes = (
        np.zeros(len(row), dtype=np.int8)
        if parts is None
        else number_shapes(parts.owner, parts.start, parts.end, start)
    )
    order = np.lexsort((kind, shape, end, start))
    row, start, end, shape, kind = row[order], start[order], end[order], shape[order], kind[order]
    whole = (
        Parts(np.arange(len(row)), start, end) if parts is None else _merge_parts(parts, order, start, end)
    )
    first, last = axes.find_tokens(whole.start, whole.end)
    return Side(axes, order, row, start, end, shape, kind, whole, first, last, parts is not None)


def list_types(*sides: pd.DataFrame) -> list[str]:
    """All types that occur, sorted; a missing one is the empty one."""
    return sorted({"" if pd.isna(kind) else str(kind) for side in sides for kind in side["type"].unique()})


def map_types(mentions: pd.DataFrame, type_map: Mapping[str, str]) -> pd.DataFrame:
    """The same mentions with some types named otherwise."""
    column = mentions["type"].astype("str")
    names = {name: type_map.get(name, name) for name in column.dropna().unique()}
    return mentions.assign(type=column.map(names).astype("str"))


def code_types(column: pd.Series, types: Sequence[str]) -> Codes:
    """Each mention's type as a position in `types`, -1 if it is none; a missing type is the empty one."""
    place = {name: i for i, name in enumerate(types)}
    codes, names = pd.factorize(column, use_na_sentinel=True)
    table = np.array([place.get(str(n), -1) for n in names] + [place.get("", -1)], dtype=np.int32)
    return table[codes]


def _check_spans(
    axes: TextAxes, mentions: pd.DataFrame, row: Ints, start: Ints, end: Ints, what: str
) -> None:
    length = axes.text_starts[row + 1] - axes.text_starts[row] - 1
    wrong = np.flatnonzero((start < 0) | (end < start) | (end > length))
    if len(wrong):
        i = int(wrong[0])
        text = mentions["text_id"].iloc[i]
        raise InputError(
            f"a {what} mention of text {text} lies outside its text",
            found=f"{start[i]}-{end[i]}",
            allowed=f"0-{length[i]}, the end not before the start",
        )


def _read_parts(mentions: pd.DataFrame, fragments: pd.DataFrame, shift: Ints) -> Parts | None:
    """The parts of the discontinuous ones among `mentions`, those that touch joined into one.

    Owners are positions in `mentions`; None when every mention is contiguous.
    """
    owner = pd.Index(mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"])).astype(np.int64)
    here = owner >= 0
    owner = owner[here]
    if not len(owner):
        return None
    start = fragments["start"].to_numpy(dtype=np.int64)[here] + shift[owner]
    end = fragments["end"].to_numpy(dtype=np.int64)[here] + shift[owner]
    parts = Parts(*join_fragments(owner, start, end))
    return parts if len(parts.owner) else None


def _merge_parts(parts: Parts, order: Ints, start: Ints, end: Ints) -> Parts:
    """The parts of all mentions, numbered in sorted order: `start` and `end` are the sorted hulls."""
    place = np.empty(len(start), dtype=np.int64)
    place[order] = np.arange(len(start))
    broken = place[parts.owner]
    whole = np.ones(len(start), dtype=bool)
    whole[broken] = False
    contiguous = np.flatnonzero(whole)
    owner = np.concatenate((contiguous, broken))
    starts = np.concatenate((start[contiguous], parts.start))
    ends = np.concatenate((end[contiguous], parts.end))
    by_start = np.lexsort((owner, ends, starts))
    return Parts(owner[by_start], starts[by_start], ends[by_start])
