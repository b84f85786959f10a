"""Mentions by identifier and offset, as the tagger counts them, placed in the texts that were sent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....catalogues.core.offsets import NonSpaceCharacters, OffsetMap
from ....catalogues.core.text import TextColumn
from ....sentences.formats.records import MentionRecords
from ..specification_forms import Output
from .alignment import fold_text
from .parse import TaggerOutput, match_case_ids
from .placement import Fragments, Mention, Placement


def place_offsets(printed: TaggerOutput, found: MentionRecords) -> Placement:
    """Place mentions by the convention that the specification declares.

    A mention whose offsets lie outside its text or inside a character, that is empty, or whose own text
    (where the output has it) is another than the text at its place, has no place and is counted. So is a
    discontinuous one when any of its fragments is such.
    """
    sent, placed = printed.sent, Placement(len(printed.sent))
    wanted = {name: case for case, name in enumerate(sent.case_ids)}
    _note_answers(placed, found, printed)
    rows = [row for row, name in enumerate(found.names) if name in wanted]
    placed.strays += len(found) - len(rows)
    cases = [wanted[found.names[row]] for row in rows]
    spans, identifiers = found.spans(), found.identifier_texts()
    fragments = convert_spans(sent.texts, cases, [spans[row] for row in rows], printed.form)
    for case, row, own in zip(cases, rows, fragments, strict=True):
        if case not in placed.match_kinds:
            continue
        place = find_place(sent.texts[case], own, found.text[row])
        if place is None:
            placed.unplaced[case] += 1
        else:
            kind, score = found.type[row], found.score[row]
            placed.mentions.append(Mention(case, *place[:2], kind, score, identifiers[row], place[2]))
    placed.lines = {wanted[name]: lines for name, lines in found.text_lines.items() if name in wanted}
    return placed


def _note_answers(placed: Placement, found: MentionRecords, printed: TaggerOutput) -> None:
    """Note which cases have an answer, which have one that cannot be used, and what belongs to none."""
    names = printed.sent.case_ids
    if found.seen_names is not None:
        owned, strays = match_case_ids(found.seen_names, placed, names)
        placed.strays += len({found.seen_names[number] for number in strays})
        placed.match_kinds = {case: "identical" for case in owned if case not in placed.faults}
    elif found.names or not found.broken_count:
        # a case without mentions leaves no trace: unless nothing at all could be read, all are answered
        placed.match_kinds = dict.fromkeys(range(placed.case_count), "identical")
    wanted = {name: case for case, name in enumerate(names)}
    bad = [name for name in found.broken_names if name in wanted]
    placed.strays += found.broken_count - len(bad)
    for name in bad:
        placed.refuse(wanted[name], "garbage", found.broken_problems.get(name, ""))
    placed.stray_problem = next(
        (what for name, what in found.broken_problems.items() if name not in wanted), ""
    )


def convert_spans(
    texts: list[str], cases: Sequence[int], spans: Sequence[Sequence[tuple[int, int]]], form: Output
) -> list[list[tuple[int, int]]]:
    """Return the fragments of mentions in code points of their texts; -1 where there is no such place.

    Parameters
    ----------
    texts : list of str
    cases : sequence of int
        The place of each mention's text among them.
    spans : sequence
        The fragments of each mention as the tagger counts them.
    form : Output
        The convention.
    """
    column = TextColumn(texts)
    rows = np.repeat(np.array(cases, dtype=np.int64), [len(own) for own in spans])
    edges = np.array([span for own in spans for span in own], dtype=np.int64).reshape(-1, 2) - form.base
    start, end = edges[:, 0], edges[:, 1] + form.inclusive
    if form.unit == "nonwhite":
        low, high = NonSpaceCharacters(column).spans(rows, start, end - 1)
    else:
        # widths differ between units, the arithmetic does not
        mapped = OffsetMap(column, form.unit)
        low, high = mapped.from_unit(rows, start), mapped.from_unit(rows, end)
    found = iter(zip(low.tolist(), high.tolist(), strict=True))
    return [[next(found) for _ in own] for own in spans]


def find_place(
    text: str, fragments: Sequence[tuple[int, int]], word: str | None
) -> tuple[int, int, Fragments] | None:
    """Return start, end and fragments of a mention; None where it does not stand in its text.

    Fragments that touch are joined. The text of a contiguous mention, where the tagger gave one, must be the
    one there, apart from case, white space and such.
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(fragments):
        if start < 0 or end <= start:
            return None
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    low, high = joined[0][0], joined[-1][1]
    here = text[low:high]
    if word is not None and len(fragments) == 1 and here != word and fold_text(here) != fold_text(word):
        return None
    return low, high, tuple(joined) if len(joined) > 1 else ()
