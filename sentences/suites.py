"""Suite folders: what the generator wrote, read as a corpus."""

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
"""The files with the features of what mentions' keys name; suites of 0.1.0 have neither."""
CONTENT_DIGEST_KEY = "content"
"""The key of `[digests]` that stands for all that the tables hold, whatever wrote them."""
INTEGER_COLUMNS = ("mention_id", "start", "end", "relation_id", "argument_id", "equivalence_id")
"""Columns of whole numbers, whatever the table."""
_KINDS = {
    **dict.fromkeys(("text", "side", "type", "document_id", "role", "authority", "identifier"), "text"),
    **dict.fromkeys((*INTEGER_COLUMNS, *FEATURE_FILES), "integer"),
    # the cases of a run over a corpus have the identifiers of its texts
    **dict.fromkeys(("text_id", "case_id"), "id"),
    "score": "number",
}


def read_suite(folder: str | PathLike[str]) -> Corpus:
    """Read a suite folder as a corpus whose texts are cases.

    `text_id` is the case id (int64, from 0: the line of `raw.txt` less one); the texts keep `context_id`,
    `part` and `pair_id`. Mentions have keys of the corpus's feature tables (`entity_id`, `data` and the
    entity's features; `slot` and those of slot and context); those of a suite of 0.1.0 have all features
    themselves. The column `identifiers` of the file becomes the table `normalisations`.

    Raises
    ------
    InputError
        When a file is missing or broken or not the one that `suite.toml` describes, ids repeat or point
        nowhere, or a span does not fit its text.
    """
    root = Path(folder)
    if not root.is_dir():
        problem = "a file stands where a suite folder is needed" if root.exists() else "no such suite folder"
        raise InputError(problem, file=root, allowed="a suite folder, or FORMAT:PATH")
    if not (root / SUITE_FILE).is_file():
        raise InputError(
            "not a suite folder", file=root, allowed=f"a folder with {SUITE_FILE}, or FORMAT:PATH"
        )
    meta = read_suite_meta(root)
    cases = read_frame(root / CASES_FILE, ("case_id", "text"))
    mentions = read_frame(root / MENTIONS_FILE, MENTION_COLUMNS)
    extra = [c for c in cases.columns if c not in ("case_id", *TEXT_COLUMNS)]
    texts = pd.DataFrame(
        {
            "text_id": cases["case_id"],
            "document_id": pd.Series([""] * len(cases), dtype="str")
            if "document_id" not in cases
            else cases["document_id"],
            "text": cases["text"],
            **{c: cases[c] for c in extra},
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
    """The tables that a suite's mentions have keys of.

    Parameters
    ----------
    folder : path
        The suite.
    mentions : DataFrame
        Its mentions.
    wanted : collection of str, optional
        Read these features only.

    Raises
    ------
    InputError
        When a file is missing or broken, a key stands twice in it, or a mention's key does not stand in it.
    """
    made = []
    for key, name in FEATURE_FILES.items():
        if key not in mentions:
            continue
        file = Path(folder) / name
        frame = read_frame(file, (key,), wanted).sort_values(key, ignore_index=True)
        _refuse_repeated_ids(frame[key], file)
        texts = {str(c): frame[c].astype("category") for c, kind in frame.dtypes.items() if kind == "str"}
        table = FeatureTable(key, frame.assign(**texts))
        table.find_rows(mentions, Path(folder) / MENTIONS_FILE)
        made.append(table)
    return tuple(made)


def _digest(root: Path, meta: dict[str, Any], names: Sequence[str]) -> str:
    """The digest of a suite: of what its tables hold where `suite.toml` has it, else of the files.

    A table that was changed since is refused: results on it would bear the signature of another suite.
    """
    recorded: dict[str, str] = meta.get("digests", {})
    digests = {name: digest_file(root / name) for name in names}
    for name, digest in digests.items():
        if recorded.get(name, digest) != digest:
            raise InputError(
                f"not the file that {SUITE_FILE} describes",
                file=root / name,
                found=f"SHA-256 {digest[:12]}…",
                allowed=f"{recorded[name][:12]}…: a suite as `tagsuite generate` wrote it",
            )
    of_content = recorded.get(CONTENT_DIGEST_KEY)
    return of_content or digest_bytes(*(found.encode() for found in digests.values()))


def read_frame(
    path: Path, needed: Sequence[str], wanted: Collection[str] | None = None, *, sparse: Collection[str] = ()
) -> pd.DataFrame:
    """Read a Parquet file that must have the columns `needed`; of others those `wanted` (all) that it has.

    The corpus's own columns have their types: what is none of them is refused, or cast where nothing is lost.
    Numbers and identifiers may be missing in the `sparse` columns alone.
    """
    table = read_table(path, None if wanted is None else {*needed, *wanted})
    check_columns(table.column_names, needed, path)
    return table_to_frame(set_types(table, path, sparse), path)


def check_columns(names: list[str], needed: Sequence[str], path: Path, line: int | None = None) -> None:
    """Refuse a table, whose head stands at `line`, without a column that is needed, or with one twice."""
    if any(name not in names for name in needed):
        raise InputError("columns are missing", file=path, found=", ".join(names), allowed=", ".join(needed))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("a column occurs twice", file=path, line=line, found=twice)


def set_types(table: pa.Table, path: Path, sparse: Collection[str] = ()) -> pa.Table:
    """Return a table in which the columns that every table may have get their types."""
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
        whole = (wanted == "id" and (text or integer)) or wanted == "integer"
        if whole and column.null_count and name not in sparse:
            raise InputError(f"column {name} holds missing values", file=path)
        if (wanted == "id" and text) or (wanted != "text" and pa.types.is_signed_integer(column.type)):
            continue
        numeric = integer or pa.types.is_floating(kind) or text or pa.types.is_null(kind)
        if (wanted == "id" and not integer) or wanted == "text" or not numeric:
            allowed = {"text": "text", "id": "text or integers"}.get(wanted, "numbers")
            raise InputError(
                f"column {name} is of the wrong type", file=path, found=str(column.type), allowed=allowed
            )
        try:
            # text may spell a whole number as 4.0
            made = column.cast(pa.float64()) if wanted == "number" or text else column
            made = made if wanted == "number" else made.cast(pa.int64())
        except pa.ArrowException as error:
            said = str(error).splitlines()[0]
            raise InputError(f"column {name} holds what is no number ({said})", file=path) from None
        table = table.set_column(place, name, made)
    return table


def _refuse_repeated_ids(ids: pd.Series, file: Path) -> None:
    if not ids.is_unique:
        raise InputError(f"a {ids.name} occurs twice", file=file, found=ids[ids.duplicated()].iloc[0])


def check_frames(texts: pd.DataFrame, mentions: pd.DataFrame, text_file: Path, mention_file: Path) -> None:
    """Refuse repeated ids, missing texts, referents that do not exist and spans outside their text."""
    for frame, column, file in ((texts, "text_id", text_file), (mentions, "mention_id", mention_file)):
        _refuse_repeated_ids(frame[column], file)
    for column in ("side", "type"):
        if mentions[column].isna().any():
            raise InputError(f"a mention without a {column}", file=mention_file)
    if texts["text"].isna().any():
        raise InputError("a text is missing", file=text_file, line=int(np.argmax(texts["text"].isna())) + 1)
    locate_checked_spans(texts, mentions, mention_file)
