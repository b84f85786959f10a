"""What the BioCreative gene-mention corpora have in common: a folder of sentences beside offset files.

Offsets count characters that are not white space (format `bc2gm`) or tokens (format `genetag`), from 0 in
each sentence, the last one included. Predictions are a file in the form of the gold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes, digest_file
from ...catalogues.core.text import Ints, TextColumn, remove_white_space
from ..corpus import Corpus
from ..spans import locate_spans
from .base import DEFAULT_TYPE, FormatOptions, read_lines_text, split_lines
from .draft import Draft, assemble_corpus
from .predictions import find_gold_rows

_FORM = re.compile(r"([^|]+)\|([0-9]{1,9}) ([0-9]{1,9})(\|?)(.*)")
EXPECTED_LINE = "ID|first last|text, with whole numbers"


def parse_span_lines(text: str, file: str | PathLike[str] | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Parse the content of an offset file.

    The published files hold a line whose second bar is missing; such a line is read and noted.

    Returns
    -------
    table : DataFrame
        `id`, `first`, `last`, `text` (what follows the second bar) and `line` (one-based).
    notes : list of str

    Raises
    ------
    InputError
        With file and line, for a line of any other form.
    """
    rows: list[tuple[str, int, int, str, int]] = []
    bare: list[int] = []
    for number, line in enumerate(split_lines(text), start=1):
        found = _FORM.fullmatch(line)
        if found is None and line:
            raise InputError("not an offset line", file=file, line=number, found=line, allowed=EXPECTED_LINE)
        if found is not None:
            rows.append((found[1], int(found[2]), int(found[3]), found[5], number))
            bare += [number] if found[5] and not found[4] else []
    name = "" if file is None else Path(file).name + " "
    shown = ", ".join(map(str, bare[:3]))
    note = f"{name}line {shown}: the bar after the offsets is missing; read as if it were there"
    table = pd.DataFrame(rows, columns=["id", "first", "last", "text", "line"])
    kinds = {"id": "str", "text": "str", "first": "int64", "last": "int64", "line": "int64"}
    return table.astype(kinds), [note] if bare else []


OPTIONS = {"type": f"the type of all mentions ({DEFAULT_TYPE})"}


class UnitNumbering(Protocol):
    """What offsets count in some texts, numbered from 0 in each."""

    @property
    def counts(self) -> Ints:
        """How many there are in each text."""

    def spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Half-open spans of code points from the first to the last (inclusive); (-1, -1) outside."""

    def numbers(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """First and last (inclusive) in half-open spans; last < first where there is none."""


def read_gold_mentions(
    name: str,
    draft: Draft,
    numbered: Callable[[TextColumn], UnitNumbering],
    files: tuple[Path, Path, Path],
    options: FormatOptions,
) -> Corpus:
    """Sentences with the mentions of the gold's file and, where it stands beside it, of the alternatives'.

    Parameters
    ----------
    name : str
        The format.
    draft : Draft
        The sentences.
    numbered : callable
        What offsets count in a column of texts.
    files : three paths
        Of sentences, gold and alternatives.
    options : mapping
        Of the format; `type` is that of all mentions.
    """
    source, gold_file, other = files
    shell = assemble_corpus(draft, name="", digest="", file=source)
    if not gold_file.is_file():
        raise InputError(
            "the gold is missing", file=gold_file, allowed=f"{gold_file.name} beside {source.name}"
        )
    points = TextColumn(draft.texts)
    units = numbered(points)
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


def read_predicted_mentions(
    source: Path, gold: Corpus, numbered: Callable[[TextColumn], UnitNumbering], options: FormatOptions
) -> Corpus:
    """The gold's texts with the mentions of an offset file; see `read_gold_mentions`."""
    ids, texts, documents = (gold.texts[c].tolist() for c in ("text_id", "text", "document_id"))
    draft = Draft(ids, texts, documents)
    points = TextColumn(texts)
    _add_mentions(draft, gold, points, numbered(points), source, options)
    made = assemble_corpus(draft, name=source.name, digest=digest_file(source), side="predicted", file=source)
    return Corpus(made.name, gold.texts, made.mentions, digest=made.digest, notes=made.notes)


def _add_mentions(
    draft: Draft, gold: Corpus, points: TextColumn, units: UnitNumbering, file: Path, options: FormatOptions
) -> None:
    """Put the mentions of an offset file into a draft, and notes of what is odd there."""
    table, notes = parse_span_lines(_span_text(file), file)
    rows, starts, ends = _locate_lines(table, gold, units, file)
    draft.rows, draft.starts, draft.ends = rows, starts, ends
    draft.types, draft.lines = [_mention_type(options)] * len(rows), table["line"].to_numpy()
    draft.notes += [*notes, *_count_repeated(table, file)]
    draft.notes += _count_unlike(table, points.slices(rows, starts, ends), file)


