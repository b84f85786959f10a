"""Predictions files (TOML): the expected recall or precision of classes on a corpus."""

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
    """Lower and upper bound of a measure; one of them may be None."""

    min: float | None = Field(default=None, ge=0, le=1)
    max: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _check_bounds(self) -> Bounds:
        if self.min is None and self.max is None:
            raise ValueError("bounds require min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min must not be larger than max")
        return self

    @property
    def lower(self) -> float:
        """Lower bound; 0 if `min` is None."""
        return 0.0 if self.min is None else self.min

    @property
    def upper(self) -> float:
        """Upper bound; 1 if `max` is None."""
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
    """Class of mentions with an expected recall or precision.

    Attributes
    ----------
    recall, precision : "low", "high", Bounds or None
        ``low`` predicts a lower value than in the rest of the corpus, ``high`` a higher value; None if no
        prediction is made.
    suite_recall, suite_precision : float or None
        Values on the suite from which the prediction comes, if known.
    """

    recall: Expectation | None = None
    precision: Expectation | None = None
    suite_recall: float | None = None
    suite_precision: float | None = None

    @property
    def expectations(self) -> list[tuple[Measure, Expectation]]:
        """Pairs of a measure and the prediction for it ("low", "high" or bounds)."""
        measures: tuple[tuple[Measure, Expectation | None], ...]
        measures = (("recall", self.recall), ("precision", self.precision))
        return [(measure, expected) for measure, expected in measures if expected is not None]

    def get_suite_value(self, measure: Measure) -> float | None:
        """Return the value of a measure on the suite from which the prediction comes; None if unknown."""
        return self.suite_recall if measure == "recall" else self.suite_precision


class _Entry(ClassEntry):
    recall: Expectation | None = None
    precision: Expectation | None = None
    suite_recall: float | None = Field(default=None, ge=0, le=1)
    suite_precision: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _require_expectation(self) -> _Entry:
        if self.recall is None and self.precision is None:
            raise ValueError(
                'a prediction needs recall or precision: "low", "high" or {min = 0.5, max = 0.9}'
            )
        return self


class _File(Settings):
    format: Literal[1]
    signature: str = ""
    class_: list[_Entry] = Field(alias="class")


def read_predictions_file(path: str | PathLike[str]) -> list[Prediction]:
    """Read a predictions file: a classes file whose classes have `recall` or `precision`.

    A file with ``class = []`` has no predictions; `discover` writes such a file if it finds no fault.

    Raises
    ------
    InputError
        If the file is not a classes file, a query has an error, a name occurs twice, or a class has no
        prediction.
    """
    entries = load_settings(path, _File).class_
    predictions = []
    for i, e in enumerate(entries, start=1):
        query = e.parse_query(path, i)
        predictions.append(
            Prediction(e.name, query, e.note, e.recall, e.precision, e.suite_recall, e.suite_precision)
        )
    check_class_names(predictions, path)
    return predictions


def read_signature(path: str | PathLike[str]) -> str:
    """Return the signature of the scores from which a predictions file was made, or "" if it is unknown."""
    return load_settings(path, _File).signature


def write_predictions(
    path: str | PathLike[str], findings: pd.DataFrame, *, comment: str = "", signature: str = ""
) -> None:
    """Write findings to a predictions file.

    The prediction for each class is ``low``, and its note describes the finding.

    Parameters
    ----------
    path : path
    findings : DataFrame
        Findings of `discover`.
    comment : str
        Comment at the top of the file, such as the name of the run and the options.
    signature : str
        Signature of the scores that were searched; `compare` warns if the compared runs were scored
        differently.
    """
    classes: dict[str, dict[str, Any]] = {}
    for row in findings.to_dict("records"):
        query, measure = str(row["query"]), str(row["measure"])
        entry = classes.setdefault(query, {"name": query, "query": query, "note": ""})
        entry["note"] = "; ".join(n for n in (entry["note"], str(row["words"])) if n)
        entry |= {measure: "low", f"suite_{measure}": round(float(row["value"]), 4)}
    comments = [*comment.splitlines(), *([] if classes else ["This file has no classes."])]
    origin = {"signature": signature} if signature else {}
    with atomic_text(path) as stream:
        stream.write("".join(f"# {line}\n" for line in comments))
        stream.write(write_toml({"format": 1, **origin, "class": list(classes.values())}))
