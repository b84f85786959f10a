"""Read the files of one side: a folder or zip of .txt, .a1 and .a2, and their annotations."""

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
    """Contents by document and ending; `place` names a file in messages."""

    name: str
    contents: Mapping[tuple[str, str], str]
    digest: str
    root: str

    def documents(self, ending: str) -> list[str]:
        """Documents that have a file with this ending, in order of name."""
        return sorted(document for document, kind in self.contents if kind == ending)

    def place(self, document: str, ending: str) -> str:
        """File name for messages."""
        return f"{self.root}/{document}{ending}"


def read_files(path: str | PathLike[str]) -> DocumentFiles:
    """Read the files of a folder or a zip; what lies in folders inside a zip counts by its own name.

    Raises
    ------
    InputError
        No such path, not a zip, no annotation file in it, a document twice, or text that is not UTF-8.
    """
    source = Path(path)
    raw: dict[tuple[str, str], tuple[str, bytes]] = {}
    if source.is_dir():
        found = [(str(p), p.name, read_bytes(p)) for p in sorted(source.iterdir()) if p.suffix in ENDINGS]
    elif source.exists():
        found = _unzip(source)
    else:
        raise InputError(
            "no such file or folder", file=source, allowed="a folder or zip of .txt, .a1 and .a2 files"
        )
    for place, name, content in found:
        key = (PurePosixPath(name).stem, PurePosixPath(name).suffix)
        if key in raw:
            raise InputError("a document twice", file=source, found=name)
        raw[key] = (place, content)
    if not raw:
        raise InputError("no annotation files", file=source, allowed="files named *.txt, *.a1, *.a2")
    digest = digest_bytes(*(f"{d}{k}\0".encode() + raw[d, k][1] for d, k in sorted(raw)))
    contents = {key: decode_utf8(content, place) for key, (place, content) in raw.items()}
    return DocumentFiles(source.name, contents, digest, str(source))


def _unzip(source: Path) -> list[tuple[str, str, bytes]]:
    try:
        with open_input(source) as packed, zipfile.ZipFile(packed) as archive:
            limit = get_unpacked_limit(packed.seek(0, os.SEEK_END))
            found = sorted(
                (i for i in archive.infolist() if i.filename.endswith(ENDINGS)), key=lambda i: i.filename
            )
            # no more comes out of a member than its entry says
            if sum(i.file_size for i in found) > limit:
                raise too_large_error(source, limit, packed=True)
            return [
                (f"{source}/{i.filename}", PurePosixPath(i.filename).name, archive.read(i)) for i in found
            ]
    # a member that is encrypted or packed by an unknown method: RuntimeError or a kind of it
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as error:
        raise InputError(
            f"not a zip that can be read ({error})", file=source, allowed="a folder or a zip"
        ) from None


INPUT, REFERENCE, PREDICTION = 0, 1, 2
ENTITY_TYPES = ("Microorganism", "Habitat", "Phenotype", "Geographical", "Title", "Paragraph")
AUTHORITIES = ("NCBI_Taxonomy", "OntoBiotope")
LOCATION_ROLES = {"Lives_In": "Location", "Exhibits": "Property"}
"""Role of the argument that is not the microorganism, by type of relation."""
LINE_KINDS = "lines that begin with T, N, R, * or #"

Span = tuple[int, int]


@dataclass
class Annotations:
    """All annotations of a task, both sides and the given ones; one list entry an annotation."""

    entities: list[dict[str, Any]] = field(default_factory=list)
    fragments: list[tuple[Span, ...]] = field(default_factory=list)
    normalisations: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    # sets of entities (rows) that mean the same, in the reference
    equivalents: list[list[int]] = field(default_factory=list)
    # what the published program refuses unless forced, and what is only noted
    problems: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_problem(self, problem: str, place: LinePlace, found: str, allowed: str | None = None) -> None:
        """Note what the published program refuses."""
        self.problems.append(InputError(problem, file=place[0], line=place[1], found=found, allowed=allowed))


