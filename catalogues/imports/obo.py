"""OBO ontologies: their stanzas, for whoever needs one, and names and synonyms of terms as entities."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike

from ..core.errors import InputError
from .collector import EntityCollector
from .lines import read_lines

_STANZA = re.compile(r"\[(\w+)\]$")
_TAG = re.compile(r"([^\s:!\[]+):\s*(.*)$")
_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"')
# what may follow a value: modifiers in braces (name=value, whose values may be quoted), a comment after !
_TRAILING_PARTS = re.compile(
    r'(?:(?:^|\s+)!.*|\s*(?<!\\)\{(?=[^{}]*=)(?:[^{}"\\]|\\.|"(?:[^"\\]|\\.)*")*\})+$'
)
_ESCAPES = {"n": "\n", "W": " ", "t": "\t"}


@dataclass(frozen=True)
class Stanza:
    """One stanza of an OBO file.

    Attributes
    ----------
    kind : str
        Term, Typedef, Instance.
    line : int
        Where it begins.
    tags : tuple of (int, str, str)
        Line, name and value of each tag; the value as it stands, with escapes, modifiers and comment.
    """

    kind: str
    line: int
    tags: tuple[tuple[int, str, str], ...]

    def values(self, name: str) -> list[tuple[int, str]]:
        """Line and value of each tag of a name, without modifiers and comment, escapes undone."""
        return [(line, _strip_modifiers(value)) for line, tag, value in self.tags if tag == name]

    @cached_property
    def identifier(self) -> str:
        """The value of `id`; "" where there is none."""
        return next((value for _, value in self.values("id")), "")

    @cached_property
    def is_obsolete(self) -> bool:
        """Whether the stanza is marked as obsolete."""
        return any(value == "true" for _, value in self.values("is_obsolete"))


def read_stanzas(path: str | PathLike[str]) -> Iterator[Stanza]:
    """Read the stanzas of an ontology in the OBO flat format, versions 1.0 to 1.4, compressed or not.

    Tags before the first stanza are left out.
    Source: owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html.

    Raises
    ------
    InputError
        With file and line: no such file, not UTF-8, empty, a line that is neither a stanza nor a tag, a term
        without an id or with two, an identifier of two terms that are not obsolete, no term at all.
    """
    met: set[str] = set()
    terms = 0
    for stanza in _stanzas(path):
        if stanza.kind == "Term":
            _check_term(stanza, met, path)
            terms += 1
        yield stanza
    if not terms:
        raise InputError("no [Term] in the file", file=path, allowed="an OBO ontology")


def _stanzas(path: str | PathLike[str]) -> Iterator[Stanza]:
    kind, begun, filled = "", 0, False
    tags: list[tuple[int, str, str]] = []
    for line, content in read_lines(path):
        text = content.strip()
        filled = filled or bool(text)
        if not text or text.startswith("!"):
            continue
        stanza = _STANZA.match(_TRAILING_PARTS.sub("", text)) if text.startswith("[") else None
        if stanza:
            if kind:
                yield Stanza(kind, begun, tuple(tags))
            kind, begun, tags = stanza[1], line, []
            continue
        tag = _TAG.match(text)
        if not tag:
            raise InputError(
                "neither a stanza nor a tag", file=path, line=line, found=text, allowed="[Term] or tag: value"
            )
        tags.append((line, tag[1], tag[2]))
    if kind:
        yield Stanza(kind, begun, tuple(tags))
    if not filled:
        raise InputError("the file is empty", file=path, allowed="an OBO ontology")


def _check_term(stanza: Stanza, met: set[str], path: str | PathLike[str]) -> None:
    identifier = stanza.identifier
    if not identifier:
        raise InputError("a [Term] without an id", file=path, line=stanza.line, allowed="id: PREFIX:NUMBER")
    ids = stanza.values("id")
    if len(ids) > 1:
        raise InputError("a [Term] with two ids", file=path, line=ids[1][0], found=ids[1][1])
    if stanza.is_obsolete:
        return
    if identifier in met:
        raise InputError("an identifier is given twice", file=path, line=stanza.line, found=identifier)
    met.add(identifier)


def read_obo(path: str | PathLike[str], authority: str | None = None) -> EntityCollector:
    """Read names and synonyms of an ontology's terms.

    The name of each term and its synonyms (of every scope) become entities; whether one is a name or a symbol
    is left to the features' own rule. Obsolete terms are dropped, and counted; so are stanzas of other kinds
    (Typedef, Instance). The authority is the ontology's, or the prefix of the term's identifier.
    """
    collector = EntityCollector(authority)
    for stanza in read_stanzas(path):
        collector.begin_record(canonical_form=next((v for _, v in stanza.values("name")), None))
        if stanza.kind != "Term":
            collector.account.count_dropped("record", f"no term ({stanza.kind})", stanza.line)
        elif stanza.is_obsolete:
            collector.account.count_dropped("record", "an obsolete term", stanza.line)
        else:
            _collect_entities(collector, stanza, path)
    return collector


def _collect_entities(collector: EntityCollector, stanza: Stanza, path: str | PathLike[str]) -> None:
    identifier = stanza.identifier
    authority = collector.authority or identifier.partition(":")[0]
    for line, tag, value in stanza.tags:
        if tag == "name":
            form = _strip_modifiers(value)
            collector.add_entity(form, "name", line, source_id=identifier, source_authority=authority)
        elif tag == "synonym" or tag.endswith("_synonym"):
            match = _SYNONYM.match(value)
            if match is None:
                raise InputError(
                    "not a synonym", file=path, line=line, found=value, allowed='"text" SCOPE [...]'
                )
            form = _unescape(match[1])
            collector.add_entity(form, "alias_name", line, source_id=identifier, source_authority=authority)


def _strip_modifiers(text: str) -> str:
    return _unescape(_TRAILING_PARTS.sub("", text))


def _unescape(value: str) -> str:
    """Undo OBO's escapes."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), value)
