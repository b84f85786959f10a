"""The errors of a tagger that answers with strings: what is wrong with each, every error in one kind."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....sentences.corpus import INVENTED_COLUMN
from ..arrays import Ints
from ..classes import ALL
from ..measures import ratio
from ..scores import Scores
from ..table import add_label_columns, count_frequencies
from .boundaries import pair_overlapping

ERROR_KINDS = ("format", "invented", "ambiguous", "boundary", "missed", "spurious")
"""Kinds of errors.

``format``: gold mentions of a text without a readable answer; ``boundary``: other gold mentions that are not
right, where a predicted one overlaps them; ``missed``: where none does. ``invented``: strings that stand
nowhere in their text; ``ambiguous``: other predicted mentions that overlap no gold one, of strings that stand
there more often than they were answered; ``spurious``: the rest of these.
"""


def count_error_kinds(scores: Scores, name: str = ALL, unread_texts: Ints | None = None) -> pd.DataFrame:
    """The errors of a class by kind, under the strict notion or the first that was scored.

    Parameters
    ----------
    scores : Scores
    name : str
        A class of the table.
    unread_texts : array, optional
        Positions of the texts that got no readable answer.

    Returns
    -------
    DataFrame
        A row for each of `KINDS`: `run`, `class`, `error`, `count` and its `share` of all errors.
    """
    tally = scores.get_tally("strict" if "strict" in scores.tallies else next(iter(scores.tallies)))
    of_gold, of_predicted = scores.masks(name)
    pairs, _ = pair_overlapping(scores)
    touched = []
    for side, places in zip(pairs.sides, (pairs.gold, pairs.predicted), strict=True):
        flags = np.zeros(len(side), dtype=bool)
        flags[side.frame_positions[places[pairs.overlap]]] = True
        touched.append(flags)
    wrong_gold = of_gold & (tally.get_verdicts("gold") < 1.0)
    wrong = of_predicted & (tally.get_verdicts("predicted") < 1.0)
    none = np.zeros(len(wrong), dtype=bool)
    nowhere = none if scores.is_unplaced is None else scores.is_unplaced
    status = scores.predicted["status"].astype("str") if "status" in scores.predicted else None
    unsure = none if status is None else np.asarray(status == "ambiguous", dtype=bool)
    unreadable = np.isin(scores.gold_row, [] if unread_texts is None else unread_texts)
    loose = wrong & ~touched[1] & ~nowhere
    counts = {
        "format": wrong_gold & unreadable,
        "invented": wrong & nowhere,
        "ambiguous": loose & unsure,
        "boundary": wrong_gold & ~unreadable & touched[0],
        "missed": wrong_gold & ~unreadable & ~touched[0],
        "spurious": loose & ~unsure,
    }
    numbers = np.array([int(counts[kind].sum()) for kind in ERROR_KINDS])
    frame = pd.DataFrame(
        {"error": ERROR_KINDS, "count": numbers, "share": ratio(numbers, int(numbers.sum()))}
    )
    return add_label_columns(frame, run=scores.run, **{"class": name})


def list_invented(scores: Scores, name: str = ALL) -> pd.DataFrame:
    """The strings of a class that stand nowhere in their texts, most frequent first.

    Columns: `run`, `class`, `data`, `type`, `count`, and the `share` of all of them.
    """
    if scores.is_unplaced is None:
        listed = scores.predicted.iloc[:0]
        listed = listed.assign(data=pd.Series([], dtype="str"))
    else:
        listed = scores.predicted[scores.is_unplaced & scores.masks(name)[1]]
        listed = listed.assign(data=listed[INVENTED_COLUMN].astype("str"))
    frame = pd.DataFrame({"data": listed["data"], "type": listed["type"].astype("str")})
    counted = count_frequencies(frame, ["data", "type"], "count", len(frame))
    return add_label_columns(counted, run=scores.run, **{"class": name})
