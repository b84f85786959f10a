"""What a tagger is sent: the texts of a suite or corpus, read for a run, whole and in batches."""

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
    """Some cases, as they are sent.

    Attributes
    ----------
    texts : list of str
    case_ids : list of str
        Identifier of each case, where one is sent.
    """

    texts: list[str]
    case_ids: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, places: Iterable[int]) -> Batch:
        """Return the cases at some places, in that order."""
        places = list(places)
        return Batch([self.texts[i] for i in places], [self.case_ids[i] for i in places])


@dataclass(frozen=True)
class RunInput:
    """The whole input of a run.

    Attributes
    ----------
    source : str
        What was named on the command line: ``FORMAT:PATH`` or a suite folder.
    name : str
        The corpus's name in score tables.
    signature : str
        ``suite:…`` or ``corpus:…`` with the first digits of the digest.
    ids : Arrow array
        `text_id` of each case, int64 or string, as in every table of the run.
    texts : Arrow array of str
    digest : str
        BLAKE2b over identifiers and texts.
    gold_types : frozenset of str
        The types of the gold mentions; empty when there are none.
    """

    source: str
    name: str
    signature: str
    ids: pa.Array
    texts: pa.Array
    digest: str
    gold_types: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.ids)


def read_cases(spec: str) -> RunInput:
    """Read the texts (and no mentions) of a suite folder or of ``FORMAT:PATH``.

    Raises
    ------
    InputError
        When it cannot be read, holds no text, or is a suite whose `raw.txt` was changed.
    """
    is_suite = (Path(spec) / "cases.parquet").is_file()
    name, signature, ids, texts, types = _read_suite(Path(spec)) if is_suite else _read_corpus(spec)
    if len(ids) == 0:
        raise InputError("the input holds no text", file=spec)
    lines = [text.encode() for text in texts.to_pylist()]
    content = b"\n".join([*lines, b""])
    if is_suite and (Path(spec) / "raw.txt").is_file():
        _compare_lines(Path(spec) / "raw.txt", content)
    # over the identifiers, where each text begins, and the texts, each ended by a line feed
    numbered = pa.types.is_integer(ids.type)
    ids = ids.cast(pa.int64() if numbered else pa.string())
    named = ids.to_pylist()
    total = hashlib.blake2b(digest_size=32)
    total.update(np.array(named, dtype=np.int64).tobytes() if numbered else "\0".join(named).encode())
    total.update(bounds_from_lengths([len(line) + 1 for line in lines]).tobytes())
    total.update(content)
    digest = total.hexdigest()
    return RunInput(spec, name, signature or f"corpus:{digest[:12]}", ids, texts, digest, types)


_Read = tuple[str, str, pa.Array, pa.Array, frozenset[str]]
"""Name, signature (empty where there is none), identifiers, texts, and types of gold mentions."""


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
    """Read a column of texts, or of whole numbers where it has identifiers."""
    table = read_table(file, [name])
    if name not in table.column_names:
        raise InputError("columns are missing", file=file, found=name)
    column = table[name].combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not is_text and not (name == "case_id" and pa.types.is_integer(column.type)):
        raise InputError(f"column {name} is of the wrong type", file=file, found=str(column.type))
    if column.null_count:
        raise InputError(f"column {name} holds missing values", file=file)
    return column


def _compare_lines(file: Path, content: bytes) -> None:
    """Refuse a file that does not hold the texts of its suite, with the first line that differs."""
    found = file.read_bytes()
    if found == content:
        return
    lines, wanted = found.decode("utf-8", "replace").split("\n"), content.decode().split("\n")
    place = next(i for i, (ours, own) in enumerate(zip_longest(wanted, lines)) if ours != own)
    raise InputError(
        "the line is not the text that cases.parquet holds",
        file=file,
        line=place + 1,
        found="".join(lines[place : place + 1])[:80],
        allowed="the suite as it was generated: generate it again",
    )


def _read_corpus(spec: str) -> _Read:
    from ....sentences.formats import read_corpus

    corpus = read_corpus(spec)
    ids = pa.array(corpus.texts["text_id"])
    texts = pa.array(corpus.texts["text"].tolist(), pa.large_string())
    if texts.null_count:
        raise InputError("a text is missing (null)", file=spec, allowed="a text for every case")
    signature = f"corpus:{corpus.digest[:12]}" if corpus.digest else ""
    types = corpus.mentions["type"][corpus.mentions["side"] == "gold"].dropna().unique()
    return corpus.name, signature, ids, texts, frozenset(types)
