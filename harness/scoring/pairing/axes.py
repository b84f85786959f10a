"""Positions of mentions in the concatenated texts of a corpus, counted in code points and in tokens.

The positions form two axes, and each mention is an interval on both. Mentions in different texts never
overlap on these axes, so that all pairs are found in one pass over the corpus.
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
"""Number of texts that are tokenised together, to limit the use of memory."""


@dataclass(frozen=True)
class TextAxes:
    """Positions of the texts and tokens of a corpus in the concatenation of all texts.

    Attributes
    ----------
    text_ids : Index
        Identifiers of the texts, in the order of the corpus.
    text_starts : array
        Start of each text in code points, and the end of the last text. There is a gap of one code point
        between texts, so that an empty span at the end of a text does not touch the next text.
    token_starts, token_ends : array
        Start and end of each token in code points.
    """

    text_ids: pd.Index
    text_starts: Ints
    token_starts: Codes
    token_ends: Codes

    @classmethod
    def from_texts(cls, texts: pd.DataFrame) -> TextAxes:
        """Compute the positions of the texts and tokens of a corpus."""
        lengths = texts["text"].str.len().to_numpy(dtype=np.int64)
        base = bounds_from_lengths(lengths + 1)
        # there are many tokens, so the narrowest type is used
        kind = np.int32 if base[-1] <= np.iinfo(np.int32).max else np.int64
        places: tuple[list[Codes], list[Codes]] = [np.zeros(0, kind)], [np.zeros(0, kind)]
        # one block of texts after another
        for low in range(0, len(lengths), BLOCK_SIZE):
            found = find_token_places(TextColumn(texts["text"].iloc[low : low + BLOCK_SIZE].tolist()))
            for listed, more in zip(places, found, strict=True):
                listed.append((base[low] + more).astype(kind))
        return cls(pd.Index(texts["text_id"]), base, *map(np.concatenate, places))

    def find_tokens(self, start: Ints, end: Ints) -> tuple[Codes, Codes]:
        """Return the half-open interval of tokens that share a code point with each span."""
        kind = self.token_starts.dtype
        first = np.searchsorted(self.token_ends, start.astype(kind), side="right")
        last = np.searchsorted(self.token_starts, end.astype(kind), side="left")
        # an empty span touches no token, even inside a token
        last = np.where(end > start, np.maximum(first, last), first)
        return first.astype(kind), last.astype(kind)

    def find_rows(self, text_id: pd.Series, side_name: str) -> Ints:
        """Return the position of each mention's text; raise InputError for an unknown text."""
        if not self.text_ids.is_unique:
            twice = self.text_ids[self.text_ids.duplicated()][0]
            raise InputError("duplicate text_id in the gold corpus", found=str(twice))
        rows = self.text_ids.get_indexer(pd.Index(text_id)).astype(np.int64)
        if len(rows) and rows.min() < 0:
            unknown = text_id.iloc[int(np.argmin(rows))]
            problem = f"a {side_name} mention is in a text that is not in the gold corpus"
            raise InputError(problem, found=str(unknown))
        return rows


@dataclass(frozen=True)
class Parts:
    """Contiguous parts of mentions as intervals of code points in the concatenated texts, sorted by start.

    `owner` is the position of the mention to which a part belongs. A contiguous mention has one part, which
    is the whole mention.
    """

    owner: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True)
