"""Tables made earlier, read from files: scores and discovered faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import read_text
from ..catalogues.core.tables import original, read_csv_frame
from ..catalogues.core.toml import parse_toml
from ..harness.scoring.comparison.predictions import read_predictions_file
from ..harness.scoring.table import SCORE_COLUMNS

NUMBERS = tuple(c for c in SCORE_COLUMNS[SCORE_COLUMNS.index("gold") :] if c not in ("interval", "signature"))
"""Columns of a score table that hold counts and shares."""


def read_scores(path: Path) -> pd.DataFrame:
    """Read a score table: CSV, or JSON as ``{"scores": [row, …]}``."""
    if path.suffix.lower() == ".json":
        rows = _json(path).get("scores")
        if not isinstance(rows, list):
            raise InputError("no score table", file=path, allowed='{"scores": [row, ...]}')
        table = pd.DataFrame(rows)
    else:
        table = _csv(path, f"a head line with {', '.join(SCORE_COLUMNS[:8])}, ...")
    lacking = [c for c in ("run", "class") if c not in table]
    if lacking:
        raise InputError(
            f"no score table: no column {', '.join(lacking)}",
            file=path,
            found=", ".join(map(str, table.columns[:8])),
            allowed=", ".join(SCORE_COLUMNS[:8]) + ", ...",
        )
    for name in NUMBERS:
        if name in table and not pd.api.types.is_numeric_dtype(table[name]):
            try:
                numbers = pd.to_numeric(table[name], errors="coerce")
            except OverflowError as error:
                raise InputError(f"no number in column {name}: {error}", file=path) from None
            wrong = (table[name].notna() & numbers.isna()).to_numpy()
            if wrong.any():
                row = int(wrong.argmax())
                raise InputError(
                    f"no number in column {name}, row {row + 1}",
                    file=path,
                    found=str(table[name].iloc[row]),
                    allowed="a number, or an empty cell",
                )
            table[name] = numbers  # a column of nothing but null has no type in JSON
    return table


def read_discovered(path: Path) -> pd.DataFrame:
    """Read discovered faults: a table (CSV, JSON), or a predictions file (TOML)."""
    suffix = path.suffix.lower()
    if suffix == ".toml":
        found = [] if _is_empty(path) else read_predictions_file(path)
        rows = [{"query": str(p.query), "words": p.note} for p in found]
        return pd.DataFrame(rows, columns=["query", "words"])
    if suffix == ".json":
        lists = [v for v in _json(path).values() if isinstance(v, list)]
        table = pd.DataFrame(lists[0]) if lists else pd.DataFrame()
    else:
        table = _csv(path, "a head line with query, words, ...")
    if len(table) and "query" not in table:
        raise InputError(
            "no table of discovered faults: the column query is missing",
            file=path,
            found=", ".join(map(str, table.columns[:8])),
            allowed="query, words, ...",
        )
    return table


def _is_empty(path: Path) -> bool:
    """Whether it is the file that `discover` writes when it finds nothing."""
    return parse_toml(read_text(path), path).get("class") == []


def _json(path: Path) -> dict[str, Any]:
    """A JSON document's keys; none where it is no object."""
    import orjson

    try:
        document = orjson.loads(read_text(path))
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error}", file=path) from None
    return document if isinstance(document, dict) else {}


def _csv(path: Path, allowed: str) -> pd.DataFrame:
    table = read_csv_frame(path, allowed=allowed, keep_default_na=False, na_values=[""])
    # CSV made for spreadsheet programs has an apostrophe before what they would compute
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name].dtype):
            table[name] = table[name].map(original, na_action="ignore")
    return table.rename(columns=original)
