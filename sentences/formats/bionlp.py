"""BioNLP shared tasks: ``NAME.txt``, ``NAME.a1`` (given mentions) and ``NAME.a2`` (the rest).

Offsets count UTF-16 units, as the organisers' program for Bacteria Biotope indexes Java strings; option
``offsets`` changes that. Mentions are written to ``.a1``, all that refers to them to ``.a2``; both are
read.
"""

from __future__ import annotations

from pathlib import Path

from ..corpus import Corpus
from .base import Format, Options
from .brat import CARRIES, OPTIONS, more_losses, read_folder, write_folder


def _read(path: Path, options: Options) -> Corpus:
    return read_folder(path, options, "bionlp", (".a1", ".a2"), "utf16")


def _write(corpus: Corpus, path: Path, options: Options) -> None:
    write_folder(corpus, path, options, "bionlp", True, "utf16")


FORMAT = Format(
    name="bionlp",
    title="BioNLP shared tasks: NAME.txt, NAME.a1, NAME.a2, offsets in UTF-16 units",
    place="folder",
    read=_read,
    write=_write,
    options=OPTIONS,
    carries=CARRIES,
    more_losses=more_losses,
)
