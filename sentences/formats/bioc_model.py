"""BioC collections as nested dictionaries, used for both BioC XML and BioC JSON.

The dictionaries have the same keys as in BioC JSON; if read from XML, they also have the key ``line``. The
module `bioc_corpus` converts them to corpora.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from .problems import describe_missing_key, shorten_value
from .records import MentionRecords, SpanLength, parse_identifier

JsonObject = dict[str, Any]
"""Type of a JSON object: a dictionary with strings as keys."""


class DocumentReceiver(Protocol):
    """Interface of objects that receive documents and annotations from `parse_documents`."""

    def take_document(self, document: JsonObject) -> None:
        """Receive a document; its annotations are passed to `take_mention` afterwards."""

    def take_mention(self, block: JsonObject, annotation: JsonObject) -> None:
        """Receive an annotation and the passage or sentence (`block`) that contains it."""


def parse_documents(
    documents: Iterable[JsonObject], records: MentionRecords, receiver: DocumentReceiver | None = None
) -> None:
    """Parse documents and add their mentions to `records`.

    Parameters
    ----------
    documents : iterable of dict
        BioC documents.
    records : MentionRecords
        Object that receives mentions and problems; offsets count from the start of the document.
    receiver : DocumentReceiver, optional
        Object that receives documents and annotations.
    """
    records.seen_names = []
    for document in documents:
        name = records.expected_name
        if name is None:
            name = parse_identifier(document.get("id", "" if records.strict else None))
        if name is None:
            line = document.get("line")
            if "id" in document:
                records.refuse(None, "invalid document id", document["id"], line=line)
            else:
                records.refuse(
                    None,
                    describe_missing_key("the document has no key", _without_line(document), "id"),
                    line=line,
                )
            continue
        if not records.is_expected_text(document.get("id"), document.get("line")):
            continue
        records.note_name(name)
        if receiver is not None:
            receiver.take_document(document)
        if not records.strict and not _has_lists(records, name, document, "the document", "passages"):
            continue
        for block in iterate_blocks(document, records, name):
            if not (records.strict or block is document or _has_lists(records, name, block, "the passage")):
                continue
            for annotation in records.get_objects(name, block, "annotations", block.get("line")):
                if _add(records, name, annotation) and receiver is not None:
                    receiver.take_mention(block, annotation)


def _has_lists(records: MentionRecords, name: str, thing: JsonObject, where: str, *first: str) -> bool:
    """Return False and report a problem if an object contains lists, but none has a key that BioC defines."""
    keys = [*first, "annotations", "sentences", "relations"]
    return records.has_list(name, _without_line(thing), keys, where, line=thing.get("line"))


def _without_line(thing: JsonObject) -> JsonObject:
    return {key: value for key, value in thing.items() if key != "line"}


def iterate_blocks(document: JsonObject, records: MentionRecords, document_name: str) -> Iterator[JsonObject]:
    """Yield the passages and sentences that have texts; a passage comes after its sentences.

    In tagger output, where texts can be missing, all passages and the document itself are included.
    """
    for passage in records.get_objects(document_name, document, "passages", document.get("line")):
        sentences = records.get_objects(document_name, passage, "sentences", passage.get("line"))
        yield from sentences
        if not records.strict or passage.get("text") is not None or not sentences:
            yield passage
    if not records.strict:
        yield document


def _add(records: MentionRecords, name: str, annotation: JsonObject) -> bool:
    """Add the mention of an annotation to `records`; return True if it was added."""
    line = annotation.get("line")
    infons = annotation.get("infons", {})
    if infons is None and records.strict:
        infons = {}
    if not isinstance(infons, dict):
        records.refuse(name, "infons is not an object", infons, line=line)
        return False
    before = records.broken_count
    places = records.get_objects(name, annotation, "locations", line)
    if records.broken_count > before:
        return False
    where = f"annotation {shorten_value(annotation.get('id'))}" if "id" in annotation else "an annotation"
    needed = [(annotation, "locations", where)]
    needed += [(place, key, f"{where}: its location") for place in places for key in ("offset", "length")]
    for fields, key, subject in needed if not records.strict else ():
        if key not in fields:
            problem = describe_missing_key(f"{subject} has no key", _without_line(fields), key)
            records.refuse(name, problem, line=line)
            return False
    spans = [(place.get("offset"), SpanLength(place.get("length"))) for place in places]
    kind, score, identifiers = (infons.get(key) for key in ("type", "score", "identifier"))
    return records.add(name, spans, kind, score, annotation.get("text"), identifiers, line, where)


def infons_as_text(thing: JsonObject) -> dict[str, str]:
    """Return the infons of an object, with values converted to text; infons with a null value are omitted."""
    return {str(k): str(v) for k, v in (thing.get("infons") or {}).items() if v is not None}


def new_collection(documents: list[JsonObject], source: str = "", **infons: str) -> JsonObject:
    """Return a new collection of documents."""
    return {"source": source, "date": "", "key": "", "infons": infons, "documents": documents}


def new_document(name: str, *passages: JsonObject) -> JsonObject:
    """Return a new document with the given passages and without annotations."""
    return {"id": name, "infons": {}, "passages": [*passages], "annotations": [], "relations": []}


def new_passage(text: str, offset: int = 0, **infons: str) -> JsonObject:
    """Return a new passage without annotations."""
    empty: JsonObject = {"sentences": [], "annotations": [], "relations": []}
    return {"offset": offset, "infons": infons, "text": text, **empty}


def new_relation(name: str, kind: str, nodes: list[tuple[str, str]]) -> JsonObject:
    """Return a new relation; `nodes` contains the id and the role of each argument."""
    listed = [{"refid": refid, "role": role} for refid, role in nodes]
    return {"id": name, "infons": {"type": kind}, "nodes": listed}
