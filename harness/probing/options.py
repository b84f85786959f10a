"""What a probe of length may be asked: each option declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.options import Option, Options


@dataclass(frozen=True)
class LengthOptions(Options):
    """How far is looked, and with how many texts.

    Attributes
    ----------
    most : int
        Words of the longest text.
    case : int
        The number of the case that is used, from 1; 0 for the first that the tagger finds alone.
    calls : int
        Texts that are sent at most.
    """

    most: Annotated[int, Option("Words of the longest text.", least=64, most=100_000)] = 4096
    case: Annotated[
        int, Option("The case that is used, by number; else the first that is found alone.", least=0)
    ] = 0
    calls: Annotated[int, Option("Texts that are sent at most.", least=10)] = 200
