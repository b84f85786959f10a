"""GENETAG: sentences of tagged tokens, spans counted in tokens.

A folder with ``TAGGED_GENE_CORPUS`` or ``TOKENIZED_CORPUS`` (``ID token/TAG token/TAG …`` a line),
``Gold.format`` and, optionally, ``Correct.Data`` (lines ``ID|first last|text``; token numbers from 0, `last`
inclusive). The text is the tokens joined by one blank. Predictions (``Test.format``) have the form of
``Gold.format``. Source: the corpus's README.
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
    """Ids and texts of ``ID token/TAG …`` lines; a text is its tokens joined by one blank."""
    ids, texts = [], []
    for number, line in enumerate(split_lines(text), start=1):
        key, _, rest = line.partition(" ")
        # the tag is what follows the last slash of a token
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
    """Tokens parted by white space, cut also at some places; see `gene_mentions.Numbered`."""

    def __init__(self, column: TextColumn, cuts: Ints | None = None) -> None:
        self._column = column
        self._found = tokenise(column, "whitespace", cuts)
        self.bounds = self._found.bounds

    @property
    def counts(self) -> Ints:
        """Number of tokens in each text."""
        return np.diff(self.bounds)

    @cached_property
    def forms(self) -> list[str]:
        """The tokens of all texts."""
        return self._column.slices(self._found.row, self._found.start, self._found.end)

    def find_touched(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """First and one-past-last token of all that each half-open span touches."""
        return self._found.find_touched(rows, starts, ends)

    def spans(self, rows: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Half-open spans from the first to the last (inclusive) token; (-1, -1) outside."""
        good = (first >= 0) & (last >= first) & (last < self.counts[rows])
        base = self.bounds[rows[good]]
        starts, ends = np.full(len(rows), -1), np.full(len(rows), -1)
        starts[good] = self._found.start[base + first[good]]
        ends[good] = self._found.end[base + last[good]]
        return starts, ends

    def numbers(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """First and last (inclusive) token of half-open spans; last < first for mere white space."""
        first, last = self.find_touched(rows, starts, ends)
        return first - self.bounds[rows], last - self.bounds[rows] - 1


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a folder with tagged sentences, gold and, where present, alternatives."""
    source = next((path / n for n in (TAGGED_FILE, PLAIN_FILE) if (path / n).is_file()), None)
    if source is None:
        raise InputError("the sentences are missing", file=path, allowed=f"{TAGGED_FILE} or {PLAIN_FILE}")
    draft = Draft(*parse_tagged(read_lines_text(source, "lines ID token/TAG …"), source))
    return read_gold_mentions(
        "genetag", draft, WhiteSpaceTokens, (source, path / GOLD_FILE, path / ALTERNATIVES_FILE), options
    )


def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:
    """Read a file in the form of ``Gold.format``; the tokens of the gold's texts are split at white space."""
    return read_predicted_mentions(
        path / GOLD_FILE if path.is_dir() else path, gold, WhiteSpaceTokens, options
    )


def find_corpus_tokens(corpus: Corpus, points: TextColumn) -> WhiteSpaceTokens:
    """White-space tokens, cut also at the edges of the mentions, so that every mention is whole tokens."""
    _, starts, ends = locate_mentions(corpus)
    return WhiteSpaceTokens(points, np.concatenate([starts, ends]))


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write ``TAGGED_GENE_CORPUS``, ``TOKENIZED_CORPUS``, ``Gold.format`` and, if any, ``Correct.Data``."""
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
    title="GENETAG: TAGGED_GENE_CORPUS, Gold.format, Correct.Data; predictions in the form of Gold.format",
    place="folder",
    read=read,
    write=write,
    read_predictions=read_predictions,
    options=OPTIONS,
)
