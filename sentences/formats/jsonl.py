"""JSON lines format: one object per text, with all data about the text.

The keys of a text are ``text_id``, ``document_id``, ``text``, ``features`` (further columns), ``mentions``,
``alternatives``, ``relations`` and ``equivalences``. The keys of a mention are ``id``, ``start``, ``end``,
``type`` and, optionally, ``side``, ``score``, ``fragments`` ([[start, end], …]), ``normalisations``
([[authority, identifier], …]) and ``features``. Offsets count code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...catalogues.core.files import digest_bytes
from ..corpus import Corpus
from .base import CorpusFormat, FormatOptions, read_lines_bytes
from .jsonl_corpus import JsonlReader
from .problems import NOT_FOUND, describe_missing_key
from .records import MentionRecords, parse_identifier, value_at, value_or_none
from .views import (
    MentionView,
    iterate_texts,
    make_equivalence_sets,
    make_relation_views,
    map_mentions_to_texts,
)


@dataclass(frozen=True)
class KeyNames:
    """Names of the keys of texts and mentions in JSON objects."""

    name: str = "text_id"
    mentions: str = "mentions"
    start: str = "start"
    end: str = "end"
    type: str = "type"
    text: str = "text"
    score: str = "score"
    fragments: str = "fragments"
    identifiers: str = "identifiers"


def parse(
    content: bytes, records: MentionRecords, keys: KeyNames | None = None, reader: JsonlReader | None = None
) -> None:
    """Parse one JSON object per line; a tagger's answer for one text can also be a list of mentions.

    Parameters
    ----------
    content : bytes
        Content of the file, in UTF-8.
    records : MentionRecords
        Object that receives mentions and problems.
    keys : KeyNames, optional
        Names of the keys; by default those used in a corpus.
    reader : JsonlReader, optional
        Object that receives the other data of a corpus: texts, features and relations.
    """
    import orjson

    keys = keys or KeyNames()
    records.seen_names = []
    fields = (keys.start, keys.end, keys.type, keys.score, keys.text, keys.fragments, keys.identifiers)
    is_nested = any("." in key for key in fields)
    for number, line in enumerate(_lines(content, records, keys), start=1):
        if not line.strip():
            continue
        records.current_line = None if records.strict else number - 1
        try:
            thing = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            allowed = "one JSON object per line"
            problem = f"not valid JSON ({error.msg})"
            records.refuse(None, problem, line.decode(), line=number, column=error.colno, allowed=allowed)
            continue
        name = _read_name(thing, records, keys.name)
        if name is None:
            _refuse_nameless(thing, records, keys, number)
            continue
        if records.requires_name and not records.is_expected_text(value_or_none(thing, keys.name), number):
            continue
        records.note_name(name)
        if not records.strict and not records.has_list(
            name, thing, [keys.mentions], "the object", setting="mentions_key"
        ):
            continue
        if reader is not None:
            reader.take_text(thing, number)
        mentions = records.get_objects(name, thing, keys.mentions, number)
        for place, mention in enumerate(mentions):
            get = partial(value_or_none, mention) if is_nested else mention.get
            start, end, kind, score, text, parts, identifiers = map(get, fields)
            spans = [(start, end)]
            if parts not in (None, []):
                spans = _pairs(parts)
            elif not records.strict and not all(
                records.has_key(name, mention, key, f"{keys.mentions}[{place}]", setting)
                for key, setting in ((keys.start, "start_key"), (keys.end, "end_key"))
            ):
                continue
            # a corpus has `normalisations` instead, which the reader adds
            identifiers = None if records.strict else identifiers
            added = records.add(name, spans, kind, score, text, identifiers, number)
            if added and reader is not None:
                reader.take_mention(mention)
        if reader is not None:
            reader.take_links(thing)


def _lines(content: bytes, records: MentionRecords, keys: KeyNames) -> list[bytes]:
    """Return the lines of a file.

    If tagger output for one text is a single JSON value, this value is returned as one line.
    """
    import orjson

    if records.strict or records.expected_name is None:
        return content.split(b"\n")
    try:
        answer = orjson.loads(content)
    except orjson.JSONDecodeError:
        return content.split(b"\n")
    return [orjson.dumps({keys.mentions: answer} if isinstance(answer, list) else answer)]


def _refuse_nameless(thing: Any, records: MentionRecords, keys: KeyNames, line: int) -> None:
    """Report a line without a text id; for tagger output, the message lists the keys of the object."""
    named = isinstance(thing, dict) and value_at(thing, keys.name) is not NOT_FOUND
    if records.strict or not isinstance(thing, dict) or named:
        records.refuse(None, "not an object with an id", thing, line=line)
    else:
        records.refuse(
            None, describe_missing_key("the object has no key", thing, keys.name, "id_key"), line=line
        )


def _read_name(thing: Any, records: MentionRecords, key: str) -> str | None:
    """Return the text id in an object, or None if it is missing.

    In a corpus, a missing id is replaced with the number of the text.
    """
    if not isinstance(thing, dict):
        return None
    if records.expected_name is not None:
        return records.expected_name
    if records.strict and key not in thing:
        return str(len(records.seen_names or ()))
    return parse_identifier(value_or_none(thing, key))


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    """Return fragments as pairs; a value that is not a pair becomes (value, None), which is invalid."""
    if not isinstance(value, list):
        return [(value, None)]
    return [tuple(item) if isinstance(item, list) and len(item) == 2 else (item, None) for item in value]


def read(path: Path, options: FormatOptions) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a file of JSON lines."""
    content = read_lines_bytes(path, "one JSON object per line")
    draft = JsonlReader(path)
    parse(content, draft.records, reader=draft)
    return draft.make_corpus(digest_bytes(content))


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write a file of JSON lines with one object per text."""
    import orjson

    links = _links(corpus)
    with path.open("wb") as stream:
        for text in iterate_texts(corpus):
            thing = {"text_id": text.text_id, "document_id": text.document_id, "text": text.text}
            thing |= {"features": text.extra} if text.extra else {}
            thing["mentions"] = [_mention(mention) for mention in text.mentions]
            thing |= {key: found[text.text_id] for key, found in links.items() if text.text_id in found}
            stream.write(orjson.dumps(thing, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY))


def _mention(mention: MentionView) -> dict[str, Any]:
    needed = {"id": mention.mention_id, "start": mention.start, "end": mention.end, "type": mention.type}
    optional = {
        "side": mention.side if mention.side != "gold" else None,
        "score": mention.score,
        "fragments": mention.spans if len(mention.spans) > 1 else None,
        "normalisations": mention.normalisations or None,
        "features": mention.extra or None,
    }
    return needed | {key: value for key, value in optional.items() if value is not None}


def _links(corpus: Corpus) -> dict[str, dict[Any, list[Any]]]:
    """Return the alternative spans, relations and equivalences of a corpus, each keyed by text id."""
    links: dict[str, dict[Any, list[Any]]] = {"alternatives": {}, "relations": {}, "equivalences": {}}
    if corpus.alternatives is not None:
        links["alternatives"] = {text_id: [] for text_id in corpus.texts["text_id"].tolist()}
        for row in corpus.alternatives.to_dict("records"):
            links["alternatives"][row.pop("text_id")].append(row)
    for relation in make_relation_views(corpus):
        arguments = [
            {"role": a.role}
            | ({"mention": a.mention_id} if a.relation_id < 0 else {"relation": a.relation_id})
            for a in relation.arguments
        ]
        thing = {"id": relation.relation_id, "type": relation.type, "arguments": arguments}
        links["relations"].setdefault(relation.text_ids[0], []).append(thing)
    home = map_mentions_to_texts(corpus)
    for members in make_equivalence_sets(corpus):
        links["equivalences"].setdefault(home[members[0]], []).append(members)
    return links


FORMAT = CorpusFormat(
    name="jsonl",
    title="JSON lines: one object per text with all data",
    place="file",
    read=read,
    write=write,
    has_sides=True,
    parse=parse,
)
