"""Strings without offsets, as language models answer: JSON lists, placed in the texts that were sent."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....sentences.formats.fields import value_or_none
from ....sentences.formats.inline import Places
from ....sentences.formats.records import (
    ANOTHER,
    TOO_LONG,
    Records,
    another,
    found_in,
    identifier,
)
from ..inputs.cases import Batch
from ..specification.output import Output
from .answer_json import FENCE, Answer, find_answer
from .place_offsets import stand, within
from .place_strings import place_strings
from .placed import DUPLICATE, EXACT, IDENTICAL, INVENTED, Placed, Strings, coded, columns_of
from .printed import Printed, by_name

MANY = 1000
"""Strings that an answer may have for any text; more only where the text has as many characters."""


def read(printed: Printed) -> Placed:
    """Place the strings of each case's answer."""
    reading = _Reading(printed.sent, printed.form)
    content = printed.text
    if printed.whole_case:
        answer = Answer(problem=TOO_LONG) if printed.long else reading.answer(content)
        if printed.asked and another(answer.name, printed.sent.names[0]):
            answer = Answer(problem=f"{ANOTHER}: {found_in(answer.name)}")
        reading.take(0, answer, empty=not content.strip())
    else:
        _read_lines(printed, reading)
    return reading.result()


def _read_lines(printed: Printed, reading: _Reading) -> None:
    """An answer a line: by identifier where the lines have one, else in order."""
    sent = printed.sent
    lines = printed.text.split(b"\n")
    if lines and not lines[-1].strip():
        lines.pop()
    fences = {i for i, line in enumerate(lines) if FENCE.fullmatch(line.decode("utf-8", "replace"))}
    cut = Answer(problem=TOO_LONG)
    answers = [cut if i in printed.long else reading.answer(line) for i, line in enumerate(lines)]
    if any(identifier(a.name) is not None for a in answers):
        printed.lines |= reading.take_by_name(answers)
        return
    every = range(len(answers))
    readable = [i for i in every if answers[i].items is not None]
    unfenced = [i for i in every if i not in fences]
    for chosen in (every, unfenced, readable):
        if len(chosen) == len(sent):
            reading.placed.strays += len(answers) - len(chosen)
            for case, number in enumerate(chosen):
                reading.take(case, answers[number])
                printed.lines[case] = [number]
            return
    if len(sent) == 1 and lines:
        # the lines of one answer that was printed for people
        reading.take(0, reading.answer(printed.text))
        return
    reading.placed.strays += len(lines)
    reading.placed.doubtful += len(lines)
    reading.placed.noise = f"{len(lines)} lines for {len(sent)} cases" if lines else ""


