"""From the text that a tagger printed again, record by record, to the text that it was sent.

A record is placed when it is the text of its case, or when it can be aligned with it (`alignment`). Records
belong to cases by their identifiers, else by their order where nothing speaks against it, else by their
letters.
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
"""A record of more characters is another text: so many, and so many for each of its case's text."""
SHOWN = 100
"""Characters of such a record that are kept."""
OTHER_TEXT_FAULT = Fault("garbage", "another text")
ENCODING_FAULT = Fault("encoding", "not in the declared encoding")


@dataclass(slots=True)
class TextRecord:
    """Text that a tagger printed again, with mentions in it.

    Attributes
    ----------
    text : str
        Without mark-up.
    lines : list of int
        The lines, counted from 0, that it was read from.
    case_id : str or None
        The identifier of its case, where the output has identifiers.
    mentions : list of (start, end, type)
        Code points of `text`.
    fault : Fault or None
        Why it cannot be used.
    tagged_text : str
        The text with all tags that the specification does not list, where it lists any.
    """

    text: str
    lines: list[int]
    case_id: str | None = None
    mentions: list[tuple[int, int, str]] = field(default_factory=list)
    fault: Fault | None = None
    tagged_text: str = ""


def place_texts(printed: TaggerOutput, records: list[TextRecord]) -> Placement:
    """Place the mentions of texts that were printed again in the texts that were sent."""
    sent, placed = printed.sent, Placement(len(printed.sent))
    most = MAX_EXTRA_LENGTH + MAX_LENGTH_FACTOR * max(map(len, sent.texts), default=0)
    for record in records:
        if len(record.text) > most:
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
        given = {number: fold_text(record.text) for number, record in enumerate(records)}
        pairs = _pair_by_letters(given, dict(enumerate(map(fold_text, sent.texts))))
        placed.strays += len(records) - len(pairs)
        if len(sent) == 1 and records and not pairs:
            # together they may be its text, altered and cut up
            placed.strays, pairs, records = 0, [(0, 0)], [_join(records)]
    for case, number in pairs:
        placed.lines[case] = records[number].lines
        _place_record(records[number], case, sent.texts[case], placed)
    return placed


def _join(records: Sequence[TextRecord]) -> TextRecord:
    """Return several records as one."""
    whole = TextRecord("\n".join(r.text for r in records), [line for r in records for line in r.lines])
    before = 0
    for record in records:
        whole.mentions += [(start + before, end + before, kind) for start, end, kind in record.mentions]
        before += len(record.text) + 1
    whole.tagged_text = "\n".join(r.tagged_text for r in records)
    whole.fault = next((r.fault for r in records if r.fault is not None), None)
    return whole


def _pair_by_name(records: Sequence[TextRecord], sent: Batch, placed: Placement) -> list[tuple[int, int]]:
    owned, strays = match_case_ids((record.case_id for record in records), placed, sent.case_ids)
    placed.strays += len(strays)
    placed.lines |= {case: [line for n in own for line in records[n].lines] for case, own in owned.items()}
    return [(case, own[0]) for case, own in owned.items() if len(own) == 1]


def _pair_by_order(records: Sequence[TextRecord], sent: Batch, placed: Placement) -> list[tuple[int, int]]:
    """Pair cases and records of the same number, where that can be believed.

    Where the canonical letters agree there is no doubt. The others are believed only when nothing speaks
    against the order: no record of them is another case's text, unreadable, cut off, or unlike its case. One
    record lost and another cut in two leave the count as it was, and every line between them misplaced. What
    is not believed is sent again, in the end alone.
    """
    pairs = [(case, case) for case in range(len(sent))]
    if len(sent) == 1 or all(record.text == text for record, text in zip(records, sent.texts, strict=True)):
        return pairs
    cases, given = list(map(fold_text, sent.texts)), [fold_text(record.text) for record in records]
    others = [case for case in range(len(sent)) if given[case] != cases[case]]
    moved = _pair_by_letters({n: given[n] for n in others}, {n: cases[n] for n in others})
    everything = set(cases)
    if not moved and all(
        given[n] not in everything and _is_likely(records[n], sent.texts[n]) for n in others
    ):
        return pairs
    found = {record for _, record in moved}
    placed.doubtful_count = sum(n not in found and bool(given[n] or records[n].fault) for n in others)
    unsure = set(others)
    return [*(pair for pair in pairs if pair[0] not in unsure), *moved]


def _is_likely(record: TextRecord, text: str) -> bool:
    return record.fault is None and Alignment(record.text, text).is_likely


