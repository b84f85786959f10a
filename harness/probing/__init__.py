"""Probes, each of which measures one property of a tagger with purpose-made texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.options import COMMON, Option, Options


@dataclass(frozen=True)
class LengthOptions(Options):
    """Options of the length probe.

    Attributes
    ----------
    most : int
        Number of words in the longest text.
    case : int
        Number of the case to use, from 1; 0 selects the first case whose mention the tagger finds without
        surrounding text.
    calls : int
        Maximum number of texts that are sent to the tagger.
    """

    most: Annotated[
        int, Option("Number of words in the longest text.", group=COMMON, minimum=64, maximum=100_000)
    ] = 4096
    case: Annotated[
        int,
        Option(
            "Number of the case to use, from 1; 0 selects the first case whose mention the tagger finds "
            "without surrounding text.",
            minimum=0,
        ),
    ] = 0
    calls: Annotated[int, Option("Maximum number of texts to send to the tagger.", minimum=10)] = 200
