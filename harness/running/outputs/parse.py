"""One way in for every output form: what was printed, and the batch that was sent, give placed mentions."""

from __future__ import annotations

import numpy as np

from ....sentences.formats.inline import parse_inline
from ..inputs.cases import Batch
from ..specification import TEXT_FORMS, Output, is_utf8
from . import gate
from .exact import read_exact
from .marks import as_tags
from .parsed import Tagged, decode, decodes
from .placed import Placed
from .placing import place


def parse(
    content: bytes, form: Output, sent: Batch, *, whole_case: bool = False, limit_mb: int = 1024
) -> Placed:
    """Parse a tagger's output and place its mentions.

    Parameters
    ----------
    content : bytes
        What the tagger gave.
    form : Output
        How it is to be read.
    sent : Batch
        The texts as the tagger saw them.
    whole_case : bool
        Whether `content` is all about the one case of `sent`, as a file per case is: it needs no identifier.
    limit_mb : int
        The limit of output: reading takes some memory more than four times as much, or is refused.
    """
    content, long = gate.cut(content, gate.longest(sent), form)
    plain = form.form == "sgml" and not (form.numbered or form.open or long)
    if plain and is_utf8(form.encoding):
        exact = read_exact(content, form, sent)
        if exact is not None:
            return exact
    refused = gate.too_much(content, form, limit_mb)
    if refused:
        return gate.unreadable(sent, refused)
    if form.form not in TEXT_FORMS and not decodes(content, form.encoding):
        # places by identifier mean nothing where some of the identifiers may be lost
        return gate.unreadable(sent, f"not in {form.encoding}", "encoding")
    text, wrong = decode(content, form.encoding)
    if form.form not in TEXT_FORMS:
        from .documents import parse_documents
        from .locating import locate
        from .tables import parse_table

        name = sent.names[0] if whole_case else None
        found = (
            parse_table(text.decode(), form, name, long)
            if form.form == "offsets"
            else parse_documents(text, form, name, long)
        )
        return locate(sent, found, form)
    tagged = _tagged(text, form, sent, wrong, long)
    if whole_case and tagged.records != 1 and tagged.records:
        # several lines of a file that is about one case
        tagged = _one_record(tagged)
    return place(sent, tagged)


def _tagged(text: bytes, form: Output, sent: Batch, wrong: list[int], long: set[int]) -> Tagged:
    if form.form == "conll":
        from .words import parse_columns

        return parse_columns(text, form, wrong, long)
    names = None
    if form.numbered:
        text, names, wrong = _strip_names(text, form.separator.encode(), wrong)
    if form.form == "token_tag":
        from .words import parse_words

        tagged = parse_words(text, form, wrong)
    else:
        if form.open:
            text = as_tags(text, form.open, form.close)
        found = parse_inline(text, form.tags, None if form.tags else sent.data.tobytes())
        tagged = Tagged(**vars(found), damaged=np.array(sorted(wrong), dtype=np.int64))
    tagged.names = names
    if long:
        tagged.broken = np.union1d(tagged.broken, np.array(sorted(long), dtype=np.int64))
    return tagged


def _strip_names(text: bytes, separator: bytes, wrong: list[int]) -> tuple[bytes, list[str], list[int]]:
    """Take the identifier off each line; a line without one gets an empty name, which is nobody's."""
    lines = text.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    names: list[str] = []
    rest: list[bytes] = []
    for line in lines:
        name, found, content = line.partition(separator)
        names.append(name.decode().strip() if found else "")
        rest.append(content if found else line)
    return b"".join(r + b"\n" for r in rest), names, wrong


def _one_record(tagged: Tagged) -> Tagged:
    data = tagged.data.copy()
    inner = tagged.starts[1:-1] - 1
    data[inner] = 32
    tagged.data = data
    tagged.starts = np.array([0, len(data)], dtype=np.int64)
    if len(tagged.damaged):
        tagged.damaged = np.zeros(1, np.int64)
    if len(tagged.broken):
        tagged.broken = np.zeros(1, np.int64)
    return tagged
