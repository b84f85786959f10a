"""One way in for every output form: what was printed, and the batch that was sent, give placed mentions."""

from __future__ import annotations

import numpy as np

from ..encodings import decode, decodes, is_wide
from ..inputs.cases import Batch
from ..outcomes import KeepReplies, read_excerpt
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
    keep: KeepReplies = "failed",
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
    keep : str
        The cases whose replies are kept.
    """
    given = content
    content, long = gate.cut(content, gate.longest(sent), form)
    refused = gate.too_much(content, form, limit_mb)
    if refused:
        return _with_replies(gate.unreadable(sent, refused), given, form, {}, keep)
    if form.form not in TEXT_FORMS and not decodes(content, form.encoding):
        # places by identifier mean nothing where some of the identifiers may be lost
        unread = gate.unreadable(sent, f"not in {form.encoding}", "encoding")
        return _with_replies(unread, given, form, {}, keep)
    text, wrong = decode(content, form.encoding)
    printed = Printed(text, form, sent, wrong, long, whole_case, asked, keeps_all=keep == "all")
    placed: Placed = module_of(form.form).read(printed)
    placed.is_silent = not content.strip()
    return _with_replies(placed, given, form, printed.lines, keep)


def _with_replies(
    placed: Placed, content: bytes, form: Output, lines: dict[int, list[int]], keep: KeepReplies
) -> Placed:
    """Add what was printed about each case whose reply is kept, as far as that is known.

    What was printed for one case is about that case; of several, `lines` says which are about each.
    """
    kept = [] if keep == "none" else np.flatnonzero((keep == "all") | ~placed.is_whole).tolist()
    if len(placed.way) == 1:
        placed.replies |= {case: read_excerpt(content, form.encoding) for case in kept}
    elif kept and lines and not is_wide(form.encoding):
        ended = content.split(b"\n")
        for case in kept:
            if case in lines:
                own = b"".join(ended[i] + b"\n" for i in lines[case])
                placed.replies[case] = read_excerpt(own, form.encoding)
    return placed
