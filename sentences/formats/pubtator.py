"""PubTator format: records of ``ID|t|title``, ``ID|a|abstract`` and tab-separated mentions.

Records are separated by empty lines. Offsets count characters from the start of the title; the line break
before the abstract counts as one character. A record with title and abstract becomes two texts, ``ID|t`` and
``ID|a``, in the document ``ID``; a record without abstract becomes one text, ``ID``. The last column of a
mention line contains identifiers (``AUTHORITY:ID`` or ``ID``, joined by ``|``). Lines with relations between
identifiers (``ID<tab>CID<tab>…``) are counted but not stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes
from ...catalogues.core.numbers import WHOLE_NUMBER
from ..corpus import Corpus
from .base import (
    CHECK_OPTION,
    CorpusFormat,
    FormatOptions,
    is_check_enabled,
    read_lines_bytes,
    refuse_line_breaks,
    split_lines,
)
from .draft import Draft, assemble_corpus, place_mentions
from .problems import describe_missing_fields
from .records import MentionRecords
from .views import MentionView, TextView, encode_text, iterate_texts

_HEAD = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
MENTION_FIELDS = ("ID", "start", "end", "text", "type")
"""Names of the fields in a mention line; only the field ``type`` can be empty."""
OFFSET_FIELDS = ("start", "end")
EXPECTED_LINE = "ID|t|title, ID|a|abstract, or tab-separated ID, start, end, text, type[, identifiers]"


@dataclass
class Passages:
    """Texts in a PubTator file.

    Attributes
    ----------
    parts : dict of str to dict
        Title (``t``) and abstract (``a``) of each record.
    relations : int
        Number of lines with relations between identifiers.
    """

    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    relations: int = 0


def parse(content: bytes, records: MentionRecords) -> Passages:
    """Parse the lines of a PubTator file; texts and mentions can be in any order.

    Parameters
    ----------
    content : bytes
        Content of the file, in UTF-8.
    records : MentionRecords
        Object that receives mentions and problems; offsets count from the start of the title.
    """
    passages = Passages()
    records.seen_names = []
    # decode line by line: one rare character in a large string would quadruple its memory
    for number, encoded in enumerate(split_lines(content), start=1):
        line = encoded.decode().rstrip("\r")
        records.current_line = number - 1
        if line.strip():
            _parse_line(line, number, records, passages)
    records.current_line = None
    for name in dict.fromkeys(records.names).keys() - set(records.seen_names):
        problem = describe_missing_fields("the record", ["line ID|t|title"], ["mentions"])
        records.refuse(name, problem, line=records.line[records.names.index(name)])
    return passages


def _parse_line(line: str, number: int, records: MentionRecords, passages: Passages) -> None:
    head, cells = _HEAD.fullmatch(line), line.split("\t")
    line_name = head[1] if head else cells[0]
    if not records.is_expected_text(line_name or None, number):
        return
    name = line_name if records.expected_name is None else records.expected_name
    if head:
        parts = passages.parts.setdefault(name, {})
        if head[2] in parts and records.strict:
            records.refuse(name, f"duplicate line {name}|{head[2]}|", line, line=number)
        parts[head[2]] = head[3]
        if head[2] == "t":
            records.note_name(name)
    elif len(cells) == 1:
        records.refuse(name, "not a PubTator line", line, line=number, allowed=EXPECTED_LINE)
    elif len(cells) > 3 and cells[1].strip() and not cells[1].strip().lstrip("+-")[:1].isnumeric():
        # a relation has a word in the second column
        passages.relations += 1
    elif missing := _missing_fields(cells, named=records.expected_name is not None):
        present = [field for field in MENTION_FIELDS if field not in missing]
        problem = describe_missing_fields("a mention line", missing, present)
        records.refuse(name or None, problem, line, line=number, allowed=EXPECTED_LINE)
    else:
        identifiers = cells[5] if len(cells) > 5 else ""
        span = (cells[1], cells[2])
        records.add(name, [span], cells[4], text=cells[3], identifiers=identifiers, line=number)


def _missing_fields(cells: list[str], *, named: bool) -> list[str]:
    """Return the names of the missing fields in a mention line; if `named` is true, the id is optional."""
    empty = ("ID", "type") if named else ("type",)
    short = len(cells) < len(MENTION_FIELDS)
    left, missing = cells[::-1], []
    for name in MENTION_FIELDS:
        here = left[-1].strip() if left else ""
        # in a line with too few cells, a word in place of a number belongs to the next field
        apart = short and name in OFFSET_FIELDS and here and not WHOLE_NUMBER.fullmatch(here)
        if not left or apart:
            missing.append(name)
        elif not (cell := left.pop()) or not (cell.strip() or name == "text"):
            # the text of a mention may be white space
            missing += [] if name in empty else [name]
    return missing


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a PubTator file."""
    content = read_lines_bytes(path, EXPECTED_LINE)
    records = MentionRecords(strict=True, file=path)
    passages = parse(content, records)
    texts: list[tuple[str, str, str]] = []
    rows: dict[str, int] = {}
    for key, parts in passages.parts.items():
        rows[key] = len(texts)
        title, abstract = parts.get("t", ""), parts.get("a", "")
        if abstract:
            texts += [(f"{key}|t", key, title), (f"{key}|a", key, abstract)]
        else:
            texts.append((key, key, title))
    draft = Draft([t[0] for t in texts], [t[2] for t in texts], [t[1] for t in texts])
    # a mention that begins after the title is in the abstract, which is the next text
    titles = [len(passages.parts[name].get("t", "")) for name in records.names]
    later = [
        start > title and bool(passages.parts[name].get("a"))
        for name, start, title in zip(records.names, records.start, titles, strict=True)
    ]
    place_mentions(
        draft,
        records,
        [rows[name] + second for name, second in zip(records.names, later, strict=True)],
        ("characters",),
        check=is_check_enabled(options),
        base=[title + 1 if second else 0 for title, second in zip(titles, later, strict=True)],
    )
    draft.types, draft.normalisations = records.type, records.identifiers
    if passages.relations:
        draft.notes.append(f"{passages.relations} relations between identifiers were dropped")
    return assemble_corpus(draft, name=f"pubtator:{path.name}", digest=digest_bytes(content), file=path)


