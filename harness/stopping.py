"""When there are enough repetitions of a run: where mean recall is sure enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..catalogues.core.errors import InputError
from .repeating import units_of
from .running.folder.runs import Run
from .running.repeats import Enough
from .scoring.arrays import Numbers
from .scoring.options import ScoringOptions
from .scoring.runs import Gold, score_run
from .scoring.statistics.repeats import half_width


def looks(times: int) -> list[int]:
    """After how many repetitions it is looked whether they are enough: a schedule that is fixed beforehand.

    Examples
    --------
    >>> looks(10), looks(2)
    ([2, 4, 8], [])
    """
    return [2**k for k in range(1, times.bit_length()) if 2**k < times]


def enough_when(until: float, times: int, source: str, *, confidence: float = 0.95) -> Enough:
    """Whether the interval of mean recall over repetitions is narrow enough, at one of the `looks`.

    Each look has its part of the error (Bonferroni), so that the interval at which it stops holds as promised
    although it was looked at several times. The interval is of these very cases: what repetitions differ by.

    Parameters
    ----------
    until : float
        Half the width of the interval.
    times : int
        Repetitions at most.
    source : str
        What the tagger is run over; it needs gold mentions.
    confidence : float
        Of the interval.

    Raises
    ------
    InputError
        When there is no gold mention.
    """
    gold = Gold.read(source)
    if not len(gold.corpus.mentions):
        raise InputError("--until needs gold mentions: recall is of these", file=source)
    options = ScoringOptions(notions=("strict",))
    planned = looks(times)
    level = 1.0 - (1.0 - confidence) / max(len(planned), 1)
    columns: list[Numbers] = []

    def enough(done: Sequence[Run]) -> str:
        if len(done) not in planned:
            return ""
        for run in done[len(columns) :]:
            units, right = units_of(score_run(run, gold, options), "strict")
            columns.append(right)
        right = np.column_stack(columns)
        half = half_width(right, units, level)
        if half > until:
            return ""
        recall = float(right.sum()) / float(units.sum()) / len(done)
        return (
            f"stopped after {len(done)} of {times} repetitions: mean recall {recall:.4f}, give or take "
            f"{half:.4f} (asked: {until:g}); confidence {confidence:g} over looks after "
            f"{', '.join(map(str, planned))}, {level:.4g} at each"
        )

    return enough
