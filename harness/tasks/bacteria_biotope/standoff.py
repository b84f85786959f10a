"""Parse BioNLP standoff as this evaluation needs it: `T`, `N`, `R` lines and `*` Equiv.

What is this task's own, and so not the general reader's: normalisations of the predictions speak of entities
that only the reference's `.a1` holds, relations keep their identifiers (a fault of the published program
hangs on them), and both sides share one table of entities.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ....catalogues.core.errors import InputError

INPUT, REFERENCE, PREDICTION = 0, 1, 2

# no text is 10**15 characters long
TEXT_BOUND = re.compile(r"(T\d+)\t(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)\t?(.*)$")
NORMALISATION = re.compile(r"(N\d+)\t(\S+)\s+Annotation:(\S+)\s+Referent:(\S+)(?:\t.*)?$")
RELATION = re.compile(r"(R\d+)\t(\S+)((?: \w+:\S+)+)\s*$")
EQUIV = re.compile(r"\*\tEquiv((?: \S+)+)\s*$")
ENTITY_TYPES = ("Microorganism", "Habitat", "Phenotype", "Geographical", "Title", "Paragraph")
AUTHORITIES = ("NCBI_Taxonomy", "OntoBiotope")
SHAPES = {
    "T": "T1<tab>Type START END[;START END…]<tab>text",
    "N": "N1<tab>Authority Annotation:T1 Referent:ID",
    "R": "R1<tab>Type Role:T1 Role:T2",
    "*": "*<tab>Equiv T1 T2 …",
}

Span = tuple[int, int]


@dataclass
class Standoff:
    """All annotations of a task, both sides and the given ones; one list entry an annotation."""

    entities: list[dict[str, Any]] = field(default_factory=list)
    fragments: list[tuple[Span, ...]] = field(default_factory=list)
    normalisations: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    # sets of entities (rows) that mean the same, in the reference
    equivalents: list[list[int]] = field(default_factory=list)
    # things that the published program refuses unless forced, and things only to be told
    problems: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class _Document:
    """Names that lines of one document may speak of."""

    number: int
    length: int
    known: dict[str, int]
    used: set[str]


def parse_document(
    into: Standoff,
    number: int,
    length: int,
    parts: list[tuple[int, str, str]],
    *,
    as_published: bool,
) -> None:
    """Read the files of one document.

    Parameters
    ----------
    into : Standoff
        What is added to.
    number, length : int
        The document, and how long its text is in UTF-16 units.
    parts : list of (set, file name, content)
        The given annotations first, then the reference's, then the predictions'.
    as_published : bool
        Drop a fragment that touches or overlaps the one before; by default such are joined.
    """
    given: dict[str, int] = {}
    for which, place, content in parts:
        names = given if which == INPUT else dict(given)
        document = _Document(number, length, names, set(names) if which != INPUT else set())
        lines = [(i, line) for i, line in enumerate(content.split("\n"), start=1) if line.strip()]
        # entities first: a line may speak of one that stands below it
        rest = []
        for i, line in lines:
            line = line.rstrip("\r")
            if line.startswith("T"):
                _entity(into, document, which, place, i, line, as_published)
            elif line.startswith(("N", "R", "*")):
                rest.append((i, line))
            elif not line.startswith("#"):
                allowed = "; ".join(SHAPES.values())
                raise InputError("not an annotation", file=place, line=i, found=line, allowed=allowed)
        for i, line in rest:
            if line.startswith("N"):
                _normalisation(into, document, which, place, i, line)
            elif line.startswith("R"):
                _relation(into, document, which, place, i, line)
            elif which == PREDICTION:
                into.notes.append(f"{place}:{i}: Equiv is the reference's to say: ignored in predictions")
            else:
                _equivalents(into, document, place, i, line)


def _match(pattern: re.Pattern[str], place: str, number: int, line: str) -> re.Match[str]:
    found = pattern.match(line)
    if found is None:
        raise InputError("malformed", file=place, line=number, found=line, allowed=SHAPES[line[0]])
    return found


def _new(document: _Document, name: str, place: str, number: int) -> None:
    if name in document.used:
        raise InputError("an identifier twice", file=place, line=number, found=name)
    document.used.add(name)


def _entity(
    into: Standoff, document: _Document, which: int, place: str, number: int, line: str, as_published: bool
) -> None:
    found = _match(TEXT_BOUND, place, number, line)
    name, kind, offsets, text = found.groups()
    _new(document, name, place, number)
    spans: list[Span] = []
    for part in sorted(tuple(int(n) for n in piece.split()) for piece in offsets.split(";")):
        start, end = part
        if start > end:
            raise InputError("an end before its start", file=place, line=number, found=f"{start} {end}")
        if end > document.length:
            raise InputError(
                "an offset outside the text",
                file=place,
                line=number,
                found=end,
                allowed=f"0 to {document.length}",
            )
        if spans and start <= spans[-1][1]:
            if as_published:
                into.notes.append(f"{place}:{number}: a fragment touches the one before it: dropped")
            else:
                spans[-1] = (spans[-1][0], max(spans[-1][1], end))
            continue
        spans.append((start, end))
    _known(into, "an unknown type of entity", kind, ENTITY_TYPES, place, number)
    document.known[name] = len(into.entities)
    into.entities.append(
        {"document": document.number, "name": name, "type": kind, "set": which, "form": text, "place": place}
    )
    into.fragments.append(tuple(spans))


def _known(
    into: Standoff, problem: str, found: str, allowed: tuple[str, ...], place: str, number: int
) -> None:
    # it would take part in nothing, silently
    if found not in allowed:
        names = ", ".join(allowed)
        into.problems.append(InputError(problem, file=place, line=number, found=found, allowed=names))


def _referent(into: Standoff, document: _Document, name: str, place: str, number: int) -> int | None:
    row = document.known.get(name)
    if row is None:
        into.problems.append(InputError("an unknown referent", file=place, line=number, found=name))
    return row


def _normalisation(
    into: Standoff, document: _Document, which: int, place: str, number: int, line: str
) -> None:
    name, authority, target, identifier = _match(NORMALISATION, place, number, line).groups()
    _new(document, name, place, number)
    _known(into, "an unknown authority", authority, AUTHORITIES, place, number)
    row = _referent(into, document, target, place, number)
    if row is not None:
        into.normalisations.append(
            {
                "entity": row,
                "set": which,
                "authority": authority,
                "identifier": identifier,
                "place": place,
                "line": number,
            }
        )


def _relation(into: Standoff, document: _Document, which: int, place: str, number: int, line: str) -> None:
    name, kind, arguments = _match(RELATION, place, number, line).groups()
    _new(document, name, place, number)
    roles: dict[str, int | None] = {}
    for argument in arguments.split():
        role, _, target = argument.partition(":")
        if role in roles:
            raise InputError("a role twice", file=place, line=number, found=role)
        roles[role] = _referent(into, document, target, place, number)
    other = {"Lives_In": "Location", "Exhibits": "Property"}.get(kind)
    if other is None:
        problem = InputError(
            "an unknown type of relation", file=place, line=number, found=kind, allowed="Lives_In, Exhibits"
        )
        into.problems.append(problem)
        return
    missing = [role for role in ("Microorganism", other) if role not in roles]
    if missing:
        into.problems.append(
            InputError(f"a relation without {missing[0]}", file=place, line=number, found=arguments.strip())
        )
        return
    agent, target_row = roles["Microorganism"], roles[other]
    if agent is not None and target_row is not None:
        into.relations.append(
            {
                "document": document.number,
                "name": name,
                "type": kind,
                "set": which,
                "microorganism": agent,
                "other": target_row,
            }
        )


def _equivalents(into: Standoff, document: _Document, place: str, number: int, line: str) -> None:
    members = _match(EQUIV, place, number, line)[1].split()
    rows = [_referent(into, document, name, place, number) for name in members]
    into.equivalents.append([row for row in rows if row is not None])
