"""Options of a diagnosis, and the numbers of cases in its suites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...catalogues.core.errors import InputError
from ...catalogues.core.options import COMMON, Option, Options


@dataclass(frozen=True)
class Effort:
    """Numbers of cases in the suites and tests of a diagnosis.

    Attributes
    ----------
    names : int
        Number of cases with names in the default suite, divided equally among the kinds of names.
    times : int
        Minimum number of cases for each value of each feature in the default suite.
    without_names : int
        Number of cases without names in the default suite.
    suspected : int
        Number of cases that the query of a suspicion selects. The same number of other cases is added for
        comparison.
    confirm, new_cases, candidates : int
        Limits on the new cases for testing faults; see `ConfirmOptions`.
    """

    names: int
    times: int
    without_names: int
    suspected: int
    confirm: int
    new_cases: int
    candidates: int


QUICK = Effort(400, 2, 60, 120, 0, 1, 1)
USUAL = Effort(1000, 8, 150, 400, 30, 1500, 10)
THOROUGH = Effort(4000, 30, 200, 1500, 100, 10_000, 20)


@dataclass(frozen=True)
class DiagnosisOptions(Options):
    """Options that set what a diagnosis tests and how thoroughly; see ``docs/tutorials/first-diagnosis.md``.

    Attributes
    ----------
    suspect : tuple of str
        Queries for cases on which the tagger is suspected to fail. For each query, a suite is made
        from cases that the query selects and comparable other cases.
    quick, thorough : bool
        Whether to use fewer cases and no tests on new cases (`quick`), or more cases and tests (`thorough`).
    composition : str
        Composition of the corpus for which recall is estimated: a file, or the name of a bundled composition.
    annotated : str
        Annotated corpus (``FORMAT:PATH``), or a run on it, for which recall is estimated.
    seed : int

    Raises
    ------
    InputError
        If both `quick` and `thorough` are given.
    """

    help_group = COMMON

    suspect: Annotated[
        tuple[str, ...],
        Option(
            "Query for names that the tagger is suspected to get wrong (repeatable).",
            metavar="QUERY",
        ),
    ] = ()
    quick: Annotated[bool, Option("Use a few hundred cases and do not confirm errors on new cases.")] = False
    thorough: Annotated[
        bool, Option("Use several thousand cases, and up to 10,000 new cases to confirm errors.")
    ] = False
    composition: Annotated[
        str,
        Option(
            "Composition file, or bundled composition, of a corpus for which to estimate recall.",
            metavar="NAME|FILE",
        ),
    ] = ""
    annotated: Annotated[
        str,
        Option(
            "Annotated corpus for which to estimate recall, or a run on it.",
            metavar="FORMAT:PATH|RUN",
        ),
    ] = ""
    seed: Annotated[int, Option("Random seed.", minimum=0)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.quick and self.thorough:
            raise InputError("a diagnosis is either quick or thorough", found="both", allowed="one of them")

    @property
    def effort(self) -> Effort:
        """Numbers of cases in the suites and tests."""
        return QUICK if self.quick else THOROUGH if self.thorough else USUAL
