"""What a tagger printed, and whose each of its records is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..inputs.cases import Batch
from ..specification.output import Output


@dataclass
class Printed:
    """What a tagger printed, as text; what reads a form is given.

    Attributes
    ----------
    text : bytes
        UTF-8.
    form : Output
        How it is to be read.
    sent : Batch
        The texts as the tagger saw them.
    wrong : list of int
        Lines that are in another encoding than the declared one.
    long : set of int
        Lines that were cut off, for they are too long to be read.
    whole_case : bool
        Whether all of it is about the one case of `sent`.
    asked : bool
        Whether the tagger was told the identifier of this case among others: an answer that says another one
        is that one's.
    lines : dict of int to list of int
        Lines, counted from 0, that are about each case: who reads a form of lines fills it.
    keeps_all : bool
        Whether the lines of every case are wanted; else of those without a whole answer.
    """

    text: bytes
    form: Output
    sent: Batch
    wrong: list[int]
    long: set[int]
    whole_case: bool = False
    asked: bool = False
    lines: dict[int, list[int]] = field(default_factory=dict)
    keeps_all: bool = False

    @property
    def name(self) -> str | None:
        """The identifier of the case that all of it is about; None where it has several."""
        return self.sent.names[0] if self.whole_case else None


class Owned(NamedTuple):
    """Records by the identifiers of cases.

    Attributes
    ----------
    record : dict of int to int
        The record of each case that has one and no more.
    twice : dict of int to list of int
        The records of each case that has several.
    strays : list of int
        Records of no case.
    """

    record: dict[int, int]
    twice: dict[int, list[int]]
    strays: list[int]


def by_name(names: Iterable[str | None], wanted: Sequence[str]) -> Owned:
    """Find the case of each record, by the records' identifiers and those of the cases."""
    places = index(wanted)
    record: dict[int, int] = {}
    twice: dict[int, list[int]] = {}
    strays: list[int] = []
    for number, name in enumerate(names):
        case = None if name is None else places.get(name)
        if case is None:
            strays.append(number)
        elif case in record:
            twice.setdefault(case, [record[case]]).append(number)
        else:
            record[case] = number
    return Owned({c: r for c, r in record.items() if c not in twice}, twice, strays)


def index(names: Sequence[str]) -> dict[str, int]:
    """Place of each name in a sequence."""
    return {name: i for i, name in enumerate(names)}
