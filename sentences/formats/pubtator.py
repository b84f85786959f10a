"""PubTator: ``ID|t|title`` and ``ID|a|abstract``, then tab-separated mentions; an empty line between records.

Offsets count characters from the title's first, with one for the line break before the abstract. A record
with both gives two texts, ``ID|t`` and ``ID|a``, of document ``ID``; a record without abstract gives one
text ``ID``. The last column holds identifiers, ``AUTHORITY:ID`` or ``ID``, several joined by ``|``. Lines
that relate identifiers (``ID<tab>CID<tab>…``) name no mentions and are counted.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, digest_bytes
from ..corpus import Corpus
from .base import Carries, Format, Options, refuse_line_breaks
from .build import Draft, assemble
from .textlines import read_lines_text, split_lines
from .views import MentionView, TextView, encode_text, views

_HEAD = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
_WHOLE = re.compile(r"[0-9]{1,9}")
ALLOWED = "ID|t|title, ID|a|abstract, or ID, start, end, text, type[, identifiers] parted by tabs"


class _Record:
    """The record being read."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.parts: dict[str, str] = {}
        self.mentions: list[tuple[int, list[str]]] = []


def read(path: Path, options: Options) -> Corpus:
    """Read a PubTator file."""
    content = read_lines_text(path, ALLOWED)
    draft = Draft([], [], [], [], [], [], [], lines=[])
    columns: list[list[object]] = [[], [], [], [], []]
    texts: list[tuple[str, str, str]] = []
    record: _Record | None = None
    relations = 0
    seen: dict[str, int] = {}
    check = options.get("check") != "no"

    def close() -> None:
        if record is not None:
            _close(record, texts, columns, draft, path, check)

    for number, line in enumerate(split_lines(content), start=1):
        if not line:
            close()
            record = None
            continue
        head = _HEAD.fullmatch(line)
        if (
            head
            and (record is None or record.key == head[1])
            and head[2] not in (record.parts if record else {})
        ):
            if record is None:
                record = _Record(head[1])
                if head[1] in seen:
                    raise InputError(
                        f"record {head[1]!r} occurs twice (first at line {seen[head[1]]})",
                        file=path,
                        line=number,
                    )
                seen[head[1]] = number
            record.parts[head[2]] = head[3]
            continue
        cells = line.split("\t")
        if record is None or "t" not in record.parts or cells[0] != record.key or len(cells) < 4:
            raise InputError("not a line of this record", file=path, line=number, found=line, allowed=ALLOWED)
        if not _WHOLE.fullmatch(cells[1]):
            relations += 1
            continue
        if not _WHOLE.fullmatch(cells[2]) or len(cells) < 5:
            raise InputError("not a mention line", file=path, line=number, found=line, allowed=ALLOWED)
        record.mentions.append((number, cells))
    close()
    draft.text_ids, draft.document_ids, draft.texts = ([t[i] for t in texts] for i in range(3))
    rows, starts, ends, types, lines = columns
    draft.rows, draft.starts, draft.ends, draft.types, draft.lines = rows, starts, ends, types, lines  # type: ignore[assignment]
    if relations:
        draft.notes.append(f"{relations} relations between identifiers not kept")
    return assemble(draft, name=f"pubtator:{path.name}", digest=digest_bytes(content.encode()), file=path)


def _close(
    record: _Record,
    texts: list[tuple[str, str, str]],
    columns: list[list[object]],
    draft: Draft,
    path: Path,
    check: bool,
) -> None:
    """Turn a record into one or two texts with their mentions."""
    title, abstract = record.parts.get("t", ""), record.parts.get("a", "")
    base = len(texts)
    if abstract:
        texts += [(f"{record.key}|t", record.key, title), (f"{record.key}|a", record.key, abstract)]
    else:
        texts.append((record.key, record.key, title))
    whole = title + "\n" + abstract
    for line, cells in record.mentions:
        start, end = int(cells[1]), int(cells[2])
        later = start > len(title)
        shift = len(title) + 1 if later else 0
        if end <= start or end > len(abstract if later else title) + shift:
            raise InputError(
                "an offset outside the text",
                file=path,
                line=line,
                found=f"{start} {end}",
                allowed=f"0 <= start < end <= {len(whole)}, within the title ({len(title)}) or the abstract",
            )
        if check and "".join(cells[3].split()) != "".join(whole[start:end].split()):
            raise InputError(
                "the recorded text is not what stands at the offsets",
                file=path,
                line=line,
                found=cells[3],
                allowed=f"{whole[start:end]!r}, or option check=no",
            )
        place = len(columns[0])
        for column, value in zip(
            columns, (base + later, start - shift, end - shift, cells[4], line), strict=True
        ):
            column.append(value)
        for part in filter(None, (cells[5] if len(cells) > 5 else "").split("|")):
            authority, colon, identifier = part.partition(":")
            draft.normalisations.append((place, authority if colon else "", identifier if colon else part))


