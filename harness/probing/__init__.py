"""Properties of a tagger, measured with purpose-made texts: what a probe of length is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.options import Option, Options


@dataclass(frozen=True)
class LengthOptions(Options):
    """How long texts are, and how many are sent.

    Attributes
    ----------
    most : int
        Words of the longest text.
    case : int
        The number of the case that is used, from 1; 0 for the first that the tagger finds alone.
    calls : int
        Maximum number of texts.
    """

    most: Annotated[int, Option("Words of the longest text.", minimum=64, maximum=100_000)] = 4096
    case: Annotated[
        int, Option("The case that is used, by number; else the first that is found alone.", minimum=0)
    ] = 0
    calls: Annotated[int, Option("Texts that are sent at most.", minimum=10)] = 200
