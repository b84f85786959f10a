"""Conversion between BioC collections and corpora.

Each passage or sentence with a text becomes a text of the corpus. BioC stores additional data as infons
(key-value pairs). The infons ``type``, ``score`` and ``side`` of an annotation become columns of the
mentions, and ``identifier`` (``AUTHORITY:ID``, joined by ``|``) becomes rows of the table `normalisations`.
The infon ``text_id`` of a passage becomes the id of the text. All other infons become additional columns with
strings.

Offsets in BioC count from the start of the document. Some collections count bytes, others characters. The
unit is given by the option ``offsets`` or, by default, by the infon ``offsets`` of the collection. If both
are missing, the unit that fits most annotations is used and reported in a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import Unit, check_unit, parse_whole_number
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import TextColumn
from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from .base import CHECK_OPTION, DEFAULT_TYPE, FormatOptions, is_check_enabled
from .bioc_model import (
    JsonObject,
    infons_as_text,
    iterate_blocks,
    new_collection,
    new_document,
    new_passage,
    new_relation,
)
from .draft import Draft, assemble_corpus, make_string_column, place_mentions
from .records import MentionRecords
from .views import (
    MentionView,
    iterate_texts,
    make_equivalence_sets,
    make_relation_views,
    map_mentions_to_texts,
    select_relations,
)

OPTIONS = {
    "offsets": "characters or bytes; for reading also auto (default): detect the unit from the file",
    **CHECK_OPTION,
}
EQUIVALENCE_TYPE = "Equiv"


class BiocReader:
    """`DocumentReceiver` that builds a corpus from the documents of a BioC collection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = MentionRecords(strict=True, file=path)
        # id, text, document and infons of each block with a text; number of blocks per document
        self.texts: list[tuple[str, str, str, dict[str, str]]] = []
        self.counts: Counter[str] = Counter()
        # data of each annotation except its span: text row, offset of the text, id and infons
        self.rows: list[int] = []
        self.bases: list[int] = []
        self.names: list[str] = []
        self.infons: list[dict[str, str]] = []
        # relations with their text row, and the annotations of their document by id
        self.relations: list[tuple[JsonObject, int, dict[str, int]]] = []
        # text row of each block, and annotations by id, in the current document
        self.row_of: dict[int, int] = {}
        self.current_row: dict[str, int] = {}

    def take_document(self, document: JsonObject) -> None:
        """Add the texts, infons and relations of a document."""
        key = str(document.get("id", ""))
        listed = list(iterate_blocks(document, self.records, key))
        self.current_row, self.row_of = {}, {}
        first_row = len(self.texts)
        for block in listed:
            row = self.row_of[id(block)] = len(self.texts)
            infons = infons_as_text(block)
            name = infons.pop("text_id", key if len(listed) == 1 else f"{key}#{self.counts[key]}")
            self.counts[key] += 1
            self.texts.append((name, str(block.get("text") or ""), key, infons))
            self.relations += [(r, row, self.current_row) for r in block.get("relations") or []]
        for passage in document.get("passages") or []:
            if passage.get("sentences") and passage.get("text") is None:
                self.relations += [(r, first_row, self.current_row) for r in passage.get("relations") or []]
        self.relations += [(r, first_row, self.current_row) for r in document.get("relations") or []]

    def take_mention(self, block: JsonObject, annotation: JsonObject) -> None:
        """Add the id and the infons of an annotation; its span is already in `records`."""
        key = str(annotation.get("id", ""))
        if key and key in self.current_row:
            problem = "an annotation id occurs twice in its document"
            raise InputError(problem, file=self.path, line=annotation.get("line"), found=key)
        self.current_row[key] = len(self.rows)
        self.rows.append(self.row_of[id(block)])
        self.bases.append(self._offset(block))
        self.names.append(key)
        self.infons.append(infons_as_text(annotation))

    def _offset(self, block: JsonObject) -> int:
        try:
            return parse_whole_number(block["offset"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                "a passage or sentence needs an integer as its offset from the start of the document",
                file=self.path,
                line=block.get("line"),
                found=block.get("offset"),
            ) from None

    def make_corpus(self, infons: dict[str, str], name: str, digest: str, options: FormatOptions) -> Corpus:
        """Return the corpus made from all received documents.

        Parameters
        ----------
        infons : dict
            Infons of the collection.
        name, digest : str
            Name and checksum of the corpus.
        options : mapping
            Options of the format.
        """
        texts = [text for _, text, _, _ in self.texts]
        draft = Draft([t[0] for t in self.texts], texts, [t[2] for t in self.texts])
        wanted = options.get("offsets") or infons.get("offsets")
        units: tuple[Unit, ...] = ("characters", "bytes")
        if wanted not in (None, "auto"):
            units = (check_unit(str(wanted)),)
        elif all(map(str.isascii, texts)):
            units = units[:1]
        taken = place_mentions(
            draft,
            self.records,
            self.rows,
            units,
            check=is_check_enabled(options),
            base=self.bases,
            names=self.names,
        )
        if len(units) > 1 and self.rows:
            draft.notes.append(f"offsets are read as {taken}, which fits the recorded texts best")
        draft.types = [kind or DEFAULT_TYPE for kind in self.records.type]
        draft.scores, draft.normalisations = self.records.score, self.records.identifiers
        sides = [i.get("side", "") for i in self.infons]
        if any(sides):
            draft.sides = ["predicted" if s == "predicted" else "gold" for s in sides]
        draft.mention_columns = _as_columns(self.infons, ("type", "score", "identifier", "side"))
        draft.text_columns = _as_columns([text[3] for text in self.texts])
        self._add_relations(draft)
        return assemble_corpus(draft, name=name, digest=digest, file=self.path)

    def _add_relations(self, draft: Draft) -> None:
        numbers = {(id(here), str(r.get("id", ""))): i for i, (r, _, here) in enumerate(self.relations)}
        for i, (relation, row, here) in enumerate(self.relations):
            kind = infons_as_text(relation).get("type", "")
            for node in relation.get("nodes") or []:
                key, role = str(node.get("refid", "")), str(node.get("role", ""))
                if key in here and kind == EQUIVALENCE_TYPE:
                    draft.equivalences.append((i, here[key]))
                elif key in here:
                    draft.relations.append((i, self.rows[here[key]], kind, role, here[key], -1))
                elif (id(here), key) in numbers:
                    draft.relations.append((i, row, kind, role, -1, numbers[id(here), key]))
                else:
                    raise InputError(
                        "a relation refers to an unknown id",
                        file=self.path,
                        line=relation.get("line"),
                        found=key,
                        allowed="the id of an annotation or relation in the same document",
                    )


def _as_columns(infons: list[dict[str, str]], known: Collection[str] = ()) -> JsonObject:
    """Return a column for each infon whose name is not in `known`."""
    names = [name for name in dict.fromkeys(k for i in infons for k in i) if name not in known]
    taken = {*TEXT_COLUMNS, *MENTION_COLUMNS}
    return {
        (f"infon.{n}" if n in taken else n): make_string_column([i.get(n) for i in infons]) for n in names
    }


def to_collection(corpus: Corpus, options: FormatOptions) -> JsonObject:
    """Convert a corpus to a BioC collection; consecutive texts of a document become one ``document``."""
    unit = check_unit(options.get("offsets", "characters"))
    if unit == "utf16":
        raise InputError("invalid unit of offsets for BioC", found=unit, allowed="characters, bytes")
    offsets = OffsetMap(TextColumn(corpus.texts["text"].tolist()), unit)
    sizes = offsets.lengths.tolist()
    documents: list[JsonObject] = []
    home: dict[Any, tuple[JsonObject, JsonObject]] = {}
    base = 0
    for row, text in enumerate(iterate_texts(corpus)):
        if not documents or documents[-1]["id"] != text.document_id:
            documents.append(new_document(text.document_id))
            base = 0
        block = new_passage(text.text, base, text_id=str(text.text_id), **_plain(text.extra))
        block["annotations"] = [_annotation(m, text.text, offsets, row, base) for m in text.mentions]
        documents[-1]["passages"].append(block)
        home[text.text_id] = (documents[-1], block)
        base += sizes[row] + 1
    _add_relations(corpus, home)
    return new_collection(documents, corpus.name, offsets=unit)


def _add_relations(corpus: Corpus, home: dict[Any, tuple[JsonObject, JsonObject]]) -> None:
    """Add the relations and equivalences of a corpus to the BioC documents and passages."""
    for relation in select_relations(make_relation_views(corpus), lambda text_id: id(home[text_id][0])):
        document, block = home[relation.text_ids[0]]
        target = block if len(relation.text_ids) == 1 else document
        nodes = [
            (f"T{a.mention_id}" if a.relation_id < 0 else f"R{a.relation_id}", a.role)
            for a in relation.arguments
        ]
        target["relations"].append(new_relation(f"R{relation.relation_id}", relation.type, nodes))
    text_of = map_mentions_to_texts(corpus)
    for i, members in enumerate(make_equivalence_sets(corpus)):
        touched = {id(home[text_of[k]][0]) for k in members}
        if len(touched) == 1:
            nodes = [(f"T{k}", "member") for k in members]
            home[text_of[members[0]]][0]["relations"].append(new_relation(f"Q{i}", EQUIVALENCE_TYPE, nodes))


def _annotation(mention: MentionView, text: str, offsets: OffsetMap, row: int, base: int) -> JsonObject:
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
        "locations": [
            {"offset": base + a, "length": b - a} for a, b in offsets.spans_to_unit(row, mention.spans)
        ],
    }


def _plain(extra: JsonObject) -> dict[str, str]:
    return {key: str(value) for key, value in extra.items()}
