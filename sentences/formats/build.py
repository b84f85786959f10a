"""Put what a reader found together as a corpus: checked, sorted, with the right column types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.extensions import ExtensionArray

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import Ints
from ..corpus import Corpus
from ..spans import check_spans, span_order


@dataclass
class Draft:
    """A corpus being read: parallel columns, with lists or arrays as the reader has them.

    Attributes
    ----------
    text_ids, texts : sequences
        One entry a text.
    document_ids : sequence or None
        None: every text has the empty document id.
    rows, starts, ends, types : sequences
        One entry a mention: position of its text, half-open span in code points, type.
    lines : sequence or None
        Line of the file that each mention stands on, for messages.
    fragments : list of (mention position, start, end)
    alternatives : list or tuple of columns (rows, starts, ends, types)
    normalisations : list of (mention position, authority, identifier)
    relations : list of (relation number, row, type, role, mention position, argument relation number)
        An argument is a mention (relation number -1) or a relation (mention position -1).
    equivalences : list of (equivalence number, mention position)
    """

    text_ids: Sequence[Any]
    texts: Sequence[str]
    document_ids: Sequence[str] | None = None
    rows: ArrayLike = ()
    starts: ArrayLike = ()
    ends: ArrayLike = ()
    types: Sequence[str] | NDArray[Any] = ()
    scores: ArrayLike | None = None
    sides: Sequence[str] | None = None
    lines: Sequence[int] | NDArray[Any] | None = None
    text_columns: Mapping[str, Any] = field(default_factory=dict)
    mention_columns: Mapping[str, Any] = field(default_factory=dict)
    fragments: list[tuple[int, int, int]] = field(default_factory=list)
    alternatives: tuple[ArrayLike, ArrayLike, ArrayLike, Sequence[str]] | None = None
    normalisations: list[tuple[int, str, str]] = field(default_factory=list)
    relations: list[tuple[int, int, str, str, int, int]] = field(default_factory=list)
    equivalences: list[tuple[int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _integers(values: Any) -> Ints:
    return np.asarray(values, dtype=np.int64)


def strings(values: Any) -> ExtensionArray:
    """A `str` column."""
    column: ExtensionArray = pd.array(values, dtype="str")
    return column


def assemble(
    draft: Draft,
    *,
    name: str,
    digest: str,
    side: str = "gold",
    file: str | PathLike[str] | None = None,
) -> Corpus:
    """Check a draft and make the corpus of it; see `Corpus` for order and types of the columns."""
    count = len(draft.texts)
    texts = pd.DataFrame(
        {
            "text_id": _id_column(draft.text_ids, file),
            "document_id": strings([""] * count if draft.document_ids is None else draft.document_ids),
            "text": strings(draft.texts),
            **draft.text_columns,
        }
    )
    rows, starts, ends = (_integers(c) for c in (draft.rows, draft.starts, draft.ends))
    lengths = _integers([len(text) for text in draft.texts])
    check_spans(rows, starts, ends, lengths, file, draft.lines)
    types = strings(draft.types)
    order = span_order(rows, starts, ends, types)
    new = np.empty(len(order), dtype=np.int64)
    new[order] = np.arange(len(order))
    taken = rows[order]
    mentions = pd.DataFrame(
        {
            "mention_id": np.arange(len(order), dtype=np.int64),
            "text_id": texts["text_id"].array.take(taken),
            "side": strings([side] * len(order)) if draft.sides is None else strings(draft.sides).take(order),
            "start": starts[order],
            "end": ends[order],
            "type": types.take(order),
            "score": np.full(len(order), np.nan)
            if draft.scores is None
            else np.asarray(draft.scores, dtype=np.float64)[order],
        }
    )
    for column, values in draft.mention_columns.items():
        mentions[column] = pd.Series(values).array.take(order)
    return Corpus(
        name=name,
        texts=texts,
        mentions=mentions,
        fragments=_fragments(draft, rows, lengths, new, file),
        alternatives=_alternatives(draft, texts, lengths, file),
        normalisations=_normalisations(draft, new),
        relations=_relations(draft, texts, new),
        equivalences=_equivalences(draft, new),
        digest=digest,
        notes=tuple(draft.notes),
    )


def _id_column(ids: Sequence[Any], file: str | PathLike[str] | None) -> ExtensionArray:
    """Ids as int64 when all are integers, else as `str`; one that occurs twice is refused."""
    index = pd.Index(ids)
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        place = int(np.flatnonzero(index == twice)[1])
        raise InputError(
            f"the text id occurs twice (second time as number {place + 1})", file=file, found=twice
        )
    column: ExtensionArray = index.astype("int64" if index.dtype.kind in "iu" else "str").array
    return column


def _fragments(
    draft: Draft, rows: Ints, lengths: Ints, new: Ints, file: str | PathLike[str] | None
) -> pd.DataFrame | None:
    if not draft.fragments:
        return None
    table = np.array(draft.fragments, dtype=np.int64)
    lines = None if draft.lines is None else np.asarray(draft.lines)[table[:, 0]]
    check_spans(rows[table[:, 0]], table[:, 1], table[:, 2], lengths, file, lines)
    frame = pd.DataFrame({"mention_id": new[table[:, 0]], "start": table[:, 1], "end": table[:, 2]})
    frame = frame.sort_values(["mention_id", "start", "end"], kind="stable", ignore_index=True)
    same = frame["mention_id"].to_numpy()[1:] == frame["mention_id"].to_numpy()[:-1]
    clash = same & (frame["start"].to_numpy()[1:] < frame["end"].to_numpy()[:-1])
    if clash.any():
        i = int(np.argmax(clash))
        found = "; ".join(
            f"{a} to {b}" for a, b in zip(frame["start"][i : i + 2], frame["end"][i : i + 2], strict=True)
        )
        raise InputError(
            "fragments of one mention overlap", file=file, found=found, allowed="fragments in order"
        )
    return frame


def _alternatives(
    draft: Draft, texts: pd.DataFrame, lengths: Ints, file: str | PathLike[str] | None
) -> pd.DataFrame | None:
    if draft.alternatives is None:
        return None
    rows, starts, ends = (_integers(c) for c in draft.alternatives[:3])
    check_spans(rows, starts, ends, lengths, file)
    types = strings(draft.alternatives[3])
    order = span_order(rows, starts, ends, types)
    return pd.DataFrame(
        {
            "text_id": texts["text_id"].array.take(rows[order]),
            "start": starts[order],
            "end": ends[order],
            "type": types.take(order),
        }
    )


def _normalisations(draft: Draft, new: Ints) -> pd.DataFrame | None:
    if not draft.normalisations:
        return None
    places, authorities, identifiers = zip(*draft.normalisations, strict=True)
    frame = pd.DataFrame(
        {
            "mention_id": new[list(places)],
            "authority": strings(authorities),
            "identifier": strings(identifiers),
        }
    )
    return frame.sort_values(["mention_id", "authority", "identifier"], kind="stable", ignore_index=True)


def _relations(draft: Draft, texts: pd.DataFrame, new: Ints) -> pd.DataFrame | None:
    if not draft.relations:
        return None
    numbers, rows, types, roles, places, arguments = zip(*draft.relations, strict=True)
    place = np.array(places, dtype=np.int64)
    frame = pd.DataFrame(
        {
            "relation_id": np.array(numbers, dtype=np.int64),
            "text_id": texts["text_id"].take(list(rows)).reset_index(drop=True),
            "type": strings(types),
            "role": strings(roles),
            "mention_id": np.where(place < 0, -1, new[place]),
        }
    )
    argument = np.array(arguments, dtype=np.int64)
    if (argument >= 0).any():
        # an argument that is itself a relation (an event of an event) has no mention of its own
        frame["argument_id"] = argument
    return frame.sort_values("relation_id", kind="stable", ignore_index=True)


def _equivalences(draft: Draft, new: Ints) -> pd.DataFrame | None:
    if not draft.equivalences:
        return None
    table = np.array(draft.equivalences, dtype=np.int64)
    frame = pd.DataFrame({"equivalence_id": table[:, 0], "mention_id": new[table[:, 1]]})
    return frame.sort_values(["equivalence_id", "mention_id"], kind="stable", ignore_index=True)
