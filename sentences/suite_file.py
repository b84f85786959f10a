"""suite.toml: the description of a suite, read without its tables."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import read_text
from ..catalogues.core.settings import Settings, validate_settings
from ..catalogues.core.toml import parse_toml

SUITE_FILE = "suite.toml"
FORMAT_NUMBER = 1


class _Table(Settings):
    """A table that may have more keys: how the suite was made, which only making it again asks for."""

    model_config = ConfigDict(extra="allow")


class _SuiteTable(_Table):
    name: str = ""
    signature: str = ""
    cases: Annotated[int, Field(ge=0, lt=2**63)] = 0


class _PartTable(_Table):
    contrast: list[str] = Field(default_factory=list)


class _SuiteKeys(_Table):
    suite: _SuiteTable = _SuiteTable()
    part: list[_PartTable] = Field(default_factory=list)
    sources: dict[str, list[str]] = Field(default_factory=dict)
    digests: dict[str, str] = Field(default_factory=dict)


def read_suite_meta(folder: str | PathLike[str]) -> dict[str, Any]:
    """The content of `suite.toml`, its format number checked and the kinds of the keys that are read.

    Raises
    ------
    InputError
        With the file and the key's path.
    """
    source = Path(folder) / SUITE_FILE
    meta = parse_toml(read_text(source), source)
    if meta.get("format") != FORMAT_NUMBER:
        raise InputError(
            "a suite of another format",
            file=source,
            found=meta.get("format"),
            allowed=f"format = {FORMAT_NUMBER}",
        )
    validate_settings(meta, _SuiteKeys, source)
    return meta


def read_suite_sources(place: str | PathLike[str]) -> dict[str, list[str]]:
    """The corpora that a suite's contexts and names come from; none where a place names none."""
    folder = Path(place)
    sources = read_suite_meta(folder).get("sources", {}) if (folder / SUITE_FILE).is_file() else {}
    return {what: names for what, names in sources.items() if names}
