"""Attested contexts made from selected sentences of a corpus, with slots in place of its names."""

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
"""Columns of the table: the sentence's id; attributes of the slots (one value per slot, separated by
semicolons, or one value for all; - means none); the sentence, if it differs from the corpus; a remark."""
LICENCE = (
    "Sentences of the BioCreative II gene mention training corpus: a United States Government Work in the "
    "public domain (L. Tanabe, L. Smith and W. J. Wilbur, National Library of Medicine). "
    "See contexts_attested.NOTICE."
)
# the name that this program had in 0.1: recipes contain a checksum of the file, so it must not change
NOTE = "Chosen and read by hand: python -m tagsuite.sentences.curation build; do not edit by hand."

PARTS = {"T": "title", "A": "abstract"}
"""Meaning of the letter in a sentence's id."""
_TYPOGRAPHY = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([(\[]) +", r"\1"),
        (r" +([)\]])", r"\1"),
        # a mark after a phrase; `P < .05` and `O2-. .OH` keep their space
        (r" +([,;:?!])(?= |$|[)\]])", r"\1"),
        (r" +\.$", "."),
        (r" +'s(?= )", "'s"),
        (r" \+ ?/ ?- ", " +/- "),
        (r"--", " -- "),
        (r" {2,}", " "),
    )
)
_ARTICLE_MARK = "\x00"
"""Placed after an article whose form (a, an) depends on the name in the slot."""


def make_contexts(data: Path, tables: Path = TABLES) -> ContextFile:
    """Return the contexts listed in attested*.tsv, sorted by id."""
    offered = read_candidates(data)
    rows = [row for path in sorted(tables.glob("attested*.tsv")) for row in read_choices(path)]
    return ContextFile(
        complete_entries(sorted((make_entry(row, offered) for row in rows), key=lambda e: e.id)),
        LICENCE,
        NOTE,
    )


def read_choices(path: Path) -> list[Row]:
    """Read a table of selected sentences, without its header."""
    return read_rows(path, COLUMNS, can_end_early=True)[1:]


def read_candidates(data: Path) -> dict[str, ContextEntry]:
    """Return the sentences of the BC2GM training part by id, with slots in place of annotated names."""
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
    """Remove tokenisation spaces from a sentence; only white space changes.

    Examples
    --------
    >>> mend_typography("The protein ( <> ) fell by 25%--as did <> 's target .")
    "The protein (<>) fell by 25% -- as did <>'s target."
    """
    for pattern, replacement in _TYPOGRAPHY:
        template = pattern.sub(replacement, template)
    return template.strip()


def make_entry(row: Row, candidates: Mapping[str, ContextEntry]) -> ContextEntry:
    """Return the context for a row of the table.

    Raises
    ------
    InputError
        When the corpus has no such sentence, its wording differs, or values do not fit the slots; with the
        file and line of the row.
    """
    if row["id"] not in candidates:
        raise row.error("no such sentence in the corpus", row["id"])
    entry = candidates[row["id"]]
    template = row["sentence"] or entry.template
    if not is_same_sentence(template, entry):
        problem = "the sentence differs from the corpus in more than white space and words omitted from names"
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
    """Return the manually assigned attributes of one slot."""
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
    """Return True if a template has the words of its source sentence, with slots inside annotated names.

    White space and the mark of the indefinite article may differ. A slot may omit words of the annotated name
    (*c-jun gene*).
    """
    original = entry.stored["original_form_in_source"]
    own, names = find_fillers(template, original), find_fillers(entry.template, original)
    return len(own) == len(names) > 0 and all(a in b for a, b in zip(own, names, strict=True))


def find_fillers(template: str, original: str) -> tuple[str, ...]:
    """Return the texts of the slots in the original sentence, without white space.

    The result is the sentence if the template has no slots, and empty if the wording differs.
    """
    for article in ARTICLE_MARKS:
        template = template.replace(f"{article} {SLOT_MARK}", f"{article[1]}{_ARTICLE_MARK}{SLOT_MARK}")
    pieces = (re.escape(remove_white_space(piece)) for piece in template.split(SLOT_MARK))
    pattern = "(.+?)".join(pieces).replace(_ARTICLE_MARK, "n?")
    found = re.fullmatch(pattern, remove_white_space(original))
    return (found.groups() or (found.group(),)) if found else ()
