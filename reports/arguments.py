"""What a notebook or script may give a function, and what the harness takes: paths, runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

Place = str | os.PathLike[str]

if TYPE_CHECKING:
    from ..harness.scoring.runs import Finished


def path_of(given: Place | None) -> Path | None:
    """A path, where one is given."""
    return None if given is None else Path(given)


def runs_of(given: Finished | Sequence[Finished]) -> list[Finished]:
    """One run, or several, as a list."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def folder_of(run: Finished) -> Path:
    """The folder of a run."""
    return Path(run) if isinstance(run, (str, os.PathLike)) else run.folder
