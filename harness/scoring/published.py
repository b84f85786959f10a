"""The counting of Olsson et al.'s own figures, which their table 1 shows to differ from their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .notions import Notion, Tally


def as_published(found: Tally, count: Callable[[Notion], Tally]) -> Tally:
    """Recount one notion as table 1 of Olsson et al. 2002 was counted.

    LEFT OR RIGHT is the number of correct boundaries over twice the number of mentions, that is the mean of
    LEFT and RIGHT (Yapex: recall 71.7 and 76.3 give 74.0), and the ratio of recall to precision is the same
    under all notions that count mentions, so one numerator, the matched predictions, served both. Tokens
    (pnp) are counted as ever.

    Parameters
    ----------
    found : Tally
        The counting by the text's definitions.
    count : callable
        Counts another notion by the text's definitions.
    """
    if found.notion.unit == "token":
        return found
    matched, gold_verdict = found.predicted_matched, found.gold_matched
    if found.notion.mean_of:
        parts = [count(notion) for notion in found.notion.mean_of]
        matched = np.mean([part.predicted_matched for part in parts], axis=0)
        gold_verdict = np.mean([part.gold_matched for part in parts], axis=0)
    return replace(
        found,
        gold_matched=np.zeros(len(found.gold_units)),
        predicted_matched=matched,
        lent_units=np.zeros(len(matched)),
        lent_matched=matched,
        gold_verdict=gold_verdict,
    )
