"""What run.toml must hold to be read: the kinds of the keys that this version looks at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from ....catalogues.core.settings import Settings, validate
from ..repeats import MOST_TIMES

Count = Annotated[int, Field(ge=0, lt=2**63)]
Place = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A path, seen from the run folder."""


class _Table(Settings):
    """A table that may have more keys: those of later versions, and those that are not read again."""

    model_config = ConfigDict(extra="allow")


class _RunTable(_Table):
    label: str
    signature: str
    input: Place
    cases: Count
    key: str
    corpus: str = ""
    mentions: Count = 0
    unplaced: Count = 0
    merged: Count = 0
    strays: Count = 0
    silent: bool = False


class _TaggerTable(_Table):
    specification: Place = ""
    place: Place = ""
    digest: str = ""
    trained_on: list[str] = Field(default_factory=list)
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)


class _RepeatsTable(_Table):
    times: Annotated[int, Field(ge=1, le=MOST_TIMES)] = 1


class _FailureTable(_Table):
    outcome: str
    said: str
    count: Count
    cases: list[int | str]
    found: str = ""
    stderr: str


class _RunKeys(_Table):
    run: _RunTable
    tagger: _TaggerTable = _TaggerTable()
    repeats: _RepeatsTable = _RepeatsTable()
    outcomes: dict[str, Count]
    placed: dict[str, Count] = Field(default_factory=dict)
    strings: dict[str, Count] = Field(default_factory=dict)
    sources: dict[str, list[str]] = Field(default_factory=dict)
    unmapped_types: dict[str, Count] = Field(default_factory=dict)
    undeclared_tags: dict[str, Count] = Field(default_factory=dict)
    dropped_types: list[str] = Field(default_factory=list)
    foreign_types: dict[str, Count] = Field(default_factory=dict)
    failure: list[_FailureTable] = Field(default_factory=list)


def check_run_keys(content: dict[str, Any], file: Path) -> None:
    """Refuse the content of a run.toml where a key that is read is missing or of another kind.

    Raises
    ------
    InputError
        With the file and the key's path.
    """
    validate(content, _RunKeys, file)
