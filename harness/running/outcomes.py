"""Outcomes of cases: their names and definitions, and the description of a fault."""

from __future__ import annotations

from typing import Literal, NamedTuple

MAX_REPETITIONS = 1000
"""Maximum number of repetitions of a run."""
OUTCOMES = {
    "ok": "answered, and every mention has a position in the text",
    "unaligned": "answered, but some mentions have no position in the text; the others are kept",
    "crash": "the tagger failed on this case alone, with an exit code that means failure or by a signal",
    "timeout": "the tagger did not end, or did not answer, within the time limit on this case alone",
    "memory": "the tagger ran out of memory on this case alone",
    "flood": "the tagger printed more than the output limit on this case alone",
    "disk_full": "the disk was full while the tagger ran on this case alone",
    "short": "the tagger reported success, but the record of this case is missing or incomplete",
    "garbage": "the record of this case is not its text, or not in the declared form",
    "encoding": "the record of this case is not in the declared encoding",
    "duplicate": "more than one record for this case",
    "no_program": "the program could not be started",
    "abandoned": "not tried alone, because its batch and all cases that were tried from it failed",
}
"""Outcomes and their definitions. A case has mentions only if its outcome is `ok` or `unaligned`."""

OUTCOME_NAMES = tuple(OUTCOMES)
ANSWERED_OUTCOMES = frozenset({"ok", "unaligned"})
REPRODUCIBLE_OUTCOMES = frozenset({"ok", "unaligned", "short", "garbage", "encoding", "duplicate"})
"""Outcomes that do not depend on the machine or its load; a run may be cached if it has no others."""


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