def pair_texts(listed: list[TextView]) -> list[list[TextView]]:
    """Group texts into records; a record is a title and its abstract, or a single text."""
    records: list[list[TextView]] = []
    for text in listed:
        record = records[-1] if records else []
        ids = [str(part.text_id) for part in (*record, text)]
        if text.text and ids == [f"{text.document_id}|t", f"{text.document_id}|a"]:
            record.append(text)
        else:
            records.append([text])
    return records


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write a PubTator file; consecutive texts ``ID|t`` and ``ID|a`` become one record."""
    refuse_line_breaks(corpus, "pubtator")
    lines: list[str] = []
    for record in pair_texts(list(iterate_texts(corpus))):
        key = record[0].document_id if len(record) == 2 else str(record[0].text_id)
        if not key or re.search(r"[|\t\n\r]", key):
            problem = "format pubtator cannot store this text id"
            raise InputError(problem, found=key, allowed="ids without |, tab or line break")
        lines.append(f"{key}|t|{record[0].text}\n{key}|a|{record[1].text if len(record) == 2 else ''}\n")
        shift = 0
        for text in record:
            lines += [_mention(key, m, shift) for m in text.mentions]
            shift = len(text.text) + 1
        lines.append("\n")
    path.write_bytes(encode_text("".join(lines)))


def _mention(key: str, mention: MentionView, shift: int) -> str:
    identifiers = mention.identifiers
    if re.search(r"[\t\n\r]", mention.type + identifiers):
        raise InputError(
            "format pubtator cannot store a type or identifier with a tab or line break",
            found=mention.type + identifiers,
        )
    shown = mention.data.replace("\t", " ")
    cells = [key, str(shift + mention.start), str(shift + mention.end), shown, mention.type]
    return "\t".join(cells + ([identifiers] if identifiers else [])) + "\n"


FORMAT = CorpusFormat(
    name="pubtator",
    title="PubTator: ID|t|title, ID|a|abstract, tab-separated mentions",
    place="file",
    read=read,
    write=write,
    options=CHECK_OPTION,
    parse=parse,
)
