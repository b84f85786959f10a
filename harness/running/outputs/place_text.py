"""From the text that a tagger gave back to the text that it was sent, whole batches at a time.

Four ways, each tried on what the one before left over: the bytes are identical; they are identical but for
ASCII white space (lines split or joined included); a record's canonical letters are identical; a record can
be aligned from difference to difference. Only the last two look at records one by one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....sentences.formats.inline import TAG, Places, own_names
from ....sentences.formats.records import found_in
from ..inputs.cases import Batch, white
from .align import Alignment, blocks, is_cut, share
from .canonical import key
from .placed import ALIGNED, CANONICAL, DUPLICATE, ENCODING, IDENTICAL, WHITESPACE, Placed
from .printed import Printed, by_name
from .tagged import Tagged, describe_undeclared, names_in

LOWER = np.arange(256, dtype=np.uint8)
LOWER[65:91] += 32
ALIKE = 0.6
"""Share of letters that must agree for a record to be the text it should be."""
MORE, TIMES = 1 << 16, 10
"""Bytes that a record may have without being looked at letter by letter: so many, and times its text's."""


class _Collector:
    """Gathers placed mentions from several ways; how each case fared is noted in `placed`."""

    def __init__(self, batch: Batch, tagged: Tagged) -> None:
        self.batch = batch
        self.tagged = tagged
        self.placed = Placed.nothing(len(batch))
        self.record = np.full(len(batch), -1, dtype=np.int64)
        """The record of each case, as far as it is known."""
        self.several: dict[int, list[int]] = {}
        """The records of cases that have several."""
        self._parts: list[tuple[Places, Places, Places, NDArray[np.int32]]] = []

    def add(self, case: Places, start: Places, end: Places, kind: NDArray[np.int32]) -> None:
        """Add mentions whose start and end are bytes of the batch."""
        self._parts.append((case, self.batch.to_points(case, start), self.batch.to_points(case, end), kind))

    def add_points(self, case: int, spans: list[tuple[int, int]], kinds: list[int]) -> None:
        """Add mentions whose start and end are code points of the case."""
        if spans:
            ends = np.array(spans, dtype=np.int64)
            self._parts.append(
                (np.full(len(spans), case), ends[:, 0], ends[:, 1], np.array(kinds, dtype=np.int32))
            )

    def count_unplaced(self, case: Places) -> None:
        """Count mentions without a place, by their cases."""
        np.add.at(self.placed.unplaced, case, 1)

    def refuse(self, case: int, record: int, fault: str, why: str) -> None:
        """Note that a case's record cannot be used, and what it is."""
        self.placed.fault[case] = fault
        if fault != "garbage":
            self.placed.what[case] = why
        else:
            low = int(self.tagged.starts[record])
            head = self.tagged.data[low : min(low + 400, int(self.tagged.starts[record + 1]) - 1)]
            shown = head.tobytes().decode("utf-8", "ignore")
            self.placed.what[case] = f"{why}: {found_in(shown)}" if shown else why

    def refuse_tags(self, case: int, tags: Counter[str]) -> None:
        """Note that a case's record has tags that the specification does not list."""
        # of a tag that is closed and never opened there is at least one
        counts = Counter({name: max(number, 1) for name, number in tags.items()})
        self.placed.fault[case] = "garbage"
        self.placed.what[case] = describe_undeclared(counts)
        self.placed.undeclared += counts

    def result(self) -> Placed:
        if not self._parts:
            return replace(self.placed, types=self.tagged.types)
        case, start, end, kind = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        found = replace(
            self.placed,
            case=case,
            start=start,
            end=end,
            type=kind,
            types=self.tagged.types,
            score=np.full(len(case), np.nan),
            identifiers=np.full(len(case), "", dtype=object),
        )
        return found.only(found.way[case] >= 0)


