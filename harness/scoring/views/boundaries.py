"""Boundaries of overlapping mentions: which edges are correct, and which words are lost or added."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....sentences.annotated_texts import get_surface_forms
from ..arrays import Flags
from ..classes import ALL
from ..measures import ratio
from ..pairing.assignment import Positions, find_best_pairing
from ..pairing.candidates import Candidates
from ..scores import Scores
from ..statistics.intervals import wilson_interval
from ..table import add_label_columns, count_frequencies

EDGES = ("left", "right", "either", "both")


def pair_overlapping(scores: Scores, name: str = ALL) -> tuple[Candidates, Positions]:
    """Pair overlapping gold and predicted mentions of a class one-to-one.

    Returns all candidate pairs, and the positions of the chosen pairs among them.
    """
    pairs = scores.candidates
    in_gold, _ = scores.masks(name)
    places = np.flatnonzero(pairs.match_types(pairs.overlap, scores.options.ignore_types))
    value = 1.0 + pairs.jaccard[places]
    chosen = places[find_best_pairing(pairs.gold[places], pairs.predicted[places], value, maximise_size=True)]
    inside = in_gold[pairs.sides[0].frame_positions[pairs.gold[chosen]]]
    return pairs, chosen[inside]


def mark_overlapping(scores: Scores, *, exact: bool = True) -> tuple[Flags, Flags]:
    """Mark the gold mentions that overlap a prediction, and the predictions that overlap a gold mention.

    Pairs with the same span count only if `exact` is True.
    """
    pairs = scores.candidates
    overlapping = pairs.overlap if exact else pairs.overlap & ~pairs.same
    flags = []
    for side, places in zip(pairs.sides, (pairs.gold, pairs.predicted), strict=True):
        flags.append(np.zeros(len(side), dtype=bool))
        flags[-1][side.frame_positions[places[overlapping]]] = True
    return flags[0], flags[1]


def count_right_edges(scores: Scores, name: str = ALL) -> pd.DataFrame:
    """Count the overlapping pairs whose left, right, either or both boundaries are correct.

    Figure 2 of Olsson et al. 2002 shows these numbers. The table has one row per edge, with the columns run,
    class, edge, pairs, right, share, low, high.
    """
    pairs, chosen = pair_overlapping(scores, name)
    left, right = pairs.left[chosen], pairs.right[chosen]
    counts = np.array([left.sum(), right.sum(), (left | right).sum(), (left & right).sum()])
    low, high = wilson_interval(counts, len(chosen), scores.options.confidence)
    return pd.DataFrame(
        {
            "run": scores.run,
            "class": name,
            "edge": EDGES,
            "pairs": len(chosen),
            "right": counts,
            "share": ratio(counts, len(chosen)),
            "low": low,
            "high": high,
        }
    )


def count_edge_words(scores: Scores, name: str = ALL, *, limit: int | None = None) -> pd.DataFrame:
    """Return the words that predicted mentions lose or add at their edges, most frequent first.

    The words are the text between the gold and the predicted boundary, without surrounding white space; case
    is ignored. Columns: run, class, edge, change (lost or added), words, count, share (of all overlapping
    pairs).
    """
    pairs, chosen = pair_overlapping(scores, name)
    gold, predicted = pairs.sides
    g, p = pairs.gold[chosen], pairs.predicted[chosen]
    text_start, text_ids = gold.axes.text_starts[gold.row[g]], gold.axes.text_ids[gold.row[g]]
    rows: list[tuple[str, str, str]] = []
    for edge, inner, outer in (
        ("left", predicted.start[p], gold.start[g]),
        ("right", gold.end[g], predicted.end[p]),
    ):
        for change, wrong in (("lost", inner > outer), ("added", inner < outer)):
            begin, end = np.minimum(inner, outer)[wrong], np.maximum(inner, outer)[wrong]
            shift = text_start[wrong]
            spans = pd.DataFrame({"text_id": text_ids[wrong], "start": begin - shift, "end": end - shift})
            words = get_surface_forms(scores.corpus.texts, spans)
            rows += [(edge, change, text.strip().casefold()) for text in words]
    frame = pd.DataFrame(rows, columns=["edge", "change", "words"], dtype="str")
    counted = count_frequencies(frame, ["edge", "change", "words"], "count", len(chosen))
    counted = add_label_columns(counted, run=scores.run, **{"class": name})
    return counted if limit is None else counted.head(limit)