class Side:
    """All gold mentions or all predicted mentions (one side of a comparison), sorted by position and type.

    Attributes
    ----------
    axes : TextAxes
        Positions of the texts and their tokens.
    frame_positions : array
        Position of each mention in the data frame from which it was read.
    row : array
        Position of each mention's text in the corpus.
    start, end : array
        Start of the first part and end of the last part, in code points of the concatenated texts.
    shape_code : array
        0 for a contiguous mention; for other mentions, a number that identifies the arrangement of parts.
    type_code : array
        Type of each mention, as a position in the sorted list of all types.
    parts : Parts
        Parts of all mentions.
    first_token, last_token : array
        First token that each *part* touches, and the token that follows the last touched token.
    has_discontinuous : bool
        Whether any mention is discontinuous; if not, parts and mentions are the same.
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
        """Reorder an array with one value per sorted mention to the original order of the mentions."""
        back = np.empty_like(values)
        back[self.frame_positions] = values
        return back

    @property
    def size(self) -> Ints:
        """Number of code points of each mention."""
        lengths = self.parts.end - self.parts.start
        return np.bincount(self.parts.owner, lengths, minlength=len(self)).astype(np.int64)


def build_side(
    axes: TextAxes,
    mentions: pd.DataFrame,
    types: Sequence[str],
    fragments: pd.DataFrame | None = None,
    side_name: str = "gold",
) -> Side:
    """Return the mentions of one side with their positions in the concatenated texts.

    Parameters
    ----------
    axes : TextAxes
        Positions of the texts and their tokens.
    mentions : DataFrame
        Columns `text_id`, `start`, `end`, `type`; also `mention_id` if there are fragments.
    types : sequence of str
        All types, sorted.
    fragments : DataFrame, optional
        Parts of discontinuous mentions, with the columns `mention_id`, `start`, `end`.
    side_name : str
        Name of the side in error messages.
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
    all_parts = (
        Parts(np.arange(len(row)), start, end) if parts is None else _merge_parts(parts, order, start, end)
    )
    first, last = axes.find_tokens(all_parts.start, all_parts.end)
    return Side(axes, order, row, start, end, shape, kind, all_parts, first, last, parts is not None)


def list_types(*sides: pd.DataFrame) -> list[str]:
    """Return the sorted types of all given mentions; a missing type counts as the empty string."""
    return sorted({"" if pd.isna(kind) else str(kind) for side in sides for kind in side["type"].unique()})


def map_types(mentions: pd.DataFrame, type_map: Mapping[str, str]) -> pd.DataFrame:
    """Return mentions with types renamed according to `type_map`."""
    column = mentions["type"].astype("str")
    names = {name: type_map.get(name, name) for name in column.dropna().unique()}
    return mentions.assign(type=column.map(names).astype("str"))


def code_types(column: pd.Series, types: Sequence[str]) -> Codes:
    """Return the position of each type in `types`, or -1 if it is unknown; a missing type counts as ""."""
    place = {name: i for i, name in enumerate(types)}
    codes, names = pd.factorize(column, use_na_sentinel=True)
    table = np.array([place.get(str(n), -1) for n in names] + [place.get("", -1)], dtype=np.int32)
    return table[codes]


def _check_spans(
    axes: TextAxes, mentions: pd.DataFrame, row: Ints, start: Ints, end: Ints, side_name: str
) -> None:
    length = axes.text_starts[row + 1] - axes.text_starts[row] - 1
    wrong = np.flatnonzero((start < 0) | (end < start) | (end > length))
    if len(wrong):
        i = int(wrong[0])
        text = mentions["text_id"].iloc[i]
        raise InputError(
            f"invalid span of a {side_name} mention in text {text}",
            found=f"{start[i]}-{end[i]}",
            allowed=f"0 <= start <= end <= {length[i]}",
        )


def _read_parts(mentions: pd.DataFrame, fragments: pd.DataFrame, shift: Ints) -> Parts | None:
    """Return the parts of discontinuous mentions, or None if there are no such mentions.

    Adjacent parts are joined. `owner` contains positions in `mentions`.
    """
    owner = pd.Index(mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"])).astype(np.int64)
    is_listed = owner >= 0
    owner = owner[is_listed]
    if not len(owner):
        return None
    start = fragments["start"].to_numpy(dtype=np.int64)[is_listed] + shift[owner]
    end = fragments["end"].to_numpy(dtype=np.int64)[is_listed] + shift[owner]
    parts = Parts(*join_fragments(owner, start, end))
    return parts if len(parts.owner) else None


def _merge_parts(parts: Parts, order: Ints, start: Ints, end: Ints) -> Parts:
    """Return the parts of all mentions, given the `parts` of the discontinuous ones.

    `order`, `start` and `end` describe all mentions in sorted order.
    """
    place = np.empty(len(start), dtype=np.int64)
    place[order] = np.arange(len(start))
    discontinuous = place[parts.owner]
    is_contiguous = np.ones(len(start), dtype=bool)
    is_contiguous[discontinuous] = False
    contiguous = np.flatnonzero(is_contiguous)
    owner = np.concatenate((contiguous, discontinuous))
    starts = np.concatenate((start[contiguous], parts.start))
    ends = np.concatenate((end[contiguous], parts.end))
    by_start = np.lexsort((owner, ends, starts))
    return Parts(owner[by_start], starts[by_start], ends[by_start])