def parse_document(
    annotations: Annotations,
    number: int,
    length: int,
    parts: list[tuple[int, str, str]],
    *,
    as_published: bool,
) -> None:
    """Read the files of one document.

    Parameters
    ----------
    annotations : Annotations
        What is added to.
    number, length : int
        The document, and the length of its text in UTF-16 units.
    parts : list of (set, file name, content)
        The given annotations first, then the reference's, then the predictions'.
    as_published : bool
        Drop a fragment that touches or overlaps the one before; by default such are joined.
    """
    given: dict[str, int] = {}
    for which, file, content in parts:
        # lines of either side may name what was given
        records, found = (
            MentionRecords(strict=True, file=file, expected_name=str(number)),
            StandoffLines(mention_places=dict(given)),
        )
        parse(content.encode(), records, found, texts=False)
        kinds = set(found.dropped) - {"#"}
        if kinds:
            raise InputError(
                "not an annotation", file=file, found=", ".join(sorted(kinds)), allowed=LINE_KINDS
            )
        # the codec numbers the mentions of a file; an entity is a row of all
        new = [name for name in found.mention_places if name not in given]
        found.mention_places = given | {name: len(annotations.entities) + row for row, name in enumerate(new)}
        if which == INPUT:
            given = found.mention_places
        columns = zip(new, records.spans(), records.line, records.type, records.text, strict=True)
        for name, pieces, line, kind, form in columns:
            place = file, line or 0
            annotations.fragments.append(
                _join_fragments(annotations, place, length, pieces, as_published=as_published)
            )
            _add_unless_published(annotations, "an unknown type of entity", kind, ENTITY_TYPES, place)
            annotations.entities.append(
                {"document": number, "name": name, "type": kind, "set": which, "form": form or ""}
            )
        _read_links(annotations, found, number, which)


def _join_fragments(
    into: Annotations, place: LinePlace, length: int, pieces: list[Span], *, as_published: bool
) -> tuple[Span, ...]:
    """The fragments of an entity, in order; those that touch are joined or, as published, dropped."""
    spans: list[Span] = []
    file, line = place
    for start, end in pieces:
        if start > end:
            raise InputError("an end before its start", file=file, line=line, found=f"{start} {end}")
        if end > length:
            allowed = f"0 to {length}"
            raise InputError("an offset outside the text", file=file, line=line, found=end, allowed=allowed)
        if not spans or start > spans[-1][1]:
            spans.append((start, end))
        elif as_published:
            into.notes.append(f"{file}:{line}: a fragment touches the one before it: dropped")
        else:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
    return tuple(spans)


def _add_unless_published(
    into: Annotations, problem: str, found: str, allowed: tuple[str, ...], place: LinePlace
) -> None:
    # it would take part in nothing, silently
    if found not in allowed:
        into.add_problem(problem, place, found, ", ".join(allowed))


def _read_links(into: Annotations, found: StandoffLines, number: int, which: int) -> None:
    """Normalisations, relations and equivalences of one file."""

    def referent(name: str, place: LinePlace) -> int | None:
        row = found.mention_places.get(name)
        if row is None:
            into.add_problem("an unknown referent", place, name)
        return row

    met: set[str] = set()
    for place, own, target, authority, identifier in found.references:
        if own in met:
            raise InputError("an identifier twice", file=place[0], line=place[1], found=own)
        met.add(own)
        _add_unless_published(into, "an unknown authority", authority, AUTHORITIES, place)
        row = referent(target, place)
        if row is not None:
            into.normalisations.append(
                {
                    "entity": row,
                    "set": which,
                    "authority": authority,
                    "identifier": identifier,
                    "place": place[0],
                    "line": place[1],
                }
            )
    for name, (place, kind, arguments) in found.relations.items():
        if name.startswith("E"):
            raise InputError(
                "not an annotation", file=place[0], line=place[1], found=name, allowed=LINE_KINDS
            )
        roles = dict(arguments)
        if len(roles) < len(arguments):
            raise InputError("a role twice", file=place[0], line=place[1], found=_shown(arguments))
        rows = {role: referent(target, place) for role, target in arguments}
        other = LOCATION_ROLES.get(kind)
        if other is None:
            into.add_problem("an unknown type of relation", place, kind, ", ".join(LOCATION_ROLES))
            continue
        missing = [role for role in ("Microorganism", other) if role not in roles]
        if missing:
            into.add_problem(f"a relation without {missing[0]}", place, _shown(arguments))
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
    for place, members in found.equivalences:
        if which == PREDICTION:
            into.notes.append(
                f"{place[0]}:{place[1]}: Equiv is the reference's to say: ignored in predictions"
            )
        else:
            into.equivalents.append([row for name in members if (row := referent(name, place)) is not None])


def _shown(arguments: list[tuple[str, str]]) -> str:
    return " ".join(f"{role}:{target}" for role, target in arguments)
