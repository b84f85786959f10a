"""Tables of a suite: its cases, its mentions, and the features of their entities and slots."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ...catalogues.core.files import digest_bytes
from ...catalogues.core.parquet import arrow_path
from ...catalogues.feature import LIST_PREFIX, Feature
from ...catalogues.taxonomy import taxonomy
from ...catalogues.values import column_texts
from ...sentences.identifiers import IDENTIFIERS_COLUMN as IDENTIFIERS
from ...sentences.suites import CASES_FILE, ENTITIES_FILE, ENTITY_KEY, MENTIONS_FILE, SLOT_KEY, SLOTS_FILE
from ..cases import Cases
from ..material import Material
from .case_texts import CaseTexts
from .environments import Environments


class ContentDigest:
    """Checksum of columns that are added in blocks; it does not depend on the block boundaries.

    The signature of a suite is made from this checksum, because the bytes of a Parquet file depend on the
    version of the library.
    """

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}

    def add(self, name: str, values: NDArray[np.integer[Any]]) -> None:
        """Add integers to the checksum of a column."""
        whole = np.ascontiguousarray(values, dtype="<i8")
        self._columns.setdefault(name, hashlib.sha256()).update(whole.data)

    def add_frame(self, name: str, frame: pd.DataFrame) -> None:
        """Add each column of a table to the checksum: its distinct values, and a code for each row."""
        for column in frame.columns:
            codes, distinct = pd.factorize(frame[column].array, use_na_sentinel=True)
            words = "\0".join(map(str, distinct.tolist()))
            self.add(f"{name}.{column}", codes)
            self._columns[f"{name}.{column}"].update(words.encode())

    def digest(self) -> str:
        """Return the SHA-256 checksum of all columns and their names."""
        return digest_bytes(
            *(f"{name} {self._columns[name].hexdigest()}".encode() for name in sorted(self._columns))
        )


_WORD_TYPE = pa.dictionary(pa.int32(), pa.string())


def _schema(**types: pa.DataType) -> pa.Schema:
    """Return an Arrow schema for columns that have no missing values."""
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])


_CASES = _schema(
    case_id=pa.int64(), text=pa.large_string(), context_id=_WORD_TYPE, part=pa.int32(), pair_id=pa.int64()
)
_MENTIONS = _schema(
    mention_id=pa.int64(),
    text_id=pa.int64(),
    side=_WORD_TYPE,
    start=pa.int64(),
    end=pa.int64(),
    type=_WORD_TYPE,
    score=pa.float64(),
    **{ENTITY_KEY: pa.int32(), SLOT_KEY: pa.int32()},
).append(pa.field(IDENTIFIERS, _WORD_TYPE))
_DELTA_COLUMNS = ("case_id", "mention_id", "text_id", "start", "end", ENTITY_KEY, SLOT_KEY)
"""Columns that are delta-encoded, because their numbers differ little between rows."""
_DICTIONARY_COLUMNS = ("part", "pair_id", "score")
"""Columns that are dictionary-encoded, because they have few distinct values."""
_PAGE = 1 << 17
"""Page size of Parquet files, in bytes."""


class SuiteTables:
    """Writer for the tables of a suite, which are written block by block (see `open_tables`).

    The key of an entity is its row in the catalogue, and the key of a slot is its row among all slots. Added
    rows of slot features get the next keys.

    Parameters
    ----------
    material : Material
        Catalogues of the suite.
    case_file, mention_file : ParquetWriter
        Writers of the tables of cases and mentions.

    Attributes
    ----------
    cases, mentions : int
        Number of cases and mentions written so far.
    content : ContentDigest
        Checksum of the content written so far.
    """

    def __init__(
        self, material: Material, case_file: pq.ParquetWriter, mention_file: pq.ParquetWriter
    ) -> None:
        self.cases = self.mentions = 0
        self.content = ContentDigest()
        self._material, self._case_file, self._mention_file = material, case_file, mention_file
        self._environments = Environments(material)
        self._chosen_fillers: set[int] = set()
        self._chosen_slots: set[int] = set()
        self._contexts = pa.array(material.contexts["context_id"].astype("str"), type=pa.string())
        types = material.types
        self._types = pa.DictionaryArray.from_arrays(
            pa.array(types.codes.astype(np.int32)), pa.array(list(types.categories), type=pa.string())
        )
        self._identifiers = _make_identifiers(material.fillers)

    def add(self, cases: Cases, assembled: CaseTexts) -> None:
        """Write the cases and gold mentions of a block."""
        size = len(cases)
        part = np.full(size, cases.part, dtype=np.int32)
        pair = np.full(size, -1, dtype=np.int64) if cases.pair is None else cases.pair
        for name, values in (("context", cases.context), ("part", part), ("pair_id", pair)):
            self.content.add(f"cases.{name}", values)
        case_id = np.arange(self.cases, self.cases + size, dtype=np.int64)
        context = pa.DictionaryArray.from_arrays(pa.array(cases.context), self._contexts)
        columns = [pa.array(case_id), assembled.text, context, pa.array(part), pa.array(pair)]
        self._case_file.write_table(pa.table(columns, schema=_CASES))
        self._add_mentions(cases, assembled)
        self.cases += size

    def _add_mentions(self, cases: Cases, assembled: CaseTexts) -> None:
        slots = self._environments.find_rows(cases, assembled)
        text_id = self.cases + np.repeat(np.arange(len(cases), dtype=np.int64), assembled.slots)
        contrast = np.full(len(slots), -1, dtype=np.int32) if cases.contrast is None else cases.contrast
        keep = self._material.gold[cases.fillers]
        kept = (text_id, assembled.start, assembled.end, cases.fillers, slots.astype(np.int32), contrast)
        if not keep.all():
            kept = tuple(values[keep] for values in kept)  # type: ignore[assignment]
        text_id, start, end, entity_key, slot_key, contrast = kept
        size = len(text_id)
        if not size:
            return
        self._chosen_fillers.update(np.unique(entity_key).tolist())
        self._chosen_slots.update(np.unique(slot_key).tolist())
        for name, values in ((ENTITY_KEY, entity_key), (SLOT_KEY, slot_key), ("contrast", contrast)):
            self.content.add(f"mentions.{name}", values)
        columns = [
            pa.array(np.arange(self.mentions, self.mentions + size, dtype=np.int64)),
            pa.array(text_id),
            _repeat_word("gold", size),
            pa.array(start),
            pa.array(end),
            self._types.take(pa.array(entity_key)),
            pa.array(np.full(size, np.nan)),
            pa.array(entity_key),
            pa.array(slot_key),
            self._identifiers.take(pa.array(entity_key)),
        ]
        if self._material.contrasts:
            codes = pa.array(contrast, mask=contrast < 0)
            words = pa.array(self._material.contrasts, type=pa.string())
            columns.append(pa.DictionaryArray.from_arrays(codes, words))
        self._mention_file.write_table(pa.table(columns, schema=self._mention_file.schema))
        self.mentions += size

    def write_features(self, folder: Path) -> None:
        """Write the features of the used entities and slots into a folder."""
        entities = _entities(self._material.fillers)
        around = pd.concat(self._environments.frames, ignore_index=True)
        self._write_rows(folder / ENTITIES_FILE, ENTITY_KEY, entities, self._chosen_fillers)
        self._write_rows(folder / SLOTS_FILE, SLOT_KEY, around, self._chosen_slots)

    def _write_rows(self, file: Path, key: str, frame: pd.DataFrame, chosen: Iterable[int]) -> None:
        rows = np.array(sorted(chosen), dtype=np.int64)
        taken = frame.take(rows).reset_index(drop=True)
        columns = {str(c): _to_feature_type(taken[c].array, _feature(str(c))) for c in taken.columns}
        made = pd.DataFrame({key: rows.astype(np.int32), **columns})
        self.content.add_frame(file.name, made)
        pq.write_table(pa.Table.from_pandas(made, preserve_index=False), arrow_path(file))


@contextlib.contextmanager
def open_tables(folder: Path, material: Material) -> Iterator[SuiteTables]:
    """Open the tables of a suite; on exit, close them and, if no error occurred, write the features."""
    schema = _MENTIONS.append(pa.field("contrast", _WORD_TYPE)) if material.contrasts else _MENTIONS
    with _writer(folder / CASES_FILE, _CASES) as cases, _writer(folder / MENTIONS_FILE, schema) as mentions:
        tables = SuiteTables(material, cases, mentions)
        yield tables
    tables.write_features(folder)


def _make_identifiers(fillers: pd.DataFrame) -> pa.DictionaryArray:
    """Return the identifier of each filler, or a missing value if its source is not a database."""
    listed = np.isin(column_texts(fillers, "source_type"), ("database", ""))
    names = pd.Series(np.where(listed, column_texts(fillers, "source_id"), ""), dtype="str")
    # corpus formats separate identifiers by white space and vertical bars
    names = names.where(names.str.fullmatch(r"[^\s|]+").fillna(False).to_numpy(dtype=bool))
    authority = pd.Series(column_texts(fillers, "source_authority"), dtype="str")
    authority = authority.str.replace(r"[\s|:]", "", regex=True)
    bare = (~names.str.contains(":", regex=False).fillna(True).to_numpy(dtype=bool)) & (
        authority != ""
    ).to_numpy()
    return pa.array(names.where(~bare, authority + ":" + names), type=pa.string()).dictionary_encode()


def _entities(fillers: pd.DataFrame) -> pd.DataFrame:
    """Select the columns of the entities table; types are stored in the mentions table instead."""
    known = taxonomy().select_scopes("entity")
    own = [f.column for f in known if f.column in fillers and f.name != "type"]
    listed = sorted(c for c in fillers.columns if str(c).startswith(LIST_PREFIX))
    columns = ["entity_id", *own, *listed]
    return fillers[[*columns, "transformation"] if "transformation" in fillers else columns]


def _feature(column: str) -> Feature | None:
    known = taxonomy()
    return known.find(column, ("entity",)) if column.startswith(LIST_PREFIX) else known.by_column.get(column)


def _to_feature_type(column: Any, feature: Feature | None) -> Any:
    """Convert a column to the type of its feature; nullable types are used only if values are missing."""
    kind = None if feature is None else feature.kind
    if kind == "boolean":
        truth = column.astype("boolean")
        return truth if truth.isna().any() else truth.astype("bool")
    if kind == "integer":
        whole = column.astype("Int32")
        return whole if whole.isna().any() else whole.astype("int32")
    if kind in ("category", "set"):
        return column.astype("str").astype("category")
    return column if pd.api.types.is_integer_dtype(column.dtype) else column.astype("str")


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    words = [f.name for f in schema if pa.types.is_dictionary(f.type)]
    return pq.ParquetWriter(
        arrow_path(path),
        schema,
        use_dictionary=[*words, *(name for name in _DICTIONARY_COLUMNS if name in schema.names)],
        column_encoding={name: "DELTA_BINARY_PACKED" for name in _DELTA_COLUMNS if name in schema.names},
        write_statistics=False,
        data_page_size=_PAGE,
    )


def _repeat_word(word: str, size: int) -> pa.DictionaryArray:
    """Return an Arrow column with the same word in all rows."""
    return pa.DictionaryArray.from_arrays(np.zeros(size, dtype=np.int32), pa.array([word], type=pa.string()))
