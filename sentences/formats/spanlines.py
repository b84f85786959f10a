"""Lines ``ID|first last|text``: the offset files of the BioCreative gene-mention corpora."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import Ints, squeezed
from .textlines import split_lines

_FORM = r"^(?P<id>[^|]+)\|(?P<first>[0-9]{1,9}) (?P<last>[0-9]{1,9})(?P<bar>\|?)(?P<text>.*)$"
ALLOWED = "ID|first last|text, with whole numbers"


@dataclass(frozen=True)
class SpanLines:
    """One such file as columns: `lines` are one-based numbers, `text` is what stands after the second bar."""

    ids: pd.Series
    first: Ints
    last: Ints
    text: pd.Series
    lines: Ints
    notes: tuple[str, ...]

    def take(self, keep: np.ndarray) -> SpanLines:
        """Only the lines marked in `keep`."""
        return SpanLines(
            self.ids[keep].reset_index(drop=True),
            self.first[keep],
            self.last[keep],
            self.text[keep].reset_index(drop=True),
            self.lines[keep],
            self.notes,
        )


def parse_span_lines(text: str, file: str | PathLike[str] | None = None) -> SpanLines:
    """Parse the content of an offset file.

    The published files hold a line whose second bar is missing; such a line is read and noted.

    Raises
    ------
    InputError
        With file and line, for a line of any other form.
    """
    listed = split_lines(text)
    column = pa.array(listed, type=pa.large_string())
    numbers = np.arange(1, len(listed) + 1, dtype=np.int64)
    if "" in listed:
        filled = np.array([line != "" for line in listed], dtype=bool)
        column, numbers = column.filter(pa.array(filled)), numbers[filled]
    found = pc.extract_regex(column, pattern=_FORM)
    bad = pc.is_null(found).to_numpy(zero_copy_only=False)
    if bad.any():
        i = int(np.argmax(bad))
        raise InputError(
            "not an offset line", file=file, line=int(numbers[i]), found=column[i].as_py(), allowed=ALLOWED
        )
    parts = {name: pc.struct_field(found, name) for name in ("id", "first", "last", "bar", "text")}
    notes = []
    bare = pc.and_(pc.equal(parts["bar"], ""), pc.not_equal(parts["text"], "")).to_numpy(zero_copy_only=False)
    if bare.any():
        name = "" if file is None else Path(file).name + " "
        shown = ", ".join(map(str, numbers[bare][:3].tolist()))
        notes.append(f"{name}line {shown}: the bar after the offsets is missing; read as if it were there")
    return SpanLines(
        ids=pd.Series(parts["id"].to_pylist(), dtype="str"),
        first=pc.cast(parts["first"], pa.int64()).to_numpy(),
        last=pc.cast(parts["last"], pa.int64()).to_numpy(),
        text=pd.Series(parts["text"].to_pylist(), dtype="str"),
        lines=numbers,
        notes=tuple(notes),
    )


def refuse_outside(
    bad: np.ndarray, table: SpanLines, counts: Ints, unit: str, file: str | PathLike[str]
) -> None:
    """Refuse the first line whose span is not inside its text."""
    if bad.any():
        i = int(np.argmax(bad))
        raise InputError(
            "an offset outside the text",
            file=file,
            line=int(table.lines[i]),
            found=f"{table.first[i]} {table.last[i]}",
            allowed=f"0 <= first <= last <= {counts[i] - 1} (the text has {counts[i]} {unit})",
        )


def repeated(table: SpanLines, file: str | PathLike[str]) -> list[str]:
    """Say how many lines mark what an earlier line marks; each counts as a mention of its own."""
    again = pd.DataFrame({"id": table.ids, "first": table.first, "last": table.last}).duplicated().to_numpy()
    if not again.any():
        return []
    first = table.lines[int(np.argmax(again))]
    return [
        f"{Path(file).name}: {int(again.sum())} lines repeat the span of an earlier one; first line {first}"
    ]


def differing(table: SpanLines, slices: list[str], file: str | PathLike[str]) -> list[str]:
    """Say how many recorded texts are not what stands at their offsets (case and white space apart).

    The offsets count, as the corpora's own README says: what follows the second bar "will be ignored".
    """
    recorded = table.text.tolist()
    unlike = [
        i
        for i, (a, b) in enumerate(zip(recorded, slices, strict=True))
        if a != b and squeezed(a).casefold() != squeezed(b).casefold()
    ]
    if not unlike:
        return []
    i = unlike[0]
    return [
        f"{Path(file).name}: {len(unlike)} recorded texts are not what stands at their offsets; "
        f"first at line {table.lines[i]}: {recorded[i]!r} for {slices[i]!r}"
    ]


def span_lines(ids: pd.Series, first: Ints, last: Ints, texts: list[str]) -> str:
    """Serialise columns as offset lines."""
    listed = zip(ids.tolist(), first.tolist(), last.tolist(), texts, strict=True)
    return "".join([f"{i}|{a} {b}|{t}\n" for i, a, b, t in listed])
