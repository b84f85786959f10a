"""BioC in memory, the same for XML and JSON: a collection as nested dictionaries, to and from a corpus.

The dictionaries have BioC JSON's keys; those read from XML also have ``line``. A passage's or a sentence's
text is a text of the corpus. Infons: ``type``, ``score``, ``side``, ``identifier`` (``AUTHORITY:ID``,
several joined by ``|``) of an annotation have their columns; ``text_id`` of a passage names the text; others
become columns of text. BioC says that offsets count from the document's start, but not in what: some
collections count bytes, some characters. Option ``offsets`` tells; else the collection's own infon
``offsets`` does; else the unit is taken with which more annotations stand where their recorded text stands,
and noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import whole
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import Ints as Integers
from ...catalogues.core.text import TextColumn
from ...catalogues.core.units import Unit, unit_of
from ..corpus import Corpus
from .base import DEFAULT_TYPE, Options
from .build import Draft, assemble, strings
from .records import Length, Records, found_in, identifier

EQUIVALENCE = "Equiv"


class Rest(Protocol):
    """Takes what a corpus says beside the mentions; see `parse_documents`."""

    def take_document(self, document: dict[str, Any]) -> None:
        """Take a document, before its mentions."""

    def take_mention(self, block: dict[str, Any], annotation: dict[str, Any]) -> None:
        """Take an annotation of a passage or sentence, whose mention was added."""


def parse_documents(documents: Iterable[dict[str, Any]], records: Records, rest: Rest | None = None) -> None:
    """Take the mentions of documents; offsets are those of the file, which count from the document's start.

    Parameters
    ----------
    documents : iterable of dict
    records : Records
        Where the mentions go, and how problems are taken.
    rest : Rest, optional
        What else is wanted of each document and annotation.
    """
    records.seen = []
    for document in documents:
        own = records.name
        if own is None:
            own = identifier(document.get("id", "" if records.strict else None))
        if own is None:
            line = document.get("line")
            records.refuse(None, "a document without an identifier", document.get("id"), line=line)
            continue
        records.see(own)
        if rest is not None:
            rest.take_document(document)
        for block in blocks(document, records, own):
            for annotation in records.objects(own, block, "annotations", block.get("line")):
                if _add(records, own, annotation) and rest is not None:
                    rest.take_mention(block, annotation)


def blocks(document: dict[str, Any], records: Records, own: str) -> Iterator[dict[str, Any]]:
    """The passages, their sentences before them, that have a text of their own, in order.

    A tagger need not print texts again: of its output all passages are taken, and the document itself.
    """
    for passage in records.objects(own, document, "passages", document.get("line")):
        sentences = records.objects(own, passage, "sentences", passage.get("line"))
        yield from sentences
        if not records.strict or passage.get("text") is not None or not sentences:
            yield passage
    if not records.strict:
        yield document


def _add(records: Records, own: str, annotation: dict[str, Any]) -> bool:
    """Add the mention of an annotation; whether it is one."""
    line = annotation.get("line")
    infons = annotation.get("infons", {})
    if infons is None and records.strict:
        infons = {}
    if not isinstance(infons, dict):
        records.refuse(own, "infons is no object", infons, line=line)
        return False
    before = records.broken
    places = records.objects(own, annotation, "locations", line)
    if records.broken > before:
        return False
    spans = [(place.get("offset"), Length(place.get("length"))) for place in places]
    score = infons.get("score")
    named = infons.get("identifier")
    return records.add(
        own,
        spans,
        infons.get("type"),
        score,
        annotation.get("text"),
        "" if named is None else str(named),
        line,
        f"annotation {found_in(annotation.get('id'))}" if "id" in annotation else "an annotation",
    )


class Reader:
    """Reads the documents of a collection as a corpus; see `Rest`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = Records(strict=True, file=path)
        self.draft = Draft([], [], [])
        self.text_ids: list[str] = []
        self.texts: list[str] = []
        self.documents: list[str] = []
        self.text_infons: list[dict[str, str]] = []
        self.counts: dict[str, int] = {}
        # of each mention: its text, where that begins in the document, its infons and id
        self.rows: list[int] = []
        self.base: list[int] = []
        self.infons: list[dict[str, str]] = []
        self.names: list[str] = []
        # of the document that is read: the text of each block, and its annotations by id
        self.row_of: dict[int, int] = {}
        self.here: dict[str, int] = {}
        self.relations: list[tuple[dict[str, Any], int, dict[str, int]]] = []

    def take_document(self, document: dict[str, Any]) -> None:
        """Take the texts, infons and relations of a document."""
        key = str(document.get("id", ""))
        listed = list(blocks(document, self.records, key))
        self.here, self.row_of = {}, {}
        first_row = len(self.texts)
        for block in listed:
            row = self.row_of[id(block)] = len(self.texts)
            infons = infon_texts(block)
            number = self.counts.get(key, 0)
            self.counts[key] = number + 1
            self.text_ids.append(infons.pop("text_id", key if len(listed) == 1 else f"{key}#{number}"))
            self.texts.append(str(block.get("text") or ""))
            self.documents.append(key)
            self.text_infons.append(infons)
            self.relations += [(r, row, self.here) for r in block.get("relations") or []]
        for passage in document.get("passages") or []:
            if passage.get("sentences") and passage.get("text") is None:
                self.relations += [(r, first_row, self.here) for r in passage.get("relations") or []]
        self.relations += [(r, first_row, self.here) for r in document.get("relations") or []]

    def take_mention(self, block: dict[str, Any], annotation: dict[str, Any]) -> None:
        """Take the text, infons and id of the annotation that was added last."""
        key = str(annotation.get("id", ""))
        if key and key in self.here:
            raise InputError(
                "an annotation id occurs twice in its document",
                file=self.path,
                line=annotation.get("line"),
                found=key,
            )
        self.here[key] = len(self.rows)
        self.rows.append(self.row_of[id(block)])
        self.base.append(_offset(block, self.path))
        self.infons.append(infon_texts(annotation))
        self.names.append(key)

    def corpus(self, infons: dict[str, str], name: str, digest: str, options: Options) -> Corpus:
        """The corpus; `infons` are those of the collection."""
        draft = self.draft
        draft.text_ids, draft.texts, draft.document_ids = self.text_ids, self.texts, self.documents
        wanted = options.get("offsets") or infons.get("offsets")
        unit = None if wanted in (None, "auto") else unit_of(str(wanted))
        _fill(draft, self, unit, options.get("check") != "no")
        _columns(draft, self)
        _relations(draft, self.relations, self.path)
        return assemble(draft, name=name, digest=digest, file=self.path)


