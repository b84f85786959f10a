"""GENETAG format: sentences of tagged tokens, with spans counted in tokens.

A corpus is a folder with ``TAGGED_GENE_CORPUS`` or ``TOKENIZED_CORPUS`` (lines ``ID token/TAG token/TAG …``),
``Gold.format`` and, optionally, ``Correct.Data``. The last two have lines ``ID|first last|text`` with token
numbers from 0; `last` is inclusive. The text is made by joining the tokens with spaces. Predictions are a
file like ``Gold.format``. Source: README in the distribution of the corpus.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import Ints, TextColumn
from ...catalogues.core.tokens import tokenise
from ..corpus import Corpus
from ..spans import locate_spans, mark_covered
from .base import (
    CorpusFormat,
    FormatOptions,
    locate_mentions,
    read_lines_text,
    refuse_line_breaks,
    refuse_without_tokens,
    split_lines,
)
from .draft import Draft
from .gene_mentions import (
    OPTIONS,
    check_line_ids,
    read_gold_mentions,
    read_predicted_mentions,
    write_folder,
)

TAGGED_FILE, PLAIN_FILE, GOLD_FILE, ALTERNATIVES_FILE = (
    "TAGGED_GENE_CORPUS",
    "TOKENIZED_CORPUS",
    "Gold.format",
    "Correct.Data",
)


def parse_tagged(text: str, file: Path | None = None) -> tuple[list[str], list[str]]:
    """Return the ids and texts in lines ``ID token/TAG …``; the texts are tokens joined with spaces."""
    ids, texts = [], []
    for number, line in enumerate(split_lines(text), start=1):
        key, _, rest = line.partition(" ")
        # the tag follows the last slash of a token
        tagged = rest.split()
        tokens = [word.rpartition("/")[0] for word in tagged]
        if not key or not tokens or not all("/" in word for word in tagged):
            allowed = "ID token/TAG token/TAG …"
            raise InputError(
                "not a line of tagged tokens", file=file, line=number, found=line, allowed=allowed
            )
        ids.append(key)
        texts.append(" ".join(tokens))
    return ids, texts


class WhiteSpaceTokens:
    """Tokens of texts that are split at white space and at the offsets `cuts`.

    This class implements `gene_mentions.UnitNumbering`.
    """

    def __init__(self, column: TextColumn, cuts: Ints | None = None) -> None:
        self._column = column
        self._tokens = tokenise(column, "whitespace", cuts)
        self.bounds = self._tokens.bounds

    @property
    def counts(self) -> Ints:
        """Number of tokens in each text."""
        return np.diff(self.bounds)

    @cached_property
    def forms(self) -> list[str]:
        """Strings of the tokens in all texts."""
        return self._column.slices(self._tokens.row, self._tokens.start, self._tokens.end)

    def find_touched(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Return the first token that each half-open character span overlaps, and the last one plus 1."""
        return self._tokens.find_touched(rows, starts, ends)

    def spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Return the half-open character span from the first to the last token; (-1, -1) if it is invalid."""
        good = (first >= 0) & (last >= first) & (last < self.counts[rows])
        base = self.bounds[rows[good]]
        starts, ends = np.full(len(rows), -1), np.full(len(rows), -1)
        starts[good] = self._tokens.start[base + first[good]]
        ends[good] = self._tokens.end[base + last[good]]
        return starts, ends

    def numbers(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Return the first and last token in half-open character spans; last < first if a span has none."""
        first, last = self.find_touched(rows, starts, ends)
        return first - self.bounds[rows], last - self.bounds[rows] - 1


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a GENETAG folder with tagged sentences, gold mentions and, if present, alternatives."""
    source = next((path / n for n in (TAGGED_FILE, PLAIN_FILE) if (path / n).is_file()), None)
    if source is None:
        raise InputError(f"the folder contains neither {TAGGED_FILE} nor {PLAIN_FILE}", file=path)
    draft = Draft(*parse_tagged(read_lines_text(source, "lines of the form ID token/TAG …"), source))
    return read_gold_mentions(
        "genetag", draft, WhiteSpaceTokens, (source, path / GOLD_FILE, path / ALTERNATIVES_FILE), options
    )


def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:
    """Read predicted mentions from a file like ``Gold.format``; tokens are separated by white space."""
    return read_predicted_mentions(
        path / GOLD_FILE if path.is_dir() else path, gold, WhiteSpaceTokens, options
    )


def find_corpus_tokens(corpus: Corpus, points: TextColumn) -> WhiteSpaceTokens:
    """Split texts into tokens at white space and at the edges of mentions."""
    _, starts, ends = locate_mentions(corpus)
    return WhiteSpaceTokens(points, np.concatenate([starts, ends]))


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write a GENETAG folder: two files of sentences, ``Gold.format`` and any alternatives."""
    refuse_line_breaks(corpus, "genetag")
    ids = check_line_ids(corpus, "genetag")
    points = TextColumn(corpus.texts["text"].tolist())
    tokens = find_corpus_tokens(corpus, points)
    refuse_without_tokens(corpus, tokens.counts, "genetag")
    forms = tokens.forms
    first, last = tokens.find_touched(*locate_spans(corpus.texts, corpus.mentions))
    inside = mark_covered(len(forms), first, last)
    tagged = [f"{t}/{'NEWGENE' if i else 'TAG'}" for t, i in zip(forms, inside.tolist(), strict=True)]
    sentences = {
        TAGGED_FILE: _format_sentences(ids, tagged, tokens),
        PLAIN_FILE: _format_sentences(ids, [f"{t}/TAG" for t in forms], tokens),
    }
    write_folder(corpus, sentences, (points, tokens), (GOLD_FILE, ALTERNATIVES_FILE), path)


def _format_sentences(ids: list[str], tagged: list[str], tokens: WhiteSpaceTokens) -> str:
    edges = pairwise(tokens.bounds.tolist())
    return "".join([f"{i} {' '.join(tagged[a:b])}\n" for i, (a, b) in zip(ids, edges, strict=True)])


FORMAT = CorpusFormat(
    name="genetag",
    title="GENETAG: TAGGED_GENE_CORPUS, Gold.format, Correct.Data; predictions: a file like Gold.format",
    place="folder",
    read=read,
    write=write,
    read_predictions=read_predictions,
    options=OPTIONS,
)
