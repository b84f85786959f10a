"""Import of OBO ontologies: the names and synonyms of their terms become entities."""

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
# parts after a value: modifiers in braces (name=value, value possibly quoted), and a comment after !
_TRAILING_PARTS = re.compile(
    r'(?:(?:^|\s+)!.*|\s*(?<!\\)\{(?=[^{}]*=)(?:[^{}"\\]|\\.|"(?:[^"\\]|\\.)*")*\})+$'
)
_ESCAPES = {"n": "\n", "W": " ", "t": "\t"}


@dataclass(frozen=True)
class Stanza:
    """Stanza of an OBO file.

    Attributes
    ----------
    kind : str
        Kind of stanza: Term, Typedef or Instance.
    line : int
        Line number of the first line.
    tags : tuple of (int, str, str)
        Line number, name and raw value (with escapes, modifiers and comment) of each tag.
    """

    kind: str
    line: int
    tags: tuple[tuple[int, str, str], ...]

    def values(self, name: str) -> list[tuple[int, str]]:
        """Return the line number and the unescaped value (without modifiers) of each tag called `name`."""
        return [(line, _strip_modifiers(value)) for line, tag, value in self.tags if tag == name]

    @cached_property
    def identifier(self) -> str:
        """Value of the tag `id`; "" if the stanza has no such tag."""
        return next((value for _, value in self.values("id")), "")

    @cached_property
    def is_obsolete(self) -> bool:
        """True if the stanza is marked as obsolete."""
        return any(value == "true" for _, value in self.values("is_obsolete"))


def read_stanzas(path: str | PathLike[str]) -> Iterator[Stanza]:
    """Yield the stanzas of an ontology in OBO flat format (1.0 to 1.4), gzipped or not.

    Tags before the first stanza are skipped.

    Raises
    ------
    InputError
        If the file cannot be read or contains no terms, if a line is neither a stanza nor a tag, if a term
        does not have exactly one id, or if two terms have the same id and are not obsolete.

    References
    ----------
    owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html
    """
    seen_ids: set[str] = set()
    terms = 0
    for stanza in _stanzas(path):
        if stanza.kind == "Term":
            _check_term(stanza, seen_ids, path)
            terms += 1
        yield stanza
    if not terms:
        raise InputError("not an OBO ontology: the file has no [Term] stanza", file=path)


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
                "the line is neither a stanza nor a tag",
                file=path,
                line=line,
                found=text,
                allowed="[Term] or tag: value",
            )
        tags.append((line, tag[1], tag[2]))
    if kind:
        yield Stanza(kind, begun, tuple(tags))
    if not filled:
        raise InputError("not an OBO ontology: the file is empty", file=path)


def _check_term(stanza: Stanza, seen_ids: set[str], path: str | PathLike[str]) -> None:
    identifier = stanza.identifier
    if not identifier:
        raise InputError("the term has no id", file=path, line=stanza.line, allowed="id: PREFIX:NUMBER")
    ids = stanza.values("id")
    if len(ids) > 1:
        raise InputError("the term has several ids", file=path, line=ids[1][0], found=ids[1][1])
    if stanza.is_obsolete:
        return
    if identifier in seen_ids:
        raise InputError("duplicate id of a term", file=path, line=stanza.line, found=identifier)
    seen_ids.add(identifier)


def read_obo(path: str | PathLike[str], authority: str | None = None) -> EntityCollector:
    """Read the names and synonyms of all terms in an OBO ontology as entities.

    Each name and each synonym (of any scope) becomes an entity; the rule of `name_vs_symbol` decides whether
    it is a name or a symbol. Obsolete terms and other stanzas (Typedef, Instance) are dropped. If `authority`
    is None, the prefix of a term's identifier becomes the authority.
    """
    collector = EntityCollector(authority)
    for stanza in read_stanzas(path):
        collector.begin_record(canonical_form=next((v for _, v in stanza.values("name")), None))
        if stanza.kind != "Term":
            collector.account.count_dropped("record", f"not a term ({stanza.kind})", stanza.line)
        elif stanza.is_obsolete:
            collector.account.count_dropped("record", "obsolete term", stanza.line)
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
                    "the synonym is malformed",
                    file=path,
                    line=line,
                    found=value,
                    allowed='"text" SCOPE [...]',
                )
            form = _unescape(match[1])
            collector.add_entity(form, "alias_name", line, source_id=identifier, source_authority=authority)


def _strip_modifiers(text: str) -> str:
    return _unescape(_TRAILING_PARTS.sub("", text))


def _unescape(value: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), value)
