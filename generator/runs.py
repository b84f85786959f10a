"""Runs of cases that differ in one form alone, put together by joining.

A product of one-slot sentences is, sentence by sentence, the same forms between the same two pieces of
text: the lines are the forms joined by "what stands after the slot, a line break, what stands before it".
Only a case in which a piece changes (*an* for *a*, a doubled mark left out) is put together by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .material import Material
from .templates import AN, DROP, VARIANTS

Content = bytes | memoryview

KEPT = 64
"""Lists of forms that are held at once; a product has one for each part, or for each 131,072 entities."""


@dataclass(frozen=True)
class Forms:
    """The forms of a run: as text, as they stand in gold.sgml, and how long they are."""

    plain: list[bytes]
    tagged: list[bytes]
    sizes: NDArray[np.int64]
    characters: NDArray[np.int64]
    takes_an: NDArray[np.bool_]
    closing: NDArray[np.uint8]


@dataclass(frozen=True)
class Run:
    """The bytes and spans of all cases of one sentence."""

    raw: bytes
    gold: bytes
    text: bytes
    sizes: NDArray[np.int64]
    start: NDArray[np.int64]


class Runs:
    """Puts runs together.

    Parameters
    ----------
    material : Material
        The catalogues.
    pieces, forms, tagged : list of bytes
        The pieces of templates in all variants, the forms, and the forms as they stand in gold.sgml.
    """

    def __init__(
        self, material: Material, pieces: list[bytes], forms: list[bytes], tagged: list[bytes]
    ) -> None:
        self._material = material
        self._pieces, self._forms, self._tagged = pieces, forms, tagged
        self._sizes = np.fromiter(map(len, forms), dtype=np.int64, count=len(forms))
        self._held: dict[Hashable, Forms] = {}

    def forms(self, key: Hashable, fillers: NDArray[np.int32]) -> Forms:
        """The forms of some fillers, kept under a key."""
        found = self._held.get(key)
        if found is None:
            if len(self._held) >= KEPT:
                self._held.clear()
            rows = fillers.tolist()
            found = self._held[key] = Forms(
                [self._forms[r] for r in rows],
                [self._tagged[r] for r in rows],
                self._sizes[fillers],
                self._material.form_characters[fillers].astype(np.int64),
                self._material.takes_an[fillers],
                self._material.closing[fillers],
            )
        return found

    def may_hold_tag(self, context: int) -> bool:
        """Whether a tag can come about where forms and the pieces of a sentence meet."""
        first = int(self._material.templates.first[context]) * VARIANTS
        return any(b"<" in p or b">" in p for p in self._pieces[first : first + 2 * VARIANTS])

    def run(self, context: int, forms: Forms, *, lines: bool) -> Run:
        """All cases of a one-slot sentence; without `lines` only their text and spans."""
        templates = self._material.templates
        first = int(templates.first[context])
        variant = np.zeros(len(forms.plain), dtype=np.int64)
        if templates.article[first]:
            variant |= AN * forms.takes_an
        if templates.opening[first + 1]:
            variant |= DROP * (forms.closing == templates.opening[first + 1])
        before = [self._pieces[first * VARIANTS + (v & AN)] for v in range(VARIANTS)]
        after = [self._pieces[(first + 1) * VARIANTS + (v & DROP)] for v in range(VARIANTS)]
        around = np.array([len(b) + len(a) for b, a in zip(before, after, strict=True)])
        others = np.flatnonzero(variant)
        joined = _joiner(before, after, others.tolist(), variant[others].tolist())
        starts = templates.characters[first * VARIANTS + (np.arange(VARIANTS) & AN)].astype(np.int64)
        even = not len(others)
        return Run(
            raw=joined(forms.plain, b"\n") if lines else b"",
            gold=joined(forms.tagged, b"\n") if lines else b"",
            text=joined(forms.plain, b""),
            sizes=forms.sizes + (around[0] if even else around[variant]),
            start=np.full(len(variant), starts[0]) if even else starts[variant],
        )


def _joiner(
    before: list[bytes], after: list[bytes], others: list[int], variants: list[int]
) -> Callable[[list[bytes], bytes], bytes]:
    """What puts forms between the two pieces, each case ended by a mark; `others` have their own."""

    def joined(forms: list[bytes], end: bytes) -> bytes:
        between = after[0] + end + before[0]
        out: list[bytes] = []
        low = 0
        for at, variant in zip([*others, len(forms)], [*variants, -1], strict=True):
            if at > low:
                out += (before[0], between.join(forms[low:at]), after[0], end)
            if variant >= 0:
                out += (before[variant], forms[at], after[variant], end)
            low = at + 1
        return b"".join(out)

    return joined
