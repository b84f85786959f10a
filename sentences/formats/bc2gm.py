"""Format of the BioCreative II gene mention task: one sentence per line; offsets do not count white space.

A corpus is a folder with one ``*.in`` file (lines ``ID sentence``), ``GENE.eval`` and, optionally,
``ALTGENE.eval``. The last two have lines ``ID|first last|text``. Offsets count non-space characters from 0;
`last` is inclusive; the text after the second bar is ignored. Predictions are a file like ``GENE.eval``.
Source: README.GM in the distribution of the corpus.
"""

from __future__ import annotations

from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.offsets import NonSpaceCharacters
from ...catalogues.core.text import TextColumn
from ..corpus import Corpus
from .base import CorpusFormat, FormatOptions, read_lines_text, refuse_line_breaks, split_lines
from .draft import Draft
from .gene_mentions import OPTIONS, check_line_ids, read_gold_mentions, read_predicted_mentions, write_folder

GOLD_FILE, ALTERNATIVES_FILE = "GENE.eval", "ALTGENE.eval"


def find_sentence_file(folder: Path) -> Path:
    """Return the only ``*.in`` file in a folder; raise InputError if there is none or more than one."""
    files = sorted(folder.glob("*.in"))
    if len(files) != 1:
        raise InputError(
            "a bc2gm folder must contain exactly one *.in file, and GENE.eval",
            file=folder,
            found=", ".join(p.name for p in files) or "no *.in file",
        )
    return files[0]


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a bc2gm folder with sentences, gold mentions and, if present, alternatives."""
    source = find_sentence_file(path)
    lines = split_lines(read_lines_text(source, "lines of the form ID sentence"))
    cut = [line.partition(" ") for line in lines]
    for i, (key, blank, _) in enumerate(cut):
        if not key or not blank or "|" in key:
            raise InputError(
                "not a sentence line",
                file=source,
                line=i + 1,
                found=lines[i],
                allowed="ID (without |), a space, the sentence",
            )
    draft = Draft([c[0] for c in cut], [c[2] for c in cut])
    return read_gold_mentions(
        "bc2gm", draft, NonSpaceCharacters, (source, path / GOLD_FILE, path / ALTERNATIVES_FILE), options
    )


def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:
    """Read predicted mentions from a file like ``GENE.eval``, or from a folder with ``GENE.eval``."""
    return read_predicted_mentions(
        path / GOLD_FILE if path.is_dir() else path, gold, NonSpaceCharacters, options
    )


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write a bc2gm folder: ``corpus.in``, ``GENE.eval`` and, if there are alternatives, ``ALTGENE.eval``."""
    refuse_line_breaks(corpus, "bc2gm")
    texts = corpus.texts["text"].tolist()
    listed = zip(check_line_ids(corpus, "bc2gm"), texts, strict=True)
    sentences = {"corpus.in": "".join([f"{i} {t}\n" for i, t in listed])}
    points = TextColumn(texts)
    write_folder(
        corpus, sentences, (points, NonSpaceCharacters(points)), (GOLD_FILE, ALTERNATIVES_FILE), path
    )


FORMAT = CorpusFormat(
    name="bc2gm",
    title="BioCreative II gene mention: *.in, GENE.eval, ALTGENE.eval; predictions: a file like GENE.eval",
    place="folder",
    read=read,
    write=write,
    read_predictions=read_predictions,
    options=OPTIONS,
)
