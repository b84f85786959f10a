"""What a format is: a name, a reader, a writer, its options, and the parts of a corpus that it carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from ...catalogues.core.arrays import bounds
from ...catalogues.core.errors import InputError
from ...catalogues.core.limits import Cost
from ...catalogues.core.text import Flags, Ints
from ..corpus import MENTION_COLUMNS, OTHER_TABLES, TEXT_COLUMNS, Corpus
from ..spans import spans_of
from .records import Records

Options = Mapping[str, str]
Nesting = Literal["flat", "nested", "any"]
YES_OR_NO = ("force", "check", "comments")
"""Options that mean the same wherever they occur."""
FORCE = {"force": "yes: replace a folder that was written in this format"}
CHECK = {"check": "no: do not compare recorded texts with the offsets"}


def forced(options: Options) -> bool:
    """Whether a folder is replaced; see `FORCE`."""
    return options.get("force") == "yes"


def checked(options: Options) -> bool:
    """Whether recorded texts are compared with the offsets; see `CHECK`."""
    return options.get("check") != "no"


Reader = Callable[[Path, Options], Corpus]
"""Reads a corpus from a place."""
PredictionReader = Callable[[Path, Corpus, Options], Corpus]
"""Reads predicted mentions over the texts of a gold corpus."""
Writer = Callable[[Corpus, Path, Options], None]
"""Writes a corpus to a place."""


@dataclass(frozen=True)
class Carries:
    """The parts of a corpus that a format has a place for; `losses` names the others when a corpus has them.

    Attributes
    ----------
    text_ids, document_ids, types, scores, sides : bool
        Whether these columns are kept.
    number_ids : bool
        Whether text ids that are numbers come back as numbers.
    fragments, alternatives, normalisations, relations, equivalences : bool
        Whether these tables are kept.
    white_space : bool
        Whether the text comes back with its own white space.
    text_features, mention_features : bool
        Whether further columns are kept.
    nesting : {"flat", "nested", "any"}
        Which mentions of one text may share characters: none; only one inside the other; any.
    """

    text_ids: bool = True
    number_ids: bool = False
    document_ids: bool = False
    types: bool = True
    scores: bool = False
    sides: bool = False
    fragments: bool = False
    alternatives: bool = False
    normalisations: bool = False
    relations: bool = False
    equivalences: bool = False
    white_space: bool = True
    text_features: bool = False
    mention_features: bool = False
    nesting: Nesting = "any"


EVERYTHING = Carries(
    number_ids=True,
    document_ids=True,
    scores=True,
    sides=True,
    fragments=True,
    alternatives=True,
    normalisations=True,
    relations=True,
    equivalences=True,
    text_features=True,
    mention_features=True,
)
"""What the formats carry that have a place for each table and column."""


@dataclass(frozen=True)
class Format:
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
    predictions : callable or None
        Reads predicted mentions; None: the corpus reader's result is laid over the gold's texts.
    options : mapping
        Option names with what they take, for ``FORMAT[option=value]:PATH``.
    choices : mapping
        The values that an option may have, where they can be listed (beside those of `YES_OR_NO`).
    carries : Carries
        See there.
    more_losses : callable or None
        What is lost of this corpus beyond `carries` (a boundary inside a token, say).
    parse : callable or None
        Reads bytes into `Records`, which is all that a tagger's output of this form needs.
    named : bool
        Whether what `parse` reads names the text of each mention; else a file is of one text.
    lines : bool
        Whether each line of a file stands for itself; in a tagger's output one that is too long is cut off.
    cost : Cost
        Memory that reading takes.
    """

    name: str
    title: str
    place: Literal["file", "folder"]
    read: Reader | None
    write: Writer | None
    predictions: PredictionReader | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    carries: Carries = field(default_factory=Carries)
    more_losses: Callable[[Corpus, Options], list[str]] | None = None
    parse: Callable[[bytes, Records], object] | None = None
    named: bool = True
    lines: bool = True
    cost: Cost = field(default_factory=Cost)

    def check_options(self, options: Options) -> None:
        """Refuse an option that the format does not have, and a value that it cannot have."""
        for name, value in options.items():
            if name not in self.options:
                allowed = "; ".join(f"{k} = {v}" for k, v in self.options.items()) or "no options"
                raise InputError(
                    f"unknown option of format {self.name}", found=f"{name}={value}", allowed=allowed
                )
            legal = self.choices.get(name, ("yes", "no") if name in YES_OR_NO else (value,))
            if value not in legal:
                raise InputError(
                    f"no such value of option {name} of format {self.name}",
                    found=value,
                    allowed=", ".join(legal),
                )

    def losses(self, corpus: Corpus, options: Options | None = None) -> tuple[str, ...]:
        """Say what of `corpus` this format cannot carry, one line a kind; empty when nothing is lost."""
        can = self.carries
        texts, mentions = corpus.texts, corpus.mentions
        lost: list[str] = []

        def add(number: int, what: str) -> None:
            if number:
                lost.append(f"{number} {what}")

        if not can.text_ids:
            add(0 if numbered(texts) else len(texts), "text ids (read back as running numbers)")
        elif not can.number_ids and pd.api.types.is_integer_dtype(texts["text_id"]):
            add(len(texts), "text ids that are numbers (read back as text)")
        if not can.document_ids:
            ids = texts["document_id"]
            add(int((ids.notna() & (ids != "")).sum()), "document ids")
        if not can.types and len(mentions):
            kinds = sorted(set(mentions["type"]) - {DEFAULT_TYPE})
            add(len(kinds), f"types of mention ({', '.join(kinds)}; all are read back as {DEFAULT_TYPE})")
        if not can.scores:
            add(int(mentions["score"].notna().sum()), "scores")
        if not can.sides:
            add(int((mentions["side"] != "gold").sum()), "marks of the predicted side")
        for name in OTHER_TABLES:
            table = getattr(corpus, name)
            if table is not None and not getattr(can, name):
                what = "discontinuous mentions (the hull is written)" if name == "fragments" else name
                number = table["mention_id"].nunique() if name == "fragments" else len(table)
                add(number, what)
        extra = [c for c in texts.columns if c not in TEXT_COLUMNS]
        if extra and not can.text_features:
            add(len(extra), f"columns of texts ({', '.join(extra)})")
        extra = [c for c in mentions.columns if c not in MENTION_COLUMNS]
        if extra and not can.mention_features:
            shown = ", ".join(extra[:4]) + (", …" if len(extra) > 4 else "")
            add(len(extra), f"columns of mentions ({shown})")
        if not can.white_space:
            odd = texts["text"].str.contains(r"^\s|\s$|\s\s|[^\S ]", regex=True)
            add(int(odd.sum()), "texts with white space other than single blanks between tokens")
        if can.nesting != "any":
            kept = nestable(corpus, flat=can.nesting == "flat")
            what = "overlap another" if can.nesting == "flat" else "cross another"
            add(int((~kept).sum()), f"mentions that {what} (the longer one that begins first is kept)")
        if self.more_losses is not None:
            lost.extend(self.more_losses(corpus, options or {}))
        return tuple(lost)


