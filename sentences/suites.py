"""Reader of suite folders, which returns a suite as a corpus."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import digest_bytes, digest_file
from ..catalogues.core.parquet import read_table, table_to_frame
from .corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus, FeatureTable
from .identifiers import split_identifier_column
from .spans import locate_checked_spans
from .suite_file import SUITE_FILE, read_suite_meta

if TYPE_CHECKING:
    import pyarrow as pa

CASES_FILE, MENTIONS_FILE, RAW_FILE, GOLD_FILE = "cases.parquet", "mentions.parquet", "raw.txt", "gold.sgml"
ENTITIES_FILE, SLOTS_FILE = "entities.parquet", "slots.parquet"
ENTITY_KEY, SLOT_KEY = "entity_key", "slot_key"
FEATURE_FILES = {ENTITY_KEY: ENTITIES_FILE, SLOT_KEY: SLOTS_FILE}
"""Files with the features of entities and slots, keyed by the column that identifies the rows of each file.

Suites written by version 0.1.0 do not have these files.
"""
CONTENT_DIGEST_KEY = "content"
"""Key in the table `[digests]` of suite.toml. Its value is one checksum for all tables of the suite."""
INTEGER_COLUMNS = ("mention_id", "start", "end", "relation_id", "argument_id", "equivalence_id")
"""Names of the columns that always contain integers."""
_KINDS = {
    **dict.fromkeys(("text", "side", "type", "document_id", "role", "authority", "identifier"), "text"),
    **dict.fromkeys((*INTEGER_COLUMNS, *FEATURE_FILES), "integer"),
    # the cases of a run on a corpus have the identifiers of its texts
    **dict.fromkeys(("text_id", "case_id"), "id"),
    "score": "number",
}


def read_suite(folder: str | PathLike[str]) -> Corpus:
    """Read a suite folder as a corpus whose texts are cases.

    `text_id` is the case id (int64, from 0: the line number in `raw.txt` minus one). The texts have the
    columns `context_id`, `part` and `pair_id`. Mentions refer by keys to two feature tables: one for entities
    (`entity_id`, `data`, entity features) and one for slots (`slot`, slot and context features). In suites
    written by version 0.1.0, all features are columns of the mentions. The column `identifiers` becomes the
    table `normalisations`.

    Raises
    ------
    InputError
        If a file is missing, broken or changed since `suite.toml` was written, an id is repeated or unknown,
        or a span lies outside its text.
    """
    root = Path(folder)
    if not root.is_dir():
        problem = "this is a file, not a suite folder" if root.exists() else "the suite folder does not exist"
        raise InputError(f"{problem}; give another corpus as FORMAT:PATH", file=root)
    if not (root / SUITE_FILE).is_file():
        problem = f"not a suite folder: it has no {SUITE_FILE}; give another corpus as FORMAT:PATH"
        raise InputError(problem, file=root)
    meta = read_suite_meta(root)
    cases = read_frame(root / CASES_FILE, ("case_id", "text"))
    mentions = read_frame(root / MENTIONS_FILE, MENTION_COLUMNS)
    texts = pd.DataFrame(
        {
            "text_id": cases["case_id"],
            "document_id": cases.get("document_id", pd.Series("", index=cases.index, dtype="str")),
            "text": cases["text"],
            **{c: cases[c] for c in cases.columns if c not in ("case_id", *TEXT_COLUMNS)},
        }
    )
    check_frames(texts, mentions, root / CASES_FILE, root / MENTIONS_FILE)
    mentions, normalisations = split_identifier_column(mentions)
    features = read_feature_tables(root, mentions)
    return Corpus(
        name=meta.get("suite", {}).get("name") or root.resolve().name,
        texts=texts,
        mentions=mentions,
        normalisations=normalisations,
        features=features,
        digest=_digest(
            root, meta, [CASES_FILE, MENTIONS_FILE, *(FEATURE_FILES[table.key] for table in features)]
        ),
    )


def read_feature_tables(
    folder: str | PathLike[str], mentions: pd.DataFrame, wanted: Collection[str] | None = None
) -> tuple[FeatureTable, ...]:
    """Read the tables of entity and slot features to which the mentions of a suite refer.

    Parameters
    ----------
    folder : path
        Suite folder.
    mentions : DataFrame
        Mentions of the suite.
    wanted : collection of str, optional
        Features to read; by default all.

    Raises
    ------
    InputError
        If a file is missing or broken, has a duplicate key, or lacks the key of a mention.
    """
    tables = []
    for key, name in FEATURE_FILES.items():
        if key not in mentions:
            continue
        file = Path(folder) / name
        frame = read_frame(file, (key,), wanted).sort_values(key, ignore_index=True)
        _refuse_repeated_ids(frame[key], file)
        texts = {str(c): frame[c].astype("category") for c, kind in frame.dtypes.items() if kind == "str"}
        table = FeatureTable(key, frame.assign(**texts))
        table.find_rows(mentions, Path(folder) / MENTIONS_FILE)
        tables.append(table)
    return tuple(tables)


def _digest(root: Path, meta: dict[str, Any], names: Sequence[str]) -> str:
    """Return the checksum recorded in `suite.toml` or, if there is none, a checksum of the suite's files.

    Raises InputError if a file has changed since `suite.toml` was written.
    """
    recorded: dict[str, str] = meta.get("digests", {})
    digests = {name: digest_file(root / name) for name in names}
    for name, digest in digests.items():
        if recorded.get(name, digest) != digest:
            raise InputError(
                f"the file has changed since {SUITE_FILE} was written; generate the suite again",
                file=root / name,
                found=f"SHA-256 {digest[:12]}…",
                allowed=f"SHA-256 {recorded[name][:12]}…",
            )
    content_digest = recorded.get(CONTENT_DIGEST_KEY)
    return content_digest or digest_bytes(*(digest.encode() for digest in digests.values()))


def read_frame(
    path: Path, needed: Sequence[str], wanted: Collection[str] | None = None, *, sparse: Collection[str] = ()
) -> pd.DataFrame:
    """Read a Parquet file as a table and check its columns.

    Parameters
    ----------
    path : Path
        Parquet file.
    needed : sequence of str
        Columns that the file must have.
    wanted : collection of str, optional
        Further columns to read if the file has them; by default all.
    sparse : collection of str
        Numeric columns and id columns that can have missing values.

    Raises
    ------
    InputError
        If a needed column is missing, or the type of a standard column cannot be converted without loss.
    """
    table = read_table(path, None if wanted is None else {*needed, *wanted})
    check_columns(table.column_names, needed, path)
    return table_to_frame(set_types(table, path, sparse), path)


def check_columns(names: list[str], needed: Sequence[str], path: Path, line: int | None = None) -> None:
    """Raise InputError if a needed column is missing or a column occurs twice.

    `line` is the line number of the header.
    """
    if any(name not in names for name in needed):
        raise InputError("columns are missing", file=path, found=", ".join(names), allowed=", ".join(needed))
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError("duplicate column", file=path, line=line, found=repeated)


def set_types(table: pa.Table, path: Path, sparse: Collection[str] = ()) -> pa.Table:
    """Convert the standard columns of a corpus table to their required types.

    Raises InputError if a value is missing (except in the `sparse` columns) or a conversion would lose data.
    """
    import pyarrow as pa

    for place, name in enumerate(table.column_names):
        if name not in _KINDS:
            continue
        column = table.column(place)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        integer = pa.types.is_integer(kind)
        wanted = _KINDS[name]
        if wanted == "text" and (text or (pa.types.is_null(kind) and name == "document_id")):
            continue
        complete = (wanted == "id" and (text or integer)) or wanted == "integer"
        if complete and column.null_count and name not in sparse:
            raise InputError(f"column {name} has missing values", file=path)
        if (wanted == "id" and text) or (wanted != "text" and pa.types.is_signed_integer(column.type)):
            continue
        numeric = integer or pa.types.is_floating(kind) or text or pa.types.is_null(kind)
        if (wanted == "id" and not integer) or wanted == "text" or not numeric:
            allowed = {"text": "text", "id": "text or integers"}.get(wanted, "numbers")
            raise InputError(
                f"column {name} has the wrong type", file=path, found=str(column.type), allowed=allowed
            )
        try:
            # text may hold an integer as 4.0
            converted = column.cast(pa.float64()) if wanted == "number" or text else column
            converted = converted if wanted == "number" else converted.cast(pa.int64())
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise InputError(
                f"column {name} has a value that is not a number ({reason})", file=path
            ) from None
        table = table.set_column(place, name, converted)
    return table


def _refuse_repeated_ids(ids: pd.Series, file: Path) -> None:
    if not ids.is_unique:
        raise InputError(f"duplicate {ids.name}", file=file, found=ids[ids.duplicated()].iloc[0])


def check_frames(texts: pd.DataFrame, mentions: pd.DataFrame, text_file: Path, mention_file: Path) -> None:
    """Raise InputError if an id is repeated, a value is missing, or a mention lies outside its text."""
    for frame, column, file in ((texts, "text_id", text_file), (mentions, "mention_id", mention_file)):
        _refuse_repeated_ids(frame[column], file)
    for column in ("side", "type"):
        if mentions[column].isna().any():
            raise InputError(f"a mention has no {column}", file=mention_file)
    if texts["text"].isna().any():
        raise InputError("a row has no text", file=text_file, line=int(np.argmax(texts["text"].isna())) + 1)
    locate_checked_spans(texts, mentions, mention_file)
