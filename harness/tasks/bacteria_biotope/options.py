"""Options of the Bacteria Biotope evaluation, each declared once, for the command, Python and study files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ....catalogues.core.options import Option, Options
from ..options import AsPublished


@dataclass(frozen=True)
class BacteriaBiotopeOptions(Options):
    """Options of the Bacteria Biotope evaluation; see ``docs/evaluate-bacteria-biotope.md``.

    Attributes
    ----------
    seen : tuple of path
        Corpora (folders or zips of stand-off) whose surface forms are not new.
    new_concepts : path, optional
        Concepts that count as new, one a line.
    sentences : path, optional
        Sentences of the documents.
    as_published : bool
        Compute what the organisers' program computes.
    force : bool
        Evaluate what is left of faulty predictions.
    """

    seen: Annotated[tuple[Path, ...], Option("Corpora whose surface forms are not new (repeatable).")] = ()
    new_concepts: Annotated[Path | None, Option("Concepts that count as new, one a line, as published.")] = (
        None
    )
    sentences: Annotated[Path | None, Option("Sentences: document, start and end, separated by tabs.")] = None
    as_published: AsPublished = False
    force: Annotated[
        bool,
        Option("Evaluate what is left of faulty predictions; replace the folder if this command wrote it."),
    ] = False

    def signature_parts(self, task: str, notion: str) -> dict[str, str]:
        """What of these options and the task can change a figure, as it stands in a signature."""
        pairing = "greedy" if self.as_published else "one-to-one"
        if task == "norm":
            pairing = "given"
        elif task.startswith("kb"):
            pairing = "many-to-one"
        return {
            "notion": notion,
            "pairing": pairing,
            "counting": "bb19-published" if self.as_published else "bb19",
            "alternatives": "equiv",
        }
