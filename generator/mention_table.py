"""mentions.parquet, block by block: identity, span and all features of every gold mention."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..catalogues.taxonomy import LIST_PREFIX, Feature, taxonomy
from .assemble import Assembled, Cases
from .environments import Environments
from .material import Material
from .parquet import Column, PageWriter, coded, fixed
from .parquet.pages import Page, coded_page, fixed_page, repeated_page, stepped_page

_NUMPY = {"bool": "bool", "int32": "int32", "int64": "int64", "double": "float64"}


class MentionTable:
    """Writes the mentions of a suite.

    Parameters
    ----------
    stream : binary stream
        Where mentions.parquet goes.
    material : Material
        The catalogues; entity columns are taken from `fillers`, slot and context columns from its slots.
    """

    def __init__(self, stream: IO[bytes], material: Material) -> None:
        self.material = material
        self.count = 0
        self.environments = Environments(material, self._grow)
        self._numbers = [fixed(n, "i8") for n in ("mention_id", "text_id", "start", "end")]
        self._score = fixed("score", "f8")
        side = coded("side", pa.array(["gold"]), category=True)
        kind = coded("type", pa.array([material.tag]), category=True)
        self._entity = [coded("entity_id", _arrow(material.fillers["entity_id"], None))]
        self._entity += [_entity_column(material.fillers, f) for f in entity_features_of(material.fillers)]
        if "transformation" in material.fillers:
            made = _arrow(material.fillers["transformation"], None)
            self._entity.append(coded("transformation", made, category=True, nullable=True))
        slots = material.environments
        self._around = [coded("slot", _arrow(slots["slot"], None), nullable=False)]
        self._around += [
            coded(
                c,
                _arrow(slots[c], taxonomy().by_column[c]),
                category=_is_category(taxonomy().by_column[c]),
                nullable=True,
            )
            for c in self.environments.columns
        ]
        self._contrast: list[Column] = []
        if material.contrasts:
            named = pa.array([None, *material.contrasts], type=pa.string())
            self._contrast.append(coded("contrast", named, category=True, nullable=True))
        mention_id, text_id, start, end = self._numbers
        self._constants = [side, kind]
        columns = [mention_id, text_id, side, start, end, kind, self._score, self._entity[0], self._around[0]]
        columns += [*self._entity[1:], *self._around[1:], *self._contrast]
        self._writer = PageWriter(stream, columns, {"pandas": _pandas_metadata(columns)})
        self._cache: dict[Hashable, list[Page]] = {}

    def add(self, cases: Cases, assembled: Assembled, first_case: int) -> int:
        """Write the gold mentions of a block; gives how many."""
        fillers = cases.fillers
        rows = self.environments.rows(cases, assembled)
        text_id = first_case + np.repeat(np.arange(len(cases), dtype=np.int64), assembled.slots)
        start, end = assembled.start, assembled.end
        contrast = np.full(len(fillers), -1) if cases.contrast is None else cases.contrast
        repeated = cases.repeated
        if not self.material.gold.all():
            keep = self.material.gold[fillers]
            if not keep.all():
                repeated = None
                fillers, rows, text_id = fillers[keep], rows[keep], text_id[keep]
                start, end, contrast = start[keep], end[keep], contrast[keep]
        size = len(fillers)
        if not size:
            return 0
        numbers = (np.arange(self.count, self.count + size, dtype=np.int64), text_id, start, end)
        mention_id, text, begin, stop = (stepped_page(v) for v in numbers)
        side, kind = (repeated_page(c, np.zeros(1, dtype=np.int64), size) for c in self._constants)
        score = self._cached(("score", size), lambda: [fixed_page(np.full(size, np.nan))])[0]
        if repeated is None:
            entity = [coded_page(c, fillers) for c in self._entity]
            around = [coded_page(c, rows) for c in self._around]
        else:
            slots, forms, piece = repeated
            key = ("entity", cases.part, piece, len(slots), len(forms))
            entity = self._cached(key, lambda: [coded_page(c, fillers) for c in self._entity])
            same = _unchanged(self._around, assembled.slot_row, rows)
            around = [
                repeated_page(c, slots, len(forms)) if alike else coded_page(c, rows)
                for c, alike in zip(self._around, same, strict=True)
            ]
        pages = [
            mention_id,
            text,
            side,
            begin,
            stop,
            kind,
            score,
            entity[0],
            around[0],
            *entity[1:],
            *around[1:],
            *(coded_page(c, contrast + 1) for c in self._contrast),
        ]
        self._writer.add(pages)
        self.count += size
        return size

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()

    def _cached(self, key: Hashable, make: Any) -> list[Page]:
        found = self._cache.get(key)
        if found is None:
            if len(self._cache) >= 256:
                self._cache.clear()
            found = self._cache[key] = make()
        return found

    def _grow(self, rows: pd.DataFrame) -> None:
        for column in self._around:
            column.extend(_arrow(rows[column.name], taxonomy().by_column.get(column.name)))


def _unchanged(columns: list[Column], before: NDArray[np.int64], after: NDArray[np.int64]) -> list[bool]:
    """Which columns have the same values in the rows of the catalogue as in those that cases really have."""
    if before is after:
        return [True] * len(columns)
    changed = before != after
    moves = np.unique(np.stack((before[changed], after[changed])), axis=1) if changed.any() else None
    if moves is None:
        return [True] * len(columns)
    alike = []
    for column in columns:
        codes = column.pool[moves]
        valid = (
            True if column.valid is None else bool((column.valid[moves[0]] == column.valid[moves[1]]).all())
        )
        alike.append(valid and bool((codes[0] == codes[1]).all()))
    return alike


def entity_features_of(frame: pd.DataFrame) -> list[Feature]:
    """The entity features that a frame has, in the taxonomy's order, membership in lists last."""
    own = [f for f in taxonomy().of("entity") if f.column in frame]
    listed = sorted(c for c in frame.columns if str(c).startswith(LIST_PREFIX))
    return own + [taxonomy().find(c, ("entity",)) for c in listed]


