"""suite.toml: the description of a suite. Read without tables, so that a run need not wait for them."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import read_text
from ..catalogues.core.toml import parse_toml

META = "suite.toml"
FORMAT_NUMBER = 1


def read_suite_meta(folder: str | PathLike[str]) -> dict[str, Any]:
    """The content of `suite.toml`, its format number checked and the kinds of the keys that are read.

    Raises
    ------
    InputError
        With the file and the key's path.
    """
    source = Path(folder) / META
    meta = parse_toml(read_text(source), source)
    if meta.get("format") != FORMAT_NUMBER:
        raise InputError(
            "a suite of another format",
            file=source,
            found=meta.get("format"),
            allowed=f"format = {FORMAT_NUMBER}",
        )
    # only now: a run over a corpus need not wait for them
    from .suite_keys import check_suite_keys

    check_suite_keys(meta, source)
    return meta


def suite_sources(place: str | PathLike[str]) -> dict[str, list[str]]:
    """The corpora that a suite's contexts and names come from; none where a place names none."""
    folder = Path(place)
    sources = read_suite_meta(folder).get("sources", {}) if (folder / META).is_file() else {}
    return {what: names for what, names in sources.items() if names}
