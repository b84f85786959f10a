"""What placeholders put into a command that a shell reads."""

from __future__ import annotations

import re
import shlex


class ShellQuoter:
    """Follows a shell command from its beginning, so that a value is quoted as it must be where it stands."""

    def __init__(self) -> None:
        # what the place is in, outermost first: nothing, '…', "…", `…`, or (…) and $(…)
        self._inside = [""]
        self._escaped = False
        self._last = ""

    def consume(self, text: str) -> str:
        """Go on by what the specification itself holds; it is given back as it is."""
        for sign in text:
            inside = self._inside[-1]
            if self._escaped:
                self._escaped = False
            elif inside == "'":
                if sign == "'":
                    self._inside.pop()
            elif sign == "\\":
                self._escaped = True
            elif sign == inside or (sign == ")" and inside == "("):
                self._inside.pop()
            elif sign == "`" or sign == '"' or (sign == "'" and inside != '"'):
                self._inside.append(sign)
            elif sign == "(" and (inside != '"' or self._last == "$"):
                self._inside.append("(")
            self._last = sign
        return text

    def quote(self, value: str) -> str:
        """A value as one word of the shell's, or as a part of the quoted word that it stands in.

        Raises
        ------
        ValueError
            Where no quoting is safe.
        """
        if "`" in self._inside:
            raise ValueError("a placeholder within backquotes cannot be quoted: write $(…) instead")
        if self._escaped:
            raise ValueError("a placeholder after a backslash cannot be quoted")
        inside = self._inside[-1]
        if inside == "'":
            return value.replace("'", "'\\''")
        if inside == '"':
            return re.sub(r'([\\"$`])', r"\\\1", value)
        return shlex.quote(value)
