"""Pair the annotations of a run with those of the reference, and list what became of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...scoring.arrays import Flags, Ints
from ...scoring.measures import jaccard
from ...scoring.pairing.assignment import find_best_pairing
from ..pairs import NO_PARTNER, add_unpaired, find_overlaps, take_side
from .identifiers import EquivalenceClasses


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


def pair_annotations(reference: pd.DataFrame, run: pd.DataFrame) -> Pairing:
    """Pair annotations of the same caption so that the sum of similarities is greatest.

    The similarity of two spans is their Jaccard coefficient `o` (intersection over hull): with the same label
    0.1 + 0.9 o, 1 for the same span, with different labels 0.9 o. Spans that do not overlap never pair.

    Parameters
    ----------
    reference, run : DataFrame
        `caption`, `start`, `end`, `label`; the caption's number means the same in both.
    """
    cells = find_overlaps(reference, run, "caption")
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
    chosen = find_best_pairing(left, right, value)
    chosen = chosen[np.argsort(left[chosen], kind="stable")]
    return Pairing(left[chosen], right[chosen], ~same_span[chosen], ~same_label[chosen])


SIDE_COLUMNS = ("label", "start", "end", "text", "type", "type_eqclass")
DETAIL_COLUMNS = (
    "document",
    "figure",
    "status",
    *(f"ref{n}" for n in SIDE_COLUMNS),
    *(f"hyp{n}" for n in SIDE_COLUMNS),
)
"""Columns of both files, after the run; the README's words and order."""


def list_pair_details(
    captions: pd.DataFrame,
    reference: pd.DataFrame,
    run: pd.DataFrame,
    pairing: Pairing,
    equivalence: EquivalenceClasses,
    *,
    as_published: bool,
) -> pd.DataFrame:
    """List pairs, what is missing and what is spurious, caption by caption.

    In each caption the reference's annotations come first, by where they start, then what is spurious, by
    where it starts (in the released program those are in no defined order).
    """
    pairs = pd.DataFrame({"reference": pairing.reference, "predicted": pairing.run})
    whole = add_unpaired(pairs, np.arange(len(reference)), np.arange(len(run)))
    of_reference, of_run = whole["reference"].to_numpy(), whole["predicted"].to_numpy()
    has_reference = of_reference != NO_PARTNER
    status = np.where(has_reference, "missing", "spurious").astype(object)
    status[: len(pairs)] = _status(pairing)
    caption, first = (
        np.where(has_reference, _take_values(reference, name, of_reference), _take_values(run, name, of_run))
        for name in ("caption", "first")
    )
    order = np.lexsort((of_run, of_reference, first, ~has_reference, caption))
    parts = {
        "document": captions["document"].to_numpy()[caption[order]],
        "figure": captions["figure"].to_numpy()[caption[order]],
        "status": status[order],
    }
    frame = pd.DataFrame(parts, dtype="str")
    for side, table, place in (("ref", reference, of_reference), ("hyp", run, of_run)):
        shown = _format_side(table, equivalence, as_published, alternatives=side == "ref")
        frame = frame.join(take_side(shown, place[order], side))
    return frame[list(DETAIL_COLUMNS)]


def _status(pairing: Pairing) -> NDArray[np.object_]:
    words = np.array(["match", "spanclash", "labelclash", "spanclash,labelclash"], dtype=object)
    return np.asarray(words[pairing.span_clash + 2 * pairing.label_clash.astype(np.int64)])


def _take_values(table: pd.DataFrame, name: str, place: Ints) -> Ints:
    values = table[name].to_numpy(np.int64)
    return values[place] if len(values) else np.zeros(len(place), np.int64)


def _format_side(
    table: pd.DataFrame, equivalence: EquivalenceClasses, as_published: bool, *, alternatives: bool
) -> pd.DataFrame:
    """What is printed of one side's annotations.

    A run may not give alternatives: what looks like some is one text, as it is when identifiers are scored.
    """
    shown = table[["label", "start", "end", "text"]].astype({"start": "Int64", "end": "Int64"})
    # the README: the value of the type infon; the program leaves it out where it is no identifier
    shown["type"] = table["grounded"] if as_published else table["type"]
    codes, distinct = pd.factorize(table["grounded"])
    joined = "|" if as_published else " ; "
    texts = [str(text).split("|") if alternatives else [str(text)] for text in distinct]
    classes = [joined.join(sorted({equivalence.class_of(part) for part in parts})) for parts in texts]
    # what has no identifier, code -1, has no class
    shown["type_eqclass"] = pd.Series(classes, dtype="str").reindex(codes).array
    return shown.reset_index(drop=True)
