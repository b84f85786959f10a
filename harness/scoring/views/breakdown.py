"""Kinds of errors of a tagger that answers with strings; each error belongs to one kind."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....sentences.corpus import INVENTED_COLUMN
from ..arrays import Ints
from ..classes import ALL
from ..measures import ratio
from ..scores import Scores
from ..table import add_label_columns, count_frequencies
from .boundaries import mark_overlapping

ERROR_KINDS = ("format", "invented", "ambiguous", "boundary", "missed", "spurious")
"""Kinds of errors.

A gold mention that was not found is ``format`` if its text has no readable answer, ``boundary`` if it
overlaps a predicted mention, and ``missed`` otherwise. A wrong prediction is ``invented`` if its string does
not occur in the text, ``ambiguous`` if the text contains the string more often than the tagger returned it,
and ``spurious`` otherwise. Wrong predictions that overlap a gold mention are not counted separately.
"""


def count_error_kinds(scores: Scores, name: str = ALL, unread_texts: Ints | None = None) -> pd.DataFrame:
    """Count the errors in a class by kind.

    Errors are counted under the notion ``strict`` or, if it was not scored, under the first scored notion.

    Parameters
    ----------
    scores : Scores
    name : str
        Name of a class in the score table.
    unread_texts : array, optional
        Positions of the texts for which the tagger gave no readable answer.

    Returns
    -------
    DataFrame
        One row per kind in `ERROR_KINDS`: `run`, `class`, `error`, `count`, `share` (of all errors).
    """
    tally = scores.get_tally("strict" if "strict" in scores.tallies else next(iter(scores.tallies)))
    in_gold, in_predicted = scores.masks(name)
    overlapped = mark_overlapping(scores)
    wrong_gold = in_gold & (tally.get_verdicts("gold") < 1.0)
    wrong = in_predicted & (tally.get_verdicts("predicted") < 1.0)
    none = np.zeros(len(wrong), dtype=bool)
    invented = none if scores.is_unplaced is None else scores.is_unplaced
    status = scores.predicted["status"].astype("str") if "status" in scores.predicted else None
    ambiguous = none if status is None else np.asarray(status == "ambiguous", dtype=bool)
    unreadable = np.isin(scores.gold_row, [] if unread_texts is None else unread_texts)
    isolated = wrong & ~overlapped[1] & ~invented
    counts = {
        "format": wrong_gold & unreadable,
        "invented": wrong & invented,
        "ambiguous": isolated & ambiguous,
        "boundary": wrong_gold & ~unreadable & overlapped[0],
        "missed": wrong_gold & ~unreadable & ~overlapped[0],
        "spurious": isolated & ~ambiguous,
    }
    numbers = np.array([int(counts[kind].sum()) for kind in ERROR_KINDS])
    frame = pd.DataFrame(
        {"error": ERROR_KINDS, "count": numbers, "share": ratio(numbers, int(numbers.sum()))}
    )
    return add_label_columns(frame, run=scores.run, **{"class": name})


def list_invented(scores: Scores, name: str = ALL) -> pd.DataFrame:
    """Return the predicted strings in a class that do not occur in their texts, most frequent first.

    Columns: `run`, `class`, `data`, `type`, `count`, `share` (of all such strings).
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