DEFAULT_TYPE = "gp"
"""Type of the mentions of formats that name none: gene or protein."""


def numbered(texts: pd.DataFrame) -> bool:
    """Whether the text ids are just the running numbers from 0."""
    return texts["text_id"].astype("str").tolist() == [str(i) for i in range(len(texts))]


def absolute_spans(corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Text row, start and end of every mention, the latter two as places in a `TextColumn`."""
    lengths = corpus.texts["text"].str.len().to_numpy(dtype=np.int64)
    rows, starts, ends = spans_of(corpus.texts, corpus.mentions)
    base = bounds(lengths + 1)[rows]
    return rows, base + starts, base + ends


def nestable(corpus: Corpus, *, flat: bool) -> Flags:
    """Mark the mentions that can be kept so that none overlap (`flat`) or none cross.

    In the order of start, then longer first, a mention is kept when it fits with those kept before it. Only
    the texts that have overlapping mentions at all are walked through.
    """
    rows, starts, ends = absolute_spans(corpus)
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


def single_side(corpus: Corpus, format_name: str) -> None:
    """Refuse a corpus that holds gold and predicted mentions for a format that has no place for the side."""
    sides = corpus.mentions["side"].unique()
    if len(sides) > 1:
        raise InputError(
            f"the corpus holds gold and predicted mentions, and format {format_name} cannot tell them apart",
            allowed="one side at a time, or format jsonl, csv or parquet",
        )


def refuse_without_tokens(corpus: Corpus, counts: Ints, file: str | PathLike[str] | None, name: str) -> None:
    """Refuse texts without tokens for a format of tokens; `counts` has the tokens of each."""
    if (counts == 0).any():
        empty = str(corpus.texts["text_id"].iloc[int(np.argmin(counts))])
        raise InputError(f"a text without tokens, which format {name} cannot carry", file=file, found=empty)


def refuse_line_breaks(corpus: Corpus, format_name: str, pattern: str = r"[\n\r]") -> None:
    """Refuse texts that would break a format of one text a line."""
    bad = corpus.texts["text"].str.contains(pattern, regex=True).to_numpy(dtype=bool)
    if bad.any():
        first = corpus.texts.iloc[int(np.argmax(bad))]
        raise InputError(
            f"text {first['text_id']!r} holds a line break, which format {format_name} cannot carry "
            f"({int(bad.sum())} such texts)",
            found=first["text"],
            allowed="text without line breaks, or format bioc, brat, jsonl, csv or parquet",
        )
