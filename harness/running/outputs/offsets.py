"""Output as a table of offsets: one mention per line, in columns or in a form that a pattern describes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....catalogues.core.patterns import search_texts
from ....sentences.formats.problems import describe_missing_fields
from ....sentences.formats.records import MentionRecords, SpanLength
from ..specification_forms import Output
from .parse import TaggerOutput
from .place_offsets import place_offsets
from .placement import Placement


def read(printed: TaggerOutput) -> Placement:
    """Parse a table of mentions, using the columns or the pattern in the specification."""
    text, form, name = printed.text.decode(), printed.form, printed.case_id
    records = MentionRecords(expected_name=name, requires_name=printed.has_sent_id)
    lines = [line.rstrip("\r") for line in text.split("\n")]
    for number, (line, cells) in enumerate(zip(lines, _read_cells(lines, form), strict=True)):
        if number < form.header or not line.strip() or (form.comment and line.startswith(form.comment)):
            continue
        records.current_line = number
        first = line.split(form.separator)[0].strip() if form.columns[:1] == ["id"] else None
        if cells is None:
            records.refuse(name or first or None, _explain_mismatch(line, form), line, line=number + 1)
        elif not records.is_expected_text(cells.get("id"), number + 1):
            continue
        elif missing := _find_missing(cells, form, name):
            present = [field for field in cells if field not in missing]
            owner = name or cells.get("id") or None
            records.refuse(owner, _describe_missing(missing, present, form), line, line=number + 1)
        else:
            end = cells.get("end") if "end" in cells else SpanLength(cells.get("length"))
            kind, score, word, known = map(cells.get, ("type", "score", "text", "identifiers"))
            case = cells.get("id", "") if name is None else name
            records.add(case, [(cells.get("start"), end)], kind, score, word, known, number + 1)
    return place_offsets(printed, records)


def _read_cells(lines: list[str], form: Output) -> Iterator[dict[str, str] | None]:
    """Yield the cells of each line, keyed by column or group name; None if the line does not match."""
    if not form.pattern:
        yield from (_split_columns(line, form) for line in lines)
        return
    groups = re.compile(form.pattern).groupindex.items()
    for matches in search_texts(form.pattern, lines):
        if not matches:
            yield None
            continue
        values = matches[0].groups
        yield {name: value for name, place in groups if (value := values[place - 1]) is not None}


def _explain_mismatch(line: str, form: Output) -> str:
    """Return the reason why a line is not a row of the table."""
    if form.pattern:
        return "not a line of the declared form (output.pattern)"
    number = line.count(form.separator) + 1
    return _describe_missing(form.columns[number:], form.columns[:number], form)


def _describe_missing(missing: list[str], present: list[str], form: Output) -> str:
    setting = "pattern" if form.pattern else "columns"
    return describe_missing_fields("a row", missing, present, setting)


def _split_columns(line: str, form: Output) -> dict[str, str] | None:
    values = line.split(form.separator)
    if len(values) < len(form.columns):
        return None
    cells = zip(form.columns, values, strict=False)
    return {c: v.strip() if c != "text" else v for c, v in cells if c != "-"}


def _find_missing(cells: dict[str, str], form: Output, name: str | None) -> list[str]:
    """Return the required fields that are missing or empty in a row."""
    needed = ["start", "end" if "end" in form.column_names else "length"]
    if name is None:
        needed.insert(0, "id")
    return [field for field in needed if not cells.get(field)]
