"""Construction of a corpus from the columns that a reader has collected.

The columns are checked, sorted and converted to their types.
"""

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
from ..identifiers import IDENTIFIER_COLUMNS
from ..spans import check_spans, sort_order
from .records import MentionRecords


@dataclass
class Draft:
    """Columns of a corpus that is being read.

    Attributes
    ----------
    text_ids, texts : sequences
        Id and content of each text.
    document_ids : sequence or None
        Document id of each text; None if all are empty.
    rows, starts, ends, types : sequences
        Index of the text, half-open span in characters, and type of each mention.
    lines : sequence or None
        Line number of each mention in the file, for messages.
    fragments : list of (mention, start, end)
        Fragments of discontinuous mentions. Here and below, `mention` is the index of a mention.
    alternatives : (rows, starts, ends, types) or None
        Alternative spans that are also correct for gold mentions.
    normalisations : list of (mention, authority, identifier)
        Database identifiers.
    relations : list of (relation, row, type, role, mention, argument)
        Arguments of relations. If an argument is a mention, `argument` is -1. If it is another relation,
        `argument` is the number of that relation, and `mention` is -1.
    equivalences : list of (equivalence number, mention)
        Members of sets of equivalent mentions.
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
    """Return values as a pandas array of type `str`."""
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
    """Check a draft and convert it to a corpus.

    Parameters
    ----------
    draft : Draft
        Columns of the corpus.
    name, digest : str
        Name and checksum of the corpus.
    side : {"gold", "predicted"}
        Side of all mentions if the draft has no `sides`.
    file : path, optional
        File that was read, for messages.

    Raises
    ------
    InputError
        If an id is repeated, or a mention lies outside its text.
    """
    texts = pd.DataFrame(
        {
            "text_id": _id_column(draft.text_ids, file),
            "document_id": make_string_column(draft.document_ids or [""] * len(draft.texts)),
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
    scores = np.full(len(order), np.nan) if draft.scores is None else draft.scores
    mentions = pd.DataFrame(
        {
            "mention_id": np.arange(len(order), dtype=np.int64),
            "text_id": texts["text_id"].array.take(rows[order]),
            "side": make_string_column(draft.sides or [side] * len(order)).take(order),
            "start": starts[order],
            "end": ends[order],
            "type": types.take(order),
            "score": np.asarray(scores, dtype=np.float64)[order],
        }
    )
    for column, values in draft.mention_columns.items():
        typed = convert_to_feature_type(column, pd.Series(values))
        if typed is None:
            draft.notes.append(
                f"{name}: {column} is ignored, because its values are not valid for the feature"
            )
        else:
            mentions[column] = typed.array.take(order)
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


def convert_to_feature_type(column: str, values: pd.Series) -> pd.Series | None:
    """Convert a column of strings, as stored in some formats, to the type of the feature of the same name.

    The column is returned unchanged if there is no such feature, or if the feature is neither Boolean nor an
    integer. The result is None if a value cannot be converted.
    """
    from ...catalogues.taxonomy import taxonomy

    feature = taxonomy().by_column.get(column)
    if feature is None or feature.kind not in ("boolean", "integer") or values.dtype != "str":
        return values
    given = values[values.notna() & (values != "")]
    if feature.kind == "integer":
        found = pd.to_numeric(given, errors="coerce").reindex(values.index)
        return None if given.size and not given.str.fullmatch(r"\d{1,9}").all() else found.astype("Int32")
    truth = given.str.lower().map({"true": True, "false": False})
    return None if truth.isna().any() else truth.reindex(values.index).astype("boolean")


def _id_column(ids: Sequence[Any], file: str | PathLike[str] | None) -> ExtensionArray:
    """Return ids as int64 if all are integers, otherwise as `str`; raise InputError if an id is repeated."""
    index = pd.Index(ids)
    if not index.is_unique:
        repeated = index[index.duplicated()][0]
        place = int(np.flatnonzero(index == repeated)[1])
        problem = f"duplicate text id (repeated by text number {place + 1})"
        raise InputError(problem, file=file, found=repeated)
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
            "fragments of a mention overlap", file=file, found=found, allowed="separate fragments"
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
    frame = pd.DataFrame(rows, columns=IDENTIFIER_COLUMNS)
    frame["mention_id"] = new[frame["mention_id"]]
    return frame.sort_values(IDENTIFIER_COLUMNS, kind="stable", ignore_index=True)


def _relations(
    found: list[tuple[int, int, str, str, int, int]], texts: pd.DataFrame, new: Ints
) -> pd.DataFrame:
    columns = ["relation_id", "text_id", "type", "role", "mention_id", "argument_id"]
    frame = pd.DataFrame(found, columns=columns)
    frame["text_id"] = texts["text_id"].array.take(frame["text_id"])
    frame["mention_id"] = np.where(frame["mention_id"] < 0, -1, new[frame["mention_id"]])
    # an argument can be another relation (an event in an event) instead of a mention
    if (frame["argument_id"] < 0).all():
        frame = frame.drop(columns="argument_id")
    return frame.sort_values("relation_id", kind="stable", ignore_index=True)


def _equivalences(rows: list[tuple[int, int]], new: Ints) -> pd.DataFrame:
    table = np.array(rows, dtype=np.int64)
    frame = pd.DataFrame({"equivalence_id": table[:, 0], "mention_id": new[table[:, 1]]})
    return frame.sort_values(["equivalence_id", "mention_id"], kind="stable", ignore_index=True)


class _UnitFit(NamedTuple):
    """Result of interpreting all offsets in one unit.

    Attributes
    ----------
    unit : Unit
        Unit of offsets.
    start, end : arrays of shape (fragments,)
        Offsets converted to characters; the start is negative if the span is invalid.
    limit : array of shape (fragments,)
        Length of the text that contains each fragment, in `unit`.
    forms : list of str
        Text at the span of each mention.
    different : list of int
        Indexes of mentions whose text in the file differs from the text at the span, ignoring white space.
    unfit_count : int
        Number of mentions whose span is invalid or whose text differs.
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
    """Add the spans of mentions to a draft, using the unit of offsets that fits most mentions.

    Parameters
    ----------
    draft : Draft
        Draft with texts, to which `rows`, `starts`, `ends`, `lines` and `fragments` are added.
    records : MentionRecords
        Mentions as read from the file.
    rows : sequence of int
        Index of the text that contains each mention.
    units : sequence of Unit
        Possible units of offsets; if several fit equally well, the first is used.
    check : bool
        Whether the text of a mention in the file must be equal to the text at its offsets, ignoring white
        space.
    base : sequence of int, optional
        Offset at which the text that contains each mention begins; by default 0.
    names, files : sequences, optional
        Id and file of each mention, for messages. By default, messages contain no id, and the file of
        `records`.

    Returns
    -------
    Unit
        Unit that was used.

    Raises
    ------
    InputError
        If a mention lies outside its text, or fails the check (if `check` is true).
    """
    # one entry per fragment: its mention, text row, and offsets in the file (fragments, 2)
    spans = records.spans()
    owner = np.repeat(np.arange(len(spans)), [len(s) for s in spans])
    flat = np.array([pair for s in spans for pair in s], dtype=np.int64).reshape(-1, 2)
    text = np.array(rows, dtype=np.int64)[owner]
    begin = np.zeros_like(text) if base is None else np.array(base, dtype=np.int64)[owner]
    points = TextColumn(draft.texts)
    fits = (_fit_unit(records, points, owner, text, flat - begin[:, None], unit) for unit in units)
    best = min(fits, key=lambda fit: fit.unfit_count)

    def wrong(mention: int, problem: str, found: str | None, allowed: str) -> InputError:
        named = problem if names is None else f"annotation {names[mention]!r}: {problem}"
        file = records.file if files is None else files[mention]
        return InputError(named, file=file, line=records.line[mention], found=found, allowed=allowed)

    outside = np.flatnonzero(best.start < 0)
    if len(outside):
        i = int(outside[0])
        (start, end), low = flat[i].tolist(), int(begin[i])
        fault = "lies outside its text" if end > start else "is empty"
        allowed = f"{low} <= start < end <= {low + int(best.limit[i])}"
        raise wrong(int(owner[i]), f"a mention {fault}", f"span {start} to {end}, in {best.unit}", allowed)
    if best.different and check:
        k = best.different[0]
        problem = f"the recorded text differs from the text at its offsets ({len(best.different)} mentions)"
        raise wrong(k, f"{problem}; correct it or use option check=no", records.text[k], repr(best.forms[k]))
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
    """Interpret the starts and ends of fragments (`offsets`, of shape (fragments, 2)) in one unit."""
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
        for k, (recorded, form) in pairs
        if recorded is not None and remove_white_space(recorded) != remove_white_space(form)
    ]
    wrong = len({*owner[~good].tolist(), *unlike})
    return _UnitFit(unit, start, end, units.lengths[text], forms, unlike, wrong)
