"""BioC in memory, the same for XML and JSON: a collection as nested dictionaries.

The dictionaries have BioC JSON's keys; those read from XML also have ``line``. `bioc_corpus` makes corpora of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from .problems import describe_missing_key, shorten_value
from .records import MentionRecords, SpanLength, parse_identifier

JsonObject = dict[str, Any]
"""An object of BioC JSON."""


class DocumentReceiver(Protocol):
    """Takes what a corpus has beside the mentions; see `parse_documents`."""

    def take_document(self, document: JsonObject) -> None:
        """Take a document, before its mentions."""

    def take_mention(self, block: JsonObject, annotation: JsonObject) -> None:
        """Take an annotation of a passage or sentence, whose mention was added."""


def parse_documents(
    documents: Iterable[JsonObject], records: MentionRecords, receiver: DocumentReceiver | None = None
) -> None:
    """Take the mentions of documents; offsets are those of the file, which count from the document's start.

    Parameters
    ----------
    documents : iterable of dict
    records : Records
        Where the mentions go, and how problems are taken.
    receiver : Rest, optional
        What else is wanted of each document and annotation.
    """
    records.seen_names = []
    for document in documents:
        own = records.expected_name
        if own is None:
            own = parse_identifier(document.get("id", "" if records.strict else None))
        if own is None:
            line = document.get("line")
            if "id" in document:
                records.refuse(None, "a document without an identifier", document["id"], line=line)
            else:
                records.refuse(
                    None,
                    describe_missing_key("the document has no key", _without_line(document), "id"),
                    line=line,
                )
            continue
        if not records.is_expected_text(document.get("id"), document.get("line")):
            continue
        records.note_name(own)
        if receiver is not None:
            receiver.take_document(document)
        if not records.strict and not _has_lists(records, own, document, "the document", "passages"):
            continue
        for block in iterate_blocks(document, records, own):
            if not (records.strict or block is document or _has_lists(records, own, block, "the passage")):
                continue
            for annotation in records.get_objects(own, block, "annotations", block.get("line")):
                if _add(records, own, annotation) and receiver is not None:
                    receiver.take_mention(block, annotation)


def _has_lists(records: MentionRecords, own: str, thing: JsonObject, where: str, *first: str) -> bool:
    """Whether a tagger's document, passage or sentence has a list that BioC knows, or none under any name."""
    keys = [*first, "annotations", "sentences", "relations"]
    return records.has_list(own, _without_line(thing), keys, where, line=thing.get("line"))


def _without_line(thing: JsonObject) -> JsonObject:
    """What the file says of an object: of an element of XML all but its line."""
    return {key: value for key, value in thing.items() if key != "line"}


def iterate_blocks(document: JsonObject, records: MentionRecords, document_name: str) -> Iterator[JsonObject]:
    """The passages, their sentences before them, that have a text of their own, in order.

    A tagger need not print texts again: of its output all passages are taken, and the document itself.
    """
    for passage in records.get_objects(document_name, document, "passages", document.get("line")):
        sentences = records.get_objects(document_name, passage, "sentences", passage.get("line"))
        yield from sentences
        if not records.strict or passage.get("text") is not None or not sentences:
            yield passage
    if not records.strict:
        yield document


def _add(records: MentionRecords, own: str, annotation: JsonObject) -> bool:
    """Add the mention of an annotation; whether it is one."""
    line = annotation.get("line")
    infons = annotation.get("infons", {})
    if infons is None and records.strict:
        infons = {}
    if not isinstance(infons, dict):
        records.refuse(own, "infons is no object", infons, line=line)
        return False
    before = records.broken_count
    places = records.get_objects(own, annotation, "locations", line)
    if records.broken_count > before:
        return False
    where = f"annotation {shorten_value(annotation.get('id'))}" if "id" in annotation else "an annotation"
    needed = [(annotation, "locations", where)]
    needed += [(place, key, f"{where}: its location") for place in places for key in ("offset", "length")]
    for fields, key, what in needed if not records.strict else ():
        if key not in fields:
            records.refuse(
                own, describe_missing_key(f"{what} has no key", _without_line(fields), key), line=line
            )
            return False
    spans = [(place.get("offset"), SpanLength(place.get("length"))) for place in places]
    score = infons.get("score")
    return records.add(
        own,
        spans,
        infons.get("type"),
        score,
        annotation.get("text"),
        infons.get("identifier"),
        line,
        where,
    )


def infons_as_text(thing: JsonObject) -> dict[str, str]:
    """Infons with their values as text; an infon without a value is left out."""
    return {
        str(k): v if isinstance(v, str) else str(v)
        for k, v in (thing.get("infons") or {}).items()
        if v is not None
    }


def new_collection(documents: list[JsonObject], source: str = "", **infons: str) -> JsonObject:
    """A collection of documents."""
    return {"source": source, "date": "", "key": "", "infons": infons, "documents": documents}


def new_document(name: str, *passages: JsonObject) -> JsonObject:
    """A document without annotations of its own."""
    return {"id": name, "infons": {}, "passages": [*passages], "annotations": [], "relations": []}


def new_passage(text: str, offset: int = 0, **infons: str) -> JsonObject:
    """A passage without annotations."""
    empty: JsonObject = {"sentences": [], "annotations": [], "relations": []}
    return {"offset": offset, "infons": infons, "text": text, **empty}


def new_relation(name: str, kind: str, nodes: list[tuple[str, str]]) -> JsonObject:
    """A relation; `nodes` are the ids that it refers to, and their roles."""
    listed = [{"refid": refid, "role": role} for refid, role in nodes]
    return {"id": name, "infons": {"type": kind}, "nodes": listed}
