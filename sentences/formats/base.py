"""What a format is: a name, a reader, a writer and its options."""

from __future__ import annotations

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
"""Options that mean the same wherever they occur."""
FORCE_OPTION = {"force": "yes: replace a folder that was written in this format"}
CHECK_OPTION = {"check": "no: do not compare recorded texts with the offsets"}


def is_check_enabled(options: FormatOptions) -> bool:
    """Whether recorded texts are compared with the offsets; see `CHECK_OPTION`."""
    return options.get("check") != "no"


CorpusReader = Callable[[Path, FormatOptions], Corpus]
"""Reads a corpus from a place."""
PredictionReader = Callable[[Path, Corpus, FormatOptions], Corpus]
"""Reads predicted mentions over the texts of a gold corpus."""
CorpusWriter = Callable[[Corpus, Path, FormatOptions], None]
"""Writes a corpus to a place."""


@dataclass(frozen=True)
class CorpusFormat:
    """A corpus format.

    Attributes
    ----------
    name : str
        The word before the colon of ``FORMAT:PATH``.
    title : str
        One line for help and documentation.
    place : {"file", "folder"}
        What a corpus of the format is on disk.
    read, write : callables or None
        None where the format is only written, or only read.
    read_predictions : callable or None
        Reads predicted mentions; None: the corpus reader's result is laid over the gold's texts.
    options : mapping
        Option names with what they take, for ``FORMAT[option=value]:PATH``.
    option_values : mapping
        The values that an option may have, where they can be listed (beside those of `YES_NO_OPTIONS`).
    has_text_ids, has_sides : bool
        Whether a file names its texts, and tells gold from predicted mentions.
    parse : callable or None
        Reads bytes into `MentionRecords`, which is all that a tagger's output of this form needs.
    has_mention_names : bool
        Whether what `parse` reads names the text of each mention; else a file is of one text.
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
        """Refuse an option that the format does not have, and a value that it cannot have."""
        known = {**self.options, **(FORCE_OPTION if self.place == "folder" and self.write else {})}
        for name, value in options.items():
            if name not in known:
                allowed = "; ".join(f"{k} = {v}" for k, v in known.items()) or "no options"
                raise InputError(
                    f"unknown option of format {self.name}", found=f"{name}={value}", allowed=allowed
                )
            legal = self.option_values.get(name, ("yes", "no") if name in YES_NO_OPTIONS else (value,))
            if value not in legal:
                raise InputError(
                    f"no such value of option {name} of format {self.name}",
                    found=value,
                    allowed=", ".join(legal),
                )


DEFAULT_TYPE = "gp"
"""Type of the mentions of formats that name none: gene or protein."""


def locate_mentions(corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Text row, start and end of every mention, the latter two as places in a `TextColumn`."""
    lengths = corpus.texts["text"].str.len().to_numpy(dtype=np.int64)
    rows, starts, ends = locate_spans(corpus.texts, corpus.mentions)
    base = bounds_from_lengths(lengths + 1)[rows]
    return rows, base + starts, base + ends


def mark_nestable(corpus: Corpus, *, flat: bool) -> Flags:
    """Mark the mentions that can be kept so that none overlap (`flat`) or none cross.

    In the order of start, then longer first, a mention is kept when it fits with those kept before it. Only
    the texts that have overlapping mentions at all are walked through.
    """
    rows, starts, ends = locate_mentions(corpus)
    order = np.lexsort((-ends, starts))
    kept = np.ones(len(order), dtype=bool)
    reach = np.maximum.accumulate(ends[order]) if len(order) else ends
    clash = np.flatnonzero(starts[order][1:] < reach[:-1]) + 1
    if not len(clash):
        return kept
    crowded = np.isin(rows[order], np.unique(rows[order][clash]))
    open_ends: list[int] = []
    for i in order[crowded].tolist():
        while open_ends and open_ends[-1] <= starts[i]:
            open_ends.pop()
        if open_ends and (flat or ends[i] > open_ends[-1]):
            kept[i] = False
        else:
            open_ends.append(int(ends[i]))
    return kept


def refuse_without_tokens(corpus: Corpus, counts: Ints, name: str) -> None:
    """Refuse texts without tokens for a format of tokens; `counts` has the tokens of each."""
    if (counts == 0).any():
        empty = str(corpus.texts["text_id"].iloc[int(np.argmin(counts))])
        raise InputError(f"a text without tokens, which format {name} cannot carry", found=empty)


def refuse_line_breaks(corpus: Corpus, format_name: str) -> None:
    """Refuse texts that would break a format of one text a line."""
    bad = corpus.texts["text"].str.contains(r"[\n\r]", regex=True).to_numpy(dtype=bool)
    if bad.any():
        first = corpus.texts.iloc[int(np.argmax(bad))]
        raise InputError(
            f"text {first['text_id']!r} holds a line break, which format {format_name} cannot carry "
            f"({int(bad.sum())} such texts)",
            found=first["text"],
            allowed="text without line breaks, or format bioc, brat, jsonl, csv or parquet",
        )


def read_lines_bytes(path: Path, content_noun: str) -> bytes:
    """Read a file of lines as UTF-8; raise InputError if it is empty (it should hold `content_noun`)."""
    content = read_text(path).encode()
    if not content:
        raise InputError("the file is empty", file=path, allowed=content_noun)
    pairs = content.count(b"\r\n")
    return content.replace(b"\r\n", b"\n") if pairs and pairs == content.count(b"\n") else content


def read_lines_text(path: Path, content_noun: str) -> str:
    """As `read_lines_bytes`, as text."""
    return read_lines_bytes(path, content_noun).decode()


def split_lines(content: AnyStr) -> list[AnyStr]:
    r"""Lines at ``\n`` alone (a text may hold other separators); the last line's end is optional."""
    lines = content.split(b"\n" if isinstance(content, bytes) else "\n")
    if not lines[-1]:
        lines.pop()
    return lines
