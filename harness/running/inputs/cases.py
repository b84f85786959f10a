"""What a tagger is sent: the texts of a suite or corpus, whole and in batches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Batch:
    """Some cases, as they are sent.

    Attributes
    ----------
    texts : list of str
    names : list of str
        Identifier of each case, where one is sent.
    """

    texts: list[str]
    names: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, places: Iterable[int]) -> Batch:
        """Return the cases at some places, in that order."""
        places = list(places)
        return Batch([self.texts[i] for i in places], [self.names[i] for i in places])


@dataclass(frozen=True)
class Cases:
    """The whole input of a run.

    Attributes
    ----------
    spec : str
        What was named on the command line: ``FORMAT:PATH`` or a suite folder.
    name : str
        The corpus's name in score tables.
    signature : str
        ``suite:…`` or ``corpus:…`` with the first digits of the digest.
    ids : Arrow array
        `text_id` of each case, int64 or string.
    texts : Arrow array of str
    digest : str
        BLAKE2b over identifiers and texts.
    gold_types : frozenset of str
        The types of the gold mentions; empty when there are none.
    """

    spec: str
    name: str
    signature: str
    ids: pa.Array
    texts: pa.Array
    digest: str
    gold_types: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.ids)

    def batch(self, low: int, high: int, identifier: str = "number") -> Batch:
        """Return the cases from `low` up to `high`."""
        own = self.ids[low:high].to_pylist() if identifier == "text_id" else range(low + 1, high + 1)
        return Batch(self.texts[low:high].to_pylist(), [str(i) for i in own])
