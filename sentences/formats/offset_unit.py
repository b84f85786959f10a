"""Offsets of a file as code points of its texts; of several units, in the one that fits the texts best."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import Unit
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import Ints, TextColumn, squeezed
from .build import Draft
from .records import Records


class _Fit(NamedTuple):
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
    unlike : list of int
        Mentions whose recorded text stands elsewhere, white space apart.
    wrong : int
        Mentions that the unit does not suit: those, and those outside their text.
    """

    unit: Unit
    start: Ints
    end: Ints
    limit: Ints
    forms: list[str]
    unlike: list[int]
    wrong: int


def place_mentions(
    draft: Draft,
    records: Records,
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
    fits = (_fit(records, points, owner, text, flat - begin[:, None], unit) for unit in units)
    best = min(fits, key=lambda fit: fit.wrong)

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
    if best.unlike and check:
        k = best.unlike[0]
        problem = f"the recorded text is not what stands at its offsets ({len(best.unlike)} such mentions)"
        raise wrong(k, problem, records.text[k], f"{best.forms[k]!r}, or option check=no")
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    draft.rows, draft.starts = rows, best.start[first]
    draft.ends = np.maximum.reduceat(best.end, first) if len(first) else best.end
    draft.lines = [line or 0 for line in records.line] if any(records.line) else None
    several = np.bincount(owner)[owner] > 1
    columns = (column[several].tolist() for column in (owner, best.start, best.end))
    draft.fragments = list(zip(*columns, strict=True))
    return best.unit


def _fit(records: Records, points: TextColumn, owner: Ints, text: Ints, offsets: Ints, unit: Unit) -> _Fit:
    """Read offsets within texts, (fragments, 2), in one unit."""
    units = OffsetMap(points, unit)
    start, end = units.from_unit(text, offsets[:, 0]), units.from_unit(text, offsets[:, 1])
    good = (start >= 0) & (end > start)
    start = np.where(good, start, -1)
    forms = [""] * len(records)
    for k, form in zip(owner[good].tolist(), points.slices(text[good], start[good], end[good]), strict=True):
        forms[k] += form
    pairs = enumerate(zip(records.text, forms, strict=True))
    unlike = [k for k, (said, form) in pairs if said is not None and squeezed(said) != squeezed(form)]
    wrong = len({*owner[~good].tolist(), *unlike})
    return _Fit(unit, start, end, units.lengths[text], forms, unlike, wrong)