def _pair_by_letters(records: Mapping[int, str], cases: Mapping[int, str]) -> list[tuple[int, int]]:
    """Pair cases and records of the same canonical letters.

    A text that was sent several times needs as many records; where they are fewer, nobody can say whose they
    are, and none of these cases is settled.
    """
    given: defaultdict[str, list[int]] = defaultdict(list)
    for record, letters in records.items():
        given[letters].append(record)
    wanted: defaultdict[str, list[int]] = defaultdict(list)
    for case, letters in cases.items():
        wanted[letters].append(case)
    pairs: list[tuple[int, int]] = []
    for letters, own in wanted.items():
        if len(given[letters]) >= len(own):
            pairs += zip(own, given[letters], strict=False)
    return sorted(pairs)


def _place_together(whole: TextRecord, sent: Batch, placed: Placement) -> bool:
    """Place the mentions of lines that were split or joined; return False if their letters were not sent."""
    text = "\n".join(sent.texts)
    is_other = "".join(whole.text.split()).lower() != "".join(text.split()).lower()
    if is_other or whole.fault is not None or _find_undeclared(whole.tagged_text, text):
        return False
    alignment = Alignment(whole.text, text)
    if not alignment.is_exact:
        return False
    placed.match_kinds = dict.fromkeys(range(len(sent)), _get_match_kind(alignment, whole.text, text))
    begins = list(accumulate((len(one) + 1 for one in sent.texts), initial=0))
    for start, end, kind in whole.mentions:
        span = alignment.map_spans([(start, end)])[0]
        case = bisect_right(begins, alignment.map_position(start) if span is None else span[0]) - 1
        if span is None or span[1] >= begins[case + 1]:
            placed.unplaced[case] += 1
        else:
            placed.mentions.append(Mention(case, span[0] - begins[case], span[1] - begins[case], kind))
    return True


def _place_record(record: TextRecord, case: int, text: str, placed: Placement) -> None:
    """Place the mentions of a record in the text of its case."""
    way, fault = "identical", record.fault
    places = [(start, end) if start < end else None for start, end, _ in record.mentions]
    undeclared = _find_undeclared(record.tagged_text, text) if record.tagged_text and fault is None else None
    if undeclared:
        placed.refuse(case, "garbage", describe_undeclared(undeclared))
        placed.undeclared_tags += undeclared
        return
    if record.text != text and fault is None:
        fault, way, places = _align_record(record, text)
    if fault is not None:
        shown = f": {shorten_value(record.text)}" if fault.outcome == "garbage" and record.text else ""
        placed.refuse(case, fault.outcome, fault.message + shown)
        return
    placed.match_kinds[case] = way
    for place, (_, _, kind) in zip(places, record.mentions, strict=True):
        if place is None:
            placed.unplaced[case] += 1
        else:
            placed.mentions.append(Mention(case, *place, kind))


def _align_record(record: TextRecord, text: str) -> tuple[Fault | None, str, list[tuple[int, int] | None]]:
    """Return why a record cannot be an altered text, else how it was aligned and its mentions' places."""
    if not record.text.strip() and text.strip():
        return Fault("short", "the record has no text"), "", []
    if len(record.text) > MAX_EXTRA_LENGTH + MAX_LENGTH_FACTOR * len(text):
        return OTHER_TEXT_FAULT, "", []
    alignment = Alignment(record.text, text)
    if alignment.is_cut:
        return Fault("short", "the record ends before the text does"), "", []
    if not alignment.is_likely:
        return OTHER_TEXT_FAULT, "", []
    places = alignment.map_spans([(start, end) for start, end, _ in record.mentions])
    return None, _get_match_kind(alignment, record.text, text), places


def _get_match_kind(alignment: Alignment, given: str, text: str) -> str:
    if not alignment.is_exact:
        return "aligned"
    return "whitespace" if "".join(given.split()) == "".join(text.split()) else "canonical"


def _find_undeclared(marked: str, text: str) -> Counter[str]:
    """Count the tags of a record that its text has neither as tags nor written with entities."""
    counts: Counter[str] = Counter()
    own = find_tag_names(text)
    for match in TAG.finditer(marked):
        if (name := match[2]) not in own:
            counts[name] += not match[1]
    # of a tag that is closed and never opened there is at least one
    return Counter({name: max(number, 1) for name, number in counts.items()})


def find_tag_names(text: str) -> frozenset[str]:
    """Return the names of tags in a text, also of those that it writes with entities (``&lt;b&gt;``)."""
    both = text + html.unescape(text) if "&lt;" in text else text
    return find_element_names(both)


def add_hint(problem: str, hint: str) -> str:
    """Add to a problem the keys of the specification that say what a record is."""
    what, mark, found = problem.partition(FOUND_FIELDS)
    return f"{what}; specification: {hint}{mark}{found}"


def split_case_ids(printed: TaggerOutput) -> tuple[list[str | None], str]:
    """Return the identifier of each line, and the lines without identifiers, each of them ended.

    A line without an identifier has the empty one, which no case has; a form without identifiers has None.
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
