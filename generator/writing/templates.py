"""Templates of contexts, cut at their slots into the literal pieces that cases are put together from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...sentences.contexts_xml import SLOT_MARK

DOUBLE_MARKS = ".,;:!?"
"""Marks that are not written twice when an entity ends with one and the template goes on with the same."""

_ARTICLE = re.compile(r"\{([aA])\}(\s+)$")
_ANY_ARTICLE = re.compile(r"\{[aA]\}")
_BREAK = re.compile("[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")

AN, DROP = 1, 2
"""Bits of a piece's variant: *an* before the following slot; the doubled mark left out at its beginning."""
VARIANT_COUNT = 4


@dataclass(frozen=True)
class Templates:
    """The pieces of many templates, in columns.

    Attributes
    ----------
    pieces : pyarrow.BinaryArray
        UTF-8 of every piece in every variant: piece ``p`` in variant ``v`` is row ``VARIANTS * p + v``.
    characters : array of int32
        The length of each row of `pieces` in code points.
    first_piece : array of int64
        The first piece of each template; a template with k slots has k + 1 pieces.
    slot_counts : array of int32
        How many slots each template has.
    article : array of bool
        Per piece: whether it ends with an article to be chosen.
    opening_mark : array of uint8
        Per piece: the mark of `DOUBLE_MARKS` it begins with (its index plus one), or 0.
    """

    pieces: pa.BinaryArray
    characters: NDArray[np.int32]
    first_piece: NDArray[np.int64]
    slot_counts: NDArray[np.int32]
    article: NDArray[np.bool_]
    opening_mark: NDArray[np.uint8]

    @cached_property
    def last_piece(self) -> NDArray[np.int64]:
        """The last piece of each template."""
        return self.first_piece + self.slot_counts


def cut_template(template: str) -> list[str]:
    """The literal pieces of a template: one more than it has slots.

    Raises
    ------
    InputError
        When the template holds a line break, or an article mark that is not directly before a slot.
    """
    found = _BREAK.search(template)
    if found is not None:
        raise InputError("a line break in a template", found=template, allowed="one line of text")
    pieces = template.split(SLOT_MARK)
    for number, piece in enumerate(pieces):
        marked = _ANY_ARTICLE.search(piece)
        if marked is not None and (number == len(pieces) - 1 or marked.end() != len(piece.rstrip())):
            raise InputError(
                "an article mark that is not directly before a slot",
                found=template,
                allowed="{a} <> or {A} <>",
            )
        if marked is not None and _ARTICLE.search(piece) is None:
            raise InputError(
                "no space between an article mark and its slot", found=template, allowed="{a} <>"
            )
    return pieces


def compile_templates(texts: Sequence[str]) -> Templates:
    """Cut templates and lay their pieces out, each in its four variants."""
    pieces: list[bytes] = []
    characters: list[int] = []
    article: list[bool] = []
    opening: list[int] = []
    slots = np.zeros(len(texts), dtype=np.int32)
    first = np.zeros(len(texts), dtype=np.int64)
    for number, text in enumerate(texts):
        first[number] = len(article)
        cuts = cut_template(text)
        slots[number] = len(cuts) - 1
        for place, piece in enumerate(cuts):
            mark = _ARTICLE.search(piece)
            article.append(mark is not None)
            doubled = DOUBLE_MARKS.find(piece[0]) + 1 if piece and place else 0
            opening.append(doubled)
            for variant in range(VARIANT_COUNT):
                written = piece
                if mark is not None:
                    word = (
                        ("an" if variant & AN else "a") if mark[1] == "a" else ("An" if variant & AN else "A")
                    )
                    written = written[: mark.start()] + word + mark[2]
                if variant & DROP and doubled:
                    written = written[1:]
                pieces.append(written.encode())
                characters.append(len(written))
    return Templates(
        pieces=pa.array(pieces, type=pa.binary()),
        characters=np.array(characters, dtype=np.int32),
        first_piece=first,
        slot_counts=slots,
        article=np.array(article, dtype=bool),
        opening_mark=np.array(opening, dtype=np.uint8),
    )


def find_closing_marks(texts: Sequence[str]) -> NDArray[np.uint8]:
    """For each form the mark of `DOUBLE_MARKS` it ends with (its index plus one), or 0."""
    return np.fromiter(
        (DOUBLE_MARKS.find(t[-1]) + 1 if t else 0 for t in texts), dtype=np.uint8, count=len(texts)
    )


def check_form(text: str, tag: str) -> None:
    """Refuse a form that a line-based file with tags cannot hold.

    Raises
    ------
    InputError
        When it is empty, holds a line break, or holds the tag.
    """
    if not text:
        raise InputError("an empty form in the catalogue", allowed="at least one character")
    if _BREAK.search(text) is not None:
        raise InputError("a line break in a form", found=text, allowed="forms of one line")
    if f"<{tag}>" in text or f"</{tag}>" in text:
        raise InputError(f"the tag <{tag}> in a form", found=text, allowed="another --tag")
