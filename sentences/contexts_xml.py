"""Lossless reader and writer of context files in XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text, read_bytes
from ..catalogues.core.xml import format_attributes, parse_xml_bytes
from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import normalise_value

SLOT_MARK = "<>"
"""String that represents a slot in a template."""

ARTICLE_MARKS = ("{a}", "{A}")
"""Strings in a template that are replaced by "a" or "an" ("A" or "An") to suit the name in the next slot."""

SOURCE_COLUMNS = ("source_id", "source_type", "original_form_in_source")
"""Names of the attributes that describe the source of a context."""

_TAG = re.compile(r"<\s*/?\w[\w-]*\s*/?>|<\s+>|<$|^>")


@dataclass(frozen=True)
class MarkedToken:
    """Token of a template with its span, and the features that make it look like a name."""

    start: int
    end: int
    features: tuple[str, ...]


@dataclass(frozen=True)
class ContextEntry:
    """Context as stored in a file.

    Attributes
    ----------
    id, type : str
        Id of the context, and its type (``tp`` or ``fp``).
    template : str
        The sentence, with ``<>`` for each slot.
    stored : mapping of str to str
        Attributes of the context: its source and its stored features.
    slots : tuple of mapping of str to str
        Attributes of each slot.
    tokens : tuple of MarkedToken
        Marked tokens.
    file, line : str, int
        File and line number of the context.
    """

    id: str
    type: str
    template: str
    stored: Mapping[str, str] = field(default_factory=dict)
    slots: tuple[Mapping[str, str], ...] = ()
    tokens: tuple[MarkedToken, ...] = ()
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def is_for_look_alikes(self) -> bool:
        """True if this is an fp context with slots; these are filled with look-alikes of names."""
        return self.type == "fp" and bool(self.slots)


@dataclass(frozen=True)
class ContextFile:
    """Content of a context file: entries, licence and a note."""

    entries: tuple[ContextEntry, ...]
    licence: str = ""
    note: str = ""


def read_context_xml(path: str | PathLike[str], faults: list[InputError] | None = None) -> ContextFile:
    """Read a context file in XML.

    Parameters
    ----------
    path : path
        XML file.
    faults : list of InputError, optional
        List that receives the errors found in templates; contexts with errors are then skipped. By default,
        the first error is raised.

    Raises
    ------
    InputError
        If the file is not XML or not valid against ``contexts.rng``, or a template cannot be filled.
    """
    return parse_context_xml(read_bytes(path), str(path), faults)


def parse_context_xml(content: bytes, name: str, faults: list[InputError] | None = None) -> ContextFile:
    """Parse the content of a context file in XML; `name` is the file name for messages.

    See `read_context_xml` for `faults` and the errors raised.
    """
    root = parse_xml_bytes(content, name, package=__package__, schema_name="contexts.rng")
    entries = collect_entries(root, partial(_entry, file=name), faults)
    return ContextFile(entries, root.get("licence") or "", root.get("note") or "")


def collect_entries(
    parts: Iterable[Any], parse: Callable[[Any], ContextEntry], faults: list[InputError] | None
) -> tuple[ContextEntry, ...]:
    """Parse each element or record of a file as one context; see `read_context_xml` for `faults`."""
    entries: list[ContextEntry] = []
    for part in parts:
        try:
            entries.append(parse(part))
        except InputError as error:
            if faults is None:
                raise
            faults.append(error)
    return tuple(entries)


def _entry(element: etree._Element, file: str) -> ContextEntry:
    sentence = element[0]
    text = sentence.text or ""
    _refuse_literal_slot(text, file, sentence)
    slots: list[Mapping[str, str]] = []
    tokens: list[MarkedToken] = []
    for child in sentence:
        if child.tag == "slot":
            text += SLOT_MARK
            slots.append({str(k): str(v) for k, v in child.attrib.items()})
        else:
            form = child.text or ""
            _refuse_literal_slot(form, file, child)
            tokens.append(
                MarkedToken(len(text), len(text) + len(form), tuple((child.get("features") or "").split("|")))
            )
            text += form
        _refuse_literal_slot(child.tail or "", file, sentence)
        text += child.tail or ""
    line = int(element.sourceline or 0)
    attributes = {str(k): str(v) for k, v in element.attrib.items() if k not in ("id", "type")}
    stored = dict(_stored_feature(name, value, file, line) for name, value in attributes.items())
    context_id, kind = str(element.get("id")), str(element.get("type"))
    entry = ContextEntry(context_id, kind, text, stored, tuple(slots), tuple(tokens), file, line)
    return check_template(entry)


def _stored_feature(name: str, value: str, file: str, line: int) -> tuple[str, str]:
    """Return the name and the value of the context feature that is stored in an XML attribute."""
    for feature in taxonomy().select_scopes("context"):
        if feature.attribute == name:
            return feature.name, normalise_value(feature, value, file=file, line=line)
    if not taxonomy().find_candidates(f"context.{name}"):
        near = taxonomy().nearest_names(name, ("context",))
        raise InputError("unknown attribute of a context", file=file, line=line, found=name, near=near)
    return name, value


def _refuse_literal_slot(text: str, file: str, element: etree._Element) -> None:
    if SLOT_MARK in text:
        raise InputError(
            "a slot must be written as the element <slot/>, not as text",
            file=file,
            line=int(element.sourceline or 0),
            found=text,
        )


def check_template(entry: ContextEntry) -> ContextEntry:
    """Return a context if its template can be filled; otherwise raise InputError."""
    fault = find_template_fault(entry)
    if fault is not None:
        raise InputError(fault, file=entry.file, line=entry.line, found=entry.template)
    return entry


def find_template_fault(entry: ContextEntry) -> str | None:
    """Return the reason why a template cannot be filled, or None if it can."""
    text = entry.template
    if not text.strip():
        return "the sentence is empty"
    if text != text.strip() or "\n" in text or "\r" in text or "\t" in text or "  " in text:
        return "the sentence must be a single line with single spaces"
    if entry.type == "tp" and SLOT_MARK not in text:
        return "a tp context needs at least one slot"
    if text.count(SLOT_MARK) != len(entry.slots):
        return "the template and the list of slots have different numbers of slots"
    for article in ARTICLE_MARKS:
        if text.count(article) != text.count(f"{article} {SLOT_MARK}"):
            return f"{article} is allowed only directly before a slot"
    bare = text.replace(SLOT_MARK, "")
    for article in ARTICLE_MARKS:
        bare = bare.replace(article, "")
    if "{" in bare or "}" in bare:
        return "curly brackets are allowed only in {a} and {A}"
    if _TAG.search(bare):
        return "the sentence contains a tag or an incomplete slot"
    return None


def write_contexts(path: str | PathLike[str], content: ContextFile) -> None:
    """Write contexts to an XML file."""
    with atomic_text(Path(path)) as stream:
        stream.writelines(f"{line}\n" for line in format_xml_lines(content))


def format_xml_lines(content: ContextFile) -> Iterator[str]:
    """Yield the lines of a context file in XML."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    about = {"licence": content.licence, "note": content.note}
    yield f'<contexts format="1"{format_attributes({k: v for k, v in about.items() if v})}>'
    for entry in content.entries:
        own = {f.name: f.attribute for f in taxonomy().select_scopes("context") if f.attribute}
        stored = {own.get(name, name): value for name, value in entry.stored.items()}
        yield f"  <context{format_attributes({'id': entry.id, 'type': entry.type, **stored})}>"
        yield f"    <sentence>{_sentence(entry)}</sentence>"
        yield "  </context>"
    yield "</contexts>"


def _sentence(entry: ContextEntry) -> str:
    template = entry.template
    places = (match.start() for match in re.finditer(SLOT_MARK, template))
    marks = [
        (at, at + len(SLOT_MARK), f"<slot{format_attributes(s)}/>")
        for at, s in zip(places, entry.slots, strict=True)
    ]
    for token in entry.tokens:
        form = escape(template[token.start : token.end])
        features = format_attributes({"features": "|".join(token.features)})
        marks.append((token.start, token.end, f"<token{features}>{form}</token>"))
    pieces: list[str] = []
    done = 0
    for start, end, written in sorted(marks):
        pieces += [escape(template[done:start]), written]
        done = end
    return "".join(pieces) + escape(template[done:])
