"""One way in for every output form: what was printed, and the batch that was sent, give placed mentions."""

from __future__ import annotations

import codecs
import importlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ..inputs.cases import Batch
from ..outcomes import ReplyPolicy, decode_excerpt
from ..specification_forms import Output
from .placement import Placement
from .registry import FORM_MODULES, TEXT_FORMS


@dataclass(frozen=True)
class TaggerOutput:
    """What a tagger printed, as text.

    Attributes
    ----------
    text : bytes
        UTF-8.
    form : Output
        How it is read.
    sent : Batch
        The texts as the tagger saw them.
    undecodable_lines : collection of int
        Lines, counted from 0, that are not in the declared encoding.
    is_single_case : bool
        Whether all of it is about the one case of `sent`, as a file per case is: it needs no identifier.
    has_sent_id : bool
        Whether the tagger was told the identifier of this case among others: an answer with another
        identifier belongs to another case.
    """

    text: bytes
    form: Output
    sent: Batch
    undecodable_lines: Collection[int] = ()
    is_single_case: bool = False
    has_sent_id: bool = False

    @property
    def case_id(self) -> str | None:
        """The identifier of the case that all of it is about; None where it has several."""
        return self.sent.case_ids[0] if self.is_single_case else None


def parse_output(
    content: bytes,
    form: Output,
    sent: Batch,
    *,
    is_single_case: bool = False,
    has_sent_id: bool = False,
    reply_policy: ReplyPolicy = "failed",
) -> Placement:
    """Parse a tagger's output and place its mentions.

    Parameters
    ----------
    content : bytes
        What the tagger gave.
    form : Output
        How it is read.
    sent : Batch
        The texts as the tagger saw them.
    is_single_case, has_sent_id : bool
        See `TaggerOutput`.
    reply_policy : str
        The cases whose replies are kept.
    """
    try:
        text, wrong = _to_utf8(content, form)
    except UnicodeDecodeError:
        # where identifiers may be lost, nothing can be assigned to a case
        placed = Placement(len(sent), doubtful_count=len(sent))
        if len(sent) == 1:
            placed.refuse(0, "encoding", f"not in {form.encoding}")
    else:
        printed = TaggerOutput(text, form, sent, wrong, is_single_case, has_sent_id)
        placed = importlib.import_module(f".{FORM_MODULES[form.form]}", __package__).read(printed)
    placed.is_silent = not content.strip()
    failed = [
        case for case in range(len(sent)) if case not in placed.match_kinds or placed.unplaced.get(case)
    ]
    kept = list(range(len(sent))) if reply_policy == "all" else failed
    if kept and reply_policy != "none":
        _add_replies(placed, content, form.encoding, kept)
    return placed


def _to_utf8(content: bytes, form: Output) -> tuple[bytes, Collection[int]]:
    """Return output as UTF-8 without a byte order mark, and the lines that are in another encoding.

    Raises
    ------
    UnicodeDecodeError
        When there are such lines, and the form or the encoding is not one of independent lines.
    """
    encoding = codecs.lookup(form.encoding).name
    wrong: set[int] = set()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if form.form not in TEXT_FORMS or encoding.startswith(("utf-16", "utf-32")):
            raise
        text = content.decode(encoding, "replace")
        wrong = {n for n, line in enumerate(content.split(b"\n")) if not _is_decodable(line, encoding)}
    return text.removeprefix("\ufeff").encode(), wrong


def _is_decodable(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _add_replies(placed: Placement, content: bytes, encoding: str, cases: list[int]) -> None:
    """Add what was printed about some cases, as far as that is known.

    What was printed for one case is about that case; of several, `Placed.lines` says which are about each.
    """
    if placed.case_count == 1:
        placed.replies[0] = decode_excerpt(content, encoding)
    elif known := [case for case in cases if case in placed.lines]:
        lines = content.decode(encoding, "backslashreplace").split("\n")
        for case in known:
            own = "".join(lines[number] + "\n" for number in placed.lines[case])
            placed.replies[case] = decode_excerpt(own.encode())


def match_case_ids(
    record_ids: Iterable[str | None], placed: Placement, case_ids: Sequence[str]
) -> tuple[dict[int, list[int]], list[int]]:
    """Find the case of each record by its identifier; a case with several records is refused.

    Parameters
    ----------
    record_ids : iterable of str or None
        Of the records.
    placed : Placed
        Where cases are refused.
    case_ids : sequence of str
        Of the cases.

    Returns
    -------
    owned : dict of int to list of int
        The records of each case that has any.
    strays : list of int
        Records of no case.
    """
    places = {name: case for case, name in enumerate(case_ids)}
    owned: defaultdict[int, list[int]] = defaultdict(list)
    strays: list[int] = []
    for number, name in enumerate(record_ids):
        case = None if name is None else places.get(name)
        (strays if case is None else owned[case]).append(number)
    for case, numbers in owned.items():
        if len(numbers) > 1:
            placed.refuse(case, "duplicate", "more than one record")
    return owned, strays
