"""The mentions of a shard from those of its attempts: types as ours, sorted, each there once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cases import Places
from .outcomes import ANSWERED, NAMES
from .placed import Parts, Placed, no_parts, parts_of
from .specification import Specification


class Gathered(NamedTuple):
    """What `Solved` says of mentions."""

    case: Places
    start: Places
    end: Places
    type: NDArray[np.int32]
    types: list[str]
    score: NDArray[np.float64]
    parts: Parts
    merged: int
    unmapped: dict[str, int]
    dropped: list[str]


def gathered(
    attempts: Sequence[tuple[Places, Placed]], outcome: NDArray[np.int8], spec: Specification
) -> Gathered:
    """A shard's mentions.

    Parameters
    ----------
    attempts : sequence of (places, Placed)
        What attempts placed, each with the cases that it had. A case that failed in the end keeps none of the
        mentions of a former attempt.
    outcome : array of int8
        Of each case.
    spec : Specification
        Its type map, its default type, and what it wants of duplicates.
    """
    types: dict[str, int] = {}
    unmapped: dict[str, int] = {}
    dropped: set[str] = set()
    rows: list[tuple[np.ndarray, ...]] = []
    fragments: list[Parts] = []
    answered = np.array([name in ANSWERED for name in NAMES])[outcome]
    before = 0
    for part, placed in attempts:
        if not len(placed.case):
            continue
        case = placed.case if len(part) == len(outcome) else part[placed.case]
        live = answered[case]
        code = np.full(len(placed.types), -1, dtype=np.int64)
        counts = np.bincount(placed.type[live], minlength=len(placed.types)).tolist()
        for i, name in enumerate(placed.types):
            ours, known = map_type(name, spec)
            if not known and counts[i]:
                unmapped[name] = unmapped.get(name, 0) + counts[i]
            if ours:
                code[i] = types.setdefault(ours, len(types))
            elif counts[i]:
                dropped.add(name)
        kind = code[placed.type]
        good = live & (kind >= 0)
        columns = (case, placed.start, placed.end, kind, placed.score)
        rows.append(columns if good.all() else tuple(column[good] for column in columns))
        if len(placed.parts):
            fragments.append(parts_of(placed.parts, good) + np.array([before, 0, 0]))
        before += len(rows[-1][0])
    if not rows:
        nothing = np.zeros(0, np.int64)
        rows = [(nothing, nothing, nothing, nothing, np.zeros(0))]
    case, start, end, kind, score = (
        np.concatenate(column) if len(rows) > 1 else column[0] for column in zip(*rows, strict=True)
    )
    names = sorted(types)
    place = {name: i for i, name in enumerate(names)}
    rank = np.array([place[name] for name in types], dtype=np.int64)[kind] if types else kind
    parts = np.concatenate(fragments) if fragments else no_parts()
    merged = 0
    if not _in_order(case, start):
        case, start, end, rank, score, parts, merged = _sorted(
            case, start, end, rank, score, parts, once=spec.output.duplicates == "merge"
        )
    return Gathered(
        case, start, end, rank.astype(np.int32), names, score, parts, merged,
        dict(sorted(unmapped.items())), sorted(dropped),
    )  # fmt: skip


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


def _in_order(case: Places, start: Places) -> bool:
    """Whether mentions are sorted already, as they are where none begins with another."""
    same = case[1:] == case[:-1]
    return bool(((case[1:] > case[:-1]) | (same & (start[1:] > start[:-1]))).all())


def _sorted(
    case: Places,
    start: Places,
    end: Places,
    rank: Places,
    score: NDArray[np.float64],
    parts: Parts,
    *,
    once: bool,
) -> tuple[Places, Places, Places, Places, NDArray[np.float64], Parts, int]:
    """Mentions by case, start, end, fragments, type and score; those that agree in all but score made one.

    The highest score is kept. Gives the number that is gone, too.
    """
    shape = np.zeros(len(case), dtype=np.int64)
    if len(parts):
        from ...sentences.fragments import shapes

        shape = shapes(parts[:, 0], parts[:, 1], parts[:, 2], start)
    order = np.lexsort((score, rank, shape, end, start, case))
    case, start, end, rank, shape = (c[order] for c in (case, start, end, rank, shape))
    score = score[order]
    if len(parts):
        new = np.empty(len(order), dtype=np.int64)
        new[order] = np.arange(len(order))
        parts = np.column_stack((new[parts[:, 0]], parts[:, 1:]))
        parts = parts[np.lexsort((parts[:, 1], parts[:, 0]))]
    if not once:
        return case, start, end, rank, score, parts, 0
    first = np.zeros(len(case), dtype=bool)
    first[:1] = True
    for column in (case, start, end, shape, rank):
        first[1:] |= column[1:] != column[:-1]
    # a missing score is below all others
    score = np.fmax.reduceat(score, np.flatnonzero(first))
    parts = parts_of(parts, first)
    case, start, end, rank = (c[first] for c in (case, start, end, rank))
    return case, start, end, rank, score, parts, int((~first).sum())
