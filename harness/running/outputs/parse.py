"""One way in for every output form: what was printed, and the batch that was sent, give placed mentions."""

from __future__ import annotations

from ....catalogues.core.decoding import decodes
from ..encodings import decode
from ..inputs.cases import Batch
from ..specification.output import Output
from . import gate
from .placed import Placed
from .printed import Printed
from .registry import TEXT_FORMS, module_of


def parse(
    content: bytes,
    form: Output,
    sent: Batch,
    *,
    whole_case: bool = False,
    asked: bool = False,
    limit_mb: int = 1024,
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
    asked : bool
        Whether an identifier of another case in it says that it is no answer to this one; see `Printed`.
    limit_mb : int
        The limit of output: reading takes some memory more than four times as much, or is refused.
    """
    content, long = gate.cut(content, gate.longest(sent), form)
    refused = gate.too_much(content, form, limit_mb)
    if refused:
        return gate.unreadable(sent, refused)
    if form.form not in TEXT_FORMS and not decodes(content, form.encoding):
        # places by identifier mean nothing where some of the identifiers may be lost
        return gate.unreadable(sent, f"not in {form.encoding}", "encoding")
    text, wrong = decode(content, form.encoding)
    printed = Printed(text, form, sent, wrong, long, whole_case, asked)
    placed: Placed = module_of(form.form).read(printed)
    return placed