def place_text(printed: Printed, tagged: Tagged) -> Placed:
    """Place the mentions of a text that was printed again in the texts that were sent."""
    batch = printed.sent
    if printed.whole_case and tagged.records > 1:
        tagged.make_one_record()
    found = _Collector(batch, tagged)
    is_sound = not len(tagged.broken) and not tagged.undeclared
    if tagged.names is not None:
        _by_name(found)
    elif is_sound and np.array_equal(tagged.data, batch.data):
        _identical(found)
    elif is_sound and not len(tagged.damaged) and _whitespace(found):
        pass
    elif tagged.records == len(batch):
        _record_by_record(found, np.arange(len(batch)), np.arange(len(batch)), sure=False)
    else:
        _by_content(found)
    wanted = found.record >= 0
    if not printed.keeps_all:
        wanted &= ~found.placed.is_whole
    for case in np.flatnonzero(wanted).tolist():
        printed.lines[case] = tagged.lines_of(int(found.record[case]))
    for case, records in found.several.items():
        printed.lines[case] = [line for record in records for line in tagged.lines_of(record)]
    return found.result()


def _identical(found: _Collector) -> None:
    tagged, batch = found.tagged, found.batch
    found.placed.way[:] = IDENTICAL
    found.record[:] = np.arange(len(batch))
    real = tagged.end > tagged.start
    case = np.searchsorted(batch.starts, tagged.start, side="right") - 1
    inside = tagged.end < batch.starts[case + 1]
    found.count_unplaced(case[~(real & inside)])
    good = real & inside
    found.add(case[good], tagged.start[good], tagged.end[good], tagged.type[good])


def _whitespace(found: _Collector) -> bool:
    """Place by counting what is not white space, when that is the same (ASCII case apart) to the end."""
    tagged, batch = found.tagged, found.batch
    ours, theirs = ~white(batch.data), ~white(tagged.data)
    if np.count_nonzero(ours) != np.count_nonzero(theirs):
        return False
    left, right = batch.data[ours], tagged.data[theirs]
    if np.array_equal(left, right):
        found.placed.way[:] = WHITESPACE
    elif np.array_equal(LOWER[left], LOWER[right]):
        found.placed.way[:] = CANONICAL
    else:
        return False
    mine, other = np.flatnonzero(ours), np.flatnonzero(theirs)
    if np.array_equal(np.searchsorted(mine, batch.starts), np.searchsorted(other, tagged.starts)):
        # no line was split or joined
        found.record[:] = np.arange(len(batch))
    first, last = np.searchsorted(other, tagged.start), np.searchsorted(other, tagged.end)
    real = last > first
    if len(mine):
        start = mine[np.minimum(first, len(mine) - 1)]
        end = mine[np.maximum(last - 1, 0)] + 1
    else:
        start = end = np.zeros(len(first), np.int64)
    case = np.searchsorted(batch.starts, start, side="right") - 1
    inside = end < batch.starts[np.minimum(case + 1, len(batch))] if len(case) else np.zeros(0, bool)
    good = real & inside
    found.count_unplaced(np.minimum(case[~good], len(batch) - 1))
    found.add(case[good], start[good], end[good], tagged.type[good])
    return True


def _by_name(found: _Collector) -> None:
    """Records that carry identifiers: in any order, some missing, some twice, some never asked for."""
    tagged, batch = found.tagged, found.batch
    owned = by_name(tagged.names or (), batch.names)
    found.placed.strays += len(owned.strays)
    found.placed.add_faults(owned.twice, "duplicate", DUPLICATE)
    found.several = owned.twice
    order = sorted(owned.record.items())
    cases = np.array([c for c, _ in order], dtype=np.int64)
    records = np.array([r for _, r in order], dtype=np.int64)
    _record_by_record(found, cases, records)


def _record_by_record(found: _Collector, cases: Places, records: Places, *, sure: bool = True) -> None:
    """Each record against its case: identical ones by columns, the others one by one."""
    tagged, batch = found.tagged, found.batch
    if not len(cases):
        return
    found.record[cases] = records
    texts, given, edges = batch.texts(), tagged.data.tobytes(), tagged.starts.tolist()
    pairs = zip(cases.tolist(), records.tolist(), strict=True)
    same = np.array([texts[case] == given[edges[r] : edges[r + 1] - 1] for case, r in pairs])
    same &= ~np.isin(records, tagged.damaged) & ~np.isin(records, tagged.broken)
    same &= ~np.isin(records, list(tagged.undeclared))
    record = tagged.record_of(tagged.start)
    case_of = np.full(tagged.records + 1, -1, dtype=np.int64)
    case_of[records[same]] = cases[same]
    mine = case_of[record]
    take = mine >= 0
    shift = batch.starts[mine[take]] - tagged.starts[record[take]]
    start, end = tagged.start[take] + shift, tagged.end[take] + shift
    real = end > start
    found.placed.way[cases[same]] = IDENTICAL
    found.count_unplaced(mine[take][~real])
    found.add(mine[take][real], start[real], end[real], tagged.type[take][real])
    _leftover(found, cases[~same], records[~same], record, sure=sure)


