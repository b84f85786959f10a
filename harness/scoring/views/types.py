"""Gold mentions that a tagger found with the right span but another type or identifier."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import Ints
from ..classes import ALL
from ..measures import ratio
from ..scores import Scores
from ..table import add_label_columns, count_frequencies
from .boundaries import mark_overlapping

WRONG_TYPE, WRONG_BOUNDARY, WRONG_IDENTIFIER = "wrong type", "wrong boundary", "wrong identifier"


def find_mismatches(scores: Scores, notion: str = "") -> pd.DataFrame:
    """Pair the gold and predicted mentions that have the same span but another type or identifier.

    Parameters
    ----------
    scores : Scores
    notion : str
        Only pairs in which both mentions are wrong under this notion are returned; by default, the first
        scored notion.

    Returns
    -------
    DataFrame
        One row per pair: `gold` and `predicted` (positions in `scores.gold` and `scores.predicted`), and
        `error` (``wrong type`` or, if identifiers are compared, ``wrong identifier``). Each mention is in at
        most one pair.
    """
    pairs = scores.candidates
    places = np.flatnonzero(pairs.same & ~pairs.same_type)
    gold, predicted = (
        side.frame_positions[positions[places]]
        for side, positions in zip(pairs.sides, (pairs.gold, pairs.predicted), strict=True)
    )
    tally = scores.get_tally(notion or next(iter(scores.tallies)))
    wrong = (tally.get_verdicts("gold")[gold] < 1.0) & (tally.get_verdicts("predicted")[predicted] < 1.0)
    found = pd.DataFrame({"gold": gold[wrong], "predicted": predicted[wrong]})
    other_type = scores.gold_type[found["gold"]] != scores.predicted_type[found["predicted"]]
    other_type &= not scores.options.ignore_types
    found["error"] = np.where(other_type, WRONG_TYPE, WRONG_IDENTIFIER)
    found = found[other_type | scores.options.identifiers]
    found = found.drop_duplicates("gold").drop_duplicates("predicted")
    return pd.DataFrame(found.reset_index(drop=True))


def find_wrong_types(scores: Scores) -> tuple[Ints, Ints]:
    """Return the positions of the gold and predicted mentions that differ only in their types."""
    found = find_mismatches(scores)
    found = found[found["error"] == WRONG_TYPE]
    return found["gold"].to_numpy(np.int64), found["predicted"].to_numpy(np.int64)


def find_error_kinds(scores: Scores) -> dict[str, NDArray[np.str_]]:
    """Return the kind of error of each gold mention (``recall``) and each prediction (``precision``).

    The kind is `WRONG_TYPE`, `WRONG_BOUNDARY` or "". It is only meaningful for mentions that are wrong.
    """
    kinds = {}
    sides = mark_overlapping(scores, exact=False), find_wrong_types(scores)
    for measure, overlapping, mistyped in zip(("recall", "precision"), *sides, strict=True):
        kinds[measure] = np.where(overlapping, WRONG_BOUNDARY, "")
        kinds[measure][mistyped] = WRONG_TYPE
    return kinds


def share_wrong_types(scores: Scores) -> float:
    """Return the share of gold mentions that were found with the wrong type, or 0 without gold mentions."""
    return len(find_wrong_types(scores)[0]) / max(len(scores.gold), 1)


def count_confusions(scores: Scores, name: str = ALL) -> pd.DataFrame:
    """Count the mentions in a class that a tagger found with the wrong type, most frequent first.

    Returns
    -------
    DataFrame
        One row per pair of types: `run`, `class`, `gold_type`, `predicted_type`, `count`, `share` (of the
        gold mentions of this type in the class).
    """
    gold, predicted = find_wrong_types(scores)
    in_class, _ = scores.masks(name)
    chosen = in_class[gold]
    types = np.array(scores.types, dtype=object)
    frame = pd.DataFrame(
        {
            "gold_type": types[scores.gold_type[gold[chosen]]],
            "predicted_type": types[scores.predicted_type[predicted[chosen]]],
        },
        dtype="str",
    )
    counted = count_frequencies(frame, ["gold_type", "predicted_type"], "count", len(frame))
    sizes = pd.Series(types[scores.gold_type[in_class]], dtype="str").value_counts()
    of_type = counted["gold_type"].map(sizes).to_numpy(dtype=np.int64)
    counted["share"] = ratio(counted["count"].to_numpy(dtype=np.int64), of_type)
    return add_label_columns(counted, run=scores.run, **{"class": name})
