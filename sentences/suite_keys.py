"""What suite.toml must hold to be read as a suite: the kinds of the keys that are looked at."""

from __future__ import annotations

from os import PathLike
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from ..catalogues.core.settings import Settings, validate


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


def check_suite_keys(content: dict[str, Any], file: str | PathLike[str]) -> None:
    """Refuse the content of a suite.toml where a key that is read is of another kind.

    Raises
    ------
    InputError
        With the file and the key's path.
    """
    validate(content, _SuiteKeys, file)
