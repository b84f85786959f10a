"""Quoting of placeholder values in a command that a shell runs."""

from __future__ import annotations

import re
import shlex


class ShellQuoter:
    """Quoter of values in a shell command; it keeps track of open quotes and brackets."""

    def __init__(self) -> None:
        # open quotes and brackets, the outermost first: none, '…', "…", `…`, or (…) and $(…)
        self._inside = [""]
        self._escaped = False
        self._last = ""

    def consume(self, text: str) -> str:
        """Follow the quotes and brackets in a literal part of the command; return the part unchanged."""
        for character in text:
            inside = self._inside[-1]
            if self._escaped:
                self._escaped = False
            elif inside == "'":
                if character == "'":
                    self._inside.pop()
            elif character == "\\":
                self._escaped = True
            elif character == inside or (character == ")" and inside == "("):
                self._inside.pop()
            elif character == "`" or character == '"' or (character == "'" and inside != '"'):
                self._inside.append(character)
            elif character == "(" and (inside != '"' or self._last == "$"):
                self._inside.append("(")
            self._last = character
        return text

    def quote(self, value: str) -> str:
        """Return a value quoted as one shell word, or escaped for the quotation marks around it.

        Raises
        ------
        ValueError
            If no quoting is safe at this position.
        """
        if "`" in self._inside:
            raise ValueError("a placeholder inside backquotes cannot be quoted; write $(…) instead")
        if self._escaped:
            raise ValueError("a placeholder after a backslash cannot be quoted; remove the backslash")
        inside = self._inside[-1]
        if inside == "'":
            return value.replace("'", "'\\''")
        if inside == '"':
            return re.sub(r'([\\"$`])', r"\\\1", value)
        return shlex.quote(value)
