"""Output as documents with stand-off mentions, read as corpora of the same format are."""

from __future__ import annotations

from ....catalogues.core.errors import InputError
from ....sentences.formats.records import MentionRecords
from ....sentences.formats.registry import get_format
from .parse import TaggerOutput
from .place_offsets import place_offsets
from .placement import Placement

KEYS = ("id", "mentions", "start", "end", "type", "text", "score", "fragments", "identifiers")
"""Fields of ``jsonl``, in the order of its `KeyNames`; the specification says what each is called."""


def read(printed: TaggerOutput) -> Placement:
    """Read documents in a format that corpora have too; each problem is kept with its case."""
    form = printed.form
    found = MentionRecords(expected_name=printed.case_id, requires_name=printed.has_sent_id)
    if form.form == "jsonl":
        from ....sentences.formats import jsonl

        jsonl.parse(printed.text, found, jsonl.KeyNames(*(getattr(form, f"{name}_key") for name in KEYS)))
        return place_offsets(printed, found)
    known = get_format(form.form)
    if not known.has_mention_names and printed.case_id is None:
        allowed = "output.path with {number}, or mode 'document'"
        raise InputError(f"{form.form} output names no case", allowed=allowed)
    if known.parse is None:
        raise InputError("the format cannot be read from a tagger", found=form.form)
    known.parse(printed.text, found)
    return place_offsets(printed, found)