def infon_texts(thing: dict[str, Any]) -> dict[str, str]:
    """Infons with their values as text; an infon without a value is left out."""
    return {
        str(k): v if isinstance(v, str) else str(v)
        for k, v in (thing.get("infons") or {}).items()
        if v is not None
    }


def _offset(block: dict[str, Any], path: Path) -> int:
    try:
        return whole(block["offset"])
    except (KeyError, TypeError, ValueError):
        raise InputError(
            "a passage or sentence without a whole-number offset",
            file=path,
            line=block.get("line"),
            found=block.get("offset"),
            allowed="offset from the document's start",
        ) from None


def _fill(draft: Draft, found: Reader, unit: Unit | None, check: bool) -> None:
    """Turn offsets into code points, by `unit` or by the unit that fits the recorded texts best."""
    records, spans = found.records, found.records.spans()
    # one entry a location: its annotation, its span in the file's unit
    owner = np.repeat(np.arange(len(spans)), [len(s) for s in spans])
    flat = np.array([pair for s in spans for pair in s], dtype=np.int64).reshape(-1, 2)
    flat = flat - np.array(found.base, dtype=np.int64)[owner][:, None]
    rows = np.array(found.rows, dtype=np.int64)[owner]
    points = TextColumn(list(draft.texts))
    choices: tuple[Unit, ...] = ("characters", "bytes") if unit is None else (unit,)
    if (points.codes < 0x80).all():
        choices = choices[:1]
    fits = [_fit(found, owner, flat, rows, points, choice) for choice in choices]
    best = min(fits, key=lambda fit: fit.wrong)
    if len(choices) > 1 and len(found.rows):
        draft.notes.append(f"offsets taken as {best.unit}, which fit the recorded texts best")
    bad = (best.start < 0) | (best.end <= best.start)
    if bad.any():
        i = int(np.argmax(bad))
        k = int(owner[i])
        raise InputError(
            f"an offset outside the text (annotation {found.names[k]!r})",
            file=found.path,
            line=records.line[k],
            found=f"{flat[i, 0]} to {flat[i, 1]} within the passage, in {best.unit}",
            allowed=f"0 <= start < end <= {OffsetMap(points, best.unit).lengths[rows[i]]}",
        )
    if best.unlike and check:
        k = best.unlike[0]
        raise InputError(
            f"the recorded text of annotation {found.names[k]!r} is not what stands at its offsets "
            f"({len(best.unlike)} such annotations)",
            file=found.path,
            line=records.line[k],
            found=records.text[k],
            allowed="text and offsets that agree, white space apart; or option check=no",
        )
    first = np.searchsorted(owner, np.arange(len(found.rows)))
    last = np.searchsorted(owner, np.arange(len(found.rows)), side="right") - 1
    draft.rows = found.rows
    draft.starts = best.start[first]
    draft.ends = np.maximum.reduceat(best.end, first) if len(first) else best.end
    draft.lines = [line or 0 for line in records.line] if any(records.line) else None
    for k in np.flatnonzero(last > first).tolist():
        span = range(first[k], last[k] + 1)
        draft.fragments += [(k, int(best.start[i]), int(best.end[i])) for i in span]


