"""A BioC collection as a corpus, and a corpus as a BioC collection.

A passage's or a sentence's text is a text of the corpus. Infons: ``type``, ``score``, ``side`` and
``identifier`` (``AUTHORITY:ID``, several joined by ``|``) of an annotation have their columns; ``text_id`` of
a passage names the text; others become columns of text. BioC says that offsets count from the document's
start, but not in what: some collections count bytes, some characters. The option ``offsets`` decides, else
the collection's own infon ``offsets``; else the unit is taken that suits most annotations, and noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

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
    "offsets": "characters or bytes; reading: auto (default), by what the file says or what fits",
    **CHECK_OPTION,
}
EQUIVALENCE_TYPE = "Equiv"


class _Mention(NamedTuple):
    """Annotation without its place: the row of its text, where that begins, its infons and id."""

    row: int
    base: int
    infons: dict[str, str]
    name: str


class BiocReader:
    """Reads the documents of a collection as a corpus; see `DocumentReceiver`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = MentionRecords(strict=True, file=path)
        # id, text, document and infons of each block with a text; how many blocks a document has
        self.texts: list[tuple[str, str, str, dict[str, str]]] = []
        self.counts: Counter[str] = Counter()
        self.mentions: list[_Mention] = []
        # relations with the row that they belong to, and the annotations of their document by id
        self.relations: list[tuple[JsonObject, int, dict[str, int]]] = []
        # of the document that is read
        self.row_of: dict[int, int] = {}
        self.current_row: dict[str, int] = {}

    def take_document(self, document: JsonObject) -> None:
        """Take the texts, infons and relations of a document."""
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
        """Take the text, infons and id of the annotation that was added last."""
        key = str(annotation.get("id", ""))
        if key and key in self.current_row:
            problem = "an annotation id occurs twice in its document"
            raise InputError(problem, file=self.path, line=annotation.get("line"), found=key)
        self.current_row[key] = len(self.mentions)
        infons, base = infons_as_text(annotation), self._offset(block)
        self.mentions.append(_Mention(self.row_of[id(block)], base, infons, key))

    def _offset(self, block: JsonObject) -> int:
        try:
            return parse_whole_number(block["offset"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                "a passage or sentence without a whole-number offset",
                file=self.path,
                line=block.get("line"),
                found=block.get("offset"),
                allowed="offset from the document's start",
            ) from None

    def make_corpus(self, infons: dict[str, str], name: str, digest: str, options: FormatOptions) -> Corpus:
        """The corpus; `infons` are those of the collection."""
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
            [m.row for m in self.mentions],
            units,
            check=is_check_enabled(options),
            base=[m.base for m in self.mentions],
            names=[m.name for m in self.mentions],
        )
        if len(units) > 1 and self.mentions:
            draft.notes.append(f"offsets taken as {taken}, which fit the recorded texts best")
        infons_of = [m.infons for m in self.mentions]
        draft.types = [kind or DEFAULT_TYPE for kind in self.records.type]
        draft.scores, draft.normalisations = self.records.score, self.records.identifiers
        sides = [i.get("side", "") for i in infons_of]
        if any(sides):
            draft.sides = ["predicted" if s == "predicted" else "gold" for s in sides]
        draft.mention_columns = _as_columns(infons_of, ("type", "score", "identifier", "side"))
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
                    place = here[key]
                    draft.relations.append((i, self.mentions[place].row, kind, role, place, -1))
                elif (id(here), key) in numbers:
                    draft.relations.append((i, row, kind, role, -1, numbers[id(here), key]))
                else:
                    raise InputError(
                        "an unknown referent",
                        file=self.path,
                        line=relation.get("line"),
                        found=key,
                        allowed="the id of an annotation or relation of the document",
                    )


def _as_columns(infons: list[dict[str, str]], known: Collection[str] = ()) -> JsonObject:
    """Return columns of the infons beyond those that are `known`."""
    names = [name for name in dict.fromkeys(k for i in infons for k in i) if name not in known]
    taken = {*TEXT_COLUMNS, *MENTION_COLUMNS}
    return {
        (f"infon.{n}" if n in taken else n): make_string_column([i.get(n) for i in infons]) for n in names
    }


def to_collection(corpus: Corpus, options: FormatOptions) -> JsonObject:
    """Nested dictionaries; texts of one document that follow each other make one ``document``."""
    unit = check_unit(options.get("offsets", "characters"))
    if unit == "utf16":
        raise InputError("BioC counts bytes or characters", found=unit, allowed="characters, bytes")
    offsets = OffsetMap(TextColumn(corpus.texts["text"].tolist()), unit)
    sizes = offsets.lengths.tolist()
    documents: list[JsonObject] = []
    home: dict[Any, tuple[JsonObject, JsonObject]] = {}
    base = 0
    for row, text in enumerate(iterate_texts(corpus)):
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


def _add_relations(corpus: Corpus, home: dict[Any, tuple[JsonObject, JsonObject]]) -> None:
    """Add relations and equivalences to the document and passage of each text."""
    for relation in select_relations(make_relation_views(corpus), lambda text_id: id(home[text_id][0])):
        whole_document, block = home[relation.text_ids[0]]
        target = block if len(relation.text_ids) == 1 else whole_document
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
    return {k: v if isinstance(v, str) else str(v) for k, v in extra.items()}
