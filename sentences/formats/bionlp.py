"""Format of the BioNLP shared tasks, with mentions in ``NAME.a1`` and other annotations in ``NAME.a2``.

The texts are in ``NAME.txt``. By default, offsets count UTF-16 units, as in the official evaluation program
for Bacteria Biotope, which uses Java strings. The option ``offsets`` sets a different unit. The reader also
accepts mentions in ``NAME.a2``.
"""

from __future__ import annotations

from .brat import make_standoff_format

FORMAT = make_standoff_format(
    "bionlp",
    "BioNLP shared tasks: NAME.txt, NAME.a1, NAME.a2, offsets in UTF-16 units",
    (".a1", ".a2"),
    "utf16",
)
