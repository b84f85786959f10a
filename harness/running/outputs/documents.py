"""Output as documents with stand-off mentions: JSON lines, PubTator, brat, BioC."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ....catalogues.core.errors import InputError
from ....sentences.formats.records import Length, Records, identifier
from ..specification import Output


def parse_documents(
    content: bytes, form: Output, name: str | None = None, long: Collection[int] = ()
) -> Records:
    """Read the documents.

    Parameters
    ----------
    content : bytes
        UTF-8.
    form : Output
        The form, and the keys of ``jsonl``.
    name : str, optional
        The case that all of it is about, where a file has one case.
    long : collection of int
        Lines that were cut off, for they are too long to be read.
    """
    if form.form == "bioc":
        return _bioc(content, name)
    if form.form == "biocjson":
        return _biocjson(content, name)
    return _LINES[form.form](content, form, name, long)


def _jsonl(content: bytes, form: Output, name: str | None, long: Collection[int]) -> Records:
    from ....sentences.formats.jsonl import Keys, parse

    found = Records(name=name, cut=long)
    keys = Keys(
        form.id_key,
        form.mentions_key,
        form.start_key,
        form.end_key,
        form.type_key,
        form.text_key,
        form.score_key,
        form.fragments_key,
    )
    parse(content, found, keys)
    return found


def _pubtator(content: bytes, form: Output, name: str | None, long: Collection[int]) -> Records:
    from ....sentences.formats.pubtator import parse

    del form
    found = Records(name=name, cut=long)
    parse(content, found)
    return found


def _brat(content: bytes, form: Output, name: str | None, long: Collection[int]) -> Records:
    from ....sentences.formats.standoff import parse

    del form
    if name is None:
        raise InputError("brat output names no case", allowed="output.path with {number}, or mode 'document'")
    found = Records(name=name, cut=long)
    parse(content, found)
    return found


def _bioc(content: bytes, name: str | None) -> Records:
    from ....catalogues.core.xml import parse_bytes

    found = Records(seen=[])
    try:
        root = parse_bytes(content, "the tagger's output", huge=True)
    except InputError as error:
        found.refuse(None, f"not XML ({error})")
        return found
    for document in root.iter("document"):
        own = name if name is not None else (document.findtext("id") or "").strip()
        found.see(own)
        for annotation in document.iter("annotation"):
            kind = next((i.text for i in annotation.findall("infon") if i.get("key") == "type"), None)
            spans = [(l.get("offset"), Length(l.get("length"))) for l in annotation.findall("location")]  # noqa: E741
            found.add(own, spans, kind, text=annotation.findtext("text"))
    return found


def _biocjson(content: bytes, name: str | None) -> Records:
    import orjson

    found = Records(seen=[])
    try:
        root = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        found.refuse(None, f"not JSON ({error})")
        return found
    documents = [root] if isinstance(root, dict) and "documents" not in root else root
    if isinstance(documents, list):
        documents = {"documents": documents}
    if not isinstance(documents, dict):
        found.refuse(None, "neither a collection nor a document", root)
        return found
    for document in found.objects(None, documents, "documents"):
        own = name if name is not None else identifier(document.get("id"))
        if own is None:
            found.refuse(None, "a document without an identifier", document.get("id"))
            continue
        found.see(own)
        for passage in found.objects(own, document, "passages"):
            sentences = found.objects(own, passage, "sentences")
            for holder in (passage, *sentences):
                for annotation in found.objects(own, holder, "annotations"):
                    _biocjson_mention(found, own, annotation)
    return found


def _biocjson_mention(found: Records, name: str, annotation: dict[str, Any]) -> None:
    infons = annotation.get("infons", {})
    if not isinstance(infons, dict):
        found.refuse(name, "infons is no object", infons)
        return
    before = found.broken
    places = found.objects(name, annotation, "locations")
    if found.broken == before:
        spans = [(place.get("offset"), Length(place.get("length"))) for place in places]
        found.add(name, spans, infons.get("type"), text=annotation.get("text"))


_LINES = {"jsonl": _jsonl, "pubtator": _pubtator, "brat": _brat}
