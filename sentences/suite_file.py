"""Reader of suite.toml, the description of a suite."""

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
    """Table in suite.toml, in which unknown keys are allowed."""

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
    """Read `suite.toml` and check its format number and the types of its keys.

    Raises
    ------
    InputError
        If the format number or the type of a value is wrong; the message names the file and the key.
    """
    source = Path(folder) / SUITE_FILE
    meta = parse_toml(read_text(source), source)
    if meta.get("format") != FORMAT_NUMBER:
        raise InputError(
            "the suite has a format that this version cannot read",
            file=source,
            found=meta.get("format"),
            allowed=f"format = {FORMAT_NUMBER}",
        )
    validate_settings(meta, _SuiteKeys, source)
    return meta


def read_suite_sources(place: str | PathLike[str]) -> dict[str, list[str]]:
    """Return the names of the corpora from which the contexts and names of a suite were taken.

    The result has the keys of the table `sources` in suite.toml. It is empty if suite.toml is missing or does
    not name a corpus.
    """
    folder = Path(place)
    sources = read_suite_meta(folder).get("sources", {}) if (folder / SUITE_FILE).is_file() else {}
    return {origin: corpora for origin, corpora in sources.items() if corpora}
