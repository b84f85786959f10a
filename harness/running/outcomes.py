"""What can become of a case: the names, what each means, and what is told of a failure."""

from __future__ import annotations

from typing import Literal, NamedTuple

MAX_REPETITIONS = 1000
"""Maximum number of repetitions of a run."""
OUTCOMES = {
    "ok": "answered, and every mention has its place in the text",
    "unaligned": "answered, but some mention could not be placed in the text; the others are kept",
    "crash": "the tagger ended with an exit code that is no success, or by a signal, on this case alone",
    "timeout": "the tagger did not end, or did not answer, in its time on this case alone",
    "memory": "the tagger ran out of memory on this case alone",
    "flood": "the tagger printed more than the limit on this case alone",
    "disk_full": "the tagger found no space left on the device on this case alone",
    "short": "no record for this case, though the tagger said success, or one without its text or its end",
    "garbage": "the record for this case is not the text, or not of the declared form",
    "encoding": "the record for this case is not in the declared encoding",
    "duplicate": "more than one record for this case",
    "no_program": "the program could not be started",
    "abandoned": "not tried alone: its batch failed, and so did every case of it that was tried",
}
"""Outcome and its definition. All but `ok` and `unaligned` leave the case without mentions."""

OUTCOME_NAMES = tuple(OUTCOMES)
ANSWERED_OUTCOMES = frozenset({"ok", "unaligned"})
REPRODUCIBLE_OUTCOMES = frozenset({"ok", "unaligned", "short", "garbage", "encoding", "duplicate"})
"""Outcomes that do not depend on the machine or its load: a run of these alone may be cached."""


ReplyPolicy = Literal["none", "failed", "all"]
"""The cases whose replies are kept: those without a whole answer, unless it says another."""
REPLY_BYTES = 1 << 16
"""Bytes of a reply that are kept."""


def decode_excerpt(content: bytes, encoding: str = "utf-8") -> str:
    """Return the part of a reply that is kept, as text; bytes of another encoding become escapes."""
    return content[:REPLY_BYTES].decode(encoding, "backslashreplace")


class Fault(NamedTuple):
    """How asking a tagger failed: for one case, or for all that it was given.

    Attributes
    ----------
    outcome : str
        Its name in `OUTCOMES`.
    message : str
        How the process or the request ended, in words.
    excerpt : bytes
        The end of what was printed on standard error, or the beginning of what an endpoint said instead.
    """

    outcome: str
    message: str
    excerpt: bytes = b""
