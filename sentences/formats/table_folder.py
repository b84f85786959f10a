"""Formats that store a corpus as a folder of tables: ``texts``, ``mentions`` and any optional tables.

Predictions can also be a single file with one mention per row, in the columns ``text_id``, ``start``, ``end``
and, optionally, ``type``, ``score``, ``identifiers`` (``AUTHORITY:ID``, joined by ``|``) and further columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_file, digest_files
from ..corpus import MENTION_COLUMNS, OPTIONAL_TABLES, TEXT_COLUMNS, Corpus
from ..identifiers import IDENTIFIERS_COLUMN as IDENTIFIERS
from ..identifiers import split_identifiers
from ..suites import check_frames
from .base import DEFAULT_TYPE, CorpusFormat, FormatOptions
from .draft import Draft, assemble_corpus
from .predictions import find_gold_rows, place_over_gold

TABLE_COLUMNS: dict[str, tuple[str, ...]] = {
    "texts": TEXT_COLUMNS,
    "mentions": MENTION_COLUMNS,
    "fragments": ("mention_id", "start", "end"),
    "alternatives": ("text_id", "start", "end", "type"),
    "normalisations": ("mention_id", "authority", "identifier"),
    "relations": ("relation_id", "text_id", "type", "role", "mention_id"),
    "equivalences": ("equivalence_id", "mention_id"),
}
TableReader = Callable[[Path, tuple[str, ...]], pd.DataFrame]
TableWriter = Callable[[pd.DataFrame, Path], None]


def read_tables(path: Path, suffix: str, name: str, load: TableReader) -> Corpus:
    """Read a folder of tables as a corpus.

    Parameters
    ----------
    path : Path
        Folder.
    suffix : str
        Suffix of the files.
    name : str
        Name of the format.
    load : callable
        Function that reads one table.

    Raises
    ------
    InputError
        If a table is missing or broken, an id is repeated or unknown, or a mention lies outside its text.
    """
    files = {table: path / f"{table}{suffix}" for table in TABLE_COLUMNS}
    frames: dict[str, pd.DataFrame] = {}
    for table, file in files.items():
        if table not in OPTIONAL_TABLES or file.is_file():
            frames[table] = load(file, TABLE_COLUMNS[table])
    frames["texts"]["document_id"] = frames["texts"]["document_id"].astype("str").fillna("")
    check_frames(frames["texts"], frames["mentions"], files["texts"], files["mentions"])
    sides = frames["mentions"]["side"]
    wrong = ~sides.isin(["gold", "predicted"]).to_numpy(dtype=bool)
    if wrong.any():
        raise InputError(
            "unknown side",
            file=files["mentions"],
            found=sides.iloc[int(np.argmax(wrong))],
            allowed="gold, predicted",
        )
    mention_ids = pd.Index(frames["mentions"]["mention_id"])
    for table in OPTIONAL_TABLES:
        if table in frames and "mention_id" in frames[table]:
            referents = frames[table]["mention_id"]
            is_relation = (referents == -1) & ("argument_id" in frames[table])
            unknown = ~(referents.isin(mention_ids) | is_relation).to_numpy(dtype=bool)
            if unknown.any():
                i = int(np.argmax(unknown))
                raise InputError(
                    "reference to an unknown mention",
                    file=files[table],
                    found=f"mention_id {referents.iloc[i]}",
                    allowed=f"a mention_id in {files['mentions'].name}",
                )
    digest = digest_files((table, files[table]) for table in frames)
    tables: dict[str, Any] = dict(frames)
    return Corpus(name=f"{name}:{path.resolve().name}", digest=digest, **tables)


def read_table_predictions(path: Path, gold: Corpus, suffix: str, name: str, load: TableReader) -> Corpus:
    """Read predicted mentions from a folder of tables, or from one table of mentions.

    See `read_tables` for the parameters.
    """
    if path.is_dir():
        return place_over_gold(read_tables(path, suffix, name, load), gold, by_id=True, file=path)
    frame = load(path, ("text_id", "start", "end"))
    if "mention_id" in frame:
        frame = frame.drop(columns="mention_id")
    rows = find_gold_rows(frame["text_id"], gold, path, None)
    draft = Draft(gold.texts["text_id"].tolist(), gold.texts["text"].tolist())
    draft.rows, draft.starts, draft.ends = rows, frame["start"].to_numpy(), frame["end"].to_numpy()
    draft.types = frame["type"].tolist() if "type" in frame else [DEFAULT_TYPE] * len(frame)
    draft.scores = frame["score"].to_numpy() if "score" in frame else None
    if IDENTIFIERS in frame:
        cells = enumerate(frame.pop(IDENTIFIERS).fillna("").astype("str"))
        draft.normalisations = [(i, *pair) for i, text in cells for pair in split_identifiers(text)]
    draft.mention_columns = {c: frame[c] for c in frame.columns if c not in MENTION_COLUMNS}
    made = assemble_corpus(draft, name=path.name, digest=digest_file(path), side="predicted", file=path)
    return replace(made, texts=gold.texts)


def make_table_format(name: str, title: str, load: TableReader, save: TableWriter) -> CorpusFormat:
    """Return a corpus format for folders of tables.

    Parameters
    ----------
    name : str
        Name of the format, and suffix of its files.
    title : str
        Name of the kind of tables, such as "Parquet".
    load, save : callables
        Functions that read and write one table.
    """
    suffix = f".{name}"

    def read(path: Path, options: FormatOptions) -> Corpus:  # noqa: ARG001 - a reader's signature
        return read_tables(path, suffix, name, load)

    def predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:  # noqa: ARG001
        return read_table_predictions(path, gold, suffix, name, load)

    def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001
        for table in TABLE_COLUMNS:
            frame: pd.DataFrame | None = getattr(corpus, table)
            if frame is not None:
                save(frame, path / f"{table}{suffix}")

    return CorpusFormat(
        name=name,
        title=f"a folder of {title} tables: texts, mentions, …; predictions can be one table of mentions",
        place="folder",
        read=read,
        write=write,
        read_predictions=predictions,
        has_sides=True,
    )
