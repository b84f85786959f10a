"""OBO ontologies: names and synonyms of terms."""

from __future__ import annotations

import re
from os import PathLike

from ..plumbing.errors import InputError
from .lines import read_lines
from .reading import Collector

_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"')
_COMMENT = re.compile(r"(?:\s+!.*|\s*\{[^{}]*=[^{}]*\})+$")
_ESCAPES = {"n": "\n", "W": " ", "t": "\t"}


def read_obo(path: str | PathLike[str], authority: str | None = None) -> Collector:
    """Read an ontology in the OBO flat format, versions 1.0 to 1.4.

    The name of each term and its synonyms (of every scope) become entities; whether one is a name or a symbol
    is left to the features' own rule. Obsolete terms are dropped, and counted; so are stanzas of other kinds
    (Typedef, Instance). The authority is the ontology's, or the prefix of the term's identifier. Source:
    owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html.
    """
    collector = Collector(authority)
    term: list[tuple[int, str, str]] = []
    kind, begun, stanzas = "header", 1, 0
    for line, content in read_lines(path):
        text = content.strip()
        if text.startswith("[") and text.endswith("]"):
            _term(collector, kind, begun, term, path)
            kind, begun, term = text[1:-1], line, []
            stanzas += 1
        elif text and not text.startswith("!"):
            tag, colon, value = text.partition(":")
            if not colon:
                raise InputError(
                    "not a tag and a value", file=path, line=line, found=text, allowed="tag: value"
                )
            term.append((line, tag, value.strip()))
    _term(collector, kind, begun, term, path)
    if not stanzas:
        raise InputError("no stanza of an OBO file", file=path, line=begun, allowed="[Term] stanzas")
    return collector


def _term(
    collector: Collector, kind: str, begun: int, tags: list[tuple[int, str, str]], path: str | PathLike[str]
) -> None:
    if kind == "header":
        return
    collector.record()
    if kind != "Term":
        collector.account.drop("record", f"no term ({kind})", begun)
        return
    identifier = next((value for _, tag, value in tags if tag == "id"), None)
    if identifier is None:
        raise InputError("a term without id", file=path, line=begun, allowed="id: PREFIX:NUMBER")
    if any(tag == "is_obsolete" and value.split()[:1] == ["true"] for _, tag, value in tags):
        collector.account.drop("record", "an obsolete term", begun)
        return
    authority = collector.authority or identifier.partition(":")[0]
    for line, tag, value in tags:
        if tag == "name":
            form = _plain(_COMMENT.sub("", value))
            collector.entity(form, "name", line, source_id=identifier, source_authority=authority)
        elif tag == "synonym" or tag.endswith("_synonym"):
            match = _SYNONYM.match(value)
            if match is None:
                raise InputError(
                    "not a synonym", file=path, line=line, found=value, allowed='"text" SCOPE [...]'
                )
            form = _plain(match[1])
            collector.entity(form, "alias_name", line, source_id=identifier, source_authority=authority)


def _plain(value: str) -> str:
    """Undo OBO's escapes."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), value)
