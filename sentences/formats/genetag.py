"""GENETAG format: sentences of tagged tokens, with spans counted in tokens.

A corpus is a folder with ``TAGGED_GENE_CORPUS`` or ``TOKENIZED_CORPUS`` (lines ``ID token/TAG token/TAG …``),
``Gold.format`` and, optionally, ``Correct.Data``. The last two files consist of lines ``ID|first last|text``
with token numbers from 0; `last` is inclusive. The text is made by joining the tokens with spaces. A file of
predictions has the same format as ``Gold.format``. Source: README in the distribution of the corpus.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import TextColumn
from ...catalogues.core.tokens import Tokens, tokenise
from ..corpus import Corpus
from ..spans import locate_spans, mark_covered
from .base import (
    FormatOptions,
    check_line_ids,
    locate_mentions,
    read_lines_text,
    refuse_without_tokens,
    split_lines,
)
from .draft import Draft
from .gene_mentions import OffsetFiles, make_gene_mention_format, write_folder

TAGGED_FILE, PLAIN_FILE = "TAGGED_GENE_CORPUS", "TOKENIZED_CORPUS"
FILES = OffsetFiles("Gold.format", "Correct.Data", partial(tokenise, rule="whitespace"))


def parse_tagged(text: str, file: Path | None = None) -> tuple[list[str], list[str]]:
    """Return the ids and texts in lines ``ID token/TAG …``; the tokens of a text are joined with spaces."""
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


def read_sentences(folder: Path) -> tuple[Path, Draft]:
    """Find and read the file of tagged sentences in a folder."""
    source = next((folder / n for n in (TAGGED_FILE, PLAIN_FILE) if (folder / n).is_file()), None)
    if source is None:
        raise InputError(f"the folder contains neither {TAGGED_FILE} nor {PLAIN_FILE}", file=folder)
    return source, Draft(*parse_tagged(read_lines_text(source, "lines of the form ID token/TAG …"), source))


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write two files of sentences, ``Gold.format`` and, if there are alternative spans, ``Correct.Data``."""
    ids = check_line_ids(corpus, "genetag")
    points = TextColumn(corpus.texts["text"].tolist())
    # tokens end at white space and at the edges of mentions
    _, starts, ends = locate_mentions(corpus)
    tokens = tokenise(points, "whitespace", np.concatenate([starts, ends]))
    refuse_without_tokens(corpus, np.diff(tokens.bounds), "genetag")
    forms = points.slices(tokens.row, tokens.start, tokens.end)
    first, last = tokens.find_touched(*locate_spans(corpus.texts, corpus.mentions))
    inside = mark_covered(len(forms), first, last)
    tagged = [f"{t}/{'NEWGENE' if i else 'TAG'}" for t, i in zip(forms, inside.tolist(), strict=True)]
    sentences = {
        TAGGED_FILE: _format_sentences(ids, tagged, tokens),
        PLAIN_FILE: _format_sentences(ids, [f"{t}/TAG" for t in forms], tokens),
    }
    write_folder(corpus, sentences, points, tokens, FILES, path)


def _format_sentences(ids: list[str], tagged: list[str], tokens: Tokens) -> str:
    edges = pairwise(tokens.bounds.tolist())
    return "".join([f"{i} {' '.join(tagged[a:b])}\n" for i, (a, b) in zip(ids, edges, strict=True)])


FORMAT = make_gene_mention_format(
    "genetag",
    "GENETAG: TAGGED_GENE_CORPUS, Gold.format, Correct.Data; predictions: a file like Gold.format",
    FILES,
    read_sentences,
    write,
)
