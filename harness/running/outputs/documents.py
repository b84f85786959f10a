"""Output as documents with stand-off mentions: JSON lines, PubTator, brat, BioC."""

from __future__ import annotations

import re
from typing import Any

from ....catalogues.plumbing.errors import InputError
from ..specification import Output
from .parsed import Located

PUBTATOR_TEXT = re.compile(r"([^\t|]+)\|([ta])\|(.*)")
BRAT = re.compile(r"T[^\t]*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?")


def parse_documents(content: bytes, form: Output, name: str | None = None) -> Located:
    """Read the documents; `name` is the case that all of it is about, where a file has one case."""
    return _READERS[form.form](content, form, name)


def _jsonl(content: bytes, form: Output, name: str | None) -> Located:
    import orjson

    found = Located(seen=[])
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            found.broken += 1
            continue
        if not isinstance(record, dict):
            found.broken += 1
            continue
        own = name if name is not None else _text(record.get(form.id_key))
        if own is None:
            found.broken += 1
            continue
        _seen(found).append(own)
        if not _json_mentions(found, own, record.get(form.mentions_key, []), form):
            found.broken += 1
            found.broken_names.append(own)
    return found


def _seen(found: Located) -> list[str]:
    if found.seen is None:
        found.seen = []
    return found.seen


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _json_mentions(found: Located, name: str, mentions: Any, form: Output) -> bool:
    if not isinstance(mentions, list):
        return False
    rows = []
    for mention in mentions:
        if not isinstance(mention, dict):
            return False
        start, end = mention.get(form.start_key), mention.get(form.end_key)
        score = mention.get(form.score_key)
        if not isinstance(start, int) or not isinstance(end, int):
            return False
        value = float(score) if isinstance(score, (int, float)) else float("nan")
        rows.append(
            (start, end, _text(mention.get(form.type_key)) or "", value, _text(mention.get(form.text_key)))
        )
    for start, end, kind, value, text in rows:
        found.add(name, start, end, kind, value, text)
    return True


def _pubtator(content: bytes, form: Output, name: str | None) -> Located:
    del form
    found = Located(seen=[])
    for line in content.decode().split("\n"):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        head = PUBTATOR_TEXT.fullmatch(line)
        if head is not None:
            if head[2] == "t":
                _seen(found).append(name if name is not None else head[1])
            continue
        cells = line.split("\t")
        if len(cells) >= 5 and cells[1].isdigit() and cells[2].isdigit():
            own = name if name is not None else cells[0]
            found.add(own, int(cells[1]), int(cells[2]), cells[4], text=cells[3])
        elif len(cells) < 4:
            # relations have four columns and are no mentions
            found.broken += 1
            found.broken_names.append(cells[0])
    return found


def _brat(content: bytes, form: Output, name: str | None) -> Located:
    del form
    found = Located()
    if name is None:
        raise InputError("brat output names no case", allowed="output.path with {number}, or mode 'document'")
    for line in content.decode().split("\n"):
        line = line.rstrip("\r")
        if not line.startswith("T"):
            if line.strip() and line[0] not in "RENAM#*":
                found.broken += 1
            continue
        match = BRAT.fullmatch(line)
        if match is None:
            found.broken += 1
            found.broken_names.append(name)
            continue
        edges = [int(n) for part in match[2].split(";") for n in part.split()]
        # fragments: the mention is their hull; its text then is not one stretch of the case
        text = match[3] if ";" not in match[2] else None
        found.add(name, edges[0], edges[-1], match[1], text=text)
    return found


def _bioc(content: bytes, form: Output, name: str | None) -> Located:
    from ....catalogues.plumbing.xmlio import parse_bytes

    del form
    found = Located(seen=[])
    try:
        root = parse_bytes(content, "the tagger's output", huge=True)
    except InputError:
        found.broken += 1
        return found
    for document in root.iter("document"):
        own = name if name is not None else (document.findtext("id") or "").strip()
        _seen(found).append(own)
        for annotation in document.iter("annotation"):
            kind = next((i.text or "" for i in annotation.findall("infon") if i.get("key") == "type"), "")
            places = [(l.get("offset", ""), l.get("length", "")) for l in annotation.findall("location")]  # noqa: E741
            _bioc_mention(found, own, kind, places, annotation.findtext("text"))
    return found


def _biocjson(content: bytes, form: Output, name: str | None) -> Located:
    import orjson

    del form
    found = Located(seen=[])
    try:
        root = orjson.loads(content)
    except orjson.JSONDecodeError:
        found.broken += 1
        return found
    documents = root.get("documents", [root]) if isinstance(root, dict) else root
    for document in documents if isinstance(documents, list) else []:
        own = name if name is not None else _text(document.get("id")) or ""
        _seen(found).append(own)
        for passage in document.get("passages", []):
            annotations = [*passage.get("annotations", [])]
            for sentence in passage.get("sentences", []):
                annotations += sentence.get("annotations", [])
            for annotation in annotations:
                places = [(l.get("offset"), l.get("length")) for l in annotation.get("locations", [])]  # noqa: E741
                kind = _text(annotation.get("infons", {}).get("type")) or ""
                _bioc_mention(found, own, kind, places, annotation.get("text"))
    return found


def _bioc_mention(
    found: Located, name: str, kind: str, places: list[tuple[Any, Any]], text: str | None
) -> None:
    try:
        spans = sorted((int(offset), int(offset) + int(length)) for offset, length in places)
    except (TypeError, ValueError):
        spans = []
    if not spans:
        found.broken += 1
        found.broken_names.append(name)
        return
    found.add(name, spans[0][0], spans[-1][1], kind, text=text if len(spans) == 1 else None)


_READERS = {"jsonl": _jsonl, "pubtator": _pubtator, "brat": _brat, "bioc": _bioc, "biocjson": _biocjson}
