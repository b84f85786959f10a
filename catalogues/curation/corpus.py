"""A corpus of annotated names: how often each form is annotated, and in which sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from os import PathLike

from ..core.errors import InputError
from ..core.files import read_text
from ..core.text import squeezed


class Annotations:
    """The lines of a file of annotations (``id|span|form``, as GENE.eval has them).

    Attributes
    ----------
    rows : tuple of (str, str)
        Sentence and form of each mention.
    """

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        self.rows = tuple(rows)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Annotations:
        """Read a file.

        Raises
        ------
        InputError
            With file and line: a line of another form.
        """
        rows = []
        for number, line in enumerate(read_text(path).splitlines(), 1):
            parts = line.split("|", 2)
            if len(parts) != 3:
                raise InputError("no annotation", file=path, line=number, found=line, allowed="id|span|form")
            rows.append((parts[0], parts[2]))
        return cls(rows)

    @cached_property
    def frequencies(self) -> Counter[str]:
        """How often each form is annotated, by the form without white space."""
        return Counter(squeezed(form) for _, form in self.rows)

    @cached_property
    def _forms(self) -> dict[tuple[str, str], str]:
        return {(sentence, squeezed(form)): form for sentence, form in self.rows}

    def original(self, sentence: str, form: str) -> str | None:
        """A form as the sentence has it, or None where it is not annotated there."""
        return self._forms.get((sentence, squeezed(form)))

    def frequency(self, form: str) -> int:
        """How often a form is annotated, white space ignored."""
        return self.frequencies[squeezed(form)]
