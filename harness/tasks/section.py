"""A published evaluation as a part of something larger: what a study says of it, and what a report shows.

A study's TOML holds a table for each evaluation, with the task's name and the options of the command by the
same names; paths are relative to the study. The result is a score table and notes, the same for all three.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ...catalogues.core.settings import Settings
from . import shown

if TYPE_CHECKING:
    import pandas as pd


class BioidSection(Settings):
    """``evaluate = "bioid"``: options of `tagsuite evaluate bioid`."""

    evaluate: Literal["bioid"]
    reference: str
    runs: Annotated[list[str], Field(min_length=1)]
    equivalence_classes: str = ""
    labels: list[str] = Field(default_factory=list)
    offsets: Literal["bytes", "characters", "utf16"] = "bytes"
    reference_offsets: Literal["", "bytes", "characters", "utf16"] = ""
    as_published: bool = False


class BacteriaBiotopeSection(Settings):
    """``evaluate = "bacteria-biotope"``: options of `tagsuite evaluate bacteria-biotope`."""

    evaluate: Literal["bacteria-biotope"]
    task: Literal["norm", "norm+ner", "rel", "rel+ner", "kb", "kb+ner"]
    reference: str
    predicted: str
    ontology: str
    seen: list[str] = Field(default_factory=list)
    new_concepts: str = ""
    sentences: str = ""
    as_published: bool = False
    force: bool = False


class IndexingSection(Settings):
    """``evaluate = "indexing"``: options of `tagsuite evaluate indexing`."""

    evaluate: Literal["indexing"]
    gold: str
    predicted: str
    tree: str
    frequencies: str = ""
    corpus: str = ""
    documents: str = ""
    similarity: Literal["lin", "wang", "jiang-conrath"] = "lin"
    smoothing: Annotated[float, Field(ge=0)] = 0.0
    related: Annotated[int, Field(ge=1)] = 100
    skip_bad_lines: bool = False


Section = Annotated[BioidSection | BacteriaBiotopeSection | IndexingSection, Field(discriminator="evaluate")]
"""Any of the three, told apart by `evaluate`: the type of a field in a study's model."""


@dataclass(frozen=True, eq=False)
class SectionResult:
    """What a report shows of an evaluation.

    Attributes
    ----------
    title : str
        Heading.
    table : DataFrame
        The score table, with the task's appended columns.
    shown : tuple of str
        Columns that matter to the eye.
    notes : tuple of str
        What was ignored, left out or undefined.
    """

    title: str
    table: pd.DataFrame
    shown: tuple[str, ...]
    notes: tuple[str, ...]


def evaluate_section(
    section: BioidSection | BacteriaBiotopeSection | IndexingSection, folder: Path
) -> SectionResult:
    """Run an evaluation; paths are relative to `folder`."""

    def place(path: str) -> Path:
        return folder / path

    def optional(path: str) -> Path | None:
        return folder / path if path else None

    if isinstance(section, BioidSection):
        from .bioid.evaluation import Options as BioidOptions
        from .bioid.evaluation import evaluate_bioid, named_run

        bioid = evaluate_bioid(
            place(section.reference),
            [(name, place(str(path))) for name, path in map(named_run, section.runs)],
            BioidOptions(
                optional(section.equivalence_classes),
                tuple(section.labels),
                section.offsets,
                section.reference_offsets or None,
                section.as_published,
            ),
        )
        return SectionResult("BioID", bioid.table, shown.BIOID, bioid.notes)
    if isinstance(section, BacteriaBiotopeSection):
        from .bacteria_biotope.evaluation import Options as BiotopeOptions
        from .bacteria_biotope.evaluation import evaluate_bacteria_biotope

        biotope = evaluate_bacteria_biotope(
            section.task,
            place(section.reference),
            place(section.predicted),
            place(section.ontology),
            BiotopeOptions(
                section.as_published,
                section.force,
                [place(path) for path in section.seen],
                optional(section.new_concepts),
                optional(section.sentences),
            ),
        )
        title = f"Bacteria Biotope 2019, {section.task}"
        return SectionResult(title, biotope.table, shown.bacteria_biotope(section.task), biotope.notes)
    from .indexing.evaluation import Options as IndexingOptions
    from .indexing.evaluation import evaluate_indexing

    indexing = evaluate_indexing(
        place(section.gold),
        place(section.predicted),
        place(section.tree),
        IndexingOptions(
            optional(section.frequencies),
            optional(section.corpus),
            optional(section.documents),
            section.similarity,
            section.smoothing,
            section.related,
            skip_bad_lines=section.skip_bad_lines,
        ),
    )
    return SectionResult("Index terms", indexing.table, shown.INDEXING, indexing.notes)
