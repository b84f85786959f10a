"""Conversion of feature values between long form (full names), short codes (in records) and table cells."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from .core.errors import InputError
from .feature import Feature

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

MAX_DIGITS = 9
"""Maximum number of digits of a whole number; longer numbers would not fit into the column."""
TRUE_WORDS = frozenset(("true", "1", "y", "yes"))
FALSE_WORDS = frozenset(("false", "0", "n", "no", ""))


def normalise_value(
    feature: Feature, text: str, *, file: str | PathLike[str] | None = None, line: int | None = None
) -> str:
    """Convert a feature value to its long form.

    Booleans become ``true`` or ``false``, codes become names, and sets become names joined with ``|``, in the
    order of the taxonomy.

    Parameters
    ----------
    feature : Feature
        Feature to which the value belongs.
    text : str
        Long name or code; for a set, several names or codes separated by ``|`` or commas; for a Boolean,
        ``1``, ``y``, ``true`` etc. An empty text means false for a Boolean, 0 for a feature ``contains_…``,
        and an absent value for others.
    file, line : optional
        Location of the value, shown in error messages.

    Raises
    ------
    InputError
        If the value is not legal.
    """
    if feature.kind == "boolean":
        low = text.strip().lower()
        if low in TRUE_WORDS or low in FALSE_WORDS:
            return "true" if low in TRUE_WORDS else "false"
        raise InputError(
            f"{feature.name}: unknown value", file=file, line=line, found=text, allowed="true, false"
        )
    if feature.kind == "integer":
        if not text.strip() and feature.name.startswith("contains_"):
            return "0"
        number = text.strip()
        if number and not (number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS):
            problem = f"{feature.name}: not a whole number"
            raise InputError(problem, file=file, line=line, found=text, allowed="0, 1, 2, …")
        return number
    if feature.kind == "set":
        separator = "|" if "|" in text else ","
        parts = [part.strip() for part in text.split(separator)]
        return feature.join_values(_find_known_value(feature, part, file, line) for part in parts if part)
    if feature.kind == "category":
        return _find_known_value(feature, text.strip(), file, line) if text.strip() else ""
    return text


def _find_known_value(feature: Feature, text: str, file: str | PathLike[str] | None, line: int | None) -> str:
    if not feature.values or (feature.is_open and text not in feature.codes):
        return text
    if text not in feature.codes:
        raise InputError(
            f"{feature.name}: unknown value",
            file=file,
            line=line,
            found=text,
            allowed=feature.legal_values_text,
        )
    return feature.codes[text]


def to_short_code(feature: Feature, text: str) -> str:
    """Convert a feature value from its long form to the short form of records.

    Names become codes, and ``true`` becomes ``y``. The values ``false`` and 0 (for a feature ``contains_…``)
    and absent values become "".
    """
    if feature.kind == "boolean":
        return "y" if text == "true" else ""
    if feature.kind == "integer":
        return "" if text == "0" and feature.name.startswith("contains_") else text
    if feature.kind in ("category", "set"):
        codes = {v.name: v.code or v.name for v in feature.values}
        return ",".join(codes.get(part, part) for part in text.split("|"))
    return text


def format_cell_value(value: object) -> str:
    """Convert the value of a table cell to its long form; a missing value becomes ""."""
    if isinstance(value, str):
        return value
    if value is None or str(value) == "<NA>" or value != value:
        return ""
    text = str(value)
    return text.lower() if text in ("True", "False") else text


def column_texts(frame: pd.DataFrame, column: str) -> NDArray[Any]:
    """Return a column as an array of texts; absent values become "".

    If the column is missing, all values are "".
    """
    import numpy as np

    if column not in frame:
        return np.full(len(frame), "", dtype=object)
    values = frame[column]
    return np.asarray(values.astype("str").where(values.notna(), "").to_numpy(), dtype=object)
