"""BioCreative II gene mention: sentences by line, spans counted in characters that are not white space.

A folder with one ``*.in`` (``ID sentence`` a line), ``GENE.eval`` and, optionally, ``ALTGENE.eval`` (lines
``ID|first last|text``; offsets from 0, `last` inclusive; what stands after the second bar is for people).
Predictions are a file in the form of ``GENE.eval``. Source: the corpus's README.GM.
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
    """The one ``*.in`` of a folder."""
    found = sorted(folder.glob("*.in"))
    if len(found) != 1:
        raise InputError(
            "a bc2gm folder holds one *.in",
            file=folder,
            found=", ".join(p.name for p in found) or "none",
            allowed="one *.in beside GENE.eval",
        )
    return found[0]


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a folder with sentences, gold and, where present, alternatives."""
    source = find_sentence_file(path)
    lines = split_lines(read_lines_text(source, "lines ID sentence"))
    cut = [line.partition(" ") for line in lines]
    for i, (key, blank, _) in enumerate(cut):
        if not key or not blank or "|" in key:
            raise InputError(
                "not a sentence line",
                file=source,
                line=i + 1,
                found=lines[i],
                allowed="ID, a blank, the sentence",
            )
    draft = Draft([c[0] for c in cut], [c[2] for c in cut])
    return read_gold_mentions(
        "bc2gm", draft, NonSpaceCharacters, (source, path / GOLD_FILE, path / ALTERNATIVES_FILE), options
    )


def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:
    """Read a file in the form of ``GENE.eval`` (of a folder: its ``GENE.eval``) over the gold's texts."""
    return read_predicted_mentions(
        path / GOLD_FILE if path.is_dir() else path, gold, NonSpaceCharacters, options
    )


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:  # noqa: ARG001 - a writer's signature
    """Write ``corpus.in``, ``GENE.eval`` and, when the corpus has any, ``ALTGENE.eval``."""
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
    title="BioCreative II gene mention: *.in, GENE.eval, ALTGENE.eval; predictions in the form of GENE.eval",
    place="folder",
    read=read,
    write=write,
    read_predictions=read_predictions,
    options=OPTIONS,
)
