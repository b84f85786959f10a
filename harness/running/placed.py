"""Mentions in the texts that were sent, and how each case fared: what parsing a tagger's output gives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .cases import Places

IDENTICAL, WHITESPACE, CANONICAL, ALIGNED = range(4)
WAYS = ("identical", "whitespace", "canonical", "aligned")


@dataclass
class Placed:
    """Mentions in the texts that were sent, and how each case fared.

    Attributes
    ----------
    case : array of int64
        Place of each mention's case in the batch.
    start, end : arrays of int64
        Code points into the case's text.
    type : array of int32
        Place in `types`.
    types : list of str
        The tagger's own types.
    score : array of float64
    way : array of int8
        How each case was placed (a place in `WAYS`); -1 where it was not.
    unplaced : array of int32
        Mentions of each case that have no place.
    fault : dict of int to str
        Cases whose record is there and cannot be used: ``garbage``, ``encoding``, ``duplicate``.
    strays : int
        Records that belong to no case.
    doubtful : int
        Records that may be some unanswered case's, which nothing but their order says.
    """

    case: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    types: list[str]
    score: NDArray[np.float64]
    way: NDArray[np.int8]
    unplaced: NDArray[np.int32]
    fault: dict[int, str] = field(default_factory=dict)
    strays: int = 0
    doubtful: int = 0
