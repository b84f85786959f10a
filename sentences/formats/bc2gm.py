"""Format of the BioCreative II gene mention task, with offsets that do not count white space.

A corpus is a folder with one ``*.in`` file (one line ``ID sentence`` per sentence), ``GENE.eval`` and,
optionally, ``ALTGENE.eval`` (alternative spans). The ``.eval`` files consist of lines ``ID|first last|text``.
Offsets count non-space characters from 0, and `last` is inclusive. The text after the second bar is ignored.
A file of predictions has the same format as ``GENE.eval``. Source: README.GM, distributed with the corpus.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import TextColumn
from ...catalogues.core.tokens import Tokens, tokenise
from ..corpus import Corpus
from .base import FormatOptions, check_line_ids, read_lines_text, split_lines
from .draft import Draft
from .gene_mentions import OffsetFiles, make_gene_mention_format, write_folder


def find_characters(column: TextColumn) -> Tokens:
    """Return the characters of the texts, except white space, as tokens."""
    return tokenise(column, "whitespace", np.arange(column.size))


FILES = OffsetFiles("GENE.eval", "ALTGENE.eval", find_characters)


def read_sentences(folder: Path) -> tuple[Path, Draft]:
    """Find and read the file of sentences; raise InputError if there is not exactly one ``*.in`` file."""
    files = sorted(folder.glob("*.in"))
    if len(files) != 1:
        raise InputError(
            "a bc2gm folder must contain GENE.eval and exactly one *.in file",
            file=folder,
            found=", ".join(p.name for p in files) or "no *.in file",
        )
    lines = split_lines(read_lines_text(files[0], "lines of the form ID sentence"))
    cut = [line.partition(" ") for line in lines]
    for i, (key, blank, _) in enumerate(cut):
        if not key or not blank or "|" in key:
            raise InputError(
                "not a sentence line",
                file=files[0],
                line=i + 1,
                found=lines[i],
                allowed="ID (without |), a space, the sentence",
            )
    return files[0], Draft([c[0] for c in cut], [c[2] for c in cut])


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write ``corpus.in``, ``GENE.eval`` and, if there are alternative spans, ``ALTGENE.eval``."""
    texts = corpus.texts["text"].tolist()
    listed = zip(check_line_ids(corpus, "bc2gm"), texts, strict=True)
    sentences = {"corpus.in": "".join([f"{i} {t}\n" for i, t in listed])}
    points = TextColumn(texts)
    write_folder(corpus, sentences, points, find_characters(points), FILES, path)


FORMAT = make_gene_mention_format(
    "bc2gm",
    "BioCreative II gene mention: *.in, GENE.eval, ALTGENE.eval; predictions: a file like GENE.eval",
    FILES,
    read_sentences,
    write,
)
