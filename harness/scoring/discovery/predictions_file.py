"""What was discovered, as a predictions file ready for `tagsuite compare`."""

from __future__ import annotations

from os import PathLike
from typing import Any

import pandas as pd

from ....catalogues.core.files import atomic_text
from ....catalogues.core.toml import write_toml


def predictions_toml(found: pd.DataFrame, *, about: str = "", signature: str = "") -> str:
    """Findings as a predictions file: each a class that is low, with its figure and its words.

    Parameters
    ----------
    found : DataFrame
        What `discover` gives.
    about : str
        A comment at the head: which run, which options.
    signature : str
        Of the scoring that was searched: `compare` says in what its own differs.
    """
    classes: dict[str, dict[str, Any]] = {}
    for row in found.to_dict("records"):
        query, measure = str(row["query"]), str(row["measure"])
        one = classes.setdefault(query, {"name": query, "query": query, "note": ""})
        one["note"] = "; ".join(n for n in (one["note"], str(row["words"])) if n)
        one[measure] = "low"
        one[f"suite_{measure}"] = round(float(row["value"]), 4)
    head = "".join(f"# {line}\n" for line in about.splitlines())
    if not classes:
        head += "# Nothing was found.\n"
    said = {"signature": signature} if signature else {}
    return head + write_toml({"format": 1, **said, "class": list(classes.values())})


def write_predictions(
    path: str | PathLike[str], found: pd.DataFrame, *, about: str = "", signature: str = ""
) -> None:
    """Write the predictions file."""
    with atomic_text(path) as stream:
        stream.write(predictions_toml(found, about=about, signature=signature))
