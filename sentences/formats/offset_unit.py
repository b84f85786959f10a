"""Offsets of a file as code points of its texts; of several units, in the one that fits the texts best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import Ints, TextColumn, squeezed
from ...catalogues.core.units import Unit


@dataclass(frozen=True)
class Offsets:
    """Places of annotations as a file has them; sequences of one entry an annotation.

    Attributes
    ----------
    rows : sequence of int
        The text that each stands in.
    base : sequence of int
        The offset at which that text begins.
    spans : sequence of list of (start, end)
        Each of its fragments, in the file's unit.
    recorded : sequence of str or None
        Its text as the file gives it.
    """

    rows: Sequence[int]
    base: Sequence[int]
    spans: Sequence[list[tuple[int, int]]]
    recorded: Sequence[str | None]


@dataclass(frozen=True)
class Fit:
    """Offsets read in one unit.

    Attributes
    ----------
    unit : Unit
    owner, start, end : arrays (fragments,)
        The annotation of each fragment, and its span in code points; start is negative outside the text.
    unlike : list of int
        Annotations whose recorded text stands elsewhere, white space apart.
    wrong : int
        Annotations that the unit does not suit: those, and those outside their text.
    outside : (int, (int, int), int) or None
        The first annotation outside its text, its offsets within it, and the text's length.
    """

    unit: Unit
    owner: Ints
    start: Ints
    end: Ints
    unlike: list[int]
    wrong: int
    outside: tuple[int, tuple[int, int], int] | None

    def hulls(self) -> tuple[Ints, Ints]:
        """Start and end of each annotation over all its fragments."""
        if not len(self.owner):
            return self.start, self.end
        first = np.flatnonzero(np.diff(self.owner, prepend=-1))
        return self.start[first], np.maximum.reduceat(self.end, first)

    def fragments(self) -> list[tuple[int, int, int]]:
        """Annotation, start and end of each fragment of those that have several."""
        several = np.bincount(self.owner)[self.owner] > 1
        columns = (self.owner, self.start, self.end)
        return list(zip(*(column[several].tolist() for column in columns), strict=True))


def best_unit(given: Offsets, points: TextColumn, units: Sequence[Unit]) -> Fit:
    """The reading of `given` that suits most annotations; of several, the one whose unit comes first.

    Parameters
    ----------
    given : Offsets
    points : TextColumn
        The texts.
    units : sequence of Unit
    """
    # one entry a fragment: its annotation, its offsets within its text, (fragments, 2), and that text
    owner = np.repeat(np.arange(len(given.spans)), [len(s) for s in given.spans])
    flat = np.array([pair for s in given.spans for pair in s], dtype=np.int64).reshape(-1, 2)
    flat = flat - np.array(given.base, dtype=np.int64)[owner][:, None]
    rows = np.array(given.rows, dtype=np.int64)[owner]
    fits = (_fit(given.recorded, owner, flat, rows, points, unit) for unit in units)
    return min(fits, key=lambda fit: fit.wrong)


def _fit(
    recorded: Sequence[str | None],
    owner: Ints,
    flat: Ints,
    rows: Ints,
    points: TextColumn,
    unit: Unit,
) -> Fit:
    offsets = OffsetMap(points, unit)
    start, end = offsets.from_unit(rows, flat[:, 0]), offsets.from_unit(rows, flat[:, 1])
    good = (start >= 0) & (end > start)
    forms = [""] * len(recorded)
    kept = np.flatnonzero(good)
    pieces = points.slices(rows[kept], start[kept], end[kept])
    for k, form in zip(owner[kept].tolist(), pieces, strict=True):
        forms[k] += form
    pairs = enumerate(zip(recorded, forms, strict=True))
    unlike = [k for k, (text, form) in pairs if text is not None and squeezed(text) != squeezed(form)]
    outside = None
    if not good.all():
        i = int(np.argmin(good))
        outside = int(owner[i]), (int(flat[i, 0]), int(flat[i, 1])), int(offsets.lengths[rows[i]])
    return Fit(unit, owner, start, end, unlike, len({*owner[~good].tolist(), *unlike}), outside)
