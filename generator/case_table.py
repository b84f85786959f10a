"""cases.parquet, block by block: the text of every case, its context, part and pair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .assemble import Assembled, Cases
from .material import Material
from .parquet import PageWriter, coded, fixed, texts
from .parquet.pages import Page, coded_page, repeated_page, stepped_page, text_page
from .runs import Content

ROWS_IN_PAGE = 1 << 14


class CaseTable:
    """Writes the cases of a suite.

    Parameters
    ----------
    stream : binary stream
        Where cases.parquet goes.
    material : Material
        The catalogues.
    """

    def __init__(self, stream: IO[bytes], material: Material) -> None:
        self.material = material
        self.count = 0
        ids = pa.array([str(i) for i in material.contexts["context_id"]], type=pa.string())
        self._context = coded("context_id", ids, category=True, nullable=False)
        columns = [fixed("case_id", "i8"), texts("text"), self._context, fixed("part", "i4")]
        self._writer = PageWriter(stream, [*columns, fixed("pair_id", "i8")])

    def add(self, cases: Cases, assembled: Assembled) -> None:
        """Write a block."""
        size = len(cases)
        if cases.repeated is None:
            context = coded_page(self._context, cases.context)
        else:
            slots, forms, _ = cases.repeated
            context = repeated_page(self._context, self.material.slot_context[slots], len(forms))
        pair = np.full(size, -1, dtype=np.int64) if cases.pair is None else cases.pair
        self._writer.add(
            [
                stepped_page(np.arange(self.count, self.count + size, dtype=np.int64)),
                list(_text_pages(assembled)),
                context,
                stepped_page(np.full(size, cases.part, dtype=np.int64)),
                stepped_page(pair),
            ]
        )
        self.count += size

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()


def _text_pages(assembled: Assembled) -> Iterator[Page]:
    """Pages of about as many rows: short pieces are put together, long ones cut."""
    contents: list[Content] = []
    sizes: list[NDArray[np.int64]] = []
    held = 0
    for content, own in _short(assembled):
        contents.append(content)
        sizes.append(own)
        held += len(own)
        if held >= ROWS_IN_PAGE:
            yield text_page(contents, np.concatenate(sizes))
            contents, sizes, held = [], [], 0
    if held:
        yield text_page(contents, np.concatenate(sizes))


def _short(assembled: Assembled) -> Iterator[tuple[Content, NDArray[np.int64]]]:
    """The texts in pieces of no more rows than a page."""
    for content, own in assembled.texts:
        bounds = np.concatenate(([0], np.cumsum(own)))
        for low in range(0, len(own), ROWS_IN_PAGE):
            high = min(low + ROWS_IN_PAGE, len(own))
            yield content[int(bounds[low]) : int(bounds[high])], own[low:high]
