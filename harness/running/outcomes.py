"""Outcomes of cases: their names and definitions, and the description of a fault."""

from __future__ import annotations

from typing import Literal, NamedTuple

MAX_REPETITIONS = 1000
"""Maximum number of repetitions of a run."""
OUTCOMES = {
    "ok": "answered, and every mention has a position in the text",
    "unaligned": "answered, but some mentions have no position in the text; the others are kept",
    "crash": "the tagger ended with a failure exit code or by a signal when it received only this case",
    "timeout": "the tagger did not end or answer within the time limit when it received only this case",
    "memory": "the tagger ran out of memory when it received only this case",
    "flood": "the tagger printed more than the output limit when it received only this case",
    "disk_full": "the disk was full while the tagger ran with only this case",
    "short": "the tagger reported success, but its output for this case is missing or incomplete",
    "garbage": "the output for this case does not match its text, or is not in the declared form",
    "encoding": "the output for this case is not in the declared encoding",
    "duplicate": "the output contains more than one record for this case",
    "no_program": "the program could not be started",
    "abandoned": "not sent separately, because its batch and all cases tried from that batch failed",
}
"""Outcomes and their definitions. A case has mentions only if its outcome is `ok` or `unaligned`."""

OUTCOME_NAMES = tuple(OUTCOMES)
ANSWERED_OUTCOMES = frozenset({"ok", "unaligned"})
REPRODUCIBLE_OUTCOMES = frozenset({"ok", "unaligned", "short", "garbage", "encoding", "duplicate"})
"""Outcomes that do not depend on the machine or its load; a run with only these outcomes can be cached."""


ReplyPolicy = Literal["none", "failed", "all"]
"""Choice of the cases whose replies are stored: no case, failed cases, or all cases."""
REPLY_BYTES = 1 << 16
"""Maximum number of bytes stored per reply."""


def decode_excerpt(content: bytes, encoding: str = "utf-8") -> str:
    """Return the stored part of a reply as text, in which invalid bytes are escaped."""
    return content[:REPLY_BYTES].decode(encoding, "backslashreplace")


class Fault(NamedTuple):
    """Failure of a tagger for one case or for a whole batch.

    Attributes
    ----------
    outcome : str
        Name of the outcome in `OUTCOMES`.
    message : str
        Description of how the process or the request ended.
    excerpt : bytes
        End of standard error, or beginning of an endpoint's error reply.
    """

    outcome: str
    message: str
    excerpt: bytes = b""
