"""Options of the three published evaluations, each declared once, for the command, Python and study files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import Unit
from ...catalogues.core.options import Option, Options

AsPublished = Annotated[bool, Option("Compute what the published program computes, its faults included.")]
REPLACE_HELP = "Replace the folder if the same command wrote it."
"""What the option to replace a folder says, in a command and in a table of options."""


@dataclass(frozen=True)
class BioIDOptions(Options):
    """Options of the BioID evaluation; see ``docs/reference/bioid.md``.

    Attributes
    ----------
    equivalence_classes : path, optional
        JSON list of lists of identifiers that mean the same.
    labels : tuple of str
        Only these labels, each alone or several separated by commas; all where none is named.
    offsets : {"bytes", "characters", "utf16"}
        What the offsets of the runs count.
    reference_offsets : str
        What those of the reference count; the same where empty.
    as_published : bool
        Compute what the released program (version 1.0.3) computes, where that is deterministic.

    Raises
    ------
    InputError
        When a value is not legal, or a unit of offsets is given for the released program, which has none.
    """

    equivalence_classes: Annotated[
        Path | None, Option("JSON list of lists of identifiers that mean the same.")
    ] = None
    labels: Annotated[tuple[str, ...], Option("Only these labels, separated by commas; all by default.")] = ()
    offsets: Annotated[
        Unit, Option("What offsets count: bytes, characters or utf16.", label="unit of offsets")
    ] = "bytes"
    reference_offsets: Annotated[
        Literal["", Unit],
        Option("The same for the reference, where it differs from the runs.", label="unit of offsets"),
    ] = ""
    as_published: AsPublished = False

    def __post_init__(self) -> None:
        from .bioid.labels import check_labels

        super().__post_init__()
        named = tuple(name.strip() for text in self.labels for name in text.split(",") if name.strip())
        object.__setattr__(self, "labels", check_labels(named))
        if self.as_published and {self.offsets, self.reference_unit} != {"bytes"}:
            raise InputError(
                "the released program never looks at the unit of offsets: --as-published has no --offsets"
            )

    @property
    def reference_unit(self) -> Unit:
        """What offsets of the reference count."""
        return self.reference_offsets or self.offsets

    def signature_parts(self, notion: str) -> dict[str, str]:
        """What of these options can change a figure, as it stands in a signature."""
        from ...catalogues.core.files import digest_file
        from ..scoring.signature import DIGEST_DIGITS

        classes = self.equivalence_classes
        return {
            "notion": notion,
            "pairing": "one-to-one",
            "counting": "bioid-1.0.3" if self.as_published else "bioid",
            "alternatives": f"equivalence:{digest_file(classes)[:DIGEST_DIGITS]}" if classes else "none",
        }


@dataclass(frozen=True)
class BacteriaBiotopeOptions(Options):
    """Options of the Bacteria Biotope evaluation; see ``docs/reference/bacteria-biotope.md``.

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


SimilarityMeasure = Literal["lin", "wang", "jiang-conrath"]


@dataclass(frozen=True)
class IndexingOptions(Options):
    """Options of the evaluation of index terms; see ``docs/reference/indexing.md``.

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
    similarity: Annotated[SimilarityMeasure, Option("lin, wang or jiang-conrath.")] = "lin"
    smoothing: Annotated[float, Option("Added to every frequency.", minimum=0, shows_range=True)] = 0.0
    related: Annotated[
        int,
        Option(
            "Related documents that are looked at.",
            label="number of related documents",
            minimum=1,
            shows_range=True,
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