def pairs(listed: list[TextView]) -> list[list[TextView]]:
    """Texts by record: a title with its abstract, or a text by itself."""
    records: list[list[TextView]] = []
    for text in listed:
        before = records[-1][0] if records else None
        key = str(text.text_id)
        if (
            before is not None
            and len(records[-1]) == 1
            and text.text
            and key == f"{text.document_id}|a"
            and str(before.text_id) == f"{text.document_id}|t"
        ):
            records[-1].append(text)
        else:
            records.append([text])
    return records


def write(corpus: Corpus, path: Path, options: Options) -> None:  # noqa: ARG001 - a writer's signature
    """Write a PubTator file; texts called ``ID|t`` and ``ID|a`` share a record."""
    refuse_line_breaks(corpus, "pubtator")
    lines: list[str] = []
    for record in pairs(list(views(corpus))):
        key = record[0].document_id if len(record) == 2 else str(record[0].text_id)
        if not key or re.search(r"[|\t\n\r]", key):
            raise InputError(
                "a text id that format pubtator cannot carry",
                file=path,
                found=key,
                allowed="no |, tab or line break",
            )
        lines.append(f"{key}|t|{record[0].text}\n{key}|a|{record[1].text if len(record) == 2 else ''}\n")
        shift = 0
        for text in record:
            lines += [_mention(key, m, shift, path) for m in text.mentions]
            shift = len(text.text) + 1
        lines.append("\n")
    with atomic_path(path) as temporary:
        temporary.write_bytes(encode_text("".join(lines)))


def _mention(key: str, mention: MentionView, shift: int, path: Path) -> str:
    identifiers = "|".join(f"{a}:{i}" if a else i for a, i in mention.normalisations)
    if re.search(r"[\t\n\r]", mention.type + identifiers):
        raise InputError(
            "a type or identifier with a tab or line break: format pubtator cannot carry it",
            file=path,
            found=mention.type + identifiers,
        )
    shown = mention.data.replace("\t", " ")
    cells = [key, str(shift + mention.start), str(shift + mention.end), shown, mention.type]
    return "\t".join(cells + ([identifiers] if identifiers else [])) + "\n"


def more_losses(corpus: Corpus, options: Options) -> list[str]:  # noqa: ARG001 - a hook's signature
    """Ids of texts that are not one record, and normalisations with their separators inside."""
    lost = []
    single = [r[0] for r in pairs(list(views(corpus))) if len(r) == 1]
    other = sum(t.document_id not in ("", str(t.text_id)) for t in single)
    if other:
        lost.append(f"{other} document ids (a text's own id is read back)")
    table = corpus.normalisations
    if table is not None:
        joined = table["authority"].str.contains(r"[|:]", regex=True) | table["identifier"].str.contains(
            "|", regex=False
        )
        joined |= (table["authority"] == "") & table["identifier"].str.contains(":", regex=False)
        if joined.any():
            lost.append(
                f"{int(joined.sum())} normalisations with | or : inside (split elsewhere when read back)"
            )
    return lost


FORMAT = Format(
    name="pubtator",
    title="PubTator: ID|t|title, ID|a|abstract, tab-separated mentions",
    place="file",
    read=read,
    write=write,
    options={"check": "no: do not compare recorded texts with the offsets"},
    carries=Carries(document_ids=True, normalisations=True),
    more_losses=more_losses,
)
