"""Notion iob2_strict: mentions are compared as sequences of IOB2 labels."""

from __future__ import annotations

import numpy as np

from ....catalogues.core.arrays import mark_run_starts
from ..arrays import Codes, Numbers
from ..options import Pairing
from ..pairing.axes import Side
from ..pairing.candidates import Candidates
from .notion import Notion, Tally


class Iob2Strict(Notion):
    """Notion that compares labelled token sequences; repeated sequences of the same type count once."""

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:  # noqa: ARG002
        """Return the tally of token sequences; `pairing` is not used, since equal sequences always match."""
        gold, predicted = pairs.sides
        gold_run, predicted_run = _token_runs(gold), _token_runs(predicted)
        right = pairs.match_types(pairs.overlap, ignore_types)
        for gold_end, predicted_end in zip(gold_run, predicted_run, strict=True):
            right = right & (gold_end[pairs.gold] == predicted_end[pairs.predicted])
        gold_units, predicted_units = (
            _mark_first_of_run(gold_run, gold),
            _mark_first_of_run(predicted_run, predicted),
        )
        gold_matched, predicted_matched = np.zeros(len(gold)), np.zeros(len(predicted))
        gold_matched[pairs.gold[right]] = 1.0
        predicted_matched[pairs.predicted[right]] = 1.0
        return Tally(
            self, gold_units, gold_matched * gold_units, predicted_units, predicted_matched * predicted_units
        )


IOB2_STRICT = Iob2Strict(
    name="iob2_strict",
    definition="same tokens and same type, as if both sides were written as IOB2 labels",
    source="Nakayama 2018 (seqeval, mode strict, scheme IOB2)",
    disagreement="in seqeval's default mode, an I label without a preceding B label also begins a mention",
    pairing="labels",
    no_alternatives_reason="a sequence of labels cannot represent two alternative spans of one mention",
)


def _token_runs(side: Side) -> tuple[Codes, Codes]:
    """Return, for each mention, its first token and the token after its last token."""
    if not side.has_discontinuous:
        return side.first_token, side.last_token
    first = np.full(len(side), np.iinfo(np.int64).max)
    last = np.zeros(len(side), dtype=np.int64)
    np.minimum.at(first, side.parts.owner, side.first_token)
    np.maximum.at(last, side.parts.owner, side.last_token)
    return first, last


def _mark_first_of_run(run: tuple[Codes, Codes], side: Side) -> Numbers:
    """Return 1 for the first mention of each combination of tokens and type, and 0 for repetitions."""
    first, last = run
    order = np.lexsort((side.type_code, last, first))
    units = np.zeros(len(side))
    units[order] = mark_run_starts(first[order], last[order], side.type_code[order])
    units[first == last] = 0.0
    return units
