"""A suite folder in a notebook: what it holds, as frames."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from ..sentences.corpus import Corpus


@dataclass(frozen=True)
class Suite:
    """A suite folder; it may be given wherever the folder's path may.

    Attributes
    ----------
    folder : Path
    """

    folder: Path

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What suite.toml holds."""
        from ..sentences.suite_file import read_suite_meta

        return read_suite_meta(self.folder)

    @cached_property
    def corpus(self) -> Corpus:
        """The cases as texts, with their gold mentions."""
        from ..sentences.suites import read_suite

        return read_suite(self.folder)

    @property
    def cases(self) -> pd.DataFrame:
        """A row a case."""
        return self.corpus.texts

    @property
    def mentions(self) -> pd.DataFrame:
        """A row a gold mention, with all features."""
        return self.corpus.spread().mentions

    def __len__(self) -> int:
        return int(self.meta["suite"]["cases"])

    def _repr_html_(self) -> str:
        return self.corpus._repr_html_()
