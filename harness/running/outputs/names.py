"""Output without offsets, for example from language models: JSON lists of strings that occur in the texts."""

from __future__ import annotations

from typing import Any

from ....sentences.formats.problems import shorten_value
from ....sentences.formats.records import (
    WRONG_CASE,
    MentionRecords,
    is_other_identifier,
    parse_identifier,
    value_or_none,
)
from .answer_json import FENCE_LINE, Answer, find_answer
from .parse import TaggerOutput, match_case_ids
from .place_offsets import convert_spans, find_place
from .place_strings import Spot, place_strings
from .placement import EXACT, INVENTED, Mention, Placement

MAX_STRINGS = 1000
"""Maximum number of strings in an answer, or the number of characters in the text if that is larger."""


def read(printed: TaggerOutput) -> Placement:
    """Find the strings of each answer in the text of the case."""
    placed = Placement(len(printed.sent))
    form, content = printed.form, printed.text
    if not printed.is_single_case:
        _read_lines(printed, placed)
    elif content.strip():
        answer = find_answer(content, form.mentions_key, form.id_key)
        if printed.has_sent_id and is_other_identifier(answer.name, printed.sent.case_ids[0]):
            answer = Answer(problem=f"{WRONG_CASE}: {shorten_value(answer.name)}")
        _place_answer(printed, placed, 0, answer)
    return placed


def _read_lines(printed: TaggerOutput, placed: Placement) -> None:
    """Parse one answer per line; assign answers to cases by identifier, or by order if there is none."""
    sent, form = printed.sent, printed.form
    lines = printed.text.split(b"\n")
    if lines and not lines[-1].strip():
        lines.pop()
    answers = [find_answer(line, form.mentions_key, form.id_key) for line in lines]
    names = [None if answer.items is None else parse_identifier(answer.name) for answer in answers]
    all_lines = range(len(answers))
    if any(parse_identifier(answer.name) is not None for answer in answers):
        placed.lines, strays = match_case_ids(names, placed, sent.case_ids)
        placed.strays += len(strays)
        placed.stray_problem = next((answers[i].problem for i in strays if answers[i].problem), "")
        for case, line_numbers in placed.lines.items():
            if case not in placed.faults:
                _place_answer(printed, placed, case, answers[line_numbers[0]])
        return
    readable = [i for i in all_lines if answers[i].items is not None]
    unfenced = [i for i in all_lines if not FENCE_LINE.fullmatch(lines[i].decode())]
    for numbers in (all_lines, unfenced, readable):
        if len(numbers) == len(sent):
            placed.strays += len(answers) - len(numbers)
            placed.lines = {case: [number] for case, number in enumerate(numbers)}
            for case, number in enumerate(numbers):
                _place_answer(printed, placed, case, answers[number])
            return
    if len(sent) == 1 and lines:
        # one answer that spans several lines
        _place_answer(printed, placed, 0, find_answer(printed.text, form.mentions_key, form.id_key))
        return
    placed.strays += len(lines)
    placed.doubtful_count += len(lines)
    placed.stray_problem = f"{len(lines)} lines for {len(sent)} cases" if lines else ""


def _place_answer(printed: TaggerOutput, placed: Placement, case: int, answer: Answer) -> None:
    """Find the strings and objects of an answer in the text of the case."""
    text = printed.sent.texts[case]
    if answer.items is None:
        placed.refuse(case, "garbage", answer.problem)
        return
    max_strings = max(MAX_STRINGS, len(text))
    if len(answer.items) > max_strings:
        placed.refuse(case, "garbage", f"{len(answer.items)} strings, but at most {max_strings} are allowed")
        return
    records = _Strings(printed, str(case))
    for number, item in enumerate(answer.items):
        records.add_item(f"mentions[{number}]", item)
    if records.found.broken_count:
        placed.refuse(case, "garbage", next(iter(records.found.broken_problems.values())))
        return
    placed.match_kinds[case] = "identical"
    if answer.stripped or records.has_empty:
        placed.stripped.add(case)
    records.place(placed, case, text)


class _Strings:
    """Strings and objects of an answer, validated field by field."""

    def __init__(self, printed: TaggerOutput, name: str) -> None:
        self.form, self.name = printed.form, name
        self.found = MentionRecords()
        self.has_offsets: list[bool] = []
        self.has_empty = False

    def add_item(self, where: str, item: Any) -> None:
        """Add a string or an object of the answer; empty strings are ignored."""
        form, name = self.form, self.name
        fields = {form.text_key: item} if isinstance(item, str) else item
        keys = (form.start_key, form.end_key, form.text_key, form.type_key, form.score_key)
        start, end, text, kind, score = (value_or_none(fields, key) for key in keys)
        has_offsets = start is not None or end is not None
        needed_keys = {form.start_key: "start_key", form.end_key: "end_key"} if has_offsets else {}
        for key, setting in (needed_keys or {form.text_key: "text_key"}).items():
            if not self.found.has_key(name, fields, key, where, setting):
                return
        if text is None and not has_offsets:
            self.found.refuse(name, f"{where}: text is not a string", text)
        elif isinstance(text, str) and not text.strip() and not has_offsets:
            self.has_empty = True
        else:
            span = (start, end) if has_offsets else (0, 1)
            known = value_or_none(fields, form.identifiers_key)
            if self.found.add(name, [span], kind, score, text, known, where=where):
                self.has_offsets.append(has_offsets)

    def place(self, placed: Placement, case: int, text: str) -> None:
        """Add a mention for each string or object to `placed`; those with wrong offsets count as unplaced."""
        items = self.found
        with_offsets = [row for row, has_offsets in enumerate(self.has_offsets) if has_offsets]
        without_offsets = [row for row, has_offsets in enumerate(self.has_offsets) if not has_offsets]
        places: dict[int, list[Spot]] = {}
        stated = [[(items.start[row], items.end[row])] for row in with_offsets]
        spans = convert_spans([text], [0] * len(with_offsets), stated, self.form)
        for row, fragments in zip(with_offsets, spans, strict=True):
            place = find_place(text, fragments, items.text[row])
            places[row] = [Spot(*place[:2], EXACT)] if place else []
            placed.unplaced[case] += place is None
        strings = [items.text[row] or "" for row in without_offsets]
        types = [items.type[row] for row in without_offsets]
        taken = [spot[:2] for spots in places.values() for spot in spots]
        found = place_strings(text, strings, types, occurrences=self.form.occurrences, taken=taken)
        invented = [Spot(-1, -1, INVENTED)]
        places |= {row: spots or invented for row, spots in zip(without_offsets, found, strict=True)}
        identifiers = items.identifier_texts()
        for row in sorted(places):
            word, kind, score = items.text[row], items.type[row], items.score[row]
            for low, high, status in sorted(places[row]):
                string = text[low:high] if word is None else word
                mention = Mention(case, low, high, kind, score, identifiers[row], (), string, status)
                placed.mentions.append(mention)
