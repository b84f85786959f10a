"""Options for discovering errors and for confirming the findings.

The commands ``discover`` and ``report`` use them, as do the functions with the same names and the table
``[discover]`` of study files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ...catalogues.core.options import COMMON, Option, Options

SEARCH, CONFIRMATION = "Search", "Confirmation on new cases"
"""Titles of groups of options in the help of commands."""


@dataclass(frozen=True)
class DiscoverOptions(Options):
    """Options of the search for errors; see ``docs/background/discovery.md``.

    Attributes
    ----------
    measures : tuple of str
        Measures to analyse: ``recall`` (missed mentions) or ``precision`` (false positives); both if empty.
    features : tuple of str
        Features to analyse; if empty, all features with a fixed set of values that can be computed from any
        text.
    depth : int
        Maximum number of conditions per class.
    least : int, optional
        Minimum number of mentions per class in each half of the data (20 if None); for costs, minimum number
        of minimal pairs per change (10 if None).
    effect : float
        Minimum difference in recall or precision between a class and the mentions that fail exactly one of
        its conditions.
    false_discoveries : float
        Maximum rate of false discoveries among the reported classes (Benjamini and Hochberg).
    seed : int
        Random seed for dividing the data into halves.
    divisions : int
        Number of times that the data are divided into halves; the findings from all divisions are combined.
    notion : str
        Notion of correctness.
    """

    measures: Annotated[
        tuple[Literal["recall", "precision"], ...],
        Option("Measure to analyse (repeatable); default: both.", SEARCH, label="measure", flag="--measure"),
    ] = ()
    features: Annotated[
        tuple[str, ...],
        Option("Feature to analyse (repeatable); default: all.", SEARCH, flag="--feature", metavar="FEATURE"),
    ] = ()
    depth: Annotated[
        int,
        Option(
            "Maximum number of conditions per class.",
            SEARCH,
            label="depth of the search",
            minimum=1,
            maximum=4,
            shows_range=True,
        ),
    ] = 3
    least: Annotated[
        int | None,
        Option(
            "Minimum number of mentions per class in each half [default: 20], or of minimal pairs per change "
            "with --show costs [default: 10].",
            SEARCH,
            label="number of mentions that a class needs",
            minimum=2,
            shows_range=True,
        ),
    ] = None
    effect: Annotated[
        float,
        Option(
            "Minimum difference in recall or precision from mentions that fail one condition.",
            SEARCH,
            minimum=0.01,
            maximum=0.9,
            shows_range=True,
        ),
    ] = 0.1
    false_discoveries: Annotated[
        float,
        Option(
            "Maximum rate of false discoveries among the reported classes.",
            SEARCH,
            label="false discovery rate",
            minimum=0.0001,
            maximum=0.5,
            shows_range=True,
        ),
    ] = 0.05
    seed: Annotated[int, Option("Random seed of the division into halves.", SEARCH, minimum=0)] = 0
    divisions: Annotated[
        int,
        Option(
            "Number of random divisions into halves; their findings are combined.",
            SEARCH,
            label="number of divisions",
            minimum=1,
            maximum=99,
            shows_range=True,
        ),
    ] = 5
    notion: Annotated[str, Option("Notion of correctness.", COMMON, metavar="NOTION")] = "strict"

    @property
    def min_mentions(self) -> int:
        """Minimum number of mentions per class in each half."""
        return 20 if self.least is None else self.least


@dataclass(frozen=True)
class ConfirmOptions(Options):
    """Options of the confirmation of findings on new cases; see ``docs/background/discovery.md``.

    Attributes
    ----------
    confirm : int
        Number of new cases for the final test of each class and of each near miss; 0 for no confirmation. A
        near miss consists of mentions that meet all conditions of the class except one.
    cases : int
        Maximum total number of new cases.
    candidates : int
        Maximum number of classes explored in one round.
    folder : path, optional
        Folder for the new suites and their runs; by default, ``RUN-confirm`` next to the run folder.
        Repeating a call with the same options reuses its contents.
    tagger : str
        Name or specification file of the tagger, if the run folder does not record it.
    jobs : int
        Number of tagger processes that run at the same time.
    overwrite : bool
        Replace an existing confirmation in `folder`.
    """

    confirm: Annotated[
        int,
        Option(
            "Number of new cases per tested class, and per near miss (mentions that fail one condition).",
            CONFIRMATION,
            label="number of new cases per class",
            minimum=0,
            maximum=100_000,
        ),
    ] = 0
    cases: Annotated[
        int,
        Option("Maximum total number of new cases.", CONFIRMATION, label="number of new cases", minimum=1),
    ] = 3000
    candidates: Annotated[
        int,
        Option(
            "Maximum number of classes explored in one round.",
            CONFIRMATION,
            label="number of classes explored",
            minimum=1,
        ),
    ] = 20
    folder: Annotated[
        Path | None,
        Option(
            "Folder for the new suites and runs, by default RUN-confirm; repeat the command to resume.",
            CONFIRMATION,
            metavar="FOLDER",
        ),
    ] = None
    tagger: Annotated[
        str,
        Option(
            "Name or specification file of the tagger, if the run does not record it.",
            CONFIRMATION,
            metavar="TAGGER",
        ),
    ] = ""
    jobs: Annotated[
        int,
        Option(
            "Number of tagger processes that run in parallel.",
            CONFIRMATION,
            label="number of tagger processes",
            minimum=1,
            shows_range=True,
        ),
    ] = 1
    overwrite: Annotated[
        bool,
        Option("Replace an existing confirmation folder.", CONFIRMATION, flag="--force"),
    ] = False
