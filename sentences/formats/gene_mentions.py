"""Functions for the formats bc2gm and genetag, which store a corpus as a file of sentences and offset files.

An offset file contains the spans of mentions. Offsets count non-space characters (`bc2gm`) or tokens
(`genetag`), from 0 in each sentence; the last offset is inclusive. Files of predictions have the same format
as files of gold mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes, digest_file
from ...catalogues.core.text import Ints, TextColumn, remove_white_space
from ...catalogues.core.tokens import Tokens
from ..corpus import Corpus
from ..spans import locate_spans
from .base import DEFAULT_TYPE, CorpusFormat, CorpusWriter, FormatOptions, read_lines_text, split_lines
from .draft import Draft, assemble_corpus
from .predictions import find_gold_rows

_FORM = re.compile(r"([^|]+)\|([0-9]{1,9}) ([0-9]{1,9})(\|?)(.*)")
EXPECTED_LINE = "ID|first last|text, with whole numbers"


@dataclass(frozen=True)
class OffsetFiles:
    """Names of the offset files in a folder, and the units that their offsets count.

    Attributes
    ----------
    gold, alternatives : str
        Names of the files with the gold mentions and with the alternative spans of gold mentions.
    find_units : callable
        Function that returns the units (characters or tokens) in a column of texts.
    """

    gold: str
    alternatives: str
    find_units: Callable[[TextColumn], Tokens]


def parse_span_lines(text: str, file: str | PathLike[str] | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Parse the content of an offset file.

    The published files contain lines without the second ``|``; such lines are accepted and reported in a
    note.

    Returns
    -------
    table : DataFrame
        One row per line: `id`, `first`, `last`, `text` (after the second ``|``) and `line` (from 1).
    notes : list of str
        Remarks about faulty lines that were accepted.

    Raises
    ------
    InputError
        If a line does not have the form ``ID|first last|text``.
    """
    rows: list[tuple[str, int, int, str, int]] = []
    bare: list[int] = []
    for number, line in enumerate(split_lines(text), start=1):
        match = _FORM.fullmatch(line)
        if match is None and line:
            problem = "the line does not describe a mention"
            raise InputError(problem, file=file, line=number, found=line, allowed=EXPECTED_LINE)
        if match is not None:
            rows.append((match[1], int(match[2]), int(match[3]), match[5], number))
            bare += [number] if match[5] and not match[4] else []
    name = "" if file is None else Path(file).name + " "
    shown = ", ".join(map(str, bare[:3]))
    note = f"{name}line {shown}: the missing bar after the offsets was added"
    table = pd.DataFrame(rows, columns=["id", "first", "last", "text", "line"])
    kinds = {"id": "str", "text": "str", "first": "int64", "last": "int64", "line": "int64"}
    return table.astype(kinds), [note] if bare else []


OPTIONS = {"type": f"type of all mentions ({DEFAULT_TYPE})"}


def make_gene_mention_format(
    name: str,
    title: str,
    files: OffsetFiles,
    read_sentences: Callable[[Path], tuple[Path, Draft]],
    write: CorpusWriter,
) -> CorpusFormat:
    """Return a format for folders with a file of sentences and offset files.

    Parameters
    ----------
    name, title : str
        Name of the format, and its description in one line.
    files : OffsetFiles
        Names and units of the offset files.
    read_sentences : callable
        Function that finds and reads the file of sentences in a folder.
    write : callable
        Function that writes a corpus.
    """

    def read(path: Path, options: FormatOptions) -> Corpus:
        return read_gold_mentions(name, *read_sentences(path), files, options)

    def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:
        source = path / files.gold if path.is_dir() else path
        ids, texts, documents = (gold.texts[c].tolist() for c in ("text_id", "text", "document_id"))
        draft = Draft(ids, texts, documents)
        points = TextColumn(texts)
        _add_mentions(draft, gold, points, files.find_units(points), source, options)
        digest = digest_file(source)
        made = assemble_corpus(draft, name=source.name, digest=digest, side="predicted", file=source)
        return Corpus(made.name, gold.texts, made.mentions, digest=digest, notes=made.notes)

    return CorpusFormat(
        name=name,
        title=title,
        place="folder",
        read=read,
        write=write,
        read_predictions=read_predictions,
        options=OPTIONS,
    )


def read_gold_mentions(
    name: str, source: Path, draft: Draft, files: OffsetFiles, options: FormatOptions
) -> Corpus:
    """Add the gold mentions and any alternative spans to a draft with sentences, and return the corpus.

    Parameters
    ----------
    name : str
        Name of the format.
    source : Path
        File of sentences; the offset files are in the same folder.
    draft : Draft
        Draft with the sentences.
    files : OffsetFiles
        Names and units of the offset files.
    options : mapping
        Options of the format.
    """
    gold_file, other = source.with_name(files.gold), source.with_name(files.alternatives)
    shell = assemble_corpus(draft, name="", digest="", file=source)
    if not gold_file.is_file():
        raise InputError(
            f"the gold file is missing; it must be in the same folder as {source.name}", file=gold_file
        )
    points = TextColumn(draft.texts)
    units = files.find_units(points)
    _add_mentions(draft, shell, points, units, gold_file, options)
    digests = [digest_file(source), digest_file(gold_file)]
    if other.is_file():
        extra, notes = parse_span_lines(_span_text(other), other)
        extra, dropped = _drop_unknown_texts(extra, shell, other)
        places = _locate_lines(extra, shell, units, other)
        draft.alternatives = (*places, [_mention_type(options)] * len(extra))
        draft.notes += [*notes, *dropped, *_count_unlike(extra, points.slices(*places), other)]
        digests.append(digest_file(other))
    digest = digest_bytes(*map(str.encode, digests))
    return assemble_corpus(
        draft, name=f"{name}:{source.parent.resolve().name}", digest=digest, file=gold_file
    )


