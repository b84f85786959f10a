"""Predictions files (TOML): what the recall or precision of classes on a corpus should be."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Discriminator, Field, Tag, model_validator

from ....catalogues.core.files import atomic_text
from ....catalogues.core.settings import Settings, load_settings
from ....catalogues.core.toml import write_toml
from ..classes import Class, ClassEntry, check_class_names
from ..statistics.sums import Measure


class Bounds(Settings):
    """A measure lies between two numbers; one may be left out."""

    min: float | None = Field(default=None, ge=0, le=1)
    max: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _check_bounds(self) -> Bounds:
        if self.min is None and self.max is None:
            raise ValueError("bounds need min or max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max")
        return self

    @property
    def lower(self) -> float:
        """The lower bound; 0 is none."""
        return 0.0 if self.min is None else self.min

    @property
    def upper(self) -> float:
        """The upper bound; 1 is none."""
        return 1.0 if self.max is None else self.max

    def __str__(self) -> str:
        if self.min is None:
            return f"<= {self.max:g}"
        if self.max is None:
            return f">= {self.min:g}"
        return f"{self.min:g} to {self.max:g}"


Expectation = Annotated[
    Annotated[Literal["low", "high"], Tag("word")] | Annotated[Bounds, Tag("bounds")],
    Discriminator(lambda value: "bounds" if isinstance(value, (dict, Bounds)) else "word"),
]


@dataclass(frozen=True)
class Prediction(Class):
    """A class of which it is said what its result should be.

    Attributes
    ----------
    recall, precision : "low", "high", Bounds or None
        ``low`` means below the rest of the corpus, ``high`` above it; None predicts nothing.
    suite_values : tuple of (str, float)
        The measures' values where the prediction comes from (a suite), if they are given.
    """

    recall: Expectation | None = None
    precision: Expectation | None = None
    suite_values: tuple[tuple[str, float], ...] = ()

    @property
    def expectations(self) -> list[tuple[Measure, Expectation]]:
        """The measures that it speaks of, with what is expected of each."""
        both: tuple[tuple[Measure, Expectation | None], ...]
        both = (("recall", self.recall), ("precision", self.precision))
        return [(measure, expected) for measure, expected in both if expected is not None]

    def get_suite_value(self, measure: str) -> float | None:
        """The value of a measure where the prediction comes from."""
        return dict(self.suite_values).get(measure)


class _Entry(ClassEntry):
    recall: Expectation | None = None
    precision: Expectation | None = None
    suite_recall: float | None = Field(default=None, ge=0, le=1)
    suite_precision: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _require_expectation(self) -> _Entry:
        if self.recall is None and self.precision is None:
            raise ValueError(
                'a prediction says something of recall or precision: "low", "high" or {min, max}'
            )
        return self


class _File(Settings):
    format: Literal[1]
    signature: str = ""
    class_: list[_Entry] = Field(alias="class")


def read_predictions_file(path: str | PathLike[str]) -> list[Prediction]:
    """Read a predictions file: a classes file whose classes have `recall` or `precision`.

    ``class = []`` is a file that predicts nothing, such as a search that found nothing writes.

    Raises
    ------
    InputError
        When the file is not of that form, a query cannot be read, a name stands twice, or a class
        predicts nothing.
    """
    entries = load_settings(path, _File).class_
    found = [
        Prediction(e.name, e.parse_query(path, i), e.note, e.recall, e.precision, _read_suite_values(e))
        for i, e in enumerate(entries, start=1)
    ]
    check_class_names(found, path)
    return found


def read_signature(path: str | PathLike[str]) -> str:
    """The signature of the scoring that a predictions file comes from; empty where it has none."""
    return load_settings(path, _File).signature


def _read_suite_values(entry: _Entry) -> tuple[tuple[str, float], ...]:
    both = (("recall", entry.suite_recall), ("precision", entry.suite_precision))
    return tuple((measure, value) for measure, value in both if value is not None)


def write_predictions(
    path: str | PathLike[str], findings: pd.DataFrame, *, comment: str = "", signature: str = ""
) -> None:
    """Write findings as a predictions file: each is a class that is low, with its figure and its words.

    Parameters
    ----------
    path : path
    findings : DataFrame
        Findings of `discover`.
    comment : str
        A comment for the head of the file: which run, which options.
    signature : str
        Signature of the scoring that was searched: `compare` says in what its own differs.
    """
    classes: dict[str, dict[str, Any]] = {}
    for row in findings.to_dict("records"):
        query, measure = str(row["query"]), str(row["measure"])
        one = classes.setdefault(query, {"name": query, "query": query, "note": ""})
        one["note"] = "; ".join(n for n in (one["note"], str(row["words"])) if n)
        one |= {measure: "low", f"suite_{measure}": round(float(row["value"]), 4)}
    comments = [*comment.splitlines(), *([] if classes else ["Nothing was found."])]
    origin = {"signature": signature} if signature else {}
    with atomic_text(path) as stream:
        stream.write("".join(f"# {line}\n" for line in comments))
        stream.write(write_toml({"format": 1, **origin, "class": list(classes.values())}))
