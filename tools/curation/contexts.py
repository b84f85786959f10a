"""The bundled file of attested contexts: sentences of a corpus that were chosen, with slots for its names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tagsuite.catalogues.core.text import remove_white_space
from tagsuite.sentences.context_records import check_judged_value
from tagsuite.sentences.contexts import JUDGED_ATTRIBUTES, complete_entries
from tagsuite.sentences.contexts_xml import (
    ARTICLE_MARKS,
    SLOT_MARK,
    ContextEntry,
    ContextFile,
    find_template_fault,
)
from tagsuite.sentences.formats import read_corpus
from tagsuite.sentences.harvest import harvest_contexts

from .tables import Row, read_rows

TABLES = Path(__file__).with_name("sentences")
COLUMNS = ("id", *JUDGED_ATTRIBUTES, "sentence", "remark")
"""The sentence's id; what was judged of each slot (one value per slot, semicolons between them, or one for
all; - for none); the sentence, where it differs from the corpus's in usual typography; a remark."""
LICENCE = (
    "Sentences of the BioCreative II gene mention training corpus: a United States Government Work in the "
    "public domain (L. Tanabe, L. Smith and W. J. Wilbur, National Library of Medicine). "
    "See contexts_attested.NOTICE."
)
# keeps the name that this program had in 0.1: old recipes state a digest of what is written
NOTE = "Chosen and read by hand: python -m tagsuite.sentences.curation build; do not edit by hand."

PARTS = {"T": "title", "A": "abstract"}
"""Meaning of the letter in a sentence's id."""
_TYPOGRAPHY = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([(\[]) +", r"\1"),
        (r" +([)\]])", r"\1"),
        # a mark that ends something; `P < .05` and `O2-. .OH` keep their space
        (r" +([,;:?!])(?= |$|[)\]])", r"\1"),
        (r" +\.$", "."),
        (r" +'s(?= )", "'s"),
        (r" \+ ?/ ?- ", " +/- "),
        (r"--", " -- "),
        (r" {2,}", " "),
    )
)
_ARTICLE_MARK = "\x00"
"""After an article that agrees with what fills the slot."""


def make_contexts(data: Path, tables: Path = TABLES) -> ContextFile:
    """Return the contexts of attested*.tsv, sorted by id."""
    offered = read_candidates(data)
    rows = [row for path in sorted(tables.glob("attested*.tsv")) for row in read_choices(path)]
    return ContextFile(
        complete_entries(sorted((make_entry(row, offered) for row in rows), key=lambda e: e.id)),
        LICENCE,
        NOTE,
    )


def read_choices(path: Path) -> list[Row]:
    """Read a table of chosen sentences, without its head."""
    return read_rows(path, COLUMNS, can_end_early=True)[1:]


def read_candidates(data: Path) -> dict[str, ContextEntry]:
    """Read the sentences of the training part, by their ids, with slots where the corpus has names."""
    corpus = read_corpus(f"bc2gm:{data / 'bc2gm' / 'train'}")
    originals = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    found = {}
    for entry in harvest_contexts(corpus).entries:
        source_id = entry.stored["source_id"]
        stored = {
            "source_id": source_id,
            "source_type": PARTS.get(source_id[9], ""),
            "original_form_in_source": originals[source_id],
        }
        template = mend_typography(entry.template)
        found[source_id] = replace(entry, id=f"bc2gm-{source_id}", template=template, stored=stored)
    return found


def mend_typography(template: str) -> str:
    """Return the sentence in usual typography; only white space differs.

    Examples
    --------
    >>> mend_typography("The protein ( <> ) fell by 25%--as did <> 's target .")
    "The protein (<>) fell by 25% -- as did <>'s target."
    """
    for pattern, replacement in _TYPOGRAPHY:
        template = pattern.sub(replacement, template)
    return template.strip()


def make_entry(row: Row, candidates: Mapping[str, ContextEntry]) -> ContextEntry:
    """Return the context that a choice becomes.

    Raises
    ------
    InputError
        With the choice's file and line: a sentence that the corpus does not have, or has in other words;
        values that do not fit the slots.
    """
    if row["id"] not in candidates:
        raise row.error("no such sentence in the corpus", row["id"])
    entry = candidates[row["id"]]
    template = row["sentence"] or entry.template
    if not is_same_sentence(template, entry):
        problem = "the sentence differs in more than white space and words left out of its names"
        raise row.error(problem, template, entry.template)
    judged = [read_judgements(row, number, len(entry.slots)) for number in range(len(entry.slots))]
    slots = tuple(
        {k: v for k, v in slot.items() if k != "expects"} | attributes
        for slot, attributes in zip(entry.slots, judged, strict=True)
    )
    made = replace(entry, template=template, slots=slots)
    fault = find_template_fault(made)
    if fault is not None:
        raise row.error(fault, template)
    return made


def read_judgements(row: Row, slot: int, slots: int) -> dict[str, str]:
    """Return what was judged of one slot, by attribute."""
    found = {}
    for name in JUDGED_ATTRIBUTES:
        values = [value.strip() for value in row[name].split(";")]
        if len(values) not in (1, slots):
            raise row.error(
                f"{name}: wrong number of values", row[name], f"one value for all slots, or {slots}"
            )
        value = values[0 if len(values) == 1 else slot]
        if value and value != "-":
            check_judged_value(name, value, str(row.file), row.line)
            found[name] = value
    return found


def is_same_sentence(template: str, entry: ContextEntry) -> bool:
    """Return True if a template is the corpus's sentence, and no slot is larger than the corpus's name.

    White space and the mark of the indefinite article may differ, and a slot may leave out words that the
    corpus has in the name (*c-jun gene*).
    """
    original = entry.stored["original_form_in_source"]
    own, names = find_fillers(template, original), find_fillers(entry.template, original)
    return len(own) == len(names) > 0 and all(a in b for a, b in zip(own, names, strict=True))


def find_fillers(template: str, original: str) -> tuple[str, ...]:
    """Return what the original has in the slots, without white space; the sentence if there are none."""
    for article in ARTICLE_MARKS:
        template = template.replace(f"{article} {SLOT_MARK}", f"{article[1]}{_ARTICLE_MARK}{SLOT_MARK}")
    pieces = (re.escape(remove_white_space(piece)) for piece in template.split(SLOT_MARK))
    pattern = "(.+?)".join(pieces).replace(_ARTICLE_MARK, "n?")
    found = re.fullmatch(pattern, remove_white_space(original))
    return (found.groups() or (found.group(),)) if found else ()
