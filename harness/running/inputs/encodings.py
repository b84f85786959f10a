"""Names of encodings."""

from __future__ import annotations


def is_utf8(encoding: str) -> bool:
    """Whether an encoding's name is one of UTF-8's."""
    return encoding.lower().replace("_", "-") in {"utf-8", "utf8"}
