"""BioC XML; see `bioc_model`. Entity declarations are refused, and a DTD is never fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lxml import etree

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, digest_file
from ...catalogues.core.xml import parse
from ..corpus import Corpus
from .base import Format, Options
from .bioc_model import from_collection
from .bioc_write import CARRIES, OPTIONS, more_losses, to_collection

_LISTS = {
    "document": "documents",
    "passage": "passages",
    "sentence": "sentences",
    "annotation": "annotations",
}
_LISTS |= {"relation": "relations", "location": "locations", "node": "nodes"}
_TEXTS = ("source", "date", "key", "id", "offset", "text")
_INSIDE = {
    "collection": ("infon", "source", "date", "key", "document"),
    "document": ("infon", "id", "passage", "annotation", "relation"),
    "passage": ("infon", "offset", "text", "sentence", "annotation", "relation"),
    "sentence": ("infon", "offset", "text", "annotation", "relation"),
    "annotation": ("infon", "location", "text"),
    "relation": ("infon", "node"),
}


def collection_of(root: etree._Element, path: Path) -> dict[str, Any]:
    """The nested dictionaries of a ``collection`` element."""
    if root.tag != "collection":
        raise InputError(
            "not BioC", file=path, line=root.sourceline, found=f"<{root.tag!s}>", allowed="<collection>"
        )
    for entity in root.iter(etree.Entity):
        raise InputError("an entity reference", file=path, line=entity.sourceline, found=entity.text)
    return _things(root, path)


def _things(element: etree._Element, path: Path) -> dict[str, Any]:
    """One element as a dictionary."""
    made: dict[str, Any] = {"line": element.sourceline, **dict(element.attrib)}
    allowed = _INSIDE.get(str(element.tag), ())
    for child in element:
        tag = child.tag
        if not isinstance(tag, str):
            continue
        if tag not in allowed:
            raise InputError(
                f"an element that <{element.tag!s}> cannot hold",
                file=path,
                line=child.sourceline,
                found=f"<{tag}>",
                allowed=", ".join(f"<{a}>" for a in allowed) or "text",
            )
        if tag == "infon":
            made.setdefault("infons", {})[child.get("key", "")] = child.text or ""
        elif tag in _TEXTS:
            made[tag] = child.text or ""
        elif tag in ("location", "node"):
            made.setdefault(_LISTS[tag], []).append(dict(child.attrib))
        else:
            made.setdefault(_LISTS[tag], []).append(_things(child, path))
    return made


def read(path: Path, options: Options) -> Corpus:
    """Read a BioC XML file."""
    collection = collection_of(parse(path, huge=True), path)
    return from_collection(collection, path, f"bioc:{path.name}", digest_file(path), options)


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


def document_element(document: dict[str, Any]) -> etree._Element:
    """One document as an element."""
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


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Write a BioC XML file."""
    collection = to_collection(corpus, options)
    try:
        root = _element(None, "collection")
        for key in ("source", "date", "key"):
            _element(root, key, collection[key])
        _infons(root, collection["infons"])
        root.extend([document_element(d) for d in collection["documents"]])
    except ValueError:
        raise InputError(
            "a text, name or value holds a character that XML cannot carry",
            file=path,
            allowed="no control characters other than tab and line ends; or format biocjson",
        ) from None
    content = etree.tostring(
        root, xml_declaration=True, encoding="UTF-8", doctype='<!DOCTYPE collection SYSTEM "BioC.dtd">'
    )
    with atomic_path(path) as temporary:
        temporary.write_bytes(content + b"\n")


FORMAT = Format(
    name="bioc",
    title="BioC XML, one file; offsets in characters or bytes",
    place="file",
    read=read,
    write=write,
    options=OPTIONS,
    carries=CARRIES,
    more_losses=more_losses,
)