def _leftover(found: _Collector, cases: Places, records: Places, record: Places, *, sure: bool) -> None:
    """Records that are not byte for byte their case's text.

    Where the pairs of case and record are not `sure` (they come from the order of lines alone), the records
    that are another case's text are given to it first: in a suite one case is much like another, and a
    record that came in another order must not be aligned with the wrong one.
    """
    tagged = found.tagged
    # mentions come in the order of the records: where those of each begin
    bounds = np.searchsorted(record, np.arange(tagged.records + 1))
    unusable = _unusable(found)
    pairs = list(zip(cases.tolist(), records.tolist(), strict=True))
    found.record[cases] = -1
    if not sure and len(found.batch) > 1:
        pairs = _plausible(found, pairs, unusable)
    for case, number in pairs:
        found.record[case] = number
        if number in unusable:
            fault = unusable[number]
            found.refuse(case, number, fault, ENCODING if fault == "encoding" else tagged.why(number))
        elif number in tagged.undeclared:
            found.refuse_tags(case, tagged.undeclared[number])
        else:
            _one(found, case, number, np.arange(bounds[number], bounds[number + 1]))


def _unusable(found: _Collector) -> dict[int, str]:
    """Records that cannot be any case's, and the outcome that this is."""
    tagged, batch = found.tagged, found.batch
    most = MORE + TIMES * int(np.diff(batch.starts).max(initial=0))
    return {
        **dict.fromkeys(np.flatnonzero(np.diff(tagged.starts) > most).tolist(), "garbage"),
        **dict.fromkeys(tagged.broken.tolist(), "garbage"),
        **dict.fromkeys(tagged.damaged.tolist(), "encoding"),
    }


def _plausible(
    found: _Collector, pairs: list[tuple[int, int]], unusable: dict[int, str]
) -> list[tuple[int, int]]:
    """Of pairs that come from the order of lines alone, those that can be believed.

    Where the canonical letters agree there is no doubt. The others are believed only when nothing speaks
    against the order: no record of them is another case's text, unreadable, cut off, or unlike its case. One
    record lost and another cut in two leave the count as it was, and every line between them misplaced. What
    is not believed is sent again, in the end alone.
    """
    batch, tagged = found.batch, found.tagged
    case_keys = {c: key(batch.text(c).decode()) for c, _ in pairs}
    record_keys = {r: key(_record(tagged, r).decode()) for _, r in pairs if r not in unusable}
    right = [(c, r) for c, r in pairs if case_keys[c] == record_keys.get(r)]
    settled = {c for c, _ in right}
    rest = [(c, r) for c, r in pairs if c not in settled]
    moved = _same_keys(
        {c: case_keys[c] for c, _ in rest}, {r: record_keys[r] for _, r in rest if r in record_keys}
    )
    if moved or len(record_keys) < len(pairs):
        _doubt(found, rest, moved, record_keys)
        return [*right, *moved]
    others = [c for c in range(len(batch)) if c not in case_keys] if rest else []
    everything = {*case_keys.values(), *(key(batch.text(c).decode()) for c in others)}
    if any(record_keys[r] in everything or not _alike(record_keys[r], case_keys[c]) for c, r in rest):
        _doubt(found, rest, [], record_keys)
        return right
    return [*right, *rest]


def _doubt(
    found: _Collector, rest: list[tuple[int, int]], moved: list[tuple[int, int]], keys: dict[int, str]
) -> None:
    """Count the records that are not believed and say something."""
    believed = {r for _, r in moved}
    found.placed.doubtful = sum(r not in believed and keys.get(r, "?") != "" for _, r in rest)


