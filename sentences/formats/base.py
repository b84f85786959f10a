"""Definition of a corpus format (name, reader, writer, options) and helper functions for formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import AnyStr, Literal

import numpy as np

from ...catalogues.core.arrays import bounds_from_lengths
from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_text
from ...catalogues.core.text import Flags, Ints
from ..corpus import Corpus
from ..spans import locate_spans
from .records import MentionRecords

FormatOptions = Mapping[str, str]
YES_NO_OPTIONS = ("force", "check", "comments")
"""Names of the options that take yes or no."""
FORCE_OPTION = {"force": "yes: replace an existing folder that was written in this format"}
CHECK_OPTION = {"check": "no: do not check that the recorded texts of mentions match their offsets"}


def is_check_enabled(options: FormatOptions) -> bool:
    """Return True unless the option ``check=no`` is given.

    For each mention, the check compares the text given in the file with the text at the offsets.
    """
    return options.get("check") != "no"


CorpusReader = Callable[[Path, FormatOptions], Corpus]
"""Type of a function that reads a corpus from a path."""
PredictionReader = Callable[[Path, Corpus, FormatOptions], Corpus]
"""Type of a function that reads predicted mentions for the texts of a gold corpus."""
CorpusWriter = Callable[[Corpus, Path, FormatOptions], None]
"""Type of a function that writes a corpus to a path."""


@dataclass(frozen=True)
class CorpusFormat:
    """Corpus format with its reader, writer and options.

    Attributes
    ----------
    name : str
        Name before the colon in ``FORMAT:PATH``.
    title : str
        Description in one line, for help and documentation.
    place : {"file", "folder"}
        Whether a corpus in this format is a file or a folder.
    read, write : callables or None
        Reader and writer of a corpus; None if the format cannot be read or cannot be written.
    read_predictions : callable or None
        Reader of predicted mentions. If None, predictions are read with `read`, and their spans are converted
        to spans in the gold texts.
    options : mapping
        Names of the options in ``FORMAT[option=value]:PATH``, with descriptions of their values.
    option_values : mapping
        Allowed values of each option, except for YES_NO_OPTIONS and for options that accept any value.
    has_text_ids, has_sides : bool
        Whether the files contain ids of texts, and whether they distinguish gold from predicted mentions.
    parse : callable or None
        Function that parses tagger output in this format into `MentionRecords`.
    has_mention_names : bool
        Whether a file contains the text id of each mention. If not, each file is about one text.
    """

    name: str
    title: str
    place: Literal["file", "folder"]
    read: CorpusReader | None
    write: CorpusWriter | None
    read_predictions: PredictionReader | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    option_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_text_ids: bool = True
    has_sides: bool = False
    parse: Callable[[bytes, MentionRecords], object] | None = None
    has_mention_names: bool = True

    def check_options(self, options: FormatOptions) -> None:
        """Raise InputError if an option does not exist in this format, or its value is not allowed."""
        titles = {**self.options, **(FORCE_OPTION if self.place == "folder" and self.write else {})}
        for name, value in options.items():
            if name not in titles:
                allowed = "; ".join(f"{k} = {v}" for k, v in titles.items()) or "no options"
                raise InputError(
                    f"unknown option of format {self.name}", found=f"{name}={value}", allowed=allowed
                )
            values = self.option_values.get(name, ("yes", "no") if name in YES_NO_OPTIONS else (value,))
            if value not in values:
                raise InputError(
                    f"invalid value for option {name} of format {self.name}",
                    found=value,
                    allowed=", ".join(values),
                )


DEFAULT_TYPE = "gp"
"""Type assigned to mentions if their format does not store types (gp means gene or protein)."""


def locate_mentions(corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Return the text index of each mention, and its start and end offsets in the concatenated texts."""
    lengths = corpus.texts["text"].str.len().to_numpy(dtype=np.int64)
    rows, starts, ends = locate_spans(corpus.texts, corpus.mentions)
    base = bounds_from_lengths(lengths + 1)[rows]
    return rows, base + starts, base + ends


def mark_nestable(corpus: Corpus, *, flat: bool) -> Flags:
    """Select mentions that do not cross; return a Boolean array that is True for each selected mention.

    Two mentions cross if they overlap and neither contains the other. If `flat` is true, mentions inside
    other mentions are not selected either.

    Mentions are considered in the order of their starts, longer ones first. A mention is selected if it is
    compatible with the mentions selected before it.
    """
    _, starts, ends = locate_mentions(corpus)
    is_kept = np.ones(len(starts), dtype=bool)
    open_ends: list[int] = []
    for i in np.lexsort((-ends, starts)).tolist():
        while open_ends and open_ends[-1] <= starts[i]:
            open_ends.pop()
        if open_ends and (flat or ends[i] > open_ends[-1]):
            is_kept[i] = False
        else:
            open_ends.append(int(ends[i]))
    return is_kept


def refuse_without_tokens(corpus: Corpus, counts: Ints, name: str) -> None:
    """Raise InputError if a text has no tokens; `counts` gives the number of tokens per text."""
    if (counts == 0).any():
        empty = str(corpus.texts["text_id"].iloc[int(np.argmin(counts))])
        raise InputError(f"format {name} cannot store a text without tokens", found=empty)


def refuse_line_breaks(corpus: Corpus, format_name: str) -> None:
    """Raise InputError if a text contains a line break, because the format has one text per line."""
    bad = corpus.texts["text"].str.contains(r"[\n\r]", regex=True).to_numpy(dtype=bool)
    if bad.any():
        first = corpus.texts.iloc[int(np.argmax(bad))]
        raise InputError(
            f"format {format_name} cannot store line breaks, but text {first['text_id']!r} contains one "
            f"({int(bad.sum())} such texts); use format bioc, brat, jsonl, csv or parquet instead",
            found=first["text"],
        )


def check_line_ids(corpus: Corpus, format_name: str) -> list[str]:
    """Return the text ids, or raise InputError if a text or its id cannot be written on one line."""
    refuse_line_breaks(corpus, format_name)
    ids: list[str] = corpus.texts["text_id"].astype("str").tolist()
    for text_id in ids:
        if not text_id or re.search(r"[|\s]", text_id):
            raise InputError(
                f"format {format_name} cannot store this text id",
                found=text_id,
                allowed="ids without white space or |",
            )
    return ids


def read_lines_bytes(path: Path, content_noun: str) -> bytes:
    r"""Read a file of UTF-8 lines as bytes; if all lines end in ``\r\n``, the ends are converted to ``\n``.

    Raises InputError if the file is empty; `content_noun` describes the expected content in the message.
    """
    content = read_text(path).encode()
    if not content:
        raise InputError("the file is empty", file=path, allowed=content_noun)
    pairs = content.count(b"\r\n")
    return content.replace(b"\r\n", b"\n") if pairs and pairs == content.count(b"\n") else content


def read_lines_text(path: Path, content_noun: str) -> str:
    """Read a file of UTF-8 lines as text; see `read_lines_bytes`."""
    return read_lines_bytes(path, content_noun).decode()


def split_lines(content: AnyStr) -> list[AnyStr]:
    r"""Split content into lines at ``\n`` only, because a text can contain other line separators."""
    lines = content.split(b"\n" if isinstance(content, bytes) else "\n")
    if not lines[-1]:
        lines.pop()
    return lines
