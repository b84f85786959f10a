"""Probes: measurements of one property of a tagger with purpose-made texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.options import Option, Options


@dataclass(frozen=True)
class LengthOptions(Options):
    """Length of the texts in a length probe, and the maximum number of texts.

    Attributes
    ----------
    most : int
        Number of words in the longest text.
    case : int
        Number of the case to use, from 1; 0 for the first one that the tagger finds alone.
    calls : int
        Maximum number of texts that are sent to the tagger.
    """

    most: Annotated[int, Option("Words of the longest text.", minimum=64, maximum=100_000)] = 4096
    case: Annotated[
        int, Option("The case that is used, by number; else the first that is found alone.", minimum=0)
    ] = 0
    calls: Annotated[int, Option("Texts that are sent at most.", minimum=10)] = 200
