"""The digest of what a suite's tables hold, whatever their files look like."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.files import digest_bytes


class ContentDigest:
    """Columns taken in block by block; where blocks begin and end does not count.

    A file's bytes follow from the library that wrote it, its version and its compression. A suite's signature
    is to follow from the suite, so it is made from this.
    """

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}

    def add(self, name: str, values: NDArray[np.integer[Any]]) -> None:
        """Take in more whole numbers of a column."""
        whole = np.ascontiguousarray(values, dtype="<i8")
        self._columns.setdefault(name, hashlib.sha256()).update(whole.data)

    def add_frame(self, name: str, frame: pd.DataFrame) -> None:
        """Take in a whole frame: each column as its distinct values and which row has which."""
        for column in frame.columns:
            codes, distinct = pd.factorize(frame[column].array, use_na_sentinel=True)
            words = "\0".join(map(str, distinct.tolist()))
            self.add(f"{name}.{column}", codes)
            self._columns[f"{name}.{column}"].update(words.encode())

    def digest(self) -> str:
        """SHA-256 of all columns under their names."""
        return digest_bytes(
            *(f"{name} {self._columns[name].hexdigest()}".encode() for name in sorted(self._columns))
        )
