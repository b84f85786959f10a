"""Reader and writer of BioC XML files.

A file with entity declarations is rejected, and no DTD is loaded. The module `bioc_corpus` describes how BioC
elements correspond to the parts of a corpus.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lxml import etree

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_file, read_bytes
from ...catalogues.core.xml import parse_xml_bytes
from ..corpus import Corpus
from .base import CorpusFormat, FormatOptions
from .bioc_corpus import OPTIONS, BiocReader, to_collection
from .bioc_model import DocumentReceiver, infons_as_text, parse_documents
from .records import MentionRecords

_LISTS = {
    "document": "documents",
    "passage": "passages",
    "sentence": "sentences",
    "annotation": "annotations",
}
_LISTS |= {"relation": "relations", "location": "locations", "node": "nodes"}
_TEXT_ELEMENTS = ("source", "date", "key", "id", "offset", "text")
_CHILD_ELEMENTS = {
    "collection": ("infon", "source", "date", "key", "document"),
    "document": ("infon", "id", "passage", "annotation", "relation"),
    "passage": ("infon", "offset", "text", "sentence", "annotation", "relation"),
    "sentence": ("infon", "offset", "text", "annotation", "relation"),
    "annotation": ("infon", "location", "text"),
    "relation": ("infon", "node"),
}


def parse(
    content: bytes, records: MentionRecords, receiver: DocumentReceiver | None = None
) -> dict[str, str]:
    """Parse a BioC XML collection and return its infons.

    In tagger output, all ``document`` elements are read, wherever they occur.

    Parameters
    ----------
    content : bytes
        Content of the XML file.
    records : MentionRecords
        Object that receives mentions and problems.
    receiver : DocumentReceiver, optional
        Object that receives texts, infons and relations.
    """
    try:
        root = parse_xml_bytes(content, records.file or "the tagger's output", huge=True)
    except InputError as error:
        if records.strict:
            raise
        records.refuse(None, f"not XML ({error})")
        return {}
    if not records.strict:
        # one document at a time: a list of all would need as much memory as the tree
        parse_documents((_element_to_object(d, records) for d in root.iter("document")), records, receiver)
        return {}
    if root.tag != "collection":
        records.refuse(None, "not BioC", f"<{root.tag!s}>", line=root.sourceline, allowed="<collection>")
    for entity in root.iter(etree.Entity):
        records.refuse(None, "entity references are not allowed", entity.text, line=entity.sourceline)
    collection = _element_to_object(root, records)
    # free the memory of the tree
    del root, content
    parse_documents(collection.get("documents", []), records, receiver)
    return infons_as_text(collection)


def _element_to_object(element: etree._Element, records: MentionRecords) -> dict[str, Any]:
    """Convert an XML element to a dictionary with the same keys as in BioC JSON.

    In tagger output, annotations inside unknown elements are kept.
    """
    made: dict[str, Any] = {"line": element.sourceline, **dict(element.attrib)}
    allowed = _CHILD_ELEMENTS.get(str(element.tag), ())
    for child in element:
        tag = child.tag
        if not isinstance(tag, str):
            continue
        if tag not in allowed and records.strict:
            records.refuse(
                None,
                f"this element is not allowed in <{element.tag!s}>",
                f"<{tag}>",
                line=child.sourceline,
                allowed=", ".join(f"<{a}>" for a in allowed) or "text",
            )
        if tag not in allowed:
            inside = [_element_to_object(a, records) for a in child.iter("annotation")]
            made.setdefault("annotations", []).extend(inside)
        elif tag == "infon":
            made.setdefault("infons", {})[child.get("key", "")] = child.text or ""
        elif tag in _TEXT_ELEMENTS:
            made[tag] = child.text or ""
        elif tag in ("location", "node"):
            made.setdefault(_LISTS[tag], []).append(dict(child.attrib))
        else:
            made.setdefault(_LISTS[tag], []).append(_element_to_object(child, records))
    if element.tag == "document" and not records.strict and "id" in made:
        made["id"] = made["id"].strip()
    return made


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a BioC XML file."""
    reader = BiocReader(path)
    infons = parse(read_bytes(path), reader.records, reader)
    return reader.make_corpus(infons, f"bioc:{path.name}", digest_file(path), options)


def _element(
    parent: etree._Element | None, tag: str, text: str | None = None, **attributes: str
) -> etree._Element:
    made = etree.Element(tag, attributes) if parent is None else etree.SubElement(parent, tag, attributes)
    made.text = text
    return made


def _infons(parent: etree._Element, infons: dict[str, str]) -> None:
    for key, value in infons.items():
        _element(parent, "infon", value, key=key)


def _annotations(parent: etree._Element, thing: dict[str, Any]) -> None:
    for annotation in thing["annotations"]:
        made = _element(parent, "annotation", id=annotation["id"])
        _infons(made, annotation["infons"])
        for location in annotation["locations"]:
            _element(made, "location", offset=str(location["offset"]), length=str(location["length"]))
        _element(made, "text", annotation["text"])


def _relations(parent: etree._Element, thing: dict[str, Any]) -> None:
    for relation in thing["relations"]:
        made = _element(parent, "relation", id=relation["id"])
        _infons(made, relation["infons"])
        for node in relation["nodes"]:
            _element(made, "node", refid=node["refid"], role=node["role"])


def make_document_element(document: dict[str, Any]) -> etree._Element:
    """Return a document as an XML element."""
    made = _element(None, "document")
    _element(made, "id", document["id"])
    for passage in document["passages"]:
        block = _element(made, "passage")
        _infons(block, passage["infons"])
        _element(block, "offset", str(passage["offset"]))
        _element(block, "text", passage["text"])
        _annotations(block, passage)
        _relations(block, passage)
    _relations(made, document)
    return made


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write a BioC XML file."""
    collection = to_collection(corpus, options)
    try:
        root = _element(None, "collection")
        for key in ("source", "date", "key"):
            _element(root, key, collection[key])
        _infons(root, collection["infons"])
        root.extend([make_document_element(d) for d in collection["documents"]])
    except ValueError:
        raise InputError(
            "a text, name or value contains a character that XML cannot store",
            allowed="no control characters other than tab and line ends; or format biocjson",
        ) from None
    content = etree.tostring(
        root, xml_declaration=True, encoding="UTF-8", doctype='<!DOCTYPE collection SYSTEM "BioC.dtd">'
    )
    path.write_bytes(content + b"\n")


FORMAT = CorpusFormat(
    name="bioc",
    title="BioC XML, one file; offsets in characters or bytes",
    place="file",
    read=read,
    write=write,
    options=OPTIONS,
    has_sides=True,
    parse=parse,
)
