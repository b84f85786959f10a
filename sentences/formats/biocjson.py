"""BioC JSON; see `bioc_model`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, digest_bytes, read_text
from ..corpus import Corpus
from .base import Format, Options
from .bioc_model import from_collection
from .bioc_write import CARRIES, OPTIONS, more_losses, to_collection

_LISTS = ("documents", "passages", "sentences", "annotations", "relations", "locations", "nodes")


def read(path: Path, options: Options) -> Corpus:
    """Read a BioC JSON file."""
    import orjson

    content = read_text(path)
    if not content.strip():
        raise InputError("the file is empty", file=path, allowed="a BioC collection in JSON")
    try:
        collection = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(
            f"not valid JSON ({error.msg})", file=path, line=error.lineno, column=error.colno
        ) from None
    if not isinstance(collection, dict) or not isinstance(collection.get("documents"), list):
        raise InputError("not a BioC collection", file=path, allowed='an object with a list "documents"')
    check_shape(collection, path, "collection")
    digest = digest_bytes(content.encode())
    return from_collection(collection, path, f"biocjson:{path.name}", digest, options)


def check_shape(thing: Any, path: Path, where: str) -> None:
    """Refuse values of another kind than BioC's, naming their place. Null stands for nothing there."""
    waiting = [(thing, where)]
    while waiting:
        thing, where = waiting.pop()
        if not isinstance(thing, dict):
            raise InputError(f"{where} is not an object", file=path, found=thing)
        if not isinstance(thing.get("infons") or {}, dict):
            raise InputError(f"{where}.infons is not an object", file=path, found=thing["infons"])
        if not isinstance(thing.get("text"), (str, type(None))):
            raise InputError(f"{where}.text is not text", file=path, found=thing["text"])
        for name in _LISTS:
            listed = thing.get(name) or []
            if not isinstance(listed, list):
                raise InputError(f"{where}.{name} is not a list", file=path, found=listed)
            inside = [(inner, f"{where}.{name}[{i}]") for i, inner in enumerate(listed)]
            waiting += reversed(inside)


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Write a BioC JSON file."""
    import orjson

    content = orjson.dumps(to_collection(corpus, options), option=orjson.OPT_INDENT_2)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content + b"\n")


FORMAT = Format(
    name="biocjson",
    title="BioC JSON, one file; offsets in characters or bytes",
    place="file",
    read=read,
    write=write,
    options=OPTIONS,
    carries=CARRIES,
    more_losses=more_losses,
)
