"""Reader and writer of BioC JSON files; the conversion to a corpus is described in `bioc_corpus`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes, read_text
from ..corpus import Corpus
from .base import CorpusFormat, FormatOptions
from .bioc_corpus import OPTIONS, BiocReader, to_collection
from .bioc_model import DocumentReceiver, infons_as_text, parse_documents
from .records import MentionRecords

_LISTS = ("documents", "passages", "sentences", "annotations", "relations", "locations", "nodes")


def parse(
    content: bytes, records: MentionRecords, receiver: DocumentReceiver | None = None
) -> dict[str, str]:
    """Parse a BioC JSON collection and return its infons (key-value pairs).

    In tagger output, a document or a list of documents is also allowed.

    Parameters
    ----------
    content : bytes
        Content of the JSON file, in UTF-8.
    records : MentionRecords
        Object that receives mentions and problems.
    receiver : DocumentReceiver, optional
        Object that receives texts, infons and relations.
    """
    import orjson

    try:
        collection = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        records.refuse(None, f"not valid JSON ({error.msg})", line=error.lineno, column=error.colno)
        return {}
    if not records.strict:
        if isinstance(collection, dict) and "documents" not in collection:
            collection = [collection]
        if isinstance(collection, list):
            collection = {"documents": collection}
    is_object = isinstance(collection, dict)
    if not is_object or (records.strict and not isinstance(collection.get("documents"), list)):
        records.refuse(None, "not a BioC collection", collection, allowed='an object with a list "documents"')
        return {}
    if records.strict:
        check_shape(collection, records)
    parse_documents(records.get_objects(None, collection, "documents"), records, receiver)
    return infons_as_text(collection) if records.strict else {}


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a BioC JSON file."""
    content = read_text(path).encode()
    if not content.strip():
        raise InputError("the file is empty", file=path, allowed="a BioC collection in JSON")
    reader = BiocReader(path)
    infons = parse(content, reader.records, reader)
    return reader.make_corpus(infons, f"biocjson:{path.name}", digest_bytes(content), options)


def check_shape(collection: Any, records: MentionRecords) -> None:
    """Report each value of a type that BioC does not allow, with its path; null is always allowed."""
    waiting = [(collection, "collection")]
    while waiting:
        thing, where = waiting.pop()
        if not isinstance(thing, dict):
            records.refuse(None, f"{where} is not an object", thing)
        if not isinstance(thing.get("infons") or {}, dict):
            records.refuse(None, f"{where}.infons is not an object", thing["infons"])
        if not isinstance(thing.get("text"), (str, type(None))):
            records.refuse(None, f"{where}.text is not text", thing["text"])
        for name in filter(thing.get, _LISTS):
            if not isinstance(thing[name], list):
                records.refuse(None, f"{where}.{name} is not a list", thing[name])
            inside = [(inner, f"{where}.{name}[{i}]") for i, inner in enumerate(thing[name])]
            waiting += reversed(inside)


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write a BioC JSON file."""
    import orjson

    content = orjson.dumps(to_collection(corpus, options), option=orjson.OPT_INDENT_2)
    path.write_bytes(content + b"\n")


FORMAT = CorpusFormat(
    name="biocjson",
    title="BioC JSON, one file; offsets in characters or bytes",
    place="file",
    read=read,
    write=write,
    options=OPTIONS,
    has_sides=True,
    parse=parse,
)
