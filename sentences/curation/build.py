"""The bundled file of attested contexts, from the choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import squeezed
from ..context_records import check_judged
from ..contexts import completed
from ..contexts_xml import ARTICLES, SLOT, ContextFile, Entry, shape_fault
from .choices import Choice

LICENCE = (
    "Sentences of the BioCreative II gene mention training corpus: a United States Government Work in the "
    "public domain (L. Tanabe, L. Smith and W. J. Wilbur, National Library of Medicine). "
    "See contexts_attested.NOTICE."
)
NOTE = "Chosen and read by hand: python -m tagsuite.sentences.curation build; do not edit by hand."

_MAY_BE_AN = "\x00"
"""After an article that agrees with what fills the slot."""


def file_of(choices: Iterable[Choice], offered: Mapping[str, Entry]) -> ContextFile:
    """The file of the chosen contexts, in the order of their ids.

    Raises
    ------
    InputError
        With the choice's file and line: a sentence that is not offered, a sentence in other words than the
        corpus's, values that do not fit the slots.
    """
    entries = sorted((_entry(choice, offered) for choice in choices), key=lambda entry: entry.id)
    return ContextFile(completed(entries), LICENCE, NOTE)


def _entry(choice: Choice, offered: Mapping[str, Entry]) -> Entry:
    entry = offered.get(choice.id)
    if entry is None:
        raise InputError(
            "no such candidate",
            file=choice.file,
            line=choice.line,
            found=choice.id,
            allowed="an id that `candidates` prints",
        )
    template = choice.sentence or entry.template
    if not _same(template, entry):
        raise InputError(
            "the sentence differs in more than white space and words left out of its names",
            file=choice.file,
            line=choice.line,
            found=template,
            allowed=entry.template,
        )
    judged = [choice.attributes(number, len(entry.slots)) for number in range(len(entry.slots))]
    for name, content in (pair for attributes in judged for pair in attributes.items()):
        check_judged(name, content, choice.file, choice.line)
    slots = tuple(
        {k: v for k, v in slot.items() if k != "expects"} | attributes
        for slot, attributes in zip(entry.slots, judged, strict=True)
    )
    done = replace(entry, template=template, slots=slots)
    fault = shape_fault(done)
    if fault is not None:
        raise InputError(fault, file=choice.file, line=choice.line, found=template)
    return done


def _same(template: str, entry: Entry) -> bool:
    """Whether a template is the corpus's sentence, its slots no larger than the corpus's names.

    White space and the mark of the indefinite article may differ, and a slot may leave out words that the
    corpus has in the name (*c-jun gene*).
    """
    original = entry.stored["original_form_in_source"]
    own, names = _fillers(template, original), _fillers(entry.template, original)
    return len(own) == len(names) > 0 and all(a in b for a, b in zip(own, names, strict=True))


def _fillers(template: str, original: str) -> tuple[str, ...]:
    """What stands in the slots in the original, without white space; a sentence without slots for itself."""
    for article in ARTICLES:
        template = template.replace(f"{article} {SLOT}", f"{article[1]}{_MAY_BE_AN}{SLOT}")
    pieces = (re.escape(squeezed(piece)) for piece in template.split(SLOT))
    pattern = "(.+?)".join(pieces).replace(_MAY_BE_AN, "n?")
    found = re.fullmatch(pattern, squeezed(original))
    return (found.groups() or (found.group(),)) if found else ()
