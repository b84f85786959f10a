"""Alignment of the texts that a tagger printed, record by record, with the texts that were sent to it.

A record is used if it equals the text of its case or can be aligned with it (see `alignment`). Records are
matched to cases by identifiers, otherwise by order if this is plausible, otherwise by their canonical forms.
"""

from __future__ import annotations

import html
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from ....sentences.formats.inline import TAG, find_element_names
from ....sentences.formats.problems import FOUND_FIELDS, shorten_value
from ..inputs.cases import Batch
from ..outcomes import Fault
from .alignment import Alignment, fold_text
from .parse import TaggerOutput, match_case_ids
from .placement import Mention, Placement, describe_undeclared

MAX_EXTRA_LENGTH, MAX_LENGTH_FACTOR = 1 << 16, 10
"""Maximum length of a record: a constant plus a multiple of the length of the case's text."""
SHOWN = 100
"""Number of characters of an overlong record that messages show."""
OTHER_TEXT_FAULT = Fault("garbage", "another text")
ENCODING_FAULT = Fault("encoding", "not in the declared encoding")


@dataclass(slots=True)
class TextRecord:
    """Text that a tagger printed for a case, with its mentions.

    Attributes
    ----------
    text : str
        Text without mark-up.
    lines : list of int
        Line numbers in the output, counted from 0.
    case_id : str or None
        Identifier of its case, if the output has identifiers.
    mentions : list of (start, end, type)
        Mentions in code points of `text`.
    fault : Fault or None
        Reason why the record cannot be used.
    tagged_text : str
        Text including tags that the specification does not list; empty if the specification lists no tags.
    """

    text: str
    lines: list[int]
    case_id: str | None = None
    mentions: list[tuple[int, int, str]] = field(default_factory=list)
    fault: Fault | None = None
    tagged_text: str = ""


def place_texts(printed: TaggerOutput, records: list[TextRecord]) -> Placement:
    """Align the mentions in printed texts with the texts that were sent."""
    sent, placed = printed.sent, Placement(len(printed.sent))
    max_length = MAX_EXTRA_LENGTH + MAX_LENGTH_FACTOR * max(map(len, sent.texts), default=0)
    for record in records:
        if len(record.text) > max_length:
            record.text, record.mentions, record.fault = record.text[:SHOWN], [], OTHER_TEXT_FAULT
    is_named = any(record.case_id is not None for record in records)
    if printed.is_single_case and len(records) > 1 and not is_named:
        records = [_join(records)]
    if is_named:
        pairs = _pair_by_name(records, sent, placed)
    elif len(records) == len(sent):
        pairs = _pair_by_order(records, sent, placed)
        if placed.doubtful_count and _place_together(_join(records), sent, placed):
            placed.doubtful_count, pairs = 0, []
    elif _place_together(_join(records), sent, placed):
        pairs = []
    else:
        record_letters = {number: fold_text(record.text) for number, record in enumerate(records)}
        pairs = _pair_by_letters(record_letters, dict(enumerate(map(fold_text, sent.texts))))
        placed.strays += len(records) - len(pairs)
        if len(sent) == 1 and records and not pairs:
            # all records together may be the text, altered and divided
            placed.strays, pairs, records = 0, [(0, 0)], [_join(records)]
    for case, number in pairs:
        placed.lines[case] = records[number].lines
        _place_record(records[number], case, sent.texts[case], placed)
    return placed


def _join(records: Sequence[TextRecord]) -> TextRecord:
    """Join several records into one."""
    joined = TextRecord("\n".join(r.text for r in records), [line for r in records for line in r.lines])
    offset = 0
    for record in records:
        joined.mentions += [(start + offset, end + offset, kind) for start, end, kind in record.mentions]
        offset += len(record.text) + 1
    joined.tagged_text = "\n".join(r.tagged_text for r in records)
    joined.fault = next((r.fault for r in records if r.fault is not None), None)
    return joined


def _pair_by_name(records: Sequence[TextRecord], sent: Batch, placed: Placement) -> list[tuple[int, int]]:
    owned, strays = match_case_ids((record.case_id for record in records), placed, sent.case_ids)
    placed.strays += len(strays)
    for case, numbers in owned.items():
        placed.lines[case] = [line for n in numbers for line in records[n].lines]
    return [(case, numbers[0]) for case, numbers in owned.items() if len(numbers) == 1]


def _pair_by_order(records: Sequence[TextRecord], sent: Batch, placed: Placement) -> list[tuple[int, int]]:
    """Pair cases and records by their order; reject all unequal pairs if one of them is implausible.

    Pairs with equal canonical forms are accepted. The other pairs are implausible if one of their records is
    unreadable, cut off, too different from its case, or the text of another case. Cases of rejected pairs are
    sent again. Equal numbers of records and cases prove nothing: one record may be missing and another one
    split.
    """
    pairs = [(case, case) for case in range(len(sent))]
    if len(sent) == 1 or all(record.text == text for record, text in zip(records, sent.texts, strict=True)):
        return pairs
    sent_letters, letters = list(map(fold_text, sent.texts)), [fold_text(record.text) for record in records]
    differing = [case for case in range(len(sent)) if letters[case] != sent_letters[case]]
    moved = _pair_by_letters({n: letters[n] for n in differing}, {n: sent_letters[n] for n in differing})
    all_letters = set(sent_letters)
    if not moved and all(
        letters[n] not in all_letters and _is_likely(records[n], sent.texts[n]) for n in differing
    ):
        return pairs
    moved_rows = {record for _, record in moved}
    doubtful = (n for n in differing if n not in moved_rows and (letters[n] or records[n].fault))
    placed.doubtful_count = sum(1 for _ in doubtful)
    rejected = set(differing)
    return [*(pair for pair in pairs if pair[0] not in rejected), *moved]