def _alike(given: str, sent: str) -> bool:
    """Whether some canonical letters may be those of a case, altered."""
    found = blocks(given, sent)
    return share(found, given, sent) >= ALIKE and not is_cut(found, given, sent)


def _record(tagged: Tagged, number: int) -> bytes:
    return tagged.data[int(tagged.starts[number]) : int(tagged.starts[number + 1]) - 1].tobytes()


def _same_keys(cases: dict[int, str], records: dict[int, str]) -> list[tuple[int, int]]:
    """Cases and records of the same canonical letters.

    A text that was sent several times needs as many records; where they are fewer, nobody can say whose they
    are, and none of these cases is settled.
    """
    given: dict[str, list[int]] = {}
    for record, word in records.items():
        given.setdefault(word, []).append(record)
    sent: dict[str, list[int]] = {}
    for case, word in cases.items():
        sent.setdefault(word, []).append(case)
    pairs: list[tuple[int, int]] = []
    for word, wanted in sent.items():
        found = given.get(word, [])
        if len(found) >= len(wanted):
            pairs += zip(wanted, found, strict=False)
    return sorted(pairs)


def _one(found: _Collector, case: int, record: int, mentions: Places) -> None:
    """Align one record with its case."""
    tagged, batch = found.tagged, found.batch
    low = int(tagged.starts[record])
    raw = _record(tagged, record)
    if tagged.tags is not None and (others := own_names(raw) - tagged.tags - names_in(batch.text(case))):
        # tags that other texts of the batch have, and this one has not
        opened = [match[2].decode() for match in TAG.finditer(raw) if not match[1]]
        found.refuse_tags(case, Counter({name: opened.count(name) for name in others}))
        return
    if len(raw) > MORE + TIMES * len(batch.text(case)):
        found.refuse(case, record, "garbage", "another text")
        return
    given, sent = raw.decode(), batch.text(case).decode()
    spans = [
        (len(raw[: tagged.start[m] - low].decode()), len(raw[: tagged.end[m] - low].decode()))
        for m in mentions
    ]
    if not given.strip() and sent.strip():
        found.refuse(case, record, "short", "the record has no text")
        return
    alignment = Alignment(given, sent)
    if alignment.cut:
        found.refuse(case, record, "short", "the record ends before the text does")
        return
    if alignment.share < ALIKE:
        found.refuse(case, record, "garbage", "another text")
        return
    found.placed.way[case] = CANONICAL if alignment.exact else ALIGNED
    kept, kinds = [], []
    for m, span in zip(mentions.tolist(), alignment.place(spans), strict=True):
        if span is None:
            found.placed.unplaced[case] += 1
        else:
            kept.append(span)
            kinds.append(int(tagged.type[m]))
    found.add_points(case, kept, kinds)


def _by_content(found: _Collector) -> None:
    """More or fewer records than cases: recognise them by their canonical letters."""
    tagged, batch = found.tagged, found.batch
    unusable = _unusable(found)
    pairs = _same_keys(
        {case: key(text.decode()) for case, text in enumerate(batch.texts())},
        {r: key(_record(tagged, r).decode()) for r in range(tagged.records) if r not in unusable},
    )
    found.placed.strays += tagged.records - len(pairs)
    _record_by_record(
        found,
        np.array([c for c, _ in pairs], dtype=np.int64),
        np.array([r for _, r in pairs], dtype=np.int64),
    )
    if len(batch) == 1 and not pairs:
        _alone(found)


def _alone(found: _Collector) -> None:
    """One case, several records, none of them its text: together they may be, altered and cut up."""
    tagged = found.tagged
    found.placed.strays = 0
    if not tagged.records:
        return
    if len(tagged.damaged):
        found.refuse(0, 0, "encoding", ENCODING)
        return
    if tagged.undeclared:
        found.refuse_tags(0, sum(tagged.undeclared.values(), Counter()))
        return
    if len(tagged.broken):
        first = int(tagged.broken[0])
        found.refuse(0, first, "garbage", tagged.why(first))
        return
    tagged.starts = np.array([0, len(tagged.data)], dtype=np.int64)
    _one(found, 0, 0, np.arange(len(tagged.start)))
