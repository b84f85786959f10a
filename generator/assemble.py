"""Cases put together as bytes: raw text, gold text and spans of a whole block at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from .material import Material
from .runs import Content, Runs
from .templates import AN, DROP, VARIANTS


@dataclass(frozen=True)
class Cases:
    """A block of cases before it is text.

    Attributes
    ----------
    context : array of int32
        The context of each case.
    fillers : array of int32
        The filler of every slot, case after case.
    part : int
        The part of the suite.
    pair : array of int64, optional
        The pair each case belongs to, -1 where to none.
    repeated : tuple, optional
        Set when the block is a run of one-slot contexts, each with the same fillers: (slot rows,
        fillers, a number that tells pieces of the same part apart).
    contrast : array of int32, optional
        For each filled slot which of the material's contrasts it is the place of, -1 for none.
    """

    context: NDArray[np.int32]
    fillers: NDArray[np.int32]
    part: int = 0
    pair: NDArray[np.int64] | None = None
    repeated: tuple[NDArray[np.int32], NDArray[np.int32], int] | None = None
    contrast: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.context)


@dataclass(frozen=True)
class Assembled:
    """A block as text.

    Attributes
    ----------
    raw, gold : tuple of buffers
        The lines of raw.txt and gold.sgml, end to end.
    texts : tuple of (buffer, array of int64)
        The cases without line breaks: UTF-8 end to end, and the size of each in bytes.
    slots : array of int32
        How many slots each case has.
    slot_row : array of int32
        For each filled slot its row in the slots table.
    start, end : array of int64
        For each filled slot its span in code points.
    """

    raw: tuple[Content, ...]
    gold: tuple[Content, ...]
    texts: tuple[tuple[Content, NDArray[np.int64]], ...]
    slots: NDArray[np.int32]
    slot_row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @cached_property
    def text(self) -> Any:
        """The texts as one column."""
        offsets = np.zeros(sum(len(sizes) for _, sizes in self.texts) + 1, dtype=np.int64)
        np.cumsum(np.concatenate([sizes for _, sizes in self.texts]), out=offsets[1:])
        content = self.texts[0][0] if len(self.texts) == 1 else b"".join(c for c, _ in self.texts)
        return pa.LargeStringArray.from_buffers(
            len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(content)
        )


class Assembler:
    """Puts blocks of cases together from the pieces of templates and forms."""

    def __init__(self, material: Material) -> None:
        self.material = material
        tag = material.tag.encode()
        self._open, self._close = b"<" + tag + b">", b"</" + tag + b">"
        pieces = material.templates.pieces.to_pylist()
        last = np.zeros(len(pieces), dtype=bool)
        last[(material.templates.last[:, None] * VARIANTS + np.arange(VARIANTS)).ravel()] = True
        lines = [p + b"\n" if ends else p for p, ends in zip(pieces, last.tolist(), strict=True)]
        forms = material.form_bytes.to_pylist()
        tagged = [
            self._open + f + self._close if g else f
            for f, g in zip(forms, material.gold.tolist(), strict=True)
        ]
        self._text = pa.array(pieces + forms, type=pa.large_binary())
        self._raw = pa.array(lines + forms, type=pa.large_binary())
        self._gold = pa.array(lines + tagged, type=pa.large_binary())
        self._forms_from = len(pieces)
        # forms and templates are free of tags; one can still come about where they meet
        self._may_hold_tag = any(b"<" in p or b">" in p for p in (*pieces, *forms))
        self._runs = Runs(material, pieces, forms, tagged)
        self._characters = np.concatenate((material.templates.characters, material.form_characters)).astype(
            np.int64
        )

    @cached_property
    def _articles(self) -> bool:
        return bool(self.material.templates.article.any())

    @cached_property
    def _doubles(self) -> bool:
        return bool(self.material.closing.any())

    def __call__(self, cases: Cases, *, lines: bool = True) -> Assembled:
        """Put a block together; without `lines` only its texts and spans, not the two files' lines.

        Raises
        ------
        InputError
            When a case holds the tag, which gold.sgml could not tell from a mention's.
        """
        if cases.repeated is not None:
            return self._repeated(cases, *cases.repeated, lines=lines)
        slots = self.material.templates.slots[cases.context]
        if int(slots.sum()) != len(cases.fillers):
            raise ValueError("the fillers of a block do not fit its slots")
        even = len(slots) > 0 and bool((slots == slots[0]).all())
        ids, bounds, form_at = self._even(cases, int(slots[0])) if even else self._uneven(cases, slots)
        lengths = self._characters[ids]
        if even:
            lengths = lengths.reshape(len(slots), -1)
            begins = np.cumsum(lengths, axis=1)
            start, end = begins[:, :-1:2].ravel(), begins[:, 1::2].ravel()
        else:
            stops = np.cumsum(lengths)
            zero = np.repeat((stops - lengths)[bounds[:-1]], slots)
            start, end = (stops - lengths)[form_at] - zero, stops[form_at] - zero
        taken = pa.array(ids)
        raw = _content(self._raw.take(taken)) if lines else b""
        self._refuse_tags(raw)
        context = cases.context if even and slots[0] == 1 else np.repeat(cases.context, slots)
        place = _places(slots)
        return Assembled(
            raw=(raw,),
            gold=(_content(self._gold.take(taken)) if lines else b"",),
            texts=(_texts(self._text.take(taken), bounds),),
            slots=slots,
            slot_row=self.material.first_slot[context] + place,
            start=start,
            end=end,
        )

    def _repeated(
        self,
        cases: Cases,
        slot_rows: NDArray[np.int32],
        fillers: NDArray[np.int32],
        piece: int,
        *,
        lines: bool,
    ) -> Assembled:
        """Sentences of one slot, each with the same forms."""
        forms = self._runs.forms((cases.part, piece, len(fillers)), fillers)
        contexts = self.material.slot_context[slot_rows].tolist()
        runs = [self._runs.run(c, forms, lines=lines) for c in contexts]
        for context, run in zip(contexts, runs, strict=True):
            if lines and self._runs.may_hold_tag(context):
                self._refuse_tags(run.raw)
        start = np.concatenate([r.start for r in runs])
        return Assembled(
            raw=tuple(r.raw for r in runs),
            gold=tuple(r.gold for r in runs),
            texts=tuple((r.text, r.sizes) for r in runs),
            slots=np.ones(len(cases), dtype=np.int32),
            slot_row=np.repeat(slot_rows.astype(np.int64), len(fillers)),
            start=start,
            end=start + np.tile(forms.characters, len(runs)),
        )

    def _refuse_tags(self, raw: bytes | memoryview) -> None:
        if not self._may_hold_tag:
            return
        content = bytes(raw)
        if self._open in content or self._close in content:
            raise InputError(f"a case holds the tag {self._open.decode()}", allowed="another --tag")

    def _even(
        self, cases: Cases, slots: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Pieces of cases that have equally many slots: a rectangle of literals and forms by turns."""
        n, wide = len(cases), 2 * slots + 1
        literal = (self.material.templates.first[cases.context][:, None] + np.arange(slots + 1)).ravel()
        following = np.arange(n * (slots + 1)).reshape(n, slots + 1)[:, 1:].ravel()
        variant = self._variants(literal, following, cases.fillers)
        ids = np.empty((n, wide), dtype=np.int64)
        ids[:, ::2] = (literal * VARIANTS + variant).reshape(n, slots + 1)
        ids[:, 1::2] = cases.fillers.reshape(n, slots)
        ids[:, 1::2] += self._forms_from
        return ids.ravel(), np.arange(0, (n + 1) * wide, wide), np.empty(0, dtype=np.int64)

    def _uneven(
        self, cases: Cases, slots: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Pieces of any cases: case i begins at piece 2 * m + i when m slots stand before it."""
        first_piece = self.material.templates.first[cases.context]
        n, m = len(cases), len(cases.fillers)
        before = np.concatenate(([0], np.cumsum(slots, dtype=np.int64)))
        number = np.arange(n)
        place = _places(slots)
        bounds = 2 * before + np.arange(n + 1)
        form_at = np.repeat(bounds[:-1], slots) + 2 * place + 1
        opening = before[:-1] + number
        following = np.repeat(opening, slots) + place + 1
        literal = np.empty(n + m, dtype=np.int64)
        literal[opening] = first_piece
        literal[following] = np.repeat(first_piece, slots) + place + 1
        variant = self._variants(literal, following, cases.fillers)
        ids = np.empty(n + 2 * m, dtype=np.int64)
        is_literal = np.ones(n + 2 * m, dtype=bool)
        is_literal[form_at] = False
        ids[is_literal] = literal * VARIANTS + variant
        ids[form_at] = self._forms_from + cases.fillers.astype(np.int64)
        return ids, bounds, form_at

    def _variants(
        self, literal: NDArray[np.int64], following: NDArray[np.int64], fillers: NDArray[np.int32]
    ) -> NDArray[np.int64] | int:
        """The variant of each literal: by the form after it (an) and the one before it (a doubled mark)."""
        if not (self._articles or self._doubles):
            return 0
        templates, material = self.material.templates, self.material
        variant = np.zeros(len(literal), dtype=np.int64)
        if self._articles:
            variant[following - 1] |= AN * (
                templates.article[literal[following - 1]] & material.takes_an[fillers]
            )
        if self._doubles:
            closing = material.closing[fillers]
            variant[following] |= DROP * ((closing > 0) & (closing == templates.opening[literal[following]]))
        return variant


def _content(taken: Any) -> memoryview:
    """The bytes of all values of a binary array, end to end."""
    offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)
    begin, end = int(offsets[taken.offset]), int(offsets[taken.offset + len(taken)])
    return memoryview(taken.buffers()[2])[begin:end]


def _texts(taken: Any, bounds: NDArray[np.int64]) -> tuple[memoryview, NDArray[np.int64]]:
    """The values of a binary array as texts: text i is values bounds[i] to bounds[i + 1]."""
    offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)[bounds + taken.offset]
    return _content(taken), np.diff(offsets)


def _places(slots: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each slot of each case its place in the case."""
    before = np.cumsum(slots, dtype=np.int64) - slots
    return np.arange(int(slots.sum()), dtype=np.int64) - np.repeat(before, slots)
