"""Definitions of tasks and scorings, read from `tasks.toml`, and the input of a task."""

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

# names of measures as the published program prints them
# other names are capitalised
PRINTED_NAMES: dict[str, str] = {
    "ser": "SER",
    "iser": "ISER",
    "f1": "F1",
    "mean-references": "mean-references",
    "false-negatives": "False Negatives",
}


class Scoring(Settings):
    """Definition of a scoring: filters that select pairs, and the similarity used as the score of a pair.

    A pair is selected if its reference or its prediction passes all filters.

    Attributes
    ----------
    types, published_types : list of str
        Types of the entities or relations to score, by default all; `published_types` replaces `types` when
        the results of the published program are reproduced.
    location : str
        Entity type that the Location argument of a relation must have.
    new, unique, multiple, inside_sentence : filters
        See the comments in `tasks.toml` and the documentation of this evaluation.
    """

    name: str
    types: list[str] = Field(default_factory=list)
    published_types: list[str] | None = None
    similarity: str = "main"
    location: str = ""
    new: Literal["", "seen", "concepts"] = ""
    unique: bool = False
    multiple: bool = False
    inside_sentence: bool = False
    measures: list[str] | None = None


class Task(Settings):
    """Definition of a task: how reference and predictions are paired, and how the pairs are scored."""

    names: list[str]
    evaluation: str
    unit: str
    measures: list[str]
    scoring: list[Scoring]


class _Tasks(Settings):
    format: Literal[1]
    task: list[Task]


@lru_cache
def load_tasks() -> tuple[Task, ...]:
    """Read the tasks from the bundled file `tasks.toml`."""
    content = read_bundled_text(__package__, "tasks.toml")
    return tuple(validate_settings(parse_toml(content, "tasks.toml"), _Tasks, "tasks.toml").task)


@dataclass(frozen=True, eq=False)
class TaskInput:
    """Input of an evaluation.

    Attributes
    ----------
    task : str
        Name of the task: norm, norm+ner, rel, rel+ner, kb or kb+ner.
    data : TaskData
        Reference and predictions.
    ontology : Ontology
        The OntoBiotope ontology.
    resources : Resources
        Resources needed by filters.
    options : BacteriaBiotopeOptions
        Options of the evaluation.
    """

    task: str
    data: TaskData
    ontology: Ontology
    resources: Resources
    options: BacteriaBiotopeOptions

    @property
    def as_published(self) -> bool:
        """True if the evaluation reproduces the results of the published program."""
        return self.options.as_published

    def signature(self, notion: str, scoring: str) -> str:
        """Return the signature for score rows of this task."""
        return make_task_signature(
            self.data.gold.digest,
            self.data.system.digest,
            f"BB-{self.task} {scoring}",
            **self.options.signature_parts(self.task, notion),
        )
