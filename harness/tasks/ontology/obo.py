"""Read an ontology in OBO 1.2/1.4: `[Term]` stanzas with `id`, `name`, `is_a`, `alt_id`, `is_obsolete`."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

from ....catalogues.plumbing.errors import InputError
from ....catalogues.plumbing.files import digest_file, read_text
from .graph import Ontology

STANZA = re.compile(r"\[(\w+)\]$")
TAG = re.compile(r"([A-Za-z][\w-]*):[ \t]*(.*)$")


def read_obo(path: str | PathLike[str]) -> Ontology:
    """Read concepts and their `is_a` parents; obsolete ones and stanzas other than `[Term]` are left out.

    Raises
    ------
    InputError
        With file and line: not UTF-8, empty, a line that is neither stanza nor tag, a stanza without `id`, an
        identifier twice, a parent that is not defined, `is_a` going round in a circle.
    """
    source = Path(path)
    text = read_text(source)
    if not text.strip():
        raise InputError("the file is empty", file=source, allowed="an OBO ontology")
    if source.suffix.lower() == ".obo" or text.lstrip().startswith(("format-version", "[")):
        return _parse(text, source)
    raise InputError("not an OBO file", file=source, line=1, found=text.lstrip().split("\n", 1)[0])


def _parse(text: str, source: Path) -> Ontology:
    terms: dict[str, tuple[str, int]] = {}
    edges: dict[tuple[str, str], int] = {}
    aliases: dict[str, str] = {}
    for line, stanza in _stanzas(text, source):
        identifier = stanza.get("id", [("", 0)])[0][0]
        if not identifier:
            raise InputError("a [Term] without an id", file=source, line=line, allowed="id: PREFIX:NUMBER")
        if len(stanza["id"]) > 1:
            raise InputError("a [Term] with two ids", file=source, line=stanza["id"][1][1])
        if stanza.get("is_obsolete", [("", 0)])[0][0] == "true":
            continue
        if identifier in terms:
            raise InputError("an identifier is given twice", file=source, line=line, found=identifier)
        terms[identifier] = (stanza.get("name", [("", 0)])[0][0], line)
        for parent, number in stanza.get("is_a", []):
            if not parent:
                raise InputError("is_a without a parent", file=source, line=number)
            edges.setdefault((identifier, parent), number)
        for alias, _ in stanza.get("alt_id", []):
            aliases[alias] = identifier
    if not terms:
        raise InputError("no [Term] in the file", file=source, allowed="an OBO ontology")
    for (_, parent), number in edges.items():
        if parent not in terms and parent not in aliases:
            raise InputError("is_a a concept that is not defined", file=source, line=number, found=parent)
    return Ontology.build(
        list(terms),
        [(child, aliases.get(parent, parent) if parent not in terms else parent) for child, parent in edges],
        labels=[name for name, _ in terms.values()],
        aliases={alias: target for alias, target in aliases.items() if alias not in terms},
        name=source.stem,
        file=str(source),
        digest=digest_file(source),
    )


def _stanzas(text: str, source: Path) -> list[tuple[int, dict[str, list[tuple[str, int]]]]]:
    """Each `[Term]` with the line where it starts and its tags: name -> [(value, line)]."""
    found: list[tuple[int, dict[str, list[tuple[str, int]]]]] = []
    current: dict[str, list[tuple[str, int]]] | None = {}
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        stanza = STANZA.match(line)
        if stanza:
            current = {} if stanza[1] == "Term" else None
            if current is not None:
                found.append((number, current))
            continue
        tag = TAG.match(line)
        if not tag:
            raise InputError(
                "neither a stanza nor a tag",
                file=source,
                line=number,
                found=line,
                allowed="[Term] or tag: value",
            )
        if current is not None:
            value = tag[2]
            if tag[1] in ("id", "is_a", "alt_id", "is_obsolete"):
                # trailing modifiers in braces and the comment after ! are no part of the value
                value = re.split(r"\s+[!{]", value, maxsplit=1)[0].strip()
            current.setdefault(tag[1], []).append((value, number))
    return found
