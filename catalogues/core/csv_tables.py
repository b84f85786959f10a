"""CSV files read as a frame; what is none is refused with what was found and what is wanted."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .files import read_text

if TYPE_CHECKING:
    import pandas as pd


def read_csv_frame(
    path: Path, columns: Sequence[str] = (), allowed: str = "", **options: Any
) -> pd.DataFrame:
    """Read a CSV file with a head line.

    Parameters
    ----------
    path : Path
        The file, UTF-8.
    columns : sequence of str
        Those that it must have.
    allowed : str, optional
        What the file should be, in words; a head line with these columns where nothing is said.
    **options
        Of `pandas.read_csv`.

    Raises
    ------
    InputError
        Empty, no CSV, or without one of the columns.
    """
    import pandas as pd

    wanted = allowed or f"a head line with {', '.join(columns)}" if columns else allowed or "a CSV file"
    text = read_text(path)
    if not text.strip():
        raise InputError("the file is empty", file=path, allowed=wanted)
    try:
        table: pd.DataFrame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, OverflowError) as error:
        # pandas' own errors of parsing are of the first kind
        raise InputError(
            f"not a readable CSV file ({str(error).strip()})", file=path, allowed=wanted
        ) from None
    lacking = [c for c in columns if c not in table]
    if lacking:
        found = ", ".join(map(str, table.columns))
        raise InputError(f"a column is missing, {lacking[0]}", file=path, line=1, found=found, allowed=wanted)
    return table