def _is_likely(record: TextRecord, text: str) -> bool:
    return record.fault is None and Alignment(record.text, text).is_likely


def _pair_by_letters(records: Mapping[int, str], cases: Mapping[int, str]) -> list[tuple[int, int]]:
    """Pair cases and records that have the same canonical form (see `alignment`).

    If several cases have the same text, they are paired only if each of them has a record.
    """
    records_by_letters: defaultdict[str, list[int]] = defaultdict(list)
    for record, letters in records.items():
        records_by_letters[letters].append(record)
    cases_by_letters: defaultdict[str, list[int]] = defaultdict(list)
    for case, letters in cases.items():
        cases_by_letters[letters].append(case)
    pairs: list[tuple[int, int]] = []
    for letters, same in cases_by_letters.items():
        if len(records_by_letters[letters]) >= len(same):
            pairs += zip(same, records_by_letters[letters], strict=False)
    return sorted(pairs)


def _place_together(joined: TextRecord, sent: Batch, placed: Placement) -> bool:
    """Align all records as one text, because lines may be split or joined; return False if this fails."""
    text = "\n".join(sent.texts)
    is_other = "".join(joined.text.split()).lower() != "".join(text.split()).lower()
    if is_other or joined.fault is not None or _find_undeclared(joined.tagged_text, text):
        return False
    alignment = Alignment(joined.text, text)
    if not alignment.is_exact:
        return False
    placed.match_kinds = dict.fromkeys(range(len(sent)), _get_match_kind(alignment, joined.text, text))
    starts = list(accumulate((len(case_text) + 1 for case_text in sent.texts), initial=0))
    for start, end, kind in joined.mentions:
        span = alignment.map_spans([(start, end)])[0]
        case = bisect_right(starts, alignment.map_position(start) if span is None else span[0]) - 1
        if span is None or span[1] >= starts[case + 1]:
            placed.unplaced[case] += 1
        else:
            placed.mentions.append(Mention(case, span[0] - starts[case], span[1] - starts[case], kind))
    return True


def _place_record(record: TextRecord, case: int, text: str, placed: Placement) -> None:
    """Align the mentions of a record with the text of its case."""
    match_kind, fault = "identical", record.fault
    places = [(start, end) if start < end else None for start, end, _ in record.mentions]
    undeclared = _find_undeclared(record.tagged_text, text) if record.tagged_text and fault is None else None
    if undeclared:
        placed.refuse(case, "garbage", describe_undeclared(undeclared))
        placed.undeclared_tags += undeclared
        return
    if record.text != text and fault is None:
        fault, match_kind, places = _align_record(record, text)
    if fault is not None:
        excerpt = f": {shorten_value(record.text)}" if fault.outcome == "garbage" and record.text else ""
        placed.refuse(case, fault.outcome, fault.message + excerpt)
        return
    placed.match_kinds[case] = match_kind
    for place, (_, _, kind) in zip(places, record.mentions, strict=True):
        if place is None:
            placed.unplaced[case] += 1
        else:
            placed.mentions.append(Mention(case, *place, kind))


def _align_record(record: TextRecord, text: str) -> tuple[Fault | None, str, list[tuple[int, int] | None]]:
    """Return a record's fault (None if it is usable), kind of alignment and mention spans."""
    if not record.text.strip() and text.strip():
        return Fault("short", "the record has no text"), "", []
    if len(record.text) > MAX_EXTRA_LENGTH + MAX_LENGTH_FACTOR * len(text):
        return OTHER_TEXT_FAULT, "", []
    alignment = Alignment(record.text, text)
    if alignment.is_cut:
        return Fault("short", "the record ends before the end of the text"), "", []
    if not alignment.is_likely:
        return OTHER_TEXT_FAULT, "", []
    places = alignment.map_spans([(start, end) for start, end, _ in record.mentions])
    return None, _get_match_kind(alignment, record.text, text), places


def _get_match_kind(alignment: Alignment, printed: str, text: str) -> str:
    if not alignment.is_exact:
        return "aligned"
    return "whitespace" if "".join(printed.split()) == "".join(text.split()) else "canonical"


def _find_undeclared(marked: str, text: str) -> Counter[str]:
    """Count the tags in a record by name, without names that are also tags in the text that was sent."""
    counts: Counter[str] = Counter()
    text_tags = find_tag_names(text)
    for match in TAG.finditer(marked):
        if (name := match[2]) not in text_tags:
            counts[name] += not match[1]
    # a tag that is closed but never opened counts once
    return Counter({name: max(number, 1) for name, number in counts.items()})


def find_tag_names(text: str) -> frozenset[str]:
    """Return the names of tags in a text, including tags written with XML entities (``&lt;b&gt;``)."""
    all_text = text + html.unescape(text) if "&lt;" in text else text
    return find_element_names(all_text)


def add_hint(problem: str, hint: str) -> str:
    """Add a hint about keys of the specification to a message."""
    message, mark, fields = problem.partition(FOUND_FIELDS)
    return f"{message}; specification: {hint}{mark}{fields}"


def split_case_ids(printed: TaggerOutput) -> tuple[list[str | None], str]:
    """Split each line into identifier and text; return the identifiers, and the joined texts.

    The identifier is empty if a line has none, and None if the form has no identifiers.
    """
    text = printed.text.decode()
    if text and not text.endswith("\n"):
        text += "\n"
    if not printed.form.numbered:
        return [None] * text.count("\n"), text
    names: list[str | None] = []
    lines: list[str] = []
    for line in text.split("\n")[:-1]:
        name, separator, content = line.partition(printed.form.separator)
        names.append(name.strip() if separator else "")
        lines.append(content if separator else line)
    return names, "".join(line + "\n" for line in lines)