def _mention_type(options: FormatOptions) -> str:
    return options.get("type", DEFAULT_TYPE)


def _span_text(path: Path) -> str:
    """Text of an offset file; it may be empty, for there may be nothing to find."""
    if path.is_file() and path.stat().st_size == 0:
        return ""
    return read_lines_text(path, "lines ID|first last|text")


def _locate_lines(
    table: pd.DataFrame, gold: Corpus, units: UnitNumbering, file: Path
) -> tuple[Ints, Ints, Ints]:
    """Text row and half-open code point span of every line."""
    rows = find_gold_rows(table["id"], gold, file, table["line"].to_numpy())
    starts, ends = units.spans(rows, table["first"].to_numpy(), table["last"].to_numpy())
    if (starts < 0).any():
        i = int(np.argmin(starts))
        count = int(units.counts[rows[i]])
        raise InputError(
            "an offset outside the text",
            file=file,
            line=int(table["line"][i]),
            found=f"{table['first'][i]} {table['last'][i]}",
            allowed=f"0 <= first <= last <= {count - 1}",
        )
    return rows, starts, ends


def _drop_unknown_texts(table: pd.DataFrame, gold: Corpus, file: Path) -> tuple[pd.DataFrame, list[str]]:
    """Drop, with a note, alternatives of texts that do not exist: they can make nothing acceptable."""
    known = table["id"].isin(gold.texts["text_id"].astype("str")).to_numpy(dtype=bool)
    if known.all():
        return table, []
    i = int(np.argmin(known))
    first = f"first {table['id'][i]!r}, line {table['line'][i]}"
    note = f"{file.name}: {int((~known).sum())} alternatives of unknown texts dropped; {first}"
    return table[known].reset_index(drop=True), [note]


def _count_repeated(table: pd.DataFrame, file: Path) -> list[str]:
    """Say how many lines mark what an earlier line marks; each counts as a mention of its own."""
    again = table[["id", "first", "last"]].duplicated().to_numpy()
    if not again.any():
        return []
    first = table["line"][int(np.argmax(again))]
    return [f"{file.name}: {int(again.sum())} lines repeat the span of an earlier one; first line {first}"]


def _count_unlike(table: pd.DataFrame, slices: list[str], file: Path) -> list[str]:
    """Say how many recorded texts are not what stands at their offsets (case and white space apart).

    The offsets count, as the corpora's own README says: what follows the second bar "will be ignored".
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
        f"{file.name}: {len(unlike)} recorded texts are not what stands at their offsets; "
        f"first at line {table['line'][i]}: {table['text'][i]!r} for {slices[i]!r}"
    ]


def write_folder(
    corpus: Corpus,
    sentences: Mapping[str, str],
    texts: tuple[TextColumn, UnitNumbering],
    names: tuple[str, str],
    folder: Path,
) -> None:
    """Write files of sentences, of the gold and, when the corpus has any, of the alternatives.

    Parameters
    ----------
    corpus : Corpus
    sentences : mapping of str to str
        The files of sentences, by name.
    texts : (TextColumn, Numbered)
        The corpus's texts, and what offsets count in them.
    names : two str
        The offset files of mentions and of alternatives.
    folder : Path
    """
    points, units = texts
    ids = corpus.texts["text_id"].astype("str")
    files = dict(sentences)
    for name, table in zip(names, (corpus.mentions, corpus.alternatives), strict=True):
        if table is None:
            continue
        rows, starts, ends = locate_spans(corpus.texts, table)
        first, last = units.numbers(rows, starts, ends)
        solid = last >= first
        shown = points.slices(rows[solid], starts[solid], ends[solid])
        listed = zip(ids.take(rows[solid]), first[solid].tolist(), last[solid].tolist(), shown, strict=True)
        files[name] = "".join([f"{i}|{a} {b}|{text}\n" for i, a, b, text in listed])
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")


def check_line_ids(corpus: Corpus, format_name: str) -> list[str]:
    """The text ids, where all of them can stand at the head of a line."""
    ids: list[str] = corpus.texts["text_id"].astype("str").tolist()
    for text_id in ids:
        if not text_id or re.search(r"[|\s]", text_id):
            raise InputError(
                f"a text id that format {format_name} cannot carry",
                found=text_id,
                allowed="ids without white space and bars",
            )
    return ids
