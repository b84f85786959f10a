"""Reader of folders and zip files with .txt, .a1 and .a2 files (reference or predictions)."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import (
    decode_utf8,
    digest_bytes,
    get_unpacked_limit,
    open_input,
    read_bytes,
    too_large_error,
)
from ....sentences.formats.records import MentionRecords
from ....sentences.formats.standoff import LinePlace, StandoffLines, parse

ENDINGS = (".txt", ".a1", ".a2")


@dataclass(frozen=True)
class DocumentFiles:
    """Contents of the files in a folder or zip file, keyed by document and suffix."""

    name: str
    contents: Mapping[tuple[str, str], str]
    digest: str
    root: str

    def documents(self, ending: str) -> list[str]:
        """Return the documents that have a file with the given suffix, sorted by name."""
        return sorted(document for document, kind in self.contents if kind == ending)

    def place(self, document: str, ending: str) -> str:
        """Return the path of a document's file with the given suffix, for messages."""
        return f"{self.root}/{document}{ending}"


def read_files(path: str | PathLike[str]) -> DocumentFiles:
    """Read the files in a folder or zip file; in a zip file, the names of subfolders are ignored.

    Raises
    ------
    InputError
        If the path does not exist or is a file other than a zip file, if there is no annotation file, if a
        document occurs twice, or if a file is not UTF-8.
    """
    source = Path(path)
    raw: dict[tuple[str, str], tuple[str, bytes]] = {}
    if source.is_dir():
        files = [(str(p), p.name, read_bytes(p)) for p in sorted(source.iterdir()) if p.suffix in ENDINGS]
    elif source.exists():
        files = _unzip(source)
    else:
        raise InputError("no such file or folder", file=source)
    for place, name, content in files:
        key = (PurePosixPath(name).stem, PurePosixPath(name).suffix)
        if key in raw:
            raise InputError("duplicate document", file=source, found=name)
        raw[key] = (place, content)
    if not raw:
        raise InputError("no annotation files (*.txt, *.a1 or *.a2)", file=source)
    digest = digest_bytes(*(f"{d}{k}\0".encode() + raw[d, k][1] for d, k in sorted(raw)))
    contents = {key: decode_utf8(content, place) for key, (place, content) in raw.items()}
    return DocumentFiles(source.name, contents, digest, str(source))


def _unzip(source: Path) -> list[tuple[str, str, bytes]]:
    try:
        with open_input(source) as packed, zipfile.ZipFile(packed) as archive:
            limit = get_unpacked_limit(packed.seek(0, os.SEEK_END))
            members = sorted(
                (i for i in archive.infolist() if i.filename.endswith(ENDINGS)), key=lambda i: i.filename
            )
            # zipfile extracts no more bytes than the entry of a member states
            if sum(i.file_size for i in members) > limit:
                raise too_large_error(source, limit, packed=True)
            return [
                (f"{source}/{i.filename}", PurePosixPath(i.filename).name, archive.read(i)) for i in members
            ]
    # RuntimeError: the member is encrypted or compressed by an unknown method
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as error:
        raise InputError(f"neither a folder nor a readable zip file ({error})", file=source) from None


INPUT, REFERENCE, PREDICTION = 0, 1, 2
ENTITY_TYPES = ("Microorganism", "Habitat", "Phenotype", "Geographical", "Title", "Paragraph")
AUTHORITIES = ("NCBI_Taxonomy", "OntoBiotope")
LOCATION_ROLES = {"Lives_In": "Location", "Exhibits": "Property"}
"""Role of the argument that is not the microorganism, for each type of relation."""
LINE_KINDS = "lines that begin with T, N, R, * or #"

Span = tuple[int, int]


@dataclass
class Annotations:
    """All annotations for a task (input, reference, predictions), in lists with one item per annotation."""

    entities: list[dict[str, Any]] = field(default_factory=list)
    fragments: list[tuple[Span, ...]] = field(default_factory=list)
    normalisations: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    # sets of equivalent entities (rows) in the reference
    equivalents: list[list[int]] = field(default_factory=list)
    # problems: errors unless the option `force` is used; notes: remarks only
    problems: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_problem(self, problem: str, place: LinePlace, found: str, allowed: str | None = None) -> None:
        """Record a problem, which is an error unless the option `force` is used."""
        self.problems.append(_make_error(problem, place, found, allowed))


def _make_error(problem: str, place: LinePlace, found: object, allowed: str | None = None) -> InputError:
    return InputError(problem, file=place[0], line=place[1], found=found, allowed=allowed)


