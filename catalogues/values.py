"""Values of features as text, as files and tables write them; short codes of records."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from .core.errors import InputError
from .taxonomy import Feature

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

MAX_DIGITS = 9
"""Digits of a whole number that its column surely holds."""
TRUE_WORDS = frozenset(("true", "1", "y", "yes"))
FALSE_WORDS = frozenset(("false", "0", "n", "no", ""))


def normalise_value(
    feature: Feature, text: str, *, file: str | PathLike[str] | None = None, line: int | None = None
) -> str:
    """A value in its long form, however it was written.

    Booleans become ``true`` or ``false``, codes names, sets names in the taxonomy's order joined with ``|``.

    Parameters
    ----------
    text : str
        A long name or code; of a set several, separated by ``|`` or commas; of a boolean ``1``, ``y``,
        ``true`` and so on. Empty is absent (of a boolean, false; of a number of things, 0).

    Raises
    ------
    InputError
        When the taxonomy does not know the value; the error names `file` and `line`.
    """
    if feature.kind == "boolean":
        low = text.strip().lower()
        if low in TRUE_WORDS or low in FALSE_WORDS:
            return "true" if low in TRUE_WORDS else "false"
        raise InputError(
            f"{feature.name}: no such value", file=file, line=line, found=text, allowed="true, false"
        )
    if feature.kind == "integer":
        if not text.strip() and feature.name.startswith("contains_"):
            return "0"
        number = text.strip()
        if number and not (number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS):
            problem = f"{feature.name}: no whole number"
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
    if not feature.values:
        return text
    if text not in feature.codes:
        raise InputError(
            f"{feature.name}: no such value",
            file=file,
            line=line,
            found=text,
            allowed=feature.legal_values_text,
        )
    return feature.codes[text]


def to_short_code(feature: Feature, text: str) -> str:
    """A long value as records write it: codes where there are any, ``y``, nothing for false, 0 and absent."""
    if feature.kind == "boolean":
        return "y" if text == "true" else ""
    if feature.kind == "integer":
        return "" if text == "0" and feature.name.startswith("contains_") else text
    if feature.kind in ("category", "set"):
        codes = {v.name: v.code or v.name for v in feature.values}
        return ",".join(codes.get(part, part) for part in text.split("|"))
    return text


def format_cell_value(value: object) -> str:
    """A value of a table's cell in its long form; missing is empty."""
    if isinstance(value, str):
        return value
    if value is None or str(value) == "<NA>" or value != value:
        return ""
    text = str(value)
    return text.lower() if text in ("True", "False") else text


def column_texts(frame: pd.DataFrame, column: str) -> NDArray[Any]:
    """A column as texts (an array of objects): "" where a value is absent, everywhere where the column is."""
    import numpy as np

    if column not in frame:
        return np.full(len(frame), "", dtype=object)
    values = frame[column]
    return np.asarray(values.astype("str").where(values.notna(), "").to_numpy(), dtype=object)
