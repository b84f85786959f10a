"""Parsing of tagger output in any form, and alignment of its mentions with the texts that were sent."""

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
    """Output of a tagger, as text.

    Attributes
    ----------
    text : bytes
        The output in UTF-8.
    form : Output
        Form of the output.
    sent : Batch
        The texts as the tagger received them.
    undecodable_lines : collection of int
        Numbers of lines, counted from 0, that cannot be decoded with the declared encoding.
    is_single_case : bool
        True if all output belongs to the only case in `sent`, so that no identifier is needed.
    has_sent_id : bool
        True if the tagger received several cases with their identifiers, so that an answer with a different
        identifier belongs to a different case.
    """

    text: bytes
    form: Output
    sent: Batch
    undecodable_lines: Collection[int] = ()
    is_single_case: bool = False
    has_sent_id: bool = False

    @property
    def case_id(self) -> str | None:
        """Identifier of the only case in the output; None if there are several."""
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
    """Parse a tagger's output and align its mentions with the texts.

    Parameters
    ----------
    content : bytes
        Output of the tagger.
    form : Output
        Form of the output.
    sent : Batch
        The texts as the tagger received them.
    is_single_case, has_sent_id : bool
        Fields of `TaggerOutput`.
    reply_policy : str
        Cases whose replies are stored.

    Returns
    -------
    Placement
    """
    try:
        text, undecodable_lines = _to_utf8(content, form)
    except UnicodeDecodeError:
        # identifiers may be damaged, so the output cannot be assigned to cases
        placed = Placement(len(sent), doubtful_count=len(sent))
        if len(sent) == 1:
            placed.refuse(0, "encoding", f"not in {form.encoding}")
    else:
        printed = TaggerOutput(text, form, sent, undecodable_lines, is_single_case, has_sent_id)
        placed = importlib.import_module(f".{FORM_MODULES[form.form]}", __package__).read(printed)
    placed.is_silent = not content.strip()
    cases = list(range(len(sent)))
    if reply_policy != "all":
        cases = [case for case in cases if case not in placed.match_kinds or placed.unplaced.get(case)]
    if cases and reply_policy != "none":
        _add_replies(placed, content, form.encoding, cases)
    return placed


def _to_utf8(content: bytes, form: Output) -> tuple[bytes, Collection[int]]:
    """Return output as UTF-8 without a byte order mark, and the numbers of undecodable lines.

    Raises
    ------
    UnicodeDecodeError
        If the output cannot be decoded, and its lines cannot be decoded separately.
    """
    encoding = codecs.lookup(form.encoding).name
    undecodable_lines: set[int] = set()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if form.form not in TEXT_FORMS or encoding.startswith(("utf-16", "utf-32")):
            raise
        text = content.decode(encoding, "replace")
        lines = content.split(b"\n")
        undecodable_lines = {n for n, line in enumerate(lines) if not _is_decodable(line, encoding)}
    return text.removeprefix("\ufeff").encode(), undecodable_lines


def _is_decodable(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _add_replies(placed: Placement, content: bytes, encoding: str, cases: list[int]) -> None:
    """Store the output lines of each case in `cases` as its reply."""
    if placed.case_count == 1:
        placed.replies[0] = decode_excerpt(content, encoding)
    elif located_cases := [case for case in cases if case in placed.lines]:
        lines = content.decode(encoding, "backslashreplace").split("\n")
        for case in located_cases:
            reply = "".join(lines[number] + "\n" for number in placed.lines[case])
            placed.replies[case] = decode_excerpt(reply.encode())


def match_case_ids(
    record_ids: Iterable[str | None], placed: Placement, case_ids: Sequence[str]
) -> tuple[dict[int, list[int]], list[int]]:
    """Assign records to cases by identifier; cases with several records are marked as failed.

    Parameters
    ----------
    record_ids : iterable of str or None
        Identifiers of the records.
    placed : Placement
        Placement in which cases with several records are marked as failed.
    case_ids : sequence of str
        Identifiers of the cases.

    Returns
    -------
    owned : dict of int to list of int
        Numbers of the records of each case; cases without records are left out.
    strays : list of int
        Numbers of records that belong to no case.
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
