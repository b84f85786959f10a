"""The errors of a tagger that answers with strings: what is wrong with each, every error in one kind."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....sentences.corpus import INVENTED
from ..arrays import Ints
from ..classes import ALL
from ..measures import ratio
from ..scores import Scores
from ..table import frequencies, labelled
from .boundaries import sloppy_pairs

KINDS = ("format", "invented", "ambiguous", "boundary", "missed", "spurious")
"""Kinds of errors.

``format``: gold mentions of a text without a readable answer; ``boundary``: other gold mentions that are not
right, where a predicted one overlaps them; ``missed``: where none does. ``invented``: strings that stand
nowhere in their text; ``ambiguous``: other predicted mentions that overlap no gold one, of strings that stand
there more often than they were answered; ``spurious``: the rest of these.
"""


def breakdown(scores: Scores, name: str = ALL, unread: Ints | None = None) -> pd.DataFrame:
    """The errors of a class by kind, under the strict notion or the first that was scored.

    Parameters
    ----------
    scores : Scores
    name : str
        A class of the table.
    unread : array, optional
        Positions of the texts that got no readable answer.

    Returns
    -------
    DataFrame
        A row for each of `KINDS`: `run`, `class`, `error`, `count` and its `share` of all errors.
    """
    tally = scores.tally("strict" if "strict" in scores.tallies else next(iter(scores.tallies)))
    of_gold, of_predicted = scores.masks(name)
    pairs, _ = sloppy_pairs(scores)
    touched = []
    for side, places in zip(pairs.sides, (pairs.gold, pairs.predicted), strict=True):
        flags = np.zeros(len(side), dtype=bool)
        flags[side.places[places[pairs.overlap]]] = True
        touched.append(flags)
    wrong_gold = of_gold & (tally.verdict("gold") < 1.0)
    wrong = of_predicted & (tally.verdict("predicted") < 1.0)
    none = np.zeros(len(wrong), dtype=bool)
    nowhere = none if scores.nowhere is None else scores.nowhere
    status = scores.predicted["status"].astype("str") if "status" in scores.predicted else None
    unsure = none if status is None else np.asarray(status == "ambiguous", dtype=bool)
    unreadable = np.isin(scores.gold_row, [] if unread is None else unread)
    loose = wrong & ~touched[1] & ~nowhere
    counts = {
        "format": wrong_gold & unreadable,
        "invented": wrong & nowhere,
        "ambiguous": loose & unsure,
        "boundary": wrong_gold & ~unreadable & touched[0],
        "missed": wrong_gold & ~unreadable & ~touched[0],
        "spurious": loose & ~unsure,
    }
    numbers = np.array([int(counts[kind].sum()) for kind in KINDS])
    frame = pd.DataFrame({"error": KINDS, "count": numbers, "share": ratio(numbers, int(numbers.sum()))})
    return labelled(frame, run=scores.run, **{"class": name})


def invented(scores: Scores, name: str = ALL) -> pd.DataFrame:
    """The strings of a class that stand nowhere in their texts, most frequent first.

    Columns: `run`, `class`, `data`, `type`, `count`, and the `share` of all of them.
    """
    if scores.nowhere is None:
        listed = scores.predicted.iloc[:0]
        listed = listed.assign(data=pd.Series([], dtype="str"))
    else:
        listed = scores.predicted[scores.nowhere & scores.masks(name)[1]]
        listed = listed.assign(data=listed[INVENTED].astype("str"))
    frame = pd.DataFrame({"data": listed["data"], "type": listed["type"].astype("str")})
    counted = frequencies(frame, ["data", "type"], "count", len(frame))
    return labelled(counted, run=scores.run, **{"class": name})
