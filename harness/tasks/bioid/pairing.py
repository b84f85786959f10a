"""Which annotation of the run goes with which of the reference, by overlap and label, at best in total."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...scoring.arrays import Flags, Ints
from ...scoring.measures import jaccard
from ...scoring.pairing.assignment import best_pairing
from ..pairs import overlapping


@dataclass(frozen=True, eq=False)
class Pairing:
    """Pairs of rows of the two annotation tables, and what is wrong with each pair.

    Attributes
    ----------
    reference, run : ndarray of int64
        Rows of the pairs, ascending by reference.
    span_clash, label_clash : ndarray of bool
        Spans (labels) differ.
    """

    reference: Ints
    run: Ints
    span_clash: Flags
    label_clash: Flags


def pair(reference: pd.DataFrame, run: pd.DataFrame) -> Pairing:
    """Pair annotations of the same caption so that the sum of similarities is greatest.

    The similarity of two spans is their Jaccard coefficient `o` (intersection over hull): with the same label
    0.1 + 0.9 o, 1 for the same span, with different labels 0.9 o. Spans that do not overlap never pair.

    Parameters
    ----------
    reference, run : DataFrame
        `caption`, `start`, `end`, `label`; the caption's number means the same in both.
    """
    cells = overlapping(reference, run, "caption")
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    # start and end of both sides' spans, [pair, end]
    one = reference[["start", "end"]].to_numpy(np.int64)[left]
    other = run[["start", "end"]].to_numpy(np.int64)[right]
    overlap = jaccard(cells["common"], one[:, 1] - one[:, 0], other[:, 1] - other[:, 0])
    both = pd.concat([reference["label"], run["label"]], ignore_index=True)
    codes, _ = pd.factorize(both)
    same_label = codes[: len(reference)][left] == codes[len(reference) :][right]
    same_span = (one == other).all(axis=1)
    value = 0.9 * overlap + np.where(same_label, 0.1, 0.0)
    chosen = best_pairing(left, right, value)
    chosen = chosen[np.argsort(left[chosen], kind="stable")]
    return Pairing(left[chosen], right[chosen], ~same_span[chosen], ~same_label[chosen])
