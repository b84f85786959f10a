"""Assembly of the raw text, the gold text and the spans of a block of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...catalogues.core.arrays import bounds_from_lengths, concatenate_ranges
from ...catalogues.core.errors import InputError
from ..cases import Cases
from ..material import Material
from .templates import AN, DOUBLE_MARKS, DROP, VARIANT_COUNT


@dataclass(frozen=True)
class CaseTexts:
    """Texts of a block of cases.

    Attributes
    ----------
    raw, gold : memoryview
        Concatenated lines for raw.txt and gold.sgml.
    text : pyarrow.LargeStringArray
        Texts of the cases without line breaks.
    slots : array of int32
        Number of slots of each case.
    slot_row : array of int64
        For each filled slot, its row in the slots table.
    start, end : array of int64
        Half-open span of each filled slot, in code points.
    variant : array of uint8
        Changes of the text next to each filled slot, as a sum of the flags `AN` and `DROP`.
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
    """Writer that assembles the texts of cases from pieces of templates and forms of fillers."""

    def __init__(self, material: Material) -> None:
        # glibc keeps freed memory up to the size of the largest array freed so far. Freeing a large array
        # once avoids requesting memory from the system for each block, which can be slower than writing it
        np.empty(16 << 20, dtype=np.uint8)
        self.material = material
        types = material.types
        opening, closing = ([f"<{mark}{t}>".encode() for t in types.categories] for mark in ("", "/"))
        self._tags = (*opening, *closing)
        pieces = material.templates.pieces
        forms = pa.array([form.encode() for form in material.forms], type=pa.binary())
        last_pieces = material.templates.first_piece + material.templates.slot_counts
        last = np.zeros(len(pieces), dtype=bool)
        last[(last_pieces[:, None] * VARIANT_COUNT + np.arange(VARIANT_COUNT)).ravel()] = True
        lines = pc.if_else(pa.array(last), _join_parts(pieces, b"\n"), pieces)
        codes = pa.array(types.codes)
        before, after = (pa.array(marks, type=pa.binary()).take(codes) for marks in (opening, closing))
        tagged = pc.if_else(pa.array(material.gold), _join_parts(before, forms, after), forms)
        self._text, self._raw, self._gold = (
            pa.concat_arrays([literals.cast(pa.large_binary()), between.cast(pa.large_binary())])
            for literals, between in ((pieces, forms), (lines, forms), (lines, tagged))
        )
        self._forms_from = len(pieces)
        form_characters = np.array([len(form) for form in material.forms], dtype=np.int64)
        # number of the mark at the end of each form, as in `Templates.opening_mark`
        self._closing_mark = np.array([DOUBLE_MARKS.find(form[-1]) + 1 for form in material.forms])
        self._characters = np.concatenate((material.templates.characters, form_characters))

    def __call__(self, cases: Cases) -> CaseTexts:
        """Assemble the texts of a block of cases.

        Raises
        ------
        InputError
            If a case contains a tag of the suite, which would make gold.sgml ambiguous.
        """
        slots = self.material.templates.slot_counts[cases.context]
        pieces, begins, slot_row, variant = self._lay_out(cases, slots)
        # cumulated number of code points at the end of each piece
        ends = bounds_from_lengths(self._characters[pieces])
        case = np.repeat(np.arange(len(slots)), slots)
        at = 2 * np.arange(len(case)) + case + 1
        offset = ends[begins[case]]
        taken = pa.array(pieces)
        raw = _read_bytes(self._raw.take(taken))
        content = bytes(raw)
        for tag in self._tags:
            if tag in content:
                raise InputError(f"the text of a case contains the tag {tag.decode()}; choose another tag")
        return CaseTexts(
            raw=raw,
            gold=_read_bytes(self._gold.take(taken)),
            text=_group_texts(self._text.take(taken), begins),
            slots=slots,
            slot_row=slot_row,
            start=ends[at] - offset,
            end=ends[at + 1] - offset,
            variant=variant,
        )

    def _lay_out(
        self, cases: Cases, slots: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """Represent cases as sequences of row numbers, in which pieces of the template and forms alternate.

        Returns
        -------
        pieces, begins : array
            Row numbers of pieces and forms, case after case; and the index at which each case begins,
            followed by the end of the last case.
        slot_row : array of int64
            For each filled slot, its row in the slots table.
        variant : array of uint8
            Changes of the text around each filled slot.
        """
        templates, material = self.material.templates, self.material
        case, form = np.repeat(np.arange(len(slots)), slots), cases.fillers.astype(np.int64)
        # the form in slot s of case c is between the literals s + c and s + c + 1
        literal = concatenate_ranges(templates.first_piece[cases.context], slots + 1)
        before = np.arange(len(form)) + case
        opening = templates.opening_mark[literal[before + 1]]
        dropped = (opening > 0) & (self._closing_mark[form] == opening)
        an = templates.article[literal[before]] & material.takes_an[form]
        rows = literal * VARIANT_COUNT
        rows[before] += AN * an
        rows[before + 1] += DROP * dropped
        pieces = np.empty(len(rows) + len(form), dtype=np.int32)
        pieces[2 * np.arange(len(rows)) - np.repeat(np.arange(len(slots)), slots + 1)] = rows
        pieces[2 * before - case + 1] = form + self._forms_from
        slot_row = concatenate_ranges(material.first_slot[cases.context], slots)
        return (
            pieces,
            bounds_from_lengths(2 * slots + 1),
            slot_row,
            (AN * an + DROP * dropped).astype(np.uint8),
        )


def _join_parts(*parts: pa.BinaryArray | bytes) -> pa.BinaryArray:
    """Concatenate the values of binary arrays row by row."""
    return pc.binary_join_element_wise(*parts, b"")


def _read_bytes(taken: Any) -> memoryview:
    """Concatenate the bytes of all values of a binary array."""
    offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)
    begin, end = int(offsets[taken.offset]), int(offsets[taken.offset + len(taken)])
    return memoryview(taken.buffers()[2])[begin:end]


def _group_texts(taken: Any, begins: NDArray[np.int64]) -> pa.LargeStringArray:
    """Join the values of a binary array into texts: text i consists of values begins[i] to begins[i + 1]."""
    offsets = np.frombuffer(taken.buffers()[1], dtype=np.int64)[begins + taken.offset]
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), taken.buffers()[2])
