"""Features that many mentions share, each once: mentions name a row of the table by its key."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.text import Ints


@dataclass(frozen=True)
class FeatureTable:
    """The features of what a suite was made from: its entities, or its slots.

    Attributes
    ----------
    key : str
        The column, here and in mentions, that names the row of a mention.
    frame : DataFrame
        A row a key, ascending; `key` and the features. Texts are categories, so that a mention's value is a
        number however many mentions there are.
    """

    key: str
    frame: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The features."""
        return [str(c) for c in self.frame.columns if c != self.key]

    def rows(self, mentions: pd.DataFrame, file: Path | None = None) -> Ints:
        """The row of each mention, which stands in `file`.

        Raises
        ------
        InputError
            When a mention has a key that the table has not.
        """
        known, asked = self.frame[self.key].to_numpy(), mentions[self.key].to_numpy()
        rows: Ints = np.searchsorted(known, asked)
        found = rows < len(known)
        found[found] = known[rows[found]] == asked[found]
        if not found.all():
            unknown = str(asked[int(np.argmin(found))])
            raise InputError(f"a mention of an unknown {self.key}", file=file, found=unknown)
        return rows


def with_features(
    mentions: pd.DataFrame, tables: Sequence[FeatureTable], wanted: Collection[str] | None = None
) -> pd.DataFrame:
    """Mentions with columns of the tables whose keys they have.

    Parameters
    ----------
    mentions : DataFrame
        Any mentions; those without keys (a tagger's) come back as they are.
    tables : sequence of FeatureTable
        Where features are looked up.
    wanted : collection of str, optional
        The columns to add; all in place of the keys when None.
    """
    for table in tables:
        if table.key not in mentions:
            continue
        names = [c for c in table.columns if c not in mentions.columns and (wanted is None or c in wanted)]
        added: list[pd.DataFrame] = []
        if names:
            taken = table.frame[names].take(table.rows(mentions))
            added.append(taken.set_axis(mentions.index, axis=0))
        if wanted is None:
            columns = list(mentions.columns)
            place = columns.index(table.key)
            parts = [mentions[columns[:place]], *added, mentions[columns[place + 1 :]]]
            mentions = pd.concat(parts, axis=1)
        elif added:
            mentions = pd.concat([mentions, *added], axis=1)
    return mentions
