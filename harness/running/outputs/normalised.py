"""A shard's mentions: types as the specification maps them, sorted, each there once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..specification import Specification
from .placed import Placed


class Normalised(NamedTuple):
    """A shard's mentions as the run folder has them, and what became of the others.

    Attributes
    ----------
    placed : Placed
        Types as ours, sorted by name; mentions sorted by case, start, end, fragments and type.
    merged : int
        Mentions that were made one with another of the same text, span and type.
    unmapped : dict
        Types that the type map does not know or drops, with their number.
    dropped : list of str
        Those that it drops.
    """

    placed: Placed
    merged: int
    unmapped: dict[str, int]
    dropped: list[str]


def normalise(placed: Placed, spec: Specification) -> Normalised:
    """Map the types of mentions, sort them, and make one of those that repeat each other.

    Parameters
    ----------
    placed : Placed
        The mentions of a shard's answered cases.
    spec : Specification
        Its type map, its default type, and what it wants of duplicates.
    """
    counts = np.bincount(placed.type, minlength=len(placed.types)).tolist()
    mapped = [map_type(name, spec) for name in placed.types]
    types = sorted({ours for ours, _ in mapped if ours})
    rank = {name: i for i, name in enumerate(types)}
    unmapped: Counter[str] = Counter()
    dropped: set[str] = set()
    for name, (ours, known), count in zip(placed.types, mapped, counts, strict=True):
        if count and not known:
            unmapped[name] += count
        if count and not ours:
            dropped.add(name)
    # the place of each of the tagger's types among ours; -1 for a type that is dropped
    codes = np.array([rank.get(ours, -1) for ours, _ in mapped], dtype=np.int32)
    kind = codes[placed.type]
    ours_only = replace(placed, type=kind, types=types).only(kind >= 0)
    once = spec.output.duplicates == "merge"
    ordered, merged = _sorted(ours_only, once=once)
    strings = placed.strings
    if strings is not None:
        mapped_strings = replace(strings, type=codes[strings.type]) if len(strings.case) else strings
        kept = mapped_strings.only(mapped_strings.type >= 0)
        single = kept.once() if once else kept
        merged += len(kept.case) - len(single.case)
        ordered = replace(ordered, strings=single.in_order())
    return Normalised(ordered, merged, dict(sorted(unmapped.items())), sorted(dropped))


def map_type(name: str, spec: Specification) -> tuple[str, bool]:
    """Our type for a tagger's, empty when it is dropped; and whether the map keeps it under a name of ours.

    A mention without a type is of the specification's default type, which is ours already, unless the map
    says another.
    """
    if not name and "" not in spec.types:
        return spec.types.get("*") or spec.output.type, True
    if not spec.types:
        return name, True
    ours = spec.types.get(name, spec.types.get("*"))
    return (name, False) if ours is None else (ours, bool(ours))


def _in_order(placed: Placed) -> bool:
    """Whether mentions are sorted already, as they are where none begins with another."""
    case, start = placed.case, placed.start
    same = case[1:] == case[:-1]
    return bool(((case[1:] > case[:-1]) | (same & (start[1:] > start[:-1]))).all())


def _sorted(placed: Placed, *, once: bool) -> tuple[Placed, int]:
    """Mentions by case, start, end, fragments, type and score; those that agree in all but score made one.

    The highest score is kept. Gives the number that is gone, too.
    """
    if _in_order(placed):
        return placed, 0
    # a number for each mention's set of fragments, the same for the same set
    shape = np.zeros(len(placed.case), dtype=np.int64)
    if len(placed.parts):
        from ....sentences.spans import shapes

        shape = shapes(placed.parts[:, 0], placed.parts[:, 1], placed.parts[:, 2], placed.start)
    order = np.lexsort((placed.score, placed.type, shape, placed.end, placed.start, placed.case))
    placed, shape = placed.take(order), shape[order]
    if not once:
        return placed, 0
    # whether each mention differs from the one before it in anything but its score
    first: NDArray[np.bool_] = np.zeros(len(placed.case), dtype=bool)
    first[:1] = True
    for column in (placed.case, placed.start, placed.end, shape, placed.type):
        first[1:] |= column[1:] != column[:-1]
    # a missing score is below all others
    begins = np.flatnonzero(first)
    score = np.fmax.reduceat(placed.score, begins)
    identifiers = placed.identifiers[begins]
    # few mentions repeat another
    for row in np.flatnonzero(~first).tolist():
        own = int(np.searchsorted(begins, row, side="right")) - 1
        names = [*identifiers[own].split("|"), *placed.identifiers[row].split("|")]
        identifiers[own] = "|".join(filter(None, dict.fromkeys(names)))
    return replace(placed.only(first), score=score, identifiers=identifiers), int((~first).sum())
