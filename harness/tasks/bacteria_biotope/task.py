"""What each task scores (`tasks.toml`), and one task over the material of both sides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import Field

from ....catalogues.core.files import read_bundled_text
from ....catalogues.core.settings import Settings, validate_settings
from ....catalogues.core.toml import parse_toml
from ..ontology import Ontology
from ..options import BacteriaBiotopeOptions
from ..tables import make_task_signature
from .corpus import TaskData
from .resources import Resources

MeasureName = Literal[
    "ser",
    "iser",
    "mismatches",
    "matches",
    "insertions",
    "deletions",
    "f1",
    "recall",
    "precision",
    "predictions",
    "references",
    "mean-references",
    "false-negatives",
]
SimilarityName = Literal["main", "exact", "normalisation", "normalisation-exact", "any"]

# names of measures as the published program prints them
PRINTED_NAMES: dict[str, str] = {
    "ser": "SER",
    "iser": "ISER",
    "f1": "F1",
    "mean-references": "mean-references",
    "false-negatives": "False Negatives",
}


class Scoring(Settings):
    """One score: which pairs are kept (a pair is, if either side passes), and by what they are scored.

    Attributes
    ----------
    types, published_types : list of str
        Types of entity or relation, all when empty; the second where the published program filters otherwise.
    location : str
        Type of the Location argument, for relations.
    new, unique, multiple, inside_sentence : filters
        See the head of `tasks.toml` and the page on this evaluation.
    """

    name: str
    types: list[str] = Field(default_factory=list)
    published_types: list[str] | None = None
    similarity: SimilarityName = "main"
    location: str = ""
    new: Literal["", "seen", "concepts"] = ""
    unique: bool = False
    multiple: bool = False
    inside_sentence: bool = False
    measures: list[MeasureName] | None = None


class Task(Settings):
    """One pairing of one or two tasks, with its scorings."""

    names: list[str]
    evaluation: str
    unit: str
    measures: list[MeasureName]
    scoring: list[Scoring]


class _Tasks(Settings):
    format: Literal[1]
    task: list[Task]


@lru_cache
def load_tasks() -> tuple[Task, ...]:
    """The tasks of the bundled file."""
    content = read_bundled_text(__package__, "tasks.toml")
    return tuple(validate_settings(parse_toml(content, "tasks.toml"), _Tasks, "tasks.toml").task)


def list_task_names() -> tuple[str, ...]:
    """Names of the tasks, in order."""
    return tuple(dict.fromkeys(name for task in load_tasks() for name in task.names))


def get_printed_name(measure: str) -> str:
    """Name of a measure as the published program prints it."""
    return PRINTED_NAMES.get(measure, measure.capitalize())


@dataclass(frozen=True, eq=False)
class TaskInput:
    """A task over the material of both sides.

    Attributes
    ----------
    task : str
        norm, norm+ner, rel, rel+ner, kb or kb+ner.
    data : Material
    ontology : Ontology
    resources : Resources
    options : BacteriaBiotopeOptions
    """

    task: str
    data: TaskData
    ontology: Ontology
    resources: Resources
    options: BacteriaBiotopeOptions

    @property
    def as_published(self) -> bool:
        """Whether what the published program computes is wanted."""
        return self.options.as_published

    def signature(self, notion: str, scoring: str) -> str:
        """The signature of a row."""
        return make_task_signature(
            self.data.reference_digest,
            self.data.prediction_digest,
            f"BB-{self.task} {scoring}",
            **self.options.signature_parts(self.task, notion),
        )
