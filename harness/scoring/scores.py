"""Scores: verdicts on all mentions, and the score table."""

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
    """Result of scoring one run: the verdicts, and the score table with confidence intervals."""

    @cached_property
    def table(self) -> pd.DataFrame:
        """Score table: one row per notion for all mentions, then for each type, then for each class.

        Intervals come from resampling (see ``docs/background/intervals.md``), or from Wilson's formula with
        the option ``--intervals wilson``.
        """
        table = self.wilson_table if self.options.intervals == "wilson" else add_intervals(self)
        return (
            table
            if self.is_unplaced is None
            else table.assign(invented=self._count_unplaced(self.is_unplaced, table))
        )

    def _count_unplaced(self, unplaced: Flags, table: pd.DataFrame) -> list[int]:
        counts_by_type = np.bincount(self.predicted_type[unplaced], minlength=len(self.types)).tolist()
        # rows for a type have the class "all"
        counts = {(ALL, kind): count for kind, count in zip(self.types, counts_by_type, strict=True)}
        counts |= {(name, "all"): int((unplaced & self.masks(name)[1]).sum()) for name in self.class_names}
        return [counts[row] for row in zip(table["class"], table["type"], strict=True)]

    def __repr__(self) -> str:
        row = self.table.iloc[0]
        shares = ", ".join(
            f"{measure} {row[measure]:.3f} ({row[f'{measure}_low']:.3f}–{row[f'{measure}_high']:.3f})"
            for measure in ("recall", "precision")
        )
        return (
            f"Scores of {self.run} on {self.corpus.name}: {len(self.gold):,} gold mentions, "
            f"{len(self.predicted):,} predicted\n"
            f"{row['notion']}: {shares}\n"
            f"table: {len(self.table)} rows; classes: {', '.join(map(str, self.class_names[:4]))}"
            f"{' …' if len(self.class_names) > 4 else ''}"
        )

    def _repr_html_(self) -> str:
        return frame_to_html(select_printed_columns(self.table))
