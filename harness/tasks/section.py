"""A published evaluation as a part of something larger: its keys in a study file, and what a report shows.

A study's TOML holds a table for each evaluation, with the task's name and the options of the command by the
same names; paths are relative to the study. The result is a score table and notes, the same for all three.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ...catalogues.core.settings import make_options, make_settings_model
from .options import BacteriaBiotopeOptions, BioIDOptions, IndexingOptions
from .tables import BIOID_COLUMNS, INDEXING_COLUMNS, bacteria_biotope_columns

if TYPE_CHECKING:
    import pandas as pd


class BioIDSection(make_settings_model(BioIDOptions)):  # type: ignore[misc]  # made from options
    """``evaluate = "bioid"``: options of `tagsuite evaluate bioid`."""

    evaluate: Literal["bioid"]
    reference: str
    runs: Annotated[list[str], Field(min_length=1)]


class BacteriaBiotopeSection(make_settings_model(BacteriaBiotopeOptions)):  # type: ignore[misc]  # as above
    """``evaluate = "bacteria-biotope"``: options of `tagsuite evaluate bacteria-biotope`."""

    evaluate: Literal["bacteria-biotope"]
    task: Literal["norm", "norm+ner", "rel", "rel+ner", "kb", "kb+ner"]
    reference: str
    predicted: str
    ontology: str


class IndexingSection(make_settings_model(IndexingOptions)):  # type: ignore[misc]  # as above
    """``evaluate = "indexing"``: options of `tagsuite evaluate indexing`."""

    evaluate: Literal["indexing"]
    gold: str
    predicted: str
    tree: str


AnySection = BioIDSection | BacteriaBiotopeSection | IndexingSection
TaskSection = Annotated[AnySection, Field(discriminator="evaluate")]
"""Any of the three, distinguished by `evaluate`: the type of a field in a study's model."""


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


def evaluate_section(section: AnySection, folder: Path) -> SectionResult:
    """Run an evaluation; paths are relative to `folder`."""
    if isinstance(section, BioIDSection):
        from .bioid.evaluation import evaluate_bioid, parse_run

        runs = [(name, folder / path) for name, path in map(parse_run, section.runs)]
        bioid = evaluate_bioid(folder / section.reference, runs, make_options(BioIDOptions, section, folder))
        return SectionResult("BioID", bioid.table, BIOID_COLUMNS, bioid.notes)
    if isinstance(section, BacteriaBiotopeSection):
        from .bacteria_biotope.evaluation import evaluate_bacteria_biotope

        biotope = evaluate_bacteria_biotope(
            section.task,
            folder / section.reference,
            folder / section.predicted,
            folder / section.ontology,
            make_options(BacteriaBiotopeOptions, section, folder),
        )
        title = f"Bacteria Biotope 2019, {section.task}"
        return SectionResult(title, biotope.table, bacteria_biotope_columns(section.task), biotope.notes)
    from .indexing.evaluation import evaluate_indexing

    indexing = evaluate_indexing(
        folder / section.gold,
        folder / section.predicted,
        folder / section.tree,
        make_options(IndexingOptions, section, folder),
    )
    return SectionResult("Index terms", indexing.table, INDEXING_COLUMNS, indexing.notes)
