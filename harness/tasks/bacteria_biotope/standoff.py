"""The annotations of Bacteria Biotope, as the stand-off codec reads them, and what this task asks of them.

The task's own: normalisations of the predictions are of entities that only the reference's `.a1` holds,
relations keep their identifiers (a fault of the published program hangs on them), and both sides share one
table of entities.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ....catalogues.core.errors import InputError
from ....sentences.formats.records import Records
from ....sentences.formats.standoff import Place, Standoff, parse

INPUT, REFERENCE, PREDICTION = 0, 1, 2
ENTITY_TYPES = ("Microorganism", "Habitat", "Phenotype", "Geographical", "Title", "Paragraph")
AUTHORITIES = ("NCBI_Taxonomy", "OntoBiotope")
LOCATIONS = {"Lives_In": "Location", "Exhibits": "Property"}
"""Role of the argument that is not the microorganism, by type of relation."""
KINDS = "lines that begin with T, N, R, * or #"

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

    def problem(self, problem: str, place: Place, found: str, allowed: str | None = None) -> None:
        """Note what the published program refuses."""
        self.problems.append(InputError(problem, file=place[0], line=place[1], found=found, allowed=allowed))


def parse_document(
    into: Annotations,
    number: int,
    length: int,
    parts: list[tuple[int, str, str]],
    *,
    as_published: bool,
) -> None:
    """Read the files of one document.

    Parameters
    ----------
    into : Annotations
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
        records, found = Records(strict=True, file=file, name=str(number)), Standoff(bound=dict(given))
        parse(content.encode(), records, found, texts=False)
        kinds = set(found.dropped) - {"#"}
        if kinds:
            raise InputError("not an annotation", file=file, found=", ".join(sorted(kinds)), allowed=KINDS)
        # the codec numbers the mentions of a file; an entity is a row of all
        new = [name for name in found.bound if name not in given]
        found.bound = given | {name: len(into.entities) + row for row, name in enumerate(new)}
        if which == INPUT:
            given = found.bound
        columns = zip(new, records.spans(), records.line, records.type, records.text, strict=True)
        for name, pieces, line, kind, form in columns:
            place = file, line or 0
            into.fragments.append(_joined(into, place, length, pieces, as_published=as_published))
            _known(into, "an unknown type of entity", kind, ENTITY_TYPES, place)
            into.entities.append(
                {"document": number, "name": name, "type": kind, "set": which, "form": form or ""}
            )
        _links(into, found, number, which)


def _joined(
    into: Annotations, place: Place, length: int, pieces: list[Span], *, as_published: bool
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


def _known(into: Annotations, problem: str, found: str, allowed: tuple[str, ...], place: Place) -> None:
    # it would take part in nothing, silently
    if found not in allowed:
        into.problem(problem, place, found, ", ".join(allowed))


def _links(into: Annotations, found: Standoff, number: int, which: int) -> None:
    """Normalisations, relations and equivalences of one file."""

    def referent(name: str, place: Place) -> int | None:
        row = found.bound.get(name)
        if row is None:
            into.problem("an unknown referent", place, name)
        return row

    met: set[str] = set()
    for place, own, target, authority, identifier in found.references:
        if own in met:
            raise InputError("an identifier twice", file=place[0], line=place[1], found=own)
        met.add(own)
        _known(into, "an unknown authority", authority, AUTHORITIES, place)
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
            raise InputError("not an annotation", file=place[0], line=place[1], found=name, allowed=KINDS)
        roles = dict(arguments)
        if len(roles) < len(arguments):
            raise InputError("a role twice", file=place[0], line=place[1], found=_shown(arguments))
        rows = {role: referent(target, place) for role, target in arguments}
        other = LOCATIONS.get(kind)
        if other is None:
            into.problem("an unknown type of relation", place, kind, ", ".join(LOCATIONS))
            continue
        missing = [role for role in ("Microorganism", other) if role not in roles]
        if missing:
            into.problem(f"a relation without {missing[0]}", place, _shown(arguments))
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
