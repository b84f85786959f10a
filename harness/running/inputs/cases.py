"""Reading the texts of a suite or corpus for a run, and dividing them into batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pyarrow as pa

from ....catalogues.core.arrays import bounds_from_lengths
from ....catalogues.core.errors import InputError
from ....catalogues.core.parquet import read_table


@dataclass(frozen=True)
class Batch:
    """Cases that are sent to the tagger together.

    Attributes
    ----------
    texts : list of str
    case_ids : list of str
        Identifiers of the cases, as sent to the tagger.
    """

    texts: list[str]
    case_ids: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, places: Iterable[int]) -> Batch:
        """Return a batch of the cases at the given positions, in that order."""
        places = list(places)
        return Batch([self.texts[i] for i in places], [self.case_ids[i] for i in places])


@dataclass(frozen=True)
class RunInput:
    """Texts and identifiers of all cases of a run.

    Attributes
    ----------
    source : str
        ``FORMAT:PATH`` or a suite folder.
    name : str
        Name of the corpus in score tables.
    signature : str
        ``suite:…`` or ``corpus:…`` with the first digits of the checksum.
    ids : Arrow array
        `text_id` of each case (int64 or string), as in all tables of the run.
    texts : Arrow array of str
    digest : str
        Checksum (BLAKE2b) of the identifiers and texts.
    gold_types : frozenset of str
        Types of the gold mentions; empty if there are none.
    """

    source: str
    name: str
    signature: str
    ids: pa.Array
    texts: pa.Array
    digest: str
    gold_types: frozenset[str] = frozenset()


def read_cases(spec: str) -> RunInput:
    """Read the texts, without mentions, of a suite folder or of ``FORMAT:PATH``.

    Raises
    ------
    InputError
        If the input cannot be read, contains no text, or is a suite whose `raw.txt` was changed.
    """
    is_suite = (Path(spec) / "cases.parquet").is_file()
    name, signature, ids, texts, types = _read_suite(Path(spec)) if is_suite else _read_corpus(spec)
    if len(ids) == 0:
        raise InputError("the input contains no texts", file=spec)
    lines = [text.encode() for text in texts.to_pylist()]
    content = b"\n".join([*lines, b""])
    if is_suite and (Path(spec) / "raw.txt").is_file():
        _compare_lines(Path(spec) / "raw.txt", content)
    # checksum of the identifiers, the start of each text, and the texts, each with a line feed
    is_numbered = pa.types.is_integer(ids.type)
    ids = ids.cast(pa.int64() if is_numbered else pa.string())
    names = ids.to_pylist()
    checksum = hashlib.blake2b(digest_size=32)
    checksum.update(np.array(names, np.int64).tobytes() if is_numbered else "\0".join(names).encode())
    checksum.update(bounds_from_lengths([len(line) + 1 for line in lines]).tobytes())
    checksum.update(content)
    digest = checksum.hexdigest()
    return RunInput(spec, name, signature or f"corpus:{digest[:12]}", ids, texts, digest, types)


_Read = tuple[str, str, pa.Array, pa.Array, frozenset[str]]
"""Name, signature (may be empty), case identifiers, texts and gold types of a suite or corpus."""


def _read_suite(path: Path) -> _Read:
    from ....sentences.suite_file import read_suite_meta

    meta = read_suite_meta(path).get("suite", {})
    ids = _read_column(path / "cases.parquet", "case_id")
    texts = _read_column(path / "cases.parquet", "text")
    types: frozenset[str] = frozenset()
    if (path / "mentions.parquet").is_file():
        types = frozenset(_read_column(path / "mentions.parquet", "type").unique().to_pylist())
    return meta.get("name") or path.name, meta.get("signature", ""), ids, texts, types


def _read_column(file: Path, name: str) -> pa.Array:
    """Read a column that contains strings; a column of case identifiers may also contain integers."""
    table = read_table(file, [name])
    if name not in table.column_names:
        raise InputError(f"column {name} is missing", file=file)
    column = table[name].combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not is_text and not (name == "case_id" and pa.types.is_integer(column.type)):
        raise InputError(f"column {name} has the wrong type", file=file, found=str(column.type))
    if column.null_count:
        raise InputError(f"column {name} contains missing values", file=file)
    return column


def _compare_lines(file: Path, content: bytes) -> None:
    """Raise InputError if a suite's text file has changed; the message shows the first line that differs."""
    stored = file.read_bytes()
    if stored == content:
        return
    lines, expected = stored.decode("utf-8", "replace").split("\n"), content.decode().split("\n")
    place = next(i for i, (text, line) in enumerate(zip_longest(expected, lines)) if text != line)
    raise InputError(
        "this line differs from the text in cases.parquet; generate the suite again",
        file=file,
        line=place + 1,
        found="".join(lines[place : place + 1])[:80],
    )


def _read_corpus(spec: str) -> _Read:
    from ....sentences.formats import read_corpus

    corpus = read_corpus(spec)
    ids = pa.array(corpus.texts["text_id"])
    texts = pa.array(corpus.texts["text"].tolist(), pa.large_string())
    if texts.null_count:
        raise InputError("a text is missing (null); every case needs a text", file=spec)
    signature = f"corpus:{corpus.digest[:12]}" if corpus.digest else ""
    types = corpus.mentions["type"][corpus.mentions["side"] == "gold"].dropna().unique()
    return corpus.name, signature, ids, texts, frozenset(types)
