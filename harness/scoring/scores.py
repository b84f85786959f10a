"""Scores: the verdicts of a scoring, with their table."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd

from ...catalogues.core.tables import frame_to_html
from .arrays import Flags
from .classes import ALL
from .statistics.resampling import add_intervals
from .table import select_printed_columns
from .verdicts import Verdicts


class Scores(Verdicts):
    """What a scoring gives: the verdicts, and their table with the intervals that the options ask for."""

    @cached_property
    def table(self) -> pd.DataFrame:
        """Score table: one row per class and notion, after those of all mentions and of each type.

        Intervals are resampled (see ``docs/background/intervals.md``), or Wilson's if the options say so.
        """
        table = self.wilson_table if self.options.intervals == "wilson" else add_intervals(self)
        return (
            table
            if self.is_unplaced is None
            else table.assign(invented=self._count_unplaced(self.is_unplaced, table))
        )

    def _count_unplaced(self, nowhere: Flags, table: pd.DataFrame) -> list[int]:
        """How many of each row's predicted mentions stand nowhere in their text."""
        of_type = np.bincount(self.predicted_type[nowhere], minlength=len(self.types)).tolist()
        # rows of a type are of all classes together
        counts = {(ALL, kind): count for kind, count in zip(self.types, of_type, strict=True)}
        counts |= {(name, "all"): int((nowhere & self.masks(name)[1]).sum()) for name in self.class_names}
        return [counts[row] for row in zip(table["class"], table["type"], strict=True)]

    def _repr_html_(self) -> str:
        return frame_to_html(select_printed_columns(self.table))
