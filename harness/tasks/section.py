"""Published evaluations in a study: sections of the study file, and results for the report.

A study file has one table per evaluation, with the name of the task and the options of the command.
Paths are relative to the folder of the study file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ...catalogues.core.settings import make_options, make_settings_model
from .options import BacteriaBiotopeOptions, BioIDOptions, IndexingOptions, TaskName
from .tables import BIOID_COLUMNS, INDEXING_COLUMNS, bacteria_biotope_columns

if TYPE_CHECKING:
    import pandas as pd


class BioIDSection(make_settings_model(BioIDOptions)):  # type: ignore[misc]  # made from options
    """Section of a study with ``evaluate = "bioid"`` and the options of `tagsuite evaluate bioid`."""

    evaluate: Literal["bioid"]
    reference: str
    runs: Annotated[list[str], Field(min_length=1)]


class BacteriaBiotopeSection(make_settings_model(BacteriaBiotopeOptions)):  # type: ignore[misc]  # as above
    """Section of a study with ``evaluate = "bacteria-biotope"`` and the options for this task."""

    evaluate: Literal["bacteria-biotope"]
    task: TaskName
    reference: str
    predicted: str
    ontology: str


class IndexingSection(make_settings_model(IndexingOptions)):  # type: ignore[misc]  # as above
    """Section of a study with ``evaluate = "indexing"`` and the options of `tagsuite evaluate indexing`."""

    evaluate: Literal["indexing"]
    gold: str
    predicted: str
    tree: str


AnySection = BioIDSection | BacteriaBiotopeSection | IndexingSection
TaskSection = Annotated[AnySection, Field(discriminator="evaluate")]
"""Section of a study for one of the three evaluations; the key `evaluate` selects the evaluation."""


@dataclass(frozen=True, eq=False)
class SectionResult:
    """Result of an evaluation, in the form needed for a report.

    Attributes
    ----------
    title : str
        Heading of the section in the report.
    table : DataFrame
        Score table with the additional columns of the task.
    shown : tuple of str
        Names of the columns to show.
    notes : tuple of str
        Remarks about ignored data and undefined values.
    """

    title: str
    table: pd.DataFrame
    shown: tuple[str, ...]
    notes: tuple[str, ...]


def evaluate_section(section: AnySection, folder: Path) -> SectionResult:
    """Run the evaluation described by a section of a study; paths are relative to `folder`."""
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
