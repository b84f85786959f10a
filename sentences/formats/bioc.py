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
    tag: f"{tag}s"
    for tag in ("document", "passage", "sentence", "annotation", "relation", "location", "node")
}
_TEXT_ELEMENTS = ("source", "date", "key", "id", "offset", "text")
_CHILD_ELEMENTS = {
    "collection": ("source", "date", "key", "infon", "document"),
    "document": ("infon", "id", "passage", "annotation", "relation"),
    "passage": ("infon", "offset", "text", "sentence", "annotation", "relation"),
    "sentence": ("infon", "offset", "text", "annotation", "relation"),
    "annotation": ("infon", "location", "text"),
    "relation": ("infon", "node"),
}
_ATTRIBUTES = {
    "annotation": ("id",),
    "relation": ("id",),
    "location": ("offset", "length"),
    "node": ("refid", "role"),
}


def parse(
    content: bytes, records: MentionRecords, receiver: DocumentReceiver | None = None
) -> dict[str, str]:
    """Parse a BioC XML collection and return its infons (key-value pairs).

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


def _object_to_element(tag: str, thing: dict[str, Any]) -> etree._Element:
    """Convert a dictionary to an XML element; see `_element_to_object`."""
    element = etree.Element(tag, {name: str(thing[name]) for name in _ATTRIBUTES.get(tag, ())})
    for child in _CHILD_ELEMENTS.get(tag, ()):
        if child == "infon":
            for key, value in thing["infons"].items():
                etree.SubElement(element, child, key=key).text = value
        elif child in _TEXT_ELEMENTS:
            etree.SubElement(element, child).text = str(thing[child])
        else:
            element.extend([_object_to_element(child, inner) for inner in thing[_LISTS[child]]])
    return element


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write a BioC XML file."""
    collection = to_collection(corpus, options)
    try:
        root = _object_to_element("collection", collection)
    except ValueError:
        raise InputError(
            "a text, name or value contains a character that XML cannot store; use format biocjson",
            allowed="text without control characters other than tab and line breaks",
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
