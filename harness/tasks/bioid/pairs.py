"""Pairing of annotations in a run with annotations in the reference, and lists of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...scoring.arrays import Flags, Ints
from ...scoring.measures import jaccard
from ...scoring.pairing.assignment import find_best_pairing
from ..pairs import NO_PARTNER, add_unpaired, find_overlaps, take_side


@dataclass(frozen=True, eq=False)
class Pairing:
    """Pairs of annotations, and whether their spans and labels differ.

    Attributes
    ----------
    reference, run : ndarray of int64
        Row numbers of the paired annotations, sorted by the row in the reference.
    span_clash, label_clash : ndarray of bool
        Whether the spans differ, and whether the labels differ.
    """

    reference: Ints
    run: Ints
    span_clash: Flags
    label_clash: Flags


def pair_annotations(reference: pd.DataFrame, run: pd.DataFrame) -> Pairing:
    """Pair annotations in the same caption so that the sum of similarities is maximal.

    The similarity is 0.1 + 0.9 o if the labels are equal, and 0.9 o otherwise, where o is the Jaccard
    coefficient of the two spans. Spans that do not overlap are not paired.

    Parameters
    ----------
    reference, run : DataFrame
        Annotations: `caption`, `start`, `end`, `label`; both tables use the same caption numbers.
    """
    cells = find_overlaps(reference, run, "caption")
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    # start and end of the spans: [pair, 2]
    reference_span = reference[["start", "end"]].to_numpy(np.int64)[left]
    run_span = run[["start", "end"]].to_numpy(np.int64)[right]
    lengths = (span[:, 1] - span[:, 0] for span in (reference_span, run_span))
    overlap = jaccard(cells["common"], *lengths)
    codes, _ = pd.factorize(pd.concat([reference["label"], run["label"]], ignore_index=True))
    same_label = codes[: len(reference)][left] == codes[len(reference) :][right]
    same_span = (reference_span == run_span).all(axis=1)
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
"""Names of the columns that follow the run name in the files of pairs, as defined in the BioID README."""


def list_pair_details(
    captions: pd.DataFrame,
    reference: pd.DataFrame,
    run: pd.DataFrame,
    pairing: Pairing,
    equivalence: Mapping[str, str],
    *,
    as_published: bool,
) -> pd.DataFrame:
    """Return one row per pair, missing annotation and spurious annotation, sorted by caption.

    In each caption, the annotations in the reference come first, then the spurious annotations; both are
    sorted by start. The released program does not define the order of spurious annotations.
    """
    pairs = pd.DataFrame({"reference": pairing.reference, "predicted": pairing.run})
    all_pairs = add_unpaired(pairs, np.arange(len(reference)), np.arange(len(run)))
    reference_row, run_row = all_pairs["reference"].to_numpy(), all_pairs["predicted"].to_numpy()
    has_reference = reference_row != NO_PARTNER
    status = np.where(has_reference, "missing", "spurious").astype(object)
    status[: len(pairs)] = _status(pairing)
    caption, first = (
        np.where(
            has_reference, _take_values(reference, name, reference_row), _take_values(run, name, run_row)
        )
        for name in ("caption", "first")
    )
    order = np.lexsort((run_row, reference_row, first, ~has_reference, caption))
    parts = {
        "document": captions["document"].to_numpy()[caption[order]],
        "figure": captions["figure"].to_numpy()[caption[order]],
        "status": status[order],
    }
    frame = pd.DataFrame(parts, dtype="str")
    for side, table, place in (("ref", reference, reference_row), ("hyp", run, run_row)):
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
    table: pd.DataFrame, equivalence: Mapping[str, str], as_published: bool, *, alternatives: bool
) -> pd.DataFrame:
    """Return the columns that describe the annotations of one side (reference or run) in a file of pairs.

    If `alternatives` is false (for a run), a string with ``|`` counts as one identifier, as in
    `count_identifiers`.
    """
    shown = table[["label", "start", "end", "text"]].astype({"start": "Int64", "end": "Int64"})
    # the README requires the value of the infon; the released program omits it if it is not an identifier
    shown["type"] = table["grounded"] if as_published else table["type"]
    codes, distinct = pd.factorize(table["grounded"])
    separator = "|" if as_published else " ; "
    texts = [str(text).split("|") if alternatives else [str(text)] for text in distinct]
    classes = [separator.join(sorted({equivalence.get(part, part) for part in parts})) for parts in texts]
    # code -1, an annotation without identifier, has no class
    shown["type_eqclass"] = pd.Series(classes, dtype="str").reindex(codes).array
    return shown.reset_index(drop=True)
