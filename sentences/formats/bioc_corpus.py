"""A BioC collection as a corpus, and a corpus as a BioC collection.

A passage's or a sentence's text is a text of the corpus. Infons: ``type``, ``score``, ``side`` and
``identifier`` (``AUTHORITY:ID``, several joined by ``|``) of an annotation have their columns; ``text_id`` of
a passage names the text; others become columns of text. BioC says that offsets count from the document's
start, but not in what: some collections count bytes, some characters. The option ``offsets`` decides, else
the collection's own infon ``offsets``; else the unit is taken that suits most annotations, and noted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import Unit, unit_of, whole
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import TextColumn
from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from .base import CHECK, DEFAULT_TYPE, Options, checked
from .bioc_model import (
    Thing,
    blocks,
    infon_texts,
    new_collection,
    new_document,
    new_passage,
    new_relation,
)
from .build import Draft, assemble, place_mentions, strings
from .records import Records
from .views import MentionView, equivalence_sets, kept_relations, text_of_mentions, views

OPTIONS = {
    "offsets": "characters or bytes; reading: auto (default), by what the file says or what fits",
    **CHECK,
}
EQUIVALENCE = "Equiv"


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
        self.relations: list[tuple[Thing, int, dict[str, int]]] = []

    def take_document(self, document: Thing) -> None:
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

    def take_mention(self, block: Thing, annotation: Thing) -> None:
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
        _place(draft, self, unit, checked(options))
        _columns(draft, self)
        _relations(draft, self.relations, self.path)
        return assemble(draft, name=name, digest=digest, file=self.path)


def _offset(block: Thing, path: Path) -> int:
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


def _place(draft: Draft, found: Reader, unit: Unit | None, check: bool) -> None:
    """Turn offsets into code points, by `unit` or by the unit that fits the recorded texts best."""
    units: tuple[Unit, ...] = ("characters", "bytes") if unit is None else (unit,)
    if all(map(str.isascii, found.texts)):
        units = units[:1]
    taken = place_mentions(
        draft, found.records, found.rows, units, check=check, base=found.base, names=found.names
    )
    if len(units) > 1 and len(found.rows):
        draft.notes.append(f"offsets taken as {taken}, which fit the recorded texts best")


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


def _as_columns(infons: list[dict[str, str]]) -> Thing:
    names = list(dict.fromkeys(k for i in infons for k in i))
    taken = {*TEXT_COLUMNS, *MENTION_COLUMNS}
    return {(f"infon.{n}" if n in taken else n): strings([i.get(n) for i in infons]) for n in names}


def _relations(draft: Draft, relations: list[tuple[Thing, int, dict[str, int]]], path: Path) -> None:
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


def to_collection(corpus: Corpus, options: Options) -> Thing:
    """Nested dictionaries; texts of one document that follow each other make one ``document``."""
    unit = unit_of(options.get("offsets", "characters"))
    if unit == "utf16":
        raise InputError("BioC counts bytes or characters", found=unit, allowed="characters, bytes")
    offsets = OffsetMap(TextColumn(corpus.texts["text"].tolist()), unit)
    sizes = offsets.lengths.tolist()
    documents: list[Thing] = []
    home: dict[Any, tuple[Thing, Thing]] = {}
    base = 0
    for row, text in enumerate(views(corpus)):
        if not documents or documents[-1]["id"] != text.document_id:
            documents.append(new_document(text.document_id))
            base = 0
        block = new_passage(text.text, base, **{"text_id": str(text.text_id), **_plain(text.extra)})
        block["annotations"] = [_annotation(m, text.text, offsets, row, base) for m in text.mentions]
        documents[-1]["passages"].append(block)
        home[text.text_id] = (documents[-1], block)
        base += sizes[row] + 1
    _add_relations(corpus, home)
    return new_collection(documents, corpus.name, offsets=unit)


def _add_relations(corpus: Corpus, home: dict[Any, tuple[Thing, Thing]]) -> None:
    """Add relations and equivalences to the document and passage of each text."""
    for relation in kept_relations(corpus):
        whole_document, block = home[relation.text_ids[0]]
        target = block if len(relation.text_ids) == 1 else whole_document
        nodes = [
            (f"T{a.mention_id}" if a.relation_id < 0 else f"R{a.relation_id}", a.role)
            for a in relation.arguments
        ]
        target["relations"].append(new_relation(f"R{relation.relation_id}", relation.type, nodes))
    text_of = text_of_mentions(corpus)
    for i, members in enumerate(equivalence_sets(corpus)):
        touched = {id(home[text_of[k]][0]) for k in members}
        if len(touched) == 1:
            nodes = [(f"T{k}", "member") for k in members]
            home[text_of[members[0]]][0]["relations"].append(new_relation(f"Q{i}", EQUIVALENCE, nodes))


def _annotation(mention: MentionView, text: str, offsets: OffsetMap, row: int, base: int) -> Thing:
    infons: dict[str, str] = {"type": mention.type}
    if mention.score is not None:
        infons["score"] = repr(mention.score)
    if mention.side != "gold":
        infons["side"] = mention.side
    if mention.normalisations:
        infons["identifier"] = mention.identifiers
    return {
        "id": f"T{mention.mention_id}",
        "infons": {**infons, **_plain(mention.extra)},
        "text": " ".join(text[a:b] for a, b in mention.spans),
        "locations": [{"offset": base + a, "length": b - a} for a, b in offsets.pairs(row, mention.spans)],
    }


def _plain(extra: Thing) -> dict[str, str]:
    return {k: v if isinstance(v, str) else str(v) for k, v in extra.items()}
