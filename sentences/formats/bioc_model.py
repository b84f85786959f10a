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

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import whole
from ...catalogues.core.offsets import OffsetMap, Unit, unit_of
from ...catalogues.core.text import Ints as Integers
from ...catalogues.core.text import TextColumn
from ..corpus import Corpus
from .base import DEFAULT_TYPE, Options
from .build import Draft, assemble, strings

EQUIVALENCE = "Equiv"


@dataclass
class _Found:
    """Annotations met so far, one list entry an annotation, plus one entry a location in `spans`."""

    rows: list[int] = field(default_factory=list)
    base: list[int] = field(default_factory=list)
    spans: list[list[tuple[int, int]]] = field(default_factory=list)
    infons: list[dict[str, str]] = field(default_factory=list)
    recorded: list[str | None] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    ids: list[dict[str, int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def blocks(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Passages with text of their own, and the sentences of the others, in order."""
    for passage in document.get("passages") or []:
        if passage.get("sentences"):
            yield from passage["sentences"]
        if passage.get("text") is not None or not passage.get("sentences"):
            yield passage


def from_collection(
    collection: dict[str, Any], path: Path, name: str, digest: str, options: Options
) -> Corpus:
    """Make a corpus of a collection."""
    draft = Draft([], [], [])
    found = _Found()
    text_infons: list[dict[str, str]] = []
    text_ids: list[str] = []
    texts: list[str] = []
    documents: list[str] = []
    relations: list[tuple[dict[str, Any], int, dict[str, int]]] = []
    counts: dict[str, int] = {}
    for document in collection.get("documents") or []:
        key = str(document.get("id", ""))
        listed = list(blocks(document))
        here: dict[str, int] = {}
        first_row = len(texts)
        for block in listed:
            row = len(texts)
            infons = infon_texts(block)
            number = counts.get(key, 0)
            counts[key] = number + 1
            text_ids.append(infons.pop("text_id", key if len(listed) == 1 else f"{key}#{number}"))
            texts.append(str(block.get("text") or ""))
            documents.append(key)
            text_infons.append(infons)
            for annotation in block.get("annotations") or []:
                _annotation(found, annotation, row, block, here, path)
            relations += [(r, row, here) for r in block.get("relations") or []]
        for passage in document.get("passages") or []:
            if passage.get("sentences") and passage.get("text") is None:
                relations += [(r, first_row, here) for r in passage.get("relations") or []]
        relations += [(r, first_row, here) for r in document.get("relations") or []]
    draft.text_ids, draft.texts, draft.document_ids = text_ids, texts, documents
    declared = infon_texts(collection).get("offsets")
    wanted = options.get("offsets") or declared
    _fill(
        draft,
        found,
        None if wanted in (None, "auto") else unit_of(str(wanted)),
        path,
        options.get("check") != "no",
    )
    _columns(draft, found, text_infons, path)
    _relations(draft, relations, path)
    return assemble(draft, name=name, digest=digest, file=path)


def infon_texts(thing: dict[str, Any]) -> dict[str, str]:
    """Infons with their values as text; an infon without a value is left out."""
    return {
        str(k): v if isinstance(v, str) else str(v)
        for k, v in (thing.get("infons") or {}).items()
        if v is not None
    }


def _annotation(
    found: _Found,
    annotation: dict[str, Any],
    row: int,
    block: dict[str, Any],
    here: dict[str, int],
    path: Path,
) -> None:
    line = annotation.get("line")
    key = str(annotation.get("id", ""))
    locations = annotation.get("locations") or []
    if not locations:
        raise InputError(
            f"annotation {key!r} has no location", file=path, line=line, allowed="one location or more"
        )
    if key and key in here:
        raise InputError("an annotation id occurs twice in its document", file=path, line=line, found=key)
    here[key] = len(found.rows)
    spans = []
    for location in locations:
        try:
            start, length = whole(location["offset"]), whole(location["length"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"annotation {key!r}: a location without whole numbers",
                file=path,
                line=line,
                found=location,
                allowed="offset and length",
            ) from None
        spans.append((start, start + length))
    found.rows.append(row)
    found.base.append(_offset(block, path))
    found.spans.append(sorted(spans))
    found.infons.append(infon_texts(annotation))
    found.recorded.append(annotation.get("text"))
    found.lines.append(line)
    found.names.append(key)


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


def _fill(draft: Draft, found: _Found, unit: Unit | None, path: Path, check: bool) -> None:
    """Turn offsets into code points, by `unit` or by the unit that fits the recorded texts best."""
    owner = np.repeat(np.arange(len(found.rows)), [len(s) for s in found.spans])
    flat = np.array([pair for s in found.spans for pair in s], dtype=np.int64).reshape(-1, 2)
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
            file=path,
            line=found.lines[k],
            found=f"{flat[i, 0]} to {flat[i, 1]} within the passage, in {best.unit}",
            allowed=f"0 <= start < end <= {OffsetMap(points, best.unit).lengths[rows[i]]}",
        )
    if best.unlike and check:
        k = best.unlike[0]
        raise InputError(
            f"the recorded text of annotation {found.names[k]!r} is not what stands at its offsets "
            f"({len(best.unlike)} such annotations)",
            file=path,
            line=found.lines[k],
            found=found.recorded[k],
            allowed="text and offsets that agree, white space apart; or option check=no",
        )
    first = np.searchsorted(owner, np.arange(len(found.rows)))
    last = np.searchsorted(owner, np.arange(len(found.rows)), side="right") - 1
    draft.rows = found.rows
    draft.starts = best.start[first]
    draft.ends = np.maximum.reduceat(best.end, first) if len(first) else best.end
    draft.lines = [line or 0 for line in found.lines] if any(found.lines) else None
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
    found: _Found, owner: Integers, flat: Integers, rows: Integers, points: TextColumn, unit: Unit
) -> _Fit:
    offsets = OffsetMap(points, unit)
    start, end = offsets.from_unit(rows, flat[:, 0]), offsets.from_unit(rows, flat[:, 1])
    good = (start >= 0) & (end > start)
    forms = [""] * len(found.rows)
    kept = np.flatnonzero(good)
    pieces = points.slices(rows[kept], start[kept], end[kept])
    for k, form in zip(owner[kept].tolist(), pieces, strict=True):
        forms[k] += form
    pairs = enumerate(zip(found.recorded, forms, strict=True))
    unlike = [k for k, (recorded, form) in pairs if recorded is not None and _bare(recorded) != _bare(form)]
    return _Fit(unit, start, end, unlike, len(set(owner[~good].tolist()) | set(unlike)))


def _bare(text: str) -> str:
    return "".join(text.split())


def _columns(draft: Draft, found: _Found, text_infons: list[dict[str, str]], path: Path) -> None:
    """Types, scores, sides, normalisations, and the remaining infons as columns."""
    draft.types = [i.pop("type", DEFAULT_TYPE) for i in found.infons]
    draft.scores = [_number(i.pop("score", None), k, found, path) for k, i in enumerate(found.infons)]
    sides = [i.pop("side", "") for i in found.infons]
    if any(sides):
        draft.sides = ["predicted" if s == "predicted" else "gold" for s in sides]
    for k, infons in enumerate(found.infons):
        for part in filter(None, infons.pop("identifier", "").split("|")):
            authority, colon, identifier = part.partition(":")
            draft.normalisations.append((k, authority if colon else "", identifier if colon else part))
    draft.mention_columns = _as_columns(found.infons)
    draft.text_columns = _as_columns(text_infons)


def _number(value: str | None, place: int, found: _Found, path: Path) -> float:
    try:
        return float("nan") if value is None else float(value)
    except ValueError:
        raise InputError(
            f"annotation {found.names[place]!r}: a score that is no number",
            file=path,
            line=found.lines[place],
            found=value,
        ) from None


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
