"""Matching: from candidates to what each mention counts, under each notion and way of pairing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .candidates import Candidates, Flags, Ints, ranges
from .layout import Side
from .notions import Notion
from .options import Pairing
from .pairing import best_pairing, greedy_pairing

Credit = NDArray[Any]
"""One number a mention, of the narrowest type that holds it: flags, whole numbers of tokens, or shares."""


@dataclass(frozen=True)
class Tally:
    """What each mention counts under one notion: how many units it has, and how many of them are matched.

    Everything else — totals, classes, types, texts, resampling — is a sum over some of these numbers.

    Attributes
    ----------
    notion : Notion
        The notion.
    gold_units, predicted_units : array
        1 for each mention; under pnp the number of tokens that are the mention's.
    gold_matched, predicted_matched : array
        The part of the units that is matched.
    lent_units, lent_matched : array or None
        Units, and matched units, of the *gold's* count that stand at predicted mentions: only where a
        published way of counting puts true positives by the system's form (see `published`).
    gold_verdict, predicted_verdict : array or None
        What the table of verdicts shows for each mention, where it is not the matched part of its units;
        NaN where a mention counts neither as right nor as wrong.
    extra : dict of array
        Further quantities that are summed like the others; names start with ``gold_`` or ``predicted_``.
    details : dict of array
        Whole numbers that are not summed (the partner's position, say), named in the same manner.
    """

    notion: Notion
    gold_units: Credit
    gold_matched: Credit
    predicted_units: Credit
    predicted_matched: Credit
    lent_units: Credit | None = None
    lent_matched: Credit | None = None
    gold_verdict: Credit | None = None
    predicted_verdict: Credit | None = None
    extra: dict[str, Credit] = field(default_factory=dict)
    details: dict[str, Ints] = field(default_factory=dict)


def condition(pairs: Candidates, notion: Notion) -> Flags:
    """Which candidates satisfy a notion, types aside."""
    if notion.condition == "left_or_right":
        return pairs.left | pairs.right
    return np.asarray(getattr(pairs, notion.condition), dtype=bool)


def tally(
    pairs: Candidates, notion: Notion, *, pairing: Pairing = "any", ignore_types: bool = False
) -> Tally:
    """Count under one of the six notions.

    Parameters
    ----------
    pairs : Candidates
        All candidates of the two sides.
    notion : Notion
        One of `notions.NOTIONS`.
    pairing : {"any", "one-to-one", "greedy"}
        ``any``: a mention matches when some mention of the other side satisfies the notion.
        ``one-to-one``: each mention serves once, in the pairing with most pairs, ties broken by total
        Jaccard of code points. ``greedy``: the pair with the highest Jaccard first. Tokens (pnp) are
        one-to-one by nature.
    ignore_types : bool
        Let mentions of different types match.
    """
    gold, predicted = pairs.sides
    if notion.condition == "tokens":
        return tally_tokens(pairs, notion, ignore_types)
    right = condition(pairs, notion)
    if not ignore_types:
        right = right & pairs.same_type
    g, p = pairs.gold[right], pairs.predicted[right]
    if pairing != "any":
        chosen = choose(pairing)(g, p, 1.0 + pairs.jaccard[right])
        g, p = g[chosen], p[chosen]
    return Tally(
        notion,
        gold_units=np.ones(len(gold), dtype=bool),
        gold_matched=_flag(g, len(gold)),
        predicted_units=np.ones(len(predicted), dtype=bool),
        predicted_matched=_flag(p, len(predicted)),
    )


def choose(pairing: Pairing) -> Callable[[Ints, Ints, Credit], NDArray[np.intp]]:
    """The function that chooses among entries (left, right, value) for a way of pairing."""
    if pairing == "greedy":
        return greedy_pairing
    return lambda left, right, value: best_pairing(left, right, value, most=True)


def tally_tokens(pairs: Candidates, notion: Notion, ignore_types: bool) -> Tally:
    """Count tokens, each once per text and type.

    A token that several mentions of one side own is counted at the first of them (in the order of start,
    end, …), so that any division of the mentions into classes divides the tokens too.
    """
    gold, predicted = pairs.sides
    if _apart(gold) and _apart(predicted):
        shared = np.minimum(gold.last[pairs.gold], predicted.last[pairs.predicted])
        shared -= np.maximum(gold.first[pairs.gold], predicted.first[pairs.predicted])
        counts = pairs.overlap if ignore_types else pairs.overlap & pairs.same_type
        shared = np.where(counts, shared, 0)
        return Tally(
            notion,
            gold_units=gold.last - gold.first,
            gold_matched=_sum(pairs.gold, shared, len(gold)),
            predicted_units=predicted.last - predicted.first,
            predicted_matched=_sum(pairs.predicted, shared, len(predicted)),
        )
    kinds = 1 if ignore_types else 1 + int(max(gold.kind.max(initial=0), predicted.kind.max(initial=0)))
    gold_key, gold_owner = _token_keys(gold, kinds, ignore_types)
    predicted_key, predicted_owner = _token_keys(predicted, kinds, ignore_types)
    gold_found = np.isin(gold_key, predicted_key, assume_unique=True)
    predicted_found = np.isin(predicted_key, gold_key, assume_unique=True)
    return Tally(
        notion,
        gold_units=_count(gold_owner, len(gold)),
        gold_matched=_count(gold_owner[gold_found], len(gold)),
        predicted_units=_count(predicted_owner, len(predicted)),
        predicted_matched=_count(predicted_owner[predicted_found], len(predicted)),
    )


def _apart(side: Side) -> bool:
    """Whether no two mentions of a side share a token."""
    return not side.broken and bool((side.first[1:] >= side.last[:-1]).all())


def _token_keys(side: Side, kinds: int, ignore_types: bool) -> tuple[Ints, Ints]:
    """Every token (and type) that a side owns, once, with the first mention that owns it."""
    part, token = ranges(side.first, side.last)
    owner = side.parts.owner[part]
    key = token if ignore_types else token * kinds + side.kind[owner]
    if len(key) > 1 and not bool((key[1:] > key[:-1]).all()):
        order = np.lexsort((owner, key))
        key, owner = key[order], owner[order]
        first = np.concatenate(([True], key[1:] != key[:-1]))
        key, owner = key[first], owner[first]
    return key, owner


def _flag(places: Ints, size: int) -> Credit:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return flags


def _count(places: Ints, size: int) -> Credit:
    return np.bincount(places, minlength=size)


def _sum(places: Ints, amounts: Ints, size: int) -> Credit:
    return np.bincount(places, amounts, minlength=size).astype(np.int64)
