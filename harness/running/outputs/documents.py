"""Parsing of output in formats with offsets that are also corpus formats."""

from __future__ import annotations

from ....catalogues.core.errors import InputError
from ....sentences.formats.records import MentionRecords
from ....sentences.formats.registry import get_format
from .parse import TaggerOutput
from .place_offsets import place_offsets
from .placement import Placement

KEYS = ("id", "mentions", "start", "end", "type", "text", "score", "fragments", "identifiers")
"""Fields of ``jsonl`` objects, in the order of `KeyNames`; the specification sets their keys."""


def read(printed: TaggerOutput) -> Placement:
    """Parse output in a format that is also a corpus format; each problem is recorded for its case."""
    form = printed.form
    records = MentionRecords(expected_name=printed.case_id, requires_name=printed.has_sent_id)
    if form.form == "jsonl":
        from ....sentences.formats import jsonl

        jsonl.parse(printed.text, records, jsonl.KeyNames(*(getattr(form, f"{name}_key") for name in KEYS)))
        return place_offsets(printed, records)
    corpus_format = get_format(form.form)
    if not corpus_format.has_mention_names and printed.case_id is None:
        allowed = "output.path with {number}, or mode 'document'"
        raise InputError(f"{form.form} output contains no case identifiers", allowed=allowed)
    if corpus_format.parse is None:
        raise InputError("tagsuite cannot read tagger output in this format", found=form.form)
    corpus_format.parse(printed.text, records)
    return place_offsets(printed, records)
