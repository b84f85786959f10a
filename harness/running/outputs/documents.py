"""Output as documents with stand-off mentions, read as corpora of the same format are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....catalogues.core.errors import InputError
from ....sentences.formats.records import Records
from ....sentences.formats.registry import get_format
from ..specification.output import Output
from .place_offsets import place_offsets
from .placed import Placed
from .printed import Printed

if TYPE_CHECKING:
    from ....sentences.formats.jsonl import Keys


def read(printed: Printed) -> Placed:
    """Documents in a format that corpora have too."""
    return place_offsets(printed, _records(printed))


def _records(printed: Printed) -> Records:
    """The documents; each problem is kept with the case that it concerns."""
    content, form, name = printed.text, printed.form, printed.name
    found = Records(name=name, asked=printed.asked, cut=printed.long)
    if form.form == "jsonl":
        from ....sentences.formats import jsonl

        jsonl.parse(content, found, _keys(form))
        return found
    known = get_format(form.form)
    if not known.named and name is None:
        allowed = "output.path with {number}, or mode 'document'"
        raise InputError(f"{form.form} output names no case", allowed=allowed)
    if known.parse is None:
        raise InputError("the format cannot be read from a tagger", found=form.form)
    known.parse(content, found)
    return found


def _keys(form: Output) -> Keys:
    from ....sentences.formats.jsonl import Keys

    return Keys(
        form.id_key,
        form.mentions_key,
        form.start_key,
        form.end_key,
        form.type_key,
        form.text_key,
        form.score_key,
        form.fragments_key,
        form.identifiers_key,
    )
