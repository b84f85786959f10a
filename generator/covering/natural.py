"""Which of cases that cover alike a reader would rather have: new sentences, attested ones, real names."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..attested import invented

NEW_AGAIN, NEVER_LESS = 0.8, 0.5
"""What a sentence is worth each time it comes up again, beside what it covers, and its least worth."""
INVENTED = 0.9
"""What an invented sentence is worth where there are attested ones."""

KNOWN, USUAL, ODD = 1.0, 0.5, 0.0


def naturalness(fillers: pd.DataFrame) -> NDArray[np.float64]:
    """How natural each entity is: known (a corpus has it elsewhere too), usual, odd (made up, no letter)."""
    found = np.full(len(fillers), USUAL)
    if "corpus_frequency" in fillers:
        found[fillers["corpus_frequency"].fillna(0).to_numpy(dtype=float) > 0] = KNOWN
    found[invented(fillers)] = ODD
    letters = fillers["data"].astype("str").str.contains(r"[^\W\d_]", regex=True)
    found[~letters.to_numpy(dtype=bool)] = ODD
    return found


def worth(used: NDArray[np.int64], attested: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What each context is worth, beside what it covers; never more than it was before."""
    again = np.maximum(NEW_AGAIN**used, NEVER_LESS)
    return np.asarray(again * np.where(attested, 1.0, INVENTED) if attested.any() else again)