def parse_document(
    annotations: Annotations,
    number: int,
    length: int,
    parts: list[tuple[int, str, str]],
    *,
    as_published: bool,
) -> None:
    """Parse the files of one document and add their annotations.

    Parameters
    ----------
    annotations : Annotations
        Object that receives the annotations.
    number, length : int
        Index of the document, and length of its text in UTF-16 code units.
    parts : list of (set, file name, content)
        Files in this order: input annotations, reference, predictions.
    as_published : bool
        Whether to drop a fragment that touches or overlaps the preceding fragment; by default, the two are
        joined.
    """
    input_rows: dict[str, int] = {}
    for which, file, content in parts:
        # lines of reference and predictions can refer to input annotations
        records, lines = (
            MentionRecords(strict=True, file=file, expected_name=str(number)),
            StandoffLines(mention_places=dict(input_rows)),
        )
        parse(content.encode(), records, lines, texts=False)
        kinds = set(lines.dropped) - {"#"}
        if kinds:
            raise InputError(
                "unsupported type of line", file=file, found=", ".join(sorted(kinds)), allowed=LINE_KINDS
            )
        # replace mention numbers within the file by rows in the table of entities
        new = [name for name in lines.mention_places if name not in input_rows]
        rows = {name: len(annotations.entities) + row for row, name in enumerate(new)}
        lines.mention_places = input_rows | rows
        if which == INPUT:
            input_rows = lines.mention_places
        columns = zip(new, records.spans(), records.line, records.type, records.text, strict=True)
        for name, pieces, line, kind, form in columns:
            place = file, line or 0
            annotations.fragments.append(
                _join_fragments(annotations, place, length, pieces, as_published=as_published)
            )
            _check_value(annotations, "unknown type of entity", kind, ENTITY_TYPES, place)
            annotations.entities.append(
                {"document": number, "name": name, "type": kind, "set": which, "form": form or ""}
            )
        _read_links(annotations, lines, number, which)


def _join_fragments(
    into: Annotations, place: LinePlace, length: int, pieces: list[Span], *, as_published: bool
) -> tuple[Span, ...]:
    """Return the fragments of an entity; touching fragments are joined (dropped if `as_published`)."""
    spans: list[Span] = []
    for start, end in pieces:
        if start > end:
            raise _make_error("a span ends before it starts", place, f"{start} {end}")
        if end > length:
            raise _make_error("an offset lies outside the text", place, end, f"0 to {length}")
        if not spans or start > spans[-1][1]:
            spans.append((start, end))
        elif as_published:
            into.notes.append(f"{place[0]}:{place[1]}: dropped a fragment that touches the one before it")
        else:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
    return tuple(spans)


def _check_value(
    into: Annotations, problem: str, found: str, allowed: tuple[str, ...], place: LinePlace
) -> None:
    # an annotation with an unknown value would silently be ignored
    if found not in allowed:
        into.add_problem(problem, place, found, ", ".join(allowed))


def _read_links(into: Annotations, lines: StandoffLines, number: int, which: int) -> None:
    """Add the normalisations, relations and equivalences that a file contains to `into`."""

    def referent(name: str, place: LinePlace) -> int | None:
        row = lines.mention_places.get(name)
        if row is None:
            into.add_problem("reference to an unknown id", place, name)
        return row

    seen: set[str] = set()
    for place, line_id, target, authority, identifier in lines.references:
        if line_id in seen:
            raise _make_error("duplicate id", place, line_id)
        seen.add(line_id)
        _check_value(into, "unknown authority", authority, AUTHORITIES, place)
        row = referent(target, place)
        if row is not None:
            into.normalisations.append(
                {
                    "entity": row,
                    "set": which,
                    "authority": authority,
                    "identifier": identifier,
                    "place": place,
                }
            )
    for name, (place, kind, arguments) in lines.relations.items():
        if name.startswith("E"):
            raise _make_error("unsupported type of line", place, name, LINE_KINDS)
        roles = dict(arguments)
        if len(roles) < len(arguments):
            raise _make_error("a relation has two arguments with the same role", place, _shown(arguments))
        rows = {role: referent(target, place) for role, target in arguments}
        other = LOCATION_ROLES.get(kind)
        if other is None:
            into.add_problem("unknown type of relation", place, kind, ", ".join(LOCATION_ROLES))
            continue
        missing = [role for role in ("Microorganism", other) if role not in roles]
        if missing:
            into.add_problem(f"a relation has no {missing[0]} argument", place, _shown(arguments))
        elif rows["Microorganism"] is not None and rows[other] is not None:
            into.relations.append(
                {
                    "document": number,
                    "name": name,
                    "type": kind,
                    "set": which,
                    "microorganism": rows["Microorganism"],
                    "other": rows[other],
                }
            )
    for place, members in lines.equivalences:
        if which == PREDICTION:
            into.notes.append(f"{place[0]}:{place[1]}: Equiv is ignored in predictions")
        else:
            into.equivalents.append([row for name in members if (row := referent(name, place)) is not None])


def _shown(arguments: list[tuple[str, str]]) -> str:
    return " ".join(f"{role}:{target}" for role, target in arguments)
