"""Probes, which measure one property of a tagger with purpose-made texts; options of the length probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.options import COMMON, Option, Options


@dataclass(frozen=True)
class LengthOptions(Options):
    """Length and number of the texts of a length probe.

    Attributes
    ----------
    most : int
        Number of words in the longest text.
    case : int
        Number of the case to use, from 1; 0 for the first case that the tagger finds on its own.
    calls : int
        Maximum number of texts.
    """

    most: Annotated[
        int, Option("Number of words in the longest text.", group=COMMON, minimum=64, maximum=100_000)
    ] = 4096
    case: Annotated[
        int,
        Option(
            "Number of the case to use, from 1; 0 for the first case that the tagger finds on its own.",
            minimum=0,
        ),
    ] = 0
    calls: Annotated[int, Option("Maximum number of texts.", minimum=10)] = 200
