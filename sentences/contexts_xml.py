"""Files of contexts: entries as they stand there, with their lines, read and written without loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.core.xml import format_attributes, parse_xml_bytes, parse_xml_file

SLOT_MARK = "<>"
"""A slot in a template."""

ARTICLE_MARKS = ("{a}", "{A}")
"""What stands for a or an (A or An) directly before a slot: the article agrees with what fills the slot."""


_TAG = re.compile(r"<\s*/?\w[\w-]*\s*/?>|<\s+>|<$|^>")


@dataclass(frozen=True)
class MarkedToken:
    """A token meant to be taken for a name: its span in the template, and the features that it carries."""

    start: int
    end: int
    features: tuple[str, ...]


@dataclass(frozen=True)
class ContextEntry:
    """One context as its file has it.

    Attributes
    ----------
    id, type : str
        Its name, and ``tp`` or ``fp``.
    template : str
        The sentence, with ``<>`` for each slot.
    stored : mapping of str to str
        Attributes of the context: source and stored features.
    slots : tuple of mapping of str to str
        Attributes of each slot.
    tokens : tuple of Token
        Marked tokens.
    file, line : str, int
        Where it stands.
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
        """Whether its slots are for what is no name."""
        return self.type == "fp" and bool(self.slots)


@dataclass(frozen=True)
class ContextFile:
    """A file of contexts: its entries, its licence and a note."""

    entries: tuple[ContextEntry, ...]
    licence: str = ""
    note: str = ""


def read_context_xml(path: str | PathLike[str], faults: list[InputError] | None = None) -> ContextFile:
    """Read one file of contexts.

    Raises
    ------
    InputError
        With file and line: not XML, not valid against ``contexts.rng``, a template that cannot be filled.
        When `faults` is given, templates that cannot be filled are left out and their errors put there.
    """
    root = parse_xml_file(path, package=__package__, schema_name="contexts.rng")
    return _content(root, str(path), faults)


def parse_context_xml(content: bytes, name: str, faults: list[InputError] | None = None) -> ContextFile:
    """Read a file of contexts from memory; errors bear `name`. See `read_file`."""
    return _content(
        parse_xml_bytes(content, name, package=__package__, schema_name="contexts.rng"), name, faults
    )


def _content(root: etree._Element, file: str, faults: list[InputError] | None) -> ContextFile:
    entries: list[ContextEntry] = []
    for element in root:
        try:
            entries.append(_entry(element, file))
        except InputError as error:
            if faults is None:
                raise
            faults.append(error)
    return ContextFile(tuple(entries), root.get("licence") or "", root.get("note") or "")


def _entry(element: etree._Element, file: str) -> ContextEntry:
    line = int(element.sourceline or 0)
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
    stored = {str(k): str(v) for k, v in element.attrib.items() if k not in ("id", "type")}
    entry = ContextEntry(
        str(element.get("id")), str(element.get("type")), text, stored, tuple(slots), tuple(tokens)
    )
    fault = find_template_fault(entry)
    if fault is not None:
        raise InputError(fault, file=file, line=line, found=text)
    return replace(entry, file=file, line=line)


def _refuse_literal_slot(text: str, file: str, element: etree._Element) -> None:
    if SLOT_MARK in text:
        raise InputError(
            "a slot written as text",
            file=file,
            line=int(element.sourceline or 0),
            found=text,
            allowed="<slot/>",
        )


def find_template_fault(entry: ContextEntry) -> str | None:
    """Say what keeps a template from being filled, or None."""
    text = entry.template
    if not text.strip():
        return "the sentence is empty"
    if text != text.strip() or "\n" in text or "\r" in text or "\t" in text or "  " in text:
        return "the sentence is not one line with single spaces"
    if entry.type == "tp" and SLOT_MARK not in text:
        return "a tp context without a slot"
    if text.count(SLOT_MARK) != len(entry.slots):
        return "slots and their features do not pair up"
    for article in ARTICLE_MARKS:
        if text.count(article) != text.count(f"{article} {SLOT_MARK}"):
            return f"{article} does not stand directly before a slot"
    bare = text.replace(SLOT_MARK, "")
    for article in ARTICLE_MARKS:
        bare = bare.replace(article, "")
    if "{" in bare or "}" in bare:
        return "a curly bracket that is no article"
    if _TAG.search(bare):
        return "the sentence holds a tag, or half a slot"
    return None


def write_contexts(path: str | PathLike[str], content: ContextFile) -> None:
    """Write a file of contexts that `read_file` reads back the same."""
    with atomic_text(Path(path)) as stream:
        stream.writelines(f"{line}\n" for line in format_xml_lines(content))


def format_xml_lines(content: ContextFile) -> Iterator[str]:
    """The lines of a file of contexts."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    about = {"licence": content.licence, "note": content.note}
    yield f'<contexts format="1"{format_attributes({k: v for k, v in about.items() if v})}>'
    for entry in content.entries:
        yield f"  <context{format_attributes({'id': entry.id, 'type': entry.type, **entry.stored})}>"
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
