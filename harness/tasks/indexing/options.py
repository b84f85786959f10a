"""Options of the evaluation of index terms, each declared once, for the command, Python and study files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ....catalogues.core.errors import InputError
from ....catalogues.core.options import Option, Options

Measure = Literal["lin", "wang", "jiang-conrath"]


@dataclass(frozen=True)
class IndexingOptions(Options):
    """Options of the evaluation of index terms; see ``docs/evaluate-indexing.md``.

    Attributes
    ----------
    frequencies, corpus : path, optional
        Numbers of documents a term, or an indexed corpus to count them in; the gold itself without either.
    documents : path, optional
        Collection for retrieval; none, no retrieval.
    similarity : {"lin", "wang", "jiang-conrath"}
        Of two terms.
    smoothing : float
        Added to every frequency.
    related : int
        Number of related documents of a document that are looked at, itself included.
    skip_bad_lines : bool
        Leave out lines of the predictions that cannot be read, and name them, instead of refusing the file.

    Raises
    ------
    InputError
        When a value is not legal, or frequencies have two sources.
    """

    frequencies: Annotated[Path | None, Option("Documents a term: term and number, tab between.")] = None
    corpus: Annotated[Path | None, Option("Indexed documents to count terms in; the gold by default.")] = None
    documents: Annotated[Path | None, Option("Collection to retrieve from; needs tagsuite[indexing].")] = None
    similarity: Annotated[Measure, Option("lin, wang or jiang-conrath.")] = "lin"
    smoothing: Annotated[float, Option("Added to every frequency.", least=0, ranged=True)] = 0.0
    related: Annotated[
        int,
        Option(
            "Related documents that are looked at.",
            what="number of related documents",
            least=1,
            ranged=True,
        ),
    ] = 100
    skip_bad_lines: Annotated[
        bool, Option("Leave out, count and name lines of the predictions that cannot be read.")
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frequencies and self.corpus:
            raise InputError("frequencies given twice", allowed="--frequencies or --corpus, not both")

    def signature_class(self, source: str) -> str:
        """What can change a similarity, as a signature's class; `source` is that of the frequencies."""
        return f"similarity:{self.similarity}|{source}|smoothing:{self.smoothing:g}"
