"""Scores: the verdicts of a scoring, with their table."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from ...catalogues.core.tables import as_html
from .statistics.table import resampled_table
from .table import printed
from .verdicts import Verdicts


class Scores(Verdicts):
    """What a scoring gives: the verdicts, and their table with the intervals that the options ask for."""

    @cached_property
    def table(self) -> pd.DataFrame:
        """The score table: a row a class and notion, first of all and of each type.

        Its intervals leave out what mentions share (see ``docs/uncertainty.md``), unless the options ask for
        Wilson's.
        """
        return self.counted if self.options.intervals == "wilson" else resampled_table(self)

    def _repr_html_(self) -> str:
        return as_html(printed(self.table))
