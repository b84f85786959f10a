"""Options of the published evaluations on the command line, in Python and in study files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import Unit
from ...catalogues.core.options import Option, Options

AsPublished = Annotated[
    bool,
    Option("Compute the same figures as the published program, including its errors.", flag="--as-published"),
]
REPLACE_HELP = "Replace the folder if the same command wrote it."
"""Help text of the option that replaces an existing folder."""


@dataclass(frozen=True)
class BioIDOptions(Options):
    """Options of the BioID evaluation; see ``docs/reference/bioid.md``.

    Attributes
    ----------
    equivalence_classes : path, optional
        JSON file with lists of equivalent identifiers.
    labels : tuple of str
        Labels to score; all labels if empty. A string may contain several labels, separated by commas.
    offsets : {"bytes", "characters", "utf16"}
        Unit of offsets in the runs.
    reference_offsets : str
        Unit of offsets in the reference; if empty, the same unit as in the runs.
    as_published : bool
        Compute the same figures as version 1.0.3 of the released program, except random ones.

    Raises
    ------
    InputError
        If a value is not allowed, or a unit of offsets is combined with `as_published`.
    """

    help_group = "Scoring"

    equivalence_classes: Annotated[Path | None, Option("JSON file with lists of equivalent identifiers.")] = (
        None
    )
    labels: Annotated[
        tuple[str, ...],
        Option(
            "Labels to score, separated by commas (repeatable); all by default.",
            metavar="LABEL,...",
        ),
    ] = ()
    offsets: Annotated[Unit, Option("Unit of offsets.", label="unit of offsets")] = "bytes"
    reference_offsets: Annotated[
        Literal["", Unit],
        Option("Unit of offsets in the reference; by default, as for the runs.", label="unit of offsets"),
    ] = ""
    as_published: AsPublished = False

    def __post_init__(self) -> None:
        from .bioid.labels import check_labels

        super().__post_init__()
        named = tuple(name.strip() for text in self.labels for name in text.split(",") if name.strip())
        object.__setattr__(self, "labels", check_labels(named))
        if self.as_published and {self.offsets, self.reference_unit} != {"bytes"}:
            raise InputError(
                "--as-published cannot be combined with --offsets, which the released program ignores"
            )

    @property
    def reference_unit(self) -> Unit:
        """Unit of offsets in the reference."""
        return self.reference_offsets or self.offsets

    def signature_parts(self, notion: str) -> dict[str, str]:
        """Return the signature parts for all options that can change a result."""
        from ...catalogues.core.files import digest_file
        from ..scoring.signature import DIGEST_DIGITS

        classes = self.equivalence_classes
        return {
            "notion": notion,
            "pairing": "one-to-one",
            "counting": "bioid-1.0.3" if self.as_published else "bioid",
            "alternatives": f"equivalence:{digest_file(classes)[:DIGEST_DIGITS]}" if classes else "none",
        }


TaskName = Literal["norm", "norm+ner", "rel", "rel+ner", "kb", "kb+ner"]
"""Names of the Bacteria Biotope tasks."""


@dataclass(frozen=True)
class BacteriaBiotopeOptions(Options):
    """Options of the Bacteria Biotope evaluation; see ``docs/reference/bacteria-biotope.md``.

    Attributes
    ----------
    seen : tuple of path
        Corpora (folders or zip files of stand-off annotation) whose surface forms count as known.
    new_concepts : path, optional
        File of concepts that count as new, one per line.
    sentences : path, optional
        File with the sentence boundaries of the documents.
    as_published : bool
        Compute the same figures as the organisers' program.
    force : bool
        Skip malformed lines in the predictions and evaluate the other lines.
    """

    help_group = "Scoring"

    seen: Annotated[
        tuple[Path, ...],
        Option("Corpus whose surface forms count as known (repeatable).", metavar="FOLDER|ZIP"),
    ] = ()
    new_concepts: Annotated[Path | None, Option("File of concepts that count as new, one per line.")] = None
    sentences: Annotated[
        Path | None, Option("File of sentences: document, start and end, separated by tabs.")
    ] = None
    as_published: AsPublished = False
    force: Annotated[
        bool,
        Option(
            "Skip malformed lines in the predictions, and replace an output folder that this command wrote.",
            flag="--force",
        ),
    ] = False

    def signature_parts(self, task: str, notion: str) -> dict[str, str]:
        """Return the signature parts for the task and for all options that can change a result."""
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
        File with the number of documents per term (`frequencies`), or file of documents in which to count
        them (`corpus`). By default, they are counted in the gold standard.
    documents : path, optional
        Collection to search with the terms; if None, retrieval is not evaluated.
    similarity : {"lin", "wang", "jiang-conrath"}
        Measure of the similarity of two terms.
    smoothing : float
        Number added to each frequency.
    related : int
        Number of related documents to retrieve for each document, including the document itself.
    skip_bad_lines : bool
        Skip and report malformed lines in the predictions instead of raising an error.

    Raises
    ------
    InputError
        If a value is not allowed, or both `frequencies` and `corpus` are given.
    """

    help_group = "Scoring"

    frequencies: Annotated[
        Path | None, Option("File with one term per line, followed by a tab and its number of documents.")
    ] = None
    corpus: Annotated[
        Path | None, Option("File of documents in which to count terms; by default, the gold standard.")
    ] = None
    documents: Annotated[
        Path | None,
        Option("Collection to search with the terms; requires tagsuite[indexing].", metavar="PATH"),
    ] = None
    similarity: Annotated[SimilarityMeasure, Option("Measure of the similarity of two terms.")] = "lin"
    smoothing: Annotated[float, Option("Number added to each frequency.", minimum=0, shows_range=True)] = 0.0
    related: Annotated[
        int,
        Option(
            "Number of related documents to retrieve for each document.",
            label="number of related documents",
            minimum=1,
            shows_range=True,
        ),
    ] = 100
    skip_bad_lines: Annotated[
        bool, Option("Skip and report malformed lines in the predictions.", flag="--skip-bad-lines")
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frequencies and self.corpus:
            raise InputError("--frequencies and --corpus cannot be combined; use only one of them")

    def signature_class(self, source: str) -> str:
        """Return the signature part for the measure, the source of frequencies, and the smoothing."""
        return f"similarity:{self.similarity}|{source}|smoothing:{self.smoothing:g}"