class _Reading:
    """The answers to some cases, as they are read."""

    def __init__(self, sent: Batch, form: Output) -> None:
        self.sent, self.form = sent, form
        self.found = Records()
        self.has_place: list[bool] = []
        self.stripped: list[int] = []
        self.placed = Placed.nothing(len(sent))

    def answer(self, content: bytes) -> Answer:
        return find_answer(content, self.form.mentions_key, self.form.id_key)

    def take_by_name(self, answers: list[Answer]) -> dict[int, list[int]]:
        """Take answers that say whose they are; gives the line of each case."""
        names = (None if answer.items is None else identifier(answer.name) for answer in answers)
        owned = by_name(names, self.sent.names)
        self.placed.strays += len(owned.strays)
        self.placed.noise = next((answers[i].problem for i in owned.strays if answers[i].problem), "")
        self.placed.add_faults(owned.twice, "duplicate", DUPLICATE)
        for case, number in owned.record.items():
            self.take(case, answers[number])
        return owned.twice | {case: [number] for case, number in owned.record.items()}

    def take(self, case: int, answer: Answer, *, empty: bool = False) -> None:
        """Take the answer to a case; nothing at all is no answer."""
        if empty:
            return
        if answer.items is None:
            self._refuse(case, answer.problem)
            return
        most = max(MANY, len(self.sent.text(case).decode()))
        if len(answer.items) > most:
            self._refuse(case, f"{len(answer.items)} strings, where no more than {most} are read")
            return
        self.placed.way[case] = IDENTICAL
        says_nothing = [self._add(case, f"mentions[{i}]", one) for i, one in enumerate(answer.items)]
        if answer.stripped or any(says_nothing):
            self.stripped.append(case)

    def _refuse(self, case: int, problem: str) -> None:
        self.placed.fault[case] = "garbage"
        self.placed.what[case] = problem

    def _add(self, case: int, where: str, one: Any) -> bool:
        """Add a string or an object; gives whether it is an empty string, which says nothing."""
        form, name = self.form, str(case)
        fields = {form.text_key: one} if isinstance(one, str) else one
        keys = (form.start_key, form.end_key, form.text_key, form.type_key, form.score_key)
        start, end, text, kind, score = (value_or_none(fields, key) for key in keys)
        has_place = start is not None or end is not None
        needed = {form.start_key: "start_key", form.end_key: "end_key"} if has_place else {}
        for wanted, setting in (needed or {form.text_key: "text_key"}).items():
            if not self.found.has(name, fields, wanted, where, setting):
                return False
        if text is None and not has_place:
            self.found.refuse(name, f"{where}: text is no text", text)
            return False
        if isinstance(text, str) and not text.strip() and not has_place:
            return True
        span = (start, end) if has_place else (0, 1)
        known = value_or_none(fields, form.identifiers_key)
        if self.found.add(name, [span], kind, score, text, known, where=where):
            self.has_place.append(has_place)
        return False

    def result(self) -> Placed:
        """All mentions of the cases whose answers could be used."""
        found, placed = self.found, self.placed
        for name in found.broken_names:
            self._refuse(int(name), found.what[name])
        placed.way[list(placed.fault)] = -1
        case = np.array(found.names, dtype=np.int64) if found.names else np.zeros(0, np.int64)
        kinds, types = coded(found.type)
        score = np.array(found.score, dtype=np.float64)
        start, end, good = self._offsets(case)
        texts = self.sent.texts()
        rows: list[tuple[int, int, int, int]] = []
        bounds = np.flatnonzero(np.diff(case, prepend=-1, append=-1)).tolist()
        for low, high in pairwise(bounds):
            if placed.way[case[low]] >= 0:
                text = texts[case[low]].decode()
                rows += self._spots(text, range(low, high), start, end, good)
        row, begins, ends, status = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        strings = Strings(
            case[row],
            begins,
            ends,
            kinds[row],
            score[row],
            np.array(found.identifier_texts(), dtype=object)[row],
            status.astype(np.int8),
            [self._text(i, texts, start, end) for i in row.tolist()],
            np.array(sorted(c for c in self.stripped if placed.way[c] >= 0), dtype=np.int64),
        )
        return replace(placed, **columns_of([strings]), types=types, strings=strings).only(status != INVENTED)

    def _offsets(self, case: Places) -> tuple[Places, Places, NDArray[np.bool_]]:
        """Start and end of the objects that have them, and which of these hold; the others are counted."""
        found = self.found
        has = np.array(self.has_place, dtype=bool)
        if not has.any():
            return np.zeros(len(has), np.int64), np.zeros(len(has), np.int64), has
        texts = [t.decode() for t in self.sent.texts()]
        start, end = within(texts, case, found, self.form)
        good = stand(texts, case, start, end, found.text, has)
        np.add.at(self.placed.unplaced, case[has & ~good], 1)
        return start, end, good

    def _spots(
        self, text: str, own: range, start: Places, end: Places, good: NDArray[np.bool_]
    ) -> list[tuple[int, int, int, int]]:
        """Of one case the row of each string, its start and end, and its status."""
        found, form = self.found, self.form
        free = [i for i in own if not self.has_place[i]]
        given = [(i, int(start[i]), int(end[i])) for i in own if good[i]]
        placed = place_strings(
            text,
            [found.text[i] or "" for i in free],
            [found.type[i] for i in free],
            occurrences=form.occurrences,
            near=form.near,
            taken=[(low, high) for _, low, high in given],
        )
        rows = [(i, low, high, EXACT) for i, low, high in given]
        for i, spots in zip(free, placed, strict=True):
            rows += [(i, *spot) for spot in spots] or [(i, -1, -1, INVENTED)]
        return sorted(rows)

    def _text(self, row: int, texts: list[bytes], start: Places, end: Places) -> str:
        """A string as it was answered; of offsets alone the text that stands there."""
        text = self.found.text[row]
        if text is not None:
            return text
        return texts[int(self.found.names[row])].decode()[start[row] : end[row]]
