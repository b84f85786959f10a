"""Cases put together as bytes: raw text, gold text and spans of a whole block at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...catalogues.core.arrays import bounds
from ...catalogues.core.errors import InputError
from ..cases import Cases
from ..material import Material
from .templates import AN, DROP, VARIANTS

_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class CaseTexts:
    """A block as text.

    Attributes
    ----------
    raw, gold : memoryview
        The lines of raw.txt and gold.sgml, end to end.
    text : pyarrow.LargeStringArray
        The cases without line breaks.
    slots : array of int32
        How many slots each case has.
    slot_row : array of int64
        For each filled slot its row in the slots table.
    start, end : array of int64
        For each filled slot its span in code points.
    variant : array of uint8
        For each filled slot what its form changed around it: `AN` before it, `DROP` after it.
    """

    raw: memoryview
    gold: memoryview
    text: pa.LargeStringArray
    slots: NDArray[np.int32]
    slot_row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    variant: NDArray[np.uint8]


class CaseTextWriter:
    """Puts blocks of cases together from the pieces of templates and forms."""

    def __init__(self, material: Material) -> None:
        # on Linux the C library keeps memory of arrays up to the size of the largest that was freed so far;
        # to take it from the system again for each block can take longer than to write the block
        np.empty(16 << 20, dtype=np.uint8)
        self.material = material
        tag = material.tag.encode()
        self._tags = (b"<" + tag + b">", b"</" + tag + b">")
        pieces, forms = material.templates.pieces, material.form_bytes
        last = np.zeros(len(pieces), dtype=bool)
        last[(material.templates.last[:, None] * VARIANTS + np.arange(VARIANTS)).ravel()] = True
        lines = _where(last, _joined(pieces, b"\n"), pieces)
        tagged = _where(material.gold, _joined(self._tags[0], forms, self._tags[1]), forms)
        self._text, self._raw, self._gold = (
            pa.concat_arrays([literals.cast(pa.large_binary()), between.cast(pa.large_binary())])
            for literals, between in ((pieces, forms), (lines, forms), (lines, tagged))
        )
        self._forms_from = len(pieces)
        self._characters = np.concatenate((material.templates.characters, material.form_characters)).astype(
            np.int64
        )

    def __call__(self, cases: Cases, *, lines: bool = True) -> CaseTexts:
        """Put a block together; without `lines` only its texts and spans, not the two files' lines.

        Raises
        ------
        InputError
            When a case holds the tag, which gold.sgml could not tell from a mention's.
        """
        slots = self.material.templates.slots[cases.context]
        if int(slots.sum()) != len(cases.fillers):
            raise ValueError("the fillers of a block do not fit its slots")
        counts = np.flatnonzero(np.bincount(slots))
        if len(counts) == 1:
            whole = self._rectangle(cases.context, cases.fillers.reshape(len(slots), int(counts[0])))
            begins = np.arange(len(slots) + 1) * whole.pieces.shape[1]
        else:
            whole, begins = self._ragged(cases, slots, counts)
        taken = pa.array(whole.pieces.ravel())
        nothing = memoryview(b"")
        text = _texts(self._text.take(taken), begins)
        if lines:
            self._refuse_tags(whole.pieces.ravel(), begins, text)
        return CaseTexts(
            raw=_content(self._raw.take(taken)) if lines else nothing,
            gold=_content(self._gold.take(taken)) if lines else nothing,
            text=text,
            slots=slots,
            slot_row=whole.slot_row.ravel(),
            start=whole.start.ravel(),
            end=whole.end.ravel(),
            variant=whole.variant.ravel(),
        )

    def _refuse_tags(
        self, pieces: NDArray[np.int32], begins: NDArray[np.int64], text: pa.LargeStringArray
    ) -> None:
        """Refuse a tag in a case; one that comes about where pieces meet begins at the end of a piece."""
        suspect = np.flatnonzero(self._suspect[pieces]) if self._suspect.any() else _NONE
        cases = text.take(pa.array(np.unique(np.searchsorted(begins, suspect, side="right") - 1)))
        for tag in self._tags:
            if pc.any(pc.match_substring(cases, tag.decode())).as_py():
                raise InputError(f"a case holds the tag {self._tags[0].decode()}", allowed="another --tag")

    @cached_property
    def _suspect(self) -> NDArray[np.bool_]:
        """Which pieces and forms hold a tag or end with the beginning of one."""
        cut = tuple(tag[:size] for tag in self._tags for size in range(1, len(tag)))
        # hardly any has what every tag begins with
        found = pc.match_substring(self._text, "<").to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(found)
        texts = self._text.take(pa.array(rows)).to_pylist()
        found[rows] = [t.endswith(cut) or any(g in t for g in self._tags) for t in texts]
        return np.asarray(found, dtype=bool)

    def _rectangle(self, context: NDArray[np.int32], fillers: NDArray[np.int32]) -> _Laid:
        """Cases that have equally many slots; `fillers` is cases × slots."""
        templates, material = self.material.templates, self.material
        n, slots = fillers.shape
        context, first = context.astype(np.int64), templates.first[context]
        # cases × pieces: by turns a literal and a form
        pieces = np.empty((n, 2 * slots + 1), dtype=np.int32)
        slot_row, start, end = (np.empty((n, slots), dtype=np.int64) for _ in range(3))
        variant = np.zeros((n, slots), dtype=np.uint8)
        reached: NDArray[np.int64] = np.zeros(n, dtype=np.int64)
        form = _NONE
        for place in range(slots + 1):
            literal = first + place
            piece = literal * VARIANTS
            if place and (opening := templates.opening[literal]).any():
                dropped = (opening > 0) & (material.closing[form] == opening)
                piece += DROP * dropped
                variant[dropped, place - 1] += DROP
            if place < slots:
                form = fillers[:, place].astype(np.int64)
                if (an := templates.article[literal]).any():
                    an &= material.takes_an[form]
                    piece += AN * an
                    variant[an, place] += AN
            pieces[:, 2 * place] = piece
            reached = reached + self._characters[piece]
            if place < slots:
                pieces[:, 2 * place + 1] = form + self._forms_from
                start[:, place] = reached
                reached = reached + self._characters[form + self._forms_from]
                end[:, place] = reached
                slot_row[:, place] = material.first_slot[context] + place
        return _Laid(pieces, slot_row, start, end, variant)

    def _ragged(
        self, cases: Cases, slots: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> tuple[_Laid, NDArray[np.int64]]:
        """Any cases: those of equally many slots are laid out together and put where they belong.

        The second value says where each case's pieces begin, and where the last one's end.
        """
        before = bounds(slots)
        begins = 2 * before + np.arange(len(slots) + 1)
        pieces = np.empty(begins[-1], dtype=np.int32)
        slot_row, start, end = (np.empty(before[-1], dtype=np.int64) for _ in range(3))
        variant = np.empty(before[-1], dtype=np.uint8)
        for count in counts.tolist():
            rows = np.flatnonzero(slots == count)
            # cases × slots: where each filled slot stands among all of the block
            at = before[rows][:, None] + np.arange(count)
            laid = self._rectangle(cases.context[rows], cases.fillers[at])
            pieces[begins[rows][:, None] + np.arange(2 * count + 1)] = laid.pieces
            slot_row[at], start[at], end[at], variant[at] = laid.slot_row, laid.start, laid.end, laid.variant
        return _Laid(pieces, slot_row, start, end, variant), begins


@dataclass(frozen=True)
class _Laid:
    """Cases as numbers: rectangles (cases × pieces, cases × slots), or the same end to end.

    Attributes
    ----------
    pieces : array of int32
        What each case is put together from: rows of the assembler's table of pieces and forms.
    slot_row, start, end : array of int64
        For each filled slot its row in the slots table and its span.
    variant : array of uint8
        For each filled slot what its form changed around it.
    """

    pieces: NDArray[np.int32]
    slot_row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    variant: NDArray[np.uint8]


def _joined(*parts: pa.BinaryArray | bytes) -> pa.BinaryArray:
    """The parts of each value, end to end."""
    return pc.binary_join_element_wise(*parts, b"")


def _where(flags: NDArray[np.bool_], values: pa.BinaryArray, others: pa.BinaryArray) -> pa.BinaryArray:
    return pc.if_else(pa.array(flags), values, others)


def _content(taken: Any) -> memoryview:
    """The bytes of all values of a binary array, end to end."""
    offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)
    begin, end = int(offsets[taken.offset]), int(offsets[taken.offset + len(taken)])
    return memoryview(taken.buffers()[2])[begin:end]


def _texts(taken: Any, begins: NDArray[np.int64]) -> pa.LargeStringArray:
    """The values of a binary array as texts: text i is values begins[i] to begins[i + 1]."""
    offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)[begins + taken.offset]
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), taken.buffers()[2])
