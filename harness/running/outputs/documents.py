"""Output as documents with stand-off mentions, read as corpora of the same format are."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ....catalogues.core.errors import InputError
from ....sentences.formats.records import Records
from ....sentences.formats.registry import get_format
from ..specification import Output

if TYPE_CHECKING:
    from ....sentences.formats.jsonl import Keys


def parse_documents(
    content: bytes, form: Output, name: str | None = None, long: Collection[int] = ()
) -> Records:
    """Read the documents; each problem is kept with the case that it concerns.

    Parameters
    ----------
    content : bytes
        UTF-8.
    form : Output
        The form, and the keys of ``jsonl``.
    name : str, optional
        The case that all of it is about, where a file has one case.
    long : collection of int
        Lines that were cut off, for they are too long to be read.
    """
    found = Records(name=name, cut=long)
    if form.form == "jsonl":
        from ....sentences.formats import jsonl

        jsonl.parse(content, found, _keys(form))
        return found
    known = get_format(form.form)
    if known.place == "folder" and name is None:
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
    )
