"""Put what a reader found together as a corpus: checked, sorted, with the right column types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.extensions import ExtensionArray

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import Unit
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import Ints, TextColumn, remove_white_space
from ..corpus import Corpus
from ..spans import check_spans, sort_order
from .records import MentionRecords


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


def make_string_column(values: Any) -> ExtensionArray:
    """A `str` column."""
    column: ExtensionArray = pd.array(values, dtype="str")
    return column


def assemble_corpus(
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
            "document_id": make_string_column(
                [""] * count if draft.document_ids is None else draft.document_ids
            ),
            "text": make_string_column(draft.texts),
            **draft.text_columns,
        }
    )
    rows, starts, ends = (np.asarray(c, dtype=np.int64) for c in (draft.rows, draft.starts, draft.ends))
    lengths = np.array([len(text) for text in draft.texts], dtype=np.int64)
    check_spans(rows, starts, ends, lengths, file, draft.lines)
    types = make_string_column(draft.types)
    order = sort_order(rows, starts, ends, types)
    new = np.empty(len(order), dtype=np.int64)
    new[order] = np.arange(len(order))
    taken = rows[order]
    mentions = pd.DataFrame(
        {
            "mention_id": np.arange(len(order), dtype=np.int64),
            "text_id": texts["text_id"].array.take(taken),
            "side": make_string_column([side] * len(order))
            if draft.sides is None
            else make_string_column(draft.sides).take(order),
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
        fragments=_fragments(draft, rows, lengths, new, file) if draft.fragments else None,
        alternatives=_alternatives(draft.alternatives, texts, lengths, file) if draft.alternatives else None,
        normalisations=_normalisations(draft.normalisations, new) if draft.normalisations else None,
        relations=_relations(draft.relations, texts, new) if draft.relations else None,
        equivalences=_equivalences(draft.equivalences, new) if draft.equivalences else None,
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
) -> pd.DataFrame:
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
    columns: tuple[ArrayLike, ArrayLike, ArrayLike, Sequence[str]],
    texts: pd.DataFrame,
    lengths: Ints,
    file: str | PathLike[str] | None,
) -> pd.DataFrame:
    rows, starts, ends = (np.asarray(c, dtype=np.int64) for c in columns[:3])
    check_spans(rows, starts, ends, lengths, file)
    types = make_string_column(columns[3])
    order = sort_order(rows, starts, ends, types)
    return pd.DataFrame(
        {
            "text_id": texts["text_id"].array.take(rows[order]),
            "start": starts[order],
            "end": ends[order],
            "type": types.take(order),
        }
    )


def _normalisations(rows: list[tuple[int, str, str]], new: Ints) -> pd.DataFrame:
    places, authorities, identifiers = zip(*rows, strict=True)
    frame = pd.DataFrame(
        {
            "mention_id": new[list(places)],
            "authority": make_string_column(authorities),
            "identifier": make_string_column(identifiers),
        }
    )
    return frame.sort_values(["mention_id", "authority", "identifier"], kind="stable", ignore_index=True)


def _relations(
    found: list[tuple[int, int, str, str, int, int]], texts: pd.DataFrame, new: Ints
) -> pd.DataFrame:
    numbers, rows, types, roles, places, arguments = zip(*found, strict=True)
    place = np.array(places, dtype=np.int64)
    frame = pd.DataFrame(
        {
            "relation_id": np.array(numbers, dtype=np.int64),
            "text_id": texts["text_id"].take(list(rows)).reset_index(drop=True),
            "type": make_string_column(types),
            "role": make_string_column(roles),
            "mention_id": np.where(place < 0, -1, new[place]),
        }
    )
    argument = np.array(arguments, dtype=np.int64)
    if (argument >= 0).any():
        # an argument that is itself a relation (an event of an event) has no mention of its own
        frame["argument_id"] = argument
    return frame.sort_values("relation_id", kind="stable", ignore_index=True)


def _equivalences(rows: list[tuple[int, int]], new: Ints) -> pd.DataFrame:
    table = np.array(rows, dtype=np.int64)
    frame = pd.DataFrame({"equivalence_id": table[:, 0], "mention_id": new[table[:, 1]]})
    return frame.sort_values(["equivalence_id", "mention_id"], kind="stable", ignore_index=True)


class _UnitFit(NamedTuple):
    """Offsets read in one unit.

    Attributes
    ----------
    unit : Unit
    start, end : arrays (fragments,)
        Spans in code points; start is negative outside the text.
    limit : array (fragments,)
        Length of each fragment's text in the unit.
    forms : list of str
        What stands at each mention's fragments.
    different : list of int
        Mentions whose recorded text stands elsewhere, white space apart.
    unfit_count : int
        Mentions that the unit does not suit: those, and those outside their text.
    """

    unit: Unit
    start: Ints
    end: Ints
    limit: Ints
    forms: list[str]
    different: list[int]
    unfit_count: int


def place_mentions(
    draft: Draft,
    records: MentionRecords,
    rows: Sequence[int],
    units: Sequence[Unit],
    *,
    check: bool,
    base: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    files: Sequence[str | PathLike[str] | None] | None = None,
) -> Unit:
    """Put the places of mentions into a draft, by the unit that suits most of them (of several, the first).

    Parameters
    ----------
    draft : Draft
        With its texts; gets `rows`, `starts`, `ends`, `lines` and `fragments`.
    records : Records
        The mentions.
    rows : sequence of int
        The text that each stands in.
    units : sequence of Unit
        Those that offsets may count.
    check : bool
        Whether recorded texts must be those at the offsets, white space apart.
    base : sequence of int, optional
        The offset at which each mention's text begins; 0 without it.
    names, files : sequences, optional
        What messages call each mention, and its file; that of `records` without it.

    Raises
    ------
    InputError
        With file and line.
    """
    # one entry a fragment: its mention, that one's text, its offsets in the file, (fragments, 2)
    spans = records.spans()
    owner = np.repeat(np.arange(len(spans)), [len(s) for s in spans])
    flat = np.array([pair for s in spans for pair in s], dtype=np.int64).reshape(-1, 2)
    text = np.array(rows, dtype=np.int64)[owner]
    begin = np.zeros_like(text) if base is None else np.array(base, dtype=np.int64)[owner]
    points = TextColumn(draft.texts)
    fits = (_fit_unit(records, points, owner, text, flat - begin[:, None], unit) for unit in units)
    best = min(fits, key=lambda fit: fit.unfit_count)

    def wrong(mention: int, problem: str, found: str | None, allowed: str) -> InputError:
        named = problem if names is None else f"{problem} (annotation {names[mention]!r})"
        file = records.file if files is None else files[mention]
        return InputError(named, file=file, line=records.line[mention], found=found, allowed=allowed)

    outside = np.flatnonzero(best.start < 0)
    if len(outside):
        i = int(outside[0])
        (start, end), low = flat[i].tolist(), int(begin[i])
        problem = "an offset outside the text" if end > start else "an empty mention"
        allowed = f"{low} <= start < end <= {low + int(best.limit[i])}"
        raise wrong(int(owner[i]), problem, f"{start} to {end}, in {best.unit}", allowed)
    if best.different and check:
        k = best.different[0]
        problem = f"the recorded text is not what stands at its offsets ({len(best.different)} such mentions)"
        raise wrong(k, problem, records.text[k], f"{best.forms[k]!r}, or option check=no")
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    draft.rows, draft.starts = rows, best.start[first]
    draft.ends = np.maximum.reduceat(best.end, first) if len(first) else best.end
    draft.lines = [line or 0 for line in records.line] if any(records.line) else None
    several = np.bincount(owner)[owner] > 1
    columns = (column[several].tolist() for column in (owner, best.start, best.end))
    draft.fragments = list(zip(*columns, strict=True))
    return best.unit


def _fit_unit(
    records: MentionRecords, points: TextColumn, owner: Ints, text: Ints, offsets: Ints, unit: Unit
) -> _UnitFit:
    """Read offsets within texts, (fragments, 2), in one unit."""
    units = OffsetMap(points, unit)
    start, end = units.from_unit(text, offsets[:, 0]), units.from_unit(text, offsets[:, 1])
    good = (start >= 0) & (end > start)
    start = np.where(good, start, -1)
    forms = [""] * len(records)
    for k, form in zip(owner[good].tolist(), points.slices(text[good], start[good], end[good]), strict=True):
        forms[k] += form
    pairs = enumerate(zip(records.text, forms, strict=True))
    unlike = [
        k
        for k, (said, form) in pairs
        if said is not None and remove_white_space(said) != remove_white_space(form)
    ]
    wrong = len({*owner[~good].tolist(), *unlike})
    return _UnitFit(unit, start, end, units.lengths[text], forms, unlike, wrong)
