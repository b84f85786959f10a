"""Conversion of a tagger's offsets to code points, and checks of its mentions against the texts."""

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
    """Return the mentions, with offsets converted from the specified convention to code points.

    A mention is counted as unplaced if it is empty, if its offsets are outside the text or inside a
    character, if the output gives a different text for it, or if one of its fragments has such a fault.
    """
    sent, placed = printed.sent, Placement(len(printed.sent))
    places = {name: case for case, name in enumerate(sent.case_ids)}
    _note_answers(placed, found, places)
    rows = [row for row, name in enumerate(found.names) if name in places]
    placed.strays += len(found) - len(rows)
    cases = [places[found.names[row]] for row in rows]
    spans, identifiers = found.spans(), found.identifier_texts()
    fragments = convert_spans(sent.texts, cases, [spans[row] for row in rows], printed.form)
    for case, row, case_fragments in zip(cases, rows, fragments, strict=True):
        if case not in placed.match_kinds:
            continue
        place = find_place(sent.texts[case], case_fragments, found.text[row])
        if place is None:
            placed.unplaced[case] += 1
        else:
            kind, score = found.type[row], found.score[row]
            placed.mentions.append(Mention(case, *place[:2], kind, score, identifiers[row], place[2]))
    placed.lines = {places[name]: lines for name, lines in found.text_lines.items() if name in places}
    return placed


def _note_answers(placed: Placement, found: MentionRecords, places: dict[str, int]) -> None:
    """Record the cases with a usable answer, the cases with an unusable answer, and the stray records."""
    if found.seen_names is not None:
        owned, strays = match_case_ids(found.seen_names, placed, list(places))
        placed.strays += len({found.seen_names[number] for number in strays})
        placed.match_kinds = {case: "identical" for case in owned if case not in placed.faults}
    elif found.names or not found.broken_count:
        # the output omits cases without mentions, so if anything is readable, all cases count as answered
        placed.match_kinds = dict.fromkeys(range(placed.case_count), "identical")
    broken_names = [name for name in found.broken_names if name in places]
    placed.strays += found.broken_count - len(broken_names)
    for name in broken_names:
        placed.refuse(places[name], "garbage", found.broken_problems.get(name, ""))
    placed.stray_problem = next(
        (problem for name, problem in found.broken_problems.items() if name not in places), ""
    )


def convert_spans(
    texts: list[str], cases: Sequence[int], spans: Sequence[Sequence[tuple[int, int]]], form: Output
) -> list[list[tuple[int, int]]]:
    """Convert the fragments of mentions to code points of their texts; -1 for offsets outside a text.

    Parameters
    ----------
    texts : list of str
    cases : sequence of int
        Index in `texts` of each mention's text.
    spans : sequence
        Fragments of each mention, with the tagger's offsets.
    form : Output
        Output form, which declares the convention of the offsets.
    """
    column = TextColumn(texts)
    rows = np.repeat(np.array(cases, dtype=np.int64), [len(fragments) for fragments in spans])
    edges = np.array([span for row in spans for span in row], dtype=np.int64).reshape(-1, 2) - form.base
    start, end = edges[:, 0], edges[:, 1] + form.inclusive
    if form.unit == "nonwhite":
        low, high = NonSpaceCharacters(column).spans(rows, start, end - 1)
    else:
        # the same calculation for all units, with different widths of characters
        mapped = OffsetMap(column, form.unit)
        low, high = mapped.from_unit(rows, start), mapped.from_unit(rows, end)
    converted = iter(zip(low.tolist(), high.tolist(), strict=True))
    return [[next(converted) for _ in fragments] for fragments in spans]


def find_place(
    text: str, fragments: Sequence[tuple[int, int]], word: str | None
) -> tuple[int, int, Fragments] | None:
    """Return start, end and fragments of a mention; None if it is empty or `word` differs from the text.

    Adjacent fragments are joined. If the output contains the text of a contiguous mention, it must equal the
    text at the offsets, apart from case, white space and similar differences.
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
