"""How often a tagger is run, and with which of its options varied: each option declared once."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.options import Option, Options, pair_of

MOST_TIMES = 1000
"""Repetitions of a run."""


@dataclass(frozen=True)
class RepeatOptions(Options):
    """Repetitions and variants of a run; see ``docs/repeats.md``.

    Attributes
    ----------
    times : int
        Repetitions of each run.
    until : float or None
        Half the width of the interval of mean recall at which repetitions stop early.
    vary : mapping of str to tuple
        The values of each option of the tagger that is varied; may be given as ``NAME=a,b,c`` texts.

    Raises
    ------
    InputError
        When a value is not legal, or nothing can be stopped early.
    """

    times: Annotated[
        int,
        Option(
            "Repetitions: each case is asked so often.",
            what="number of repetitions (times)",
            least=1,
            most=MOST_TIMES,
            ranged=True,
        ),
    ] = 1
    until: Annotated[
        float | None,
        Option("With --times: stop early where the interval of mean recall is so narrow (half its width)."),
    ] = None
    vary: Annotated[
        Mapping[str, tuple[Any, ...]],
        Option(
            "A run for each value of an option, in variants/ of --out; repeatable: all combinations.",
            metavar="NAME=A,B,...",
        ),
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.vary or {}
        if not isinstance(given, Mapping):
            given = parse_factors([given] if isinstance(given, str) else given)
        object.__setattr__(self, "vary", {name: tuple(values) for name, values in given.items()})
        if self.until is None:
            return
        if not 0.0 < self.until < 1.0:
            raise InputError("--until is out of range", found=self.until, allowed="more than 0, less than 1")
        if self.times < 2:
            raise InputError(
                "--until stops repetitions early", found=f"{self.times} of them", allowed="--times K with it"
            )

    @property
    def runs(self) -> int:
        """Runs in all, at most."""
        return self.times * math.prod(len(values) for values in self.vary.values())

    @property
    def factors(self) -> dict[str, list[str]]:
        """The values that vary, as they stand in names of folders and in tables."""
        return {name: [str(value) for value in values] for name, values in self.vary.items()}


def parse_factors(given: Sequence[str]) -> dict[str, list[str]]:
    """Read ``NAME=a,b,c``; a value with a comma stands in double quotes.

    Examples
    --------
    >>> parse_factors(["case=fold,exact", 'prompt="Find genes, please",Genes?'])
    {'case': ['fold', 'exact'], 'prompt': ['Find genes, please', 'Genes?']}
    """
    factors: dict[str, list[str]] = {}
    for text in given:
        name, values = pair_of(text, "--vary", "NAME=a,b,c", empty=True)
        if name in factors:
            raise InputError(f"--vary names {name} twice", found=text, allowed="all its values at once")
        factors[name] = next(csv.reader([values], strict=False), [])
    return factors
