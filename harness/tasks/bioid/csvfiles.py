"""CSV as the released program writes it: shortest exact floats, quotes only where needed; and fast.

A score file has few distinct values, so each column is written out once per distinct value and laid out by
number: several times faster than `DataFrame.to_csv`, and the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def write_csv(frame: pd.DataFrame, path: Path, newline: str) -> None:
    """Write a frame with a header line; a missing value is an empty cell."""
    columns = [_cells(frame[name]) for name in frame.columns]
    lines = [",".join(map(_quoted, frame.columns)), *map(",".join, zip(*columns, strict=True))]
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(newline.join([*lines, ""]))


def _cells(column: pd.Series) -> list[str]:
    codes, distinct = pd.factorize(column)
    # the last one is for missing values, whose code is -1
    texts = [*(_quoted(value if isinstance(value, str) else repr(value)) for value in distinct.tolist()), ""]
    return np.array(texts, dtype=object)[codes].tolist()  # type: ignore[no-any-return]


def _quoted(text: str) -> str:
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
