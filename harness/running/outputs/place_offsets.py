"""Mentions by identifier and offset, as the tagger counts them, placed in the texts that were sent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....catalogues.core.offsets import NonSpace, OffsetMap
from ....catalogues.core.text import TextColumn
from ....sentences.formats.inline import Places
from ....sentences.formats.records import Records
from ....sentences.spans import joined
from ..inputs.cases import Batch
from ..specification.output import Output
from .canonical import key
from .placed import DUPLICATE, IDENTICAL, Parts, Placed, coded, no_parts
from .printed import Printed, by_name, index


def place_offsets(printed: Printed, found: Records) -> Placed:
    """Place mentions by the convention that the specification declares.

    A mention whose offsets lie outside its text or inside a character, that is empty, or whose own text
    (where the output has it) is another than the text at its place, has no place and is counted. So is a
    discontinuous one when any of its fragments is such.
    """
    sent, form = printed.sent, printed.form
    texts = [t.decode() for t in sent.texts()]
    placed = _settled(sent, found)
    wanted = index(sent.names)
    if form.origin == "input":
        case, start, end = _whole(sent, found, form)
    else:
        case = np.array([wanted.get(n, -1) for n in found.names], dtype=np.int64)
        start, end = within(texts, case, found, form)
    placed.strays += int((case < 0).sum())
    ours = case >= 0
    recorded = list(found.text)
    for owner, _, _ in found.parts:
        # the text of several fragments is not one stretch of the case
        recorded[owner] = None
    good = stand(texts, case, start, end, recorded, ours)
    parts = _parts(sent, texts, case, found, form, good)
    np.add.at(placed.unplaced, case[ours & ~good], 1)
    kinds, types = coded(found.type)
    score = np.array(found.score, dtype=np.float64)
    everything = replace(
        placed,
        case=case,
        start=start,
        end=end,
        type=kinds,
        score=score,
        identifiers=np.array(found.identifier_texts(), dtype=object),
        types=types,
        parts=parts,
    )
    printed.lines |= {wanted[name]: lines for name, lines in found.lines.items() if name in wanted}
    return everything.only(good & (placed.way[case] >= 0))


def _parts(
    sent: Batch,
    texts: list[str],
    case: Places,
    found: Records,
    form: Output,
    good: NDArray[np.bool_],
) -> Parts:
    """The fragments of discontinuous mentions in code points; a mention with a wrong one is not good."""
    if not found.parts:
        return no_parts()
    table = np.array(found.parts, dtype=np.int64)
    owner = table[:, 0]
    first, last = table[:, 1] - form.base, table[:, 2] - form.base + form.inclusive
    if form.origin == "input":
        low, high = _convert(_everything(sent), np.zeros(len(owner), np.int64), first, last, form)
        begins = _begins(sent)[np.maximum(case[owner], 0)]
        low, high = np.where(low >= 0, low - begins, -1), np.where(high >= 0, high - begins, -1)
    else:
        low, high = _convert(TextColumn(texts), np.maximum(case[owner], 0), first, last, form)
    good[owner[(low < 0) | (high <= low)]] = False
    return np.column_stack(joined(owner, low, high))


def _settled(sent: Batch, found: Records) -> Placed:
    """Which cases have an answer, which have one that cannot be used, and what belongs to none."""
    placed, wanted = Placed.nothing(len(sent)), index(sent.names)
    bad = [wanted[n] for n in found.broken_names if n in wanted]
    placed.strays = found.broken - len(bad)
    if found.seen is not None:
        owned = by_name(found.seen, sent.names)
        placed.strays += len({found.seen[i] for i in owned.strays})
        placed.add_faults(owned.twice, "duplicate", DUPLICATE)
        placed.way[list(owned.record)] = IDENTICAL
    elif found.names or not found.broken:
        # a case without mentions leaves no trace: unless nothing at all could be read, all are answered
        placed.way[:] = IDENTICAL
    placed.fault |= dict.fromkeys(bad, "garbage")
    placed.way[list(placed.fault)] = -1
    placed.what |= {wanted[n]: what for n, what in found.what.items() if n in wanted}
    placed.noise = next((what for n, what in found.what.items() if n not in wanted), "")
    return placed


def _declared(found: Records, form: Output) -> tuple[Places, Places]:
    """Offsets as half-open and from 0."""
    start = np.array(found.start, dtype=np.int64) - form.base
    end = np.array(found.end, dtype=np.int64) - form.base
    return start, end + 1 if form.inclusive else end


def within(texts: list[str], case: Places, found: Records, form: Output) -> tuple[Places, Places]:
    """Start and end of mentions in code points of their cases' texts; -1 where there is no such place."""
    start, end = _declared(found, form)
    points = TextColumn(texts)
    row = np.maximum(case, 0)
    return _convert(points, row, start, end, form)


def _convert(
    points: TextColumn, row: Places, start: Places, end: Places, form: Output
) -> tuple[Places, Places]:
    if not len(row):
        return start, end
    if form.unit == "nonwhite":
        return NonSpace(points).spans(row, start, end - 1)
    # widths differ between units, the arithmetic does not
    mapped = OffsetMap(points, form.unit)
    return mapped.from_unit(row, start), mapped.from_unit(row, end)


def _whole(sent: Batch, found: Records, form: Output) -> tuple[Places, Places, Places]:
    """Offsets that run over everything that was sent, line ends included."""
    start, end = _declared(found, form)
    zero = np.zeros(len(start), np.int64)
    first, last = _convert(_everything(sent), zero, start, end, form)
    begins = _begins(sent)
    case = np.where(first >= 0, np.searchsorted(begins, np.maximum(first, 0), side="right") - 1, -1)
    row = np.clip(case, 0, len(sent) - 1)
    inside = (first >= 0) & (last >= 0) & (last < begins[row + 1]) & (case < len(sent))
    return (
        np.where(case < len(sent), case, -1),
        np.where(inside, first - begins[row], -1),
        np.where(inside, last - begins[row], -1),
    )


def _everything(sent: Batch) -> TextColumn:
    return TextColumn([sent.data.tobytes().decode()])


def _begins(sent: Batch) -> Places:
    """Where each case begins in everything that was sent, in code points."""
    return sent.starts - sent.inner_before


def stand(
    texts: list[str],
    case: Places,
    start: Places,
    end: Places,
    recorded: list[str | None],
    asked: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Which of the mentions that are asked for stand in their texts.

    Those whose place is there, is not empty, and holds the mention's own text where one was recorded, apart
    from case, white space and such.
    """
    good: NDArray[np.bool_] = asked & (start >= 0) & (end > start)
    for i, word in enumerate(recorded):
        if word is not None and good[i]:
            here = texts[case[i]][start[i] : end[i]]
            good[i] = here == word or key(here) == key(word)
    return good
