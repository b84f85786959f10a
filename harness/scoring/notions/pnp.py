"""Notion pnp (protein name parts): tokens are counted instead of mentions."""

from __future__ import annotations

import numpy as np

from ....catalogues.core.arrays import mark_run_starts
from ..arrays import Ints
from ..options import Pairing
from ..pairing.axes import Side
from ..pairing.candidates import Candidates, expand_ranges
from .notion import Credit, Notion, Tally
from .olsson import OLSSON


class ProteinNameParts(Notion):
    """Notion that counts tokens instead of mentions; each token counts once per type.

    A token in several gold mentions, or in several predicted mentions, is counted for the first of them.
    Thus, the tokens of disjoint classes of mentions add up to the total.
    """

    def count(self, pairs: Candidates, pairing: Pairing, ignore_types: bool) -> Tally:  # noqa: ARG002
        """Return the tally of tokens; `pairing` is not used, since a token matches only itself."""
        gold, predicted = pairs.sides
        kinds = 1 + int(max(gold.type_code.max(initial=0), predicted.type_code.max(initial=0)))
        gold_key, gold_owner = _token_keys(gold, kinds, ignore_types)
        predicted_key, predicted_owner = _token_keys(predicted, kinds, ignore_types)
        gold_found = np.isin(gold_key, predicted_key, assume_unique=True)
        predicted_found = np.isin(predicted_key, gold_key, assume_unique=True)
        return Tally(
            self,
            gold_units=np.bincount(gold_owner, minlength=len(gold)),
            gold_matched=np.bincount(gold_owner[gold_found], minlength=len(gold)),
            predicted_units=np.bincount(predicted_owner, minlength=len(predicted)),
            predicted_matched=np.bincount(predicted_owner[predicted_found], minlength=len(predicted)),
        ).map_arrays(_narrow_type, _narrow_type)


PNP = ProteinNameParts(
    name="pnp",
    unit="token",
    definition=(
        "protein name parts: tokens (each counted once per text) that belong to mentions on both sides"
    ),
    source=OLSSON,
    phrase="counted by tokens",
    disagreement="definitions of a token differ; here: a run of letters and digits, or any other character",
    no_alternatives_reason="the number of gold tokens would depend on which alternative is chosen",
)


def _token_keys(side: Side, kinds: int, ignore_types: bool) -> tuple[Ints, Ints]:
    """Return the distinct (token, type) pairs of a `Side`, and the first mention that contains each pair."""
    part, token = expand_ranges(side.first_token, side.last_token)
    owner = side.parts.owner[part]
    key = token if ignore_types else token * kinds + side.type_code[owner]
    if len(key) > 1 and not bool((key[1:] > key[:-1]).all()):
        order = np.lexsort((owner, key))
        key, owner = key[order], owner[order]
        first = mark_run_starts(key)
        key, owner = key[first], owner[first]
    return key, owner


def _narrow_type(tokens: Credit) -> Credit:
    """Convert numbers of tokens to a smaller integer type, to save memory."""
    return tokens.astype(np.int32)