def _add_mentions(
    draft: Draft, gold: Corpus, points: TextColumn, units: Tokens, file: Path, options: FormatOptions
) -> None:
    """Add the mentions of an offset file, and notes about faults in the file, to a draft."""
    table, notes = parse_span_lines(_span_text(file), file)
    rows, starts, ends = _locate_lines(table, gold, units, file)
    draft.rows, draft.starts, draft.ends = rows, starts, ends
    draft.types, draft.lines = [_mention_type(options)] * len(rows), table["line"].to_numpy()
    draft.notes += [*notes, *_count_repeated(table, file)]
    draft.notes += _count_unlike(table, points.slices(rows, starts, ends), file)


def _mention_type(options: FormatOptions) -> str:
    return options.get("type", DEFAULT_TYPE)


def _span_text(path: Path) -> str:
    """Return the content of an offset file; an empty file is allowed."""
    if path.is_file() and path.stat().st_size == 0:
        return ""
    return read_lines_text(path, "lines of the form ID|first last|text")


def _locate_lines(table: pd.DataFrame, gold: Corpus, units: Tokens, file: Path) -> tuple[Ints, Ints, Ints]:
    """Return, for each line of an offset file, the index of the text and the half-open character span."""
    rows = find_gold_rows(table["id"], gold, file, table["line"].to_numpy())
    first, last = table["first"].to_numpy(), table["last"].to_numpy()
    counts = np.diff(units.bounds)[rows]
    bad = (last < first) | (last >= counts)
    if bad.any():
        i = int(np.argmax(bad))
        raise InputError(
            "a mention lies outside its text",
            file=file,
            line=int(table["line"][i]),
            found=f"{first[i]} {last[i]}",
            allowed=f"0 <= first <= last <= {counts[i] - 1}",
        )
    base = units.bounds[rows]
    return rows, units.start[base + first], units.end[base + last]


def _drop_unknown_texts(table: pd.DataFrame, gold: Corpus, file: Path) -> tuple[pd.DataFrame, list[str]]:
    """Drop alternative spans in unknown texts; return the others, and a note if any were dropped."""
    has_text = table["id"].isin(gold.texts["text_id"].astype("str")).to_numpy(dtype=bool)
    if has_text.all():
        return table, []
    i = int(np.argmin(has_text))
    first = f"first {table['id'][i]!r}, line {table['line'][i]}"
    note = f"{file.name}: dropped {int((~has_text).sum())} alternatives for unknown texts; {first}"
    return table[has_text].reset_index(drop=True), [note]


def _count_repeated(table: pd.DataFrame, file: Path) -> list[str]:
    """Return a list with a note if lines repeat the span of an earlier line, otherwise an empty list."""
    repeats = table[["id", "first", "last"]].duplicated().to_numpy()
    if not repeats.any():
        return []
    first = table["line"][int(np.argmax(repeats))]
    return [
        f"{file.name}: {int(repeats.sum())} lines repeat the span of an earlier line; first: line {first}"
    ]


def _count_unlike(table: pd.DataFrame, slices: list[str], file: Path) -> list[str]:
    """Return a list with a note if the text in a line differs from the text at the offsets of the line.

    The list is empty if there are no differences except in case and white space. Differences are not errors,
    because according to the README of the corpora, the text after the second bar "will be ignored".
    """
    pairs = enumerate(zip(table["text"].tolist(), slices, strict=True))
    unlike = [
        i
        for i, (a, b) in pairs
        if a != b and remove_white_space(a).casefold() != remove_white_space(b).casefold()
    ]
    if not unlike:
        return []
    i = unlike[0]
    return [
        f"{file.name}: {len(unlike)} recorded texts differ from the text at their offsets; "
        f"first: line {table['line'][i]}, recorded {table['text'][i]!r}, text {slices[i]!r}"
    ]


def write_folder(
    corpus: Corpus,
    sentences: Mapping[str, str],
    points: TextColumn,
    units: Tokens,
    files: OffsetFiles,
    folder: Path,
) -> None:
    """Write the sentences, mentions and any alternative spans of a corpus to files in a folder.

    Parameters
    ----------
    corpus : Corpus
        Corpus to write.
    sentences : mapping of str to str
        Content of each file of sentences, keyed by file name.
    points, units : TextColumn, Tokens
        Texts of the corpus, and the characters or tokens that offsets count.
    files : OffsetFiles
        Names of the offset files.
    folder : Path
        Folder for the files.
    """
    ids = corpus.texts["text_id"].astype("str")
    contents = dict(sentences)
    tables = {files.gold: corpus.mentions, files.alternatives: corpus.alternatives}
    for name, table in tables.items():
        if table is None:
            continue
        rows, starts, ends = locate_spans(corpus.texts, table)
        first, last = (edge - units.bounds[rows] for edge in units.find_touched(rows, starts, ends))
        solid = last > first
        shown = points.slices(rows[solid], starts[solid], ends[solid])
        columns = (first[solid].tolist(), (last[solid] - 1).tolist(), shown)
        listed = zip(ids.take(rows[solid]), *columns, strict=True)
        contents[name] = "".join([f"{i}|{a} {b}|{text}\n" for i, a, b, text in listed])
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