def _is_category(feature: Feature) -> bool:
    return feature.kind in ("category", "set")


def _entity_column(frame: pd.DataFrame, feature: Feature) -> Column:
    return coded(feature.column, _arrow(frame[feature.column], feature), category=_is_category(feature))


def _arrow(column: pd.Series, feature: Feature | None) -> Any:
    """A frame's column as one Arrow array of the feature's kind."""
    kind = None if feature is None else feature.kind
    if kind == "boolean":
        return _whole(pa.array(column.astype("boolean"), type=pa.bool_(), from_pandas=True))
    if kind == "integer":
        return _whole(pa.array(column.astype("Int32"), type=pa.int32(), from_pandas=True))
    if kind is None and pd.api.types.is_integer_dtype(column.dtype):
        return _whole(pa.array(column, type=pa.int32() if column.dtype == np.int32 else pa.int64()))
    return _whole(pa.array(column.astype("str"), type=pa.string(), from_pandas=True))


def _whole(array: Any) -> Any:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _pandas_metadata(columns: list[Column]) -> bytes:
    """What pandas reads its own types from, so that absent flags and numbers come back as such."""
    described = []
    for column in columns:
        kind = str(column.arrow)
        if kind.startswith("dictionary"):
            pandas_type, numpy_type = "categorical", "int32"
        elif kind == "string":
            pandas_type, numpy_type = "unicode", "str"
        else:
            pandas_type = {"double": "float64"}.get(kind, kind)
            numpy_type = _NUMPY[kind]
            if column.nullable and kind in ("bool", "int32"):
                numpy_type = {"bool": "boolean", "int32": "Int32"}[kind]
        metadata = (
            {"num_categories": len(column.entries), "ordered": False}
            if pandas_type == "categorical"
            else None
        )
        described.append(
            {
                "name": column.name,
                "field_name": column.name,
                "pandas_type": pandas_type,
                "numpy_type": numpy_type,
                "metadata": metadata,
            }
        )
    content = {"index_columns": [], "column_indexes": [], "columns": described, "pandas_version": "3"}
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
