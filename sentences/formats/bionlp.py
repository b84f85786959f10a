"""Format of the BioNLP shared tasks: ``NAME.txt``, ``NAME.a1`` (mentions), ``NAME.a2`` (other annotations).

By default, offsets count UTF-16 units, as in the official evaluation program for Bacteria Biotope, which uses
Java strings; the option ``offsets`` sets another unit. The reader also accepts mentions in ``NAME.a2``.
"""

from __future__ import annotations

from .brat import make_standoff_format

FORMAT = make_standoff_format(
    "bionlp",
    "BioNLP shared tasks: NAME.txt, NAME.a1, NAME.a2, offsets in UTF-16 units",
    (".a1", ".a2"),
    "utf16",
)
