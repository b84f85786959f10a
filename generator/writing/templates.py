"""Templates of contexts, which are cut at their slots into literal pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...sentences.contexts_xml import SLOT_MARK

DOUBLE_MARKS = ".,;:!?"
"""Punctuation marks that are dropped if the preceding entity ends with the same mark."""

_ARTICLE = re.compile(r"\{([aA])\}(\s+)$")
_BREAK = re.compile("[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")

AN, DROP = 1, 2
"""Flags of piece variants: `AN` if the piece ends with *an*, `DROP` if its first mark is dropped."""
VARIANT_COUNT = 4


@dataclass(frozen=True)
class Templates:
    """Literal pieces of all templates, stored as arrays.

    Attributes
    ----------
    pieces : pyarrow.BinaryArray
        Each piece in each variant, in UTF-8: piece ``p`` in variant ``v`` is row ``VARIANT_COUNT * p + v``.
    characters : array of int32
        Length of each row of `pieces` in code points.
    first_piece : array of int64
        Number of the first piece of each template; a template with k slots has k + 1 pieces.
    slot_counts : array of int32
        Number of slots of each template.
    article : array of bool
        True for pieces that end with a placeholder for *a* or *an*.
    opening_mark : array of uint8
        Number of the mark at the beginning of each piece (its index in `DOUBLE_MARKS` plus one); 0 if none.
    """

    pieces: pa.BinaryArray
    characters: NDArray[np.int32]
    first_piece: NDArray[np.int64]
    slot_counts: NDArray[np.int32]
    article: NDArray[np.bool_]
    opening_mark: NDArray[np.uint8]


def compile_templates(texts: Sequence[str]) -> Templates:
    """Cut templates into pieces, and make the four variants of each piece.

    Raises
    ------
    InputError
        If a template has a line break.
    """
    pieces: list[bytes] = []
    characters: list[int] = []
    article: list[bool] = []
    opening: list[int] = []
    slots = np.zeros(len(texts), dtype=np.int32)
    first = np.zeros(len(texts), dtype=np.int64)
    for number, text in enumerate(texts):
        first[number] = len(article)
        if _BREAK.search(text) is not None:
            raise InputError("the template contains a line break", found=text)
        cuts = text.split(SLOT_MARK)
        slots[number] = len(cuts) - 1
        for place, piece in enumerate(cuts):
            mark = _ARTICLE.search(piece)
            article.append(mark is not None)
            doubled = DOUBLE_MARKS.find(piece[0]) + 1 if piece and place else 0
            opening.append(doubled)
            for variant in range(VARIANT_COUNT):
                written = piece
                if mark is not None:
                    article_text = mark[1] + ("n" if variant & AN else "")
                    written = written[: mark.start()] + article_text + mark[2]
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


def check_form(text: str, tags: Iterable[str]) -> None:
    """Raise InputError for a form that cannot be written into a suite.

    Raises
    ------
    InputError
        If the form is empty or contains a line break or a tag.
    """
    if not text:
        raise InputError("the catalogue contains an empty surface form")
    if _BREAK.search(text) is not None:
        raise InputError("the surface form contains a line break", found=text)
    for tag in tags:
        if f"<{tag}>" in text or f"</{tag}>" in text:
            raise InputError(f"the surface form contains the tag <{tag}>; choose another tag", found=text)
