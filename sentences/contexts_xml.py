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
from ..catalogues.core.xml import attributes, parse, parse_bytes

SLOT = "<>"
"""A slot in a template."""

ARTICLES = ("{a}", "{A}")
"""What stands for a or an (A or An) directly before a slot: the article agrees with what fills the slot."""


_TAG = re.compile(r"<\s*/?\w[\w-]*\s*/?>|<\s+>|<$|^>")


@dataclass(frozen=True)
class Token:
    """A token meant to be taken for a name: its span in the template, and the features that it carries."""

    start: int
    end: int
    features: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
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
    tokens: tuple[Token, ...] = ()
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def for_look_alikes(self) -> bool:
        """Whether its slots are for what is no name."""
        return self.type == "fp" and bool(self.slots)


@dataclass(frozen=True)
class ContextFile:
    """A file of contexts: its entries, its licence and a note."""

    entries: tuple[Entry, ...]
    licence: str = ""
    note: str = ""


def read_file(path: str | PathLike[str], faults: list[InputError] | None = None) -> ContextFile:
    """Read one file of contexts.

    Raises
    ------
    InputError
        With file and line: not XML, not valid against ``contexts.rng``, a template that cannot be filled.
        When `faults` is given, templates that cannot be filled are left out and their errors put there.
    """
    root = parse(path, package=__package__, schema_name="contexts.rng")
    return _content(root, str(path), faults)


def read_bytes(content: bytes, name: str, faults: list[InputError] | None = None) -> ContextFile:
    """Read a file of contexts from memory; errors bear `name`. See `read_file`."""
    return _content(parse_bytes(content, name, package=__package__, schema_name="contexts.rng"), name, faults)


def _content(root: etree._Element, file: str, faults: list[InputError] | None) -> ContextFile:
    entries: list[Entry] = []
    for element in root:
        try:
            entries.append(_entry(element, file))
        except InputError as error:
            if faults is None:
                raise
            faults.append(error)
    return ContextFile(tuple(entries), root.get("licence") or "", root.get("note") or "")


def _entry(element: etree._Element, file: str) -> Entry:
    line = int(element.sourceline or 0)
    sentence = element[0]
    text = sentence.text or ""
    _no_literal_slot(text, file, sentence)
    slots: list[Mapping[str, str]] = []
    tokens: list[Token] = []
    for child in sentence:
        if child.tag == "slot":
            text += SLOT
            slots.append({str(k): str(v) for k, v in child.attrib.items()})
        else:
            form = child.text or ""
            _no_literal_slot(form, file, child)
            tokens.append(
                Token(len(text), len(text) + len(form), tuple((child.get("features") or "").split("|")))
            )
            text += form
        _no_literal_slot(child.tail or "", file, sentence)
        text += child.tail or ""
    stored = {str(k): str(v) for k, v in element.attrib.items() if k not in ("id", "type")}
    entry = Entry(str(element.get("id")), str(element.get("type")), text, stored, tuple(slots), tuple(tokens))
    fault = shape_fault(entry)
    if fault is not None:
        raise InputError(fault, file=file, line=line, found=text)
    return replace(entry, file=file, line=line)


def _no_literal_slot(text: str, file: str, element: etree._Element) -> None:
    if SLOT in text:
        raise InputError(
            "a slot written as text",
            file=file,
            line=int(element.sourceline or 0),
            found=text,
            allowed="<slot/>",
        )


def shape_fault(entry: Entry) -> str | None:
    """Say what keeps a template from being filled, or None."""
    text = entry.template
    if not text.strip():
        return "the sentence is empty"
    if text != text.strip() or "\n" in text or "\r" in text or "\t" in text or "  " in text:
        return "the sentence is not one line with single spaces"
    if entry.type == "tp" and SLOT not in text:
        return "a tp context without a slot"
    if text.count(SLOT) != len(entry.slots):
        return "slots and their features do not pair up"
    for article in ARTICLES:
        if text.count(article) != text.count(f"{article} {SLOT}"):
            return f"{article} does not stand directly before a slot"
    bare = text.replace(SLOT, "")
    for article in ARTICLES:
        bare = bare.replace(article, "")
    if "{" in bare or "}" in bare:
        return "a curly bracket that is no article"
    if _TAG.search(bare):
        return "the sentence holds a tag, or half a slot"
    return None


def write_file(path: str | PathLike[str], content: ContextFile) -> None:
    """Write a file of contexts that `read_file` reads back the same."""
    with atomic_text(Path(path)) as stream:
        stream.writelines(f"{line}\n" for line in lines(content))


def lines(content: ContextFile) -> Iterator[str]:
    """The lines of a file of contexts."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    about = {"licence": content.licence, "note": content.note}
    yield f'<contexts format="1"{attributes({k: v for k, v in about.items() if v})}>'
    for entry in content.entries:
        yield f"  <context{attributes({'id': entry.id, 'type': entry.type, **entry.stored})}>"
        yield f"    <sentence>{_sentence(entry)}</sentence>"
        yield "  </context>"
    yield "</contexts>"


def _sentence(entry: Entry) -> str:
    template = entry.template
    places = (match.start() for match in re.finditer(SLOT, template))
    marks = [
        (at, at + len(SLOT), f"<slot{attributes(s)}/>") for at, s in zip(places, entry.slots, strict=True)
    ]
    for token in entry.tokens:
        form = escape(template[token.start : token.end])
        features = attributes({"features": "|".join(token.features)})
        marks.append((token.start, token.end, f"<token{features}>{form}</token>"))
    pieces: list[str] = []
    done = 0
    for start, end, written in sorted(marks):
        pieces += [escape(template[done:start]), written]
        done = end
    return "".join(pieces) + escape(template[done:])
