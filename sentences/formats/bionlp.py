"""BioNLP shared tasks: ``NAME.txt``, ``NAME.a1`` (given mentions) and ``NAME.a2`` (the rest).

Offsets count UTF-16 units, as the organisers' program for Bacteria Biotope indexes Java strings; option
``offsets`` changes that. Mentions are written to ``.a1``, all that refers to them to ``.a2``; both are
read.
"""

from __future__ import annotations

from .brat import make_standoff_format

FORMAT = make_standoff_format(
    "bionlp",
    "BioNLP shared tasks: NAME.txt, NAME.a1, NAME.a2, offsets in UTF-16 units",
    (".a1", ".a2"),
    "utf16",
)
