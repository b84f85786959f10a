"""The bundled file of attested contexts, from the choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...catalogues.core.errors import InputError
from ..contexts_xml import ARTICLES, SLOT, ContextFile, Entry, shape_fault
from .choices import Choice
from .sources import finished
from .typography import squeezed

LICENCE = (
    "Sentences of the BioCreative II gene mention training corpus: a United States Government Work in the "
    "public domain (L. Tanabe, L. Smith and W. J. Wilbur, National Library of Medicine). "
    "See contexts_attested.NOTICE."
)
NOTE = "Chosen and read by hand: python -m tagsuite.sentences.curation build; do not edit by hand."


def file_of(choices: Iterable[Choice], offered: Mapping[str, Entry]) -> ContextFile:
    """The file of the chosen contexts, in the order of their ids.

    Raises
    ------
    InputError
        With the choice's file and line: a sentence that is not offered, a sentence in other words than the
        corpus's, values that do not fit the slots.
    """
    entries = sorted((_entry(choice, offered) for choice in choices), key=lambda entry: entry.id)
    return ContextFile(tuple(finished(entries)), LICENCE, NOTE)


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
    if _bare(template) != _bare(entry.template):
        raise InputError(
            "the sentence differs in more than white space",
            file=choice.file,
            line=choice.line,
            found=template,
            allowed=entry.template,
        )
    slots = tuple(
        {k: v for k, v in slot.items() if k != "expects"} | choice.attributes(number, len(entry.slots))
        for number, slot in enumerate(entry.slots)
    )
    done = replace(entry, template=template, slots=slots)
    fault = shape_fault(done)
    if fault is not None:
        raise InputError(fault, file=choice.file, line=choice.line, found=template)
    return done


def _bare(template: str) -> str:
    """What a template may not change: all but white space and the mark of the indefinite article."""
    for article in ARTICLES:
        template = template.replace(f"{article} {SLOT}", f"{article[1]} {SLOT}")
    return squeezed(template)