@dataclass(frozen=True)
class _Fit:
    """The offsets in one unit as code points, and how many annotations they do not suit."""

    unit: Unit
    start: Integers
    end: Integers
    unlike: list[int]
    wrong: int


def _fit(
    found: Reader, owner: Integers, flat: Integers, rows: Integers, points: TextColumn, unit: Unit
) -> _Fit:
    offsets = OffsetMap(points, unit)
    start, end = offsets.from_unit(rows, flat[:, 0]), offsets.from_unit(rows, flat[:, 1])
    good = (start >= 0) & (end > start)
    forms = [""] * len(found.rows)
    kept = np.flatnonzero(good)
    pieces = points.slices(rows[kept], start[kept], end[kept])
    for k, form in zip(owner[kept].tolist(), pieces, strict=True):
        forms[k] += form
    pairs = enumerate(zip(found.records.text, forms, strict=True))
    unlike = [k for k, (recorded, form) in pairs if recorded is not None and _bare(recorded) != _bare(form)]
    return _Fit(unit, start, end, unlike, len(set(owner[~good].tolist()) | set(unlike)))


def _bare(text: str) -> str:
    return "".join(text.split())


def _columns(draft: Draft, found: Reader) -> None:
    """Types, scores, sides, normalisations, and the remaining infons as columns."""
    draft.types = [kind or DEFAULT_TYPE for kind in found.records.type]
    draft.scores = found.records.score
    draft.normalisations = found.records.identifiers
    sides = [i.pop("side", "") for i in found.infons]
    if any(sides):
        draft.sides = ["predicted" if s == "predicted" else "gold" for s in sides]
    for infons in found.infons:
        for name in ("type", "score", "identifier"):
            infons.pop(name, None)
    draft.mention_columns = _as_columns(found.infons)
    draft.text_columns = _as_columns(found.text_infons)


def _as_columns(infons: list[dict[str, str]]) -> dict[str, Any]:
    names = list(dict.fromkeys(k for i in infons for k in i))
    taken = {"text_id", "document_id", "text", "mention_id", "start", "end", "type", "score", "side"}
    return {(f"infon.{n}" if n in taken else n): strings([i.get(n) for i in infons]) for n in names}


def _relations(draft: Draft, relations: list[tuple[dict[str, Any], int, dict[str, int]]], path: Path) -> None:
    numbers: dict[tuple[int, str], int] = {}
    for i, (relation, _, here) in enumerate(relations):
        numbers[id(here), str(relation.get("id", ""))] = i
    rows: list[int] = list(draft.rows)  # type: ignore[arg-type]
    for i, (relation, row, here) in enumerate(relations):
        kind = infon_texts(relation).get("type", "")
        for node in relation.get("nodes") or []:
            key, role = str(node.get("refid", "")), str(node.get("role", ""))
            argument = numbers.get((id(here), key), -1)
            if key not in here and argument < 0:
                raise InputError(
                    "an unknown referent",
                    file=path,
                    line=relation.get("line"),
                    found=key,
                    allowed="the id of an annotation or relation of the document",
                )
            if kind == EQUIVALENCE and key in here:
                draft.equivalences.append((i, here[key]))
            elif key in here:
                draft.relations.append((i, rows[here[key]], kind, role, here[key], -1))
            else:
                draft.relations.append((i, row, kind, role, -1, argument))
