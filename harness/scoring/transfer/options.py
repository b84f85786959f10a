"""Options for estimating results on a corpus, and for calibrating the estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ....catalogues.core.options import COMMON, Option, Options

ESTIMATES = "Estimates for a corpus"
"""Title of a group of options in the help of commands."""


@dataclass(frozen=True)
class TransferOptions(Options):
    """Options for estimating results on a corpus from a suite; see ``docs/background/transfer.md``.

    Attributes
    ----------
    standardise : str
        Composition file, or name of a bundled composition; if empty, results are not standardised.
    least_support : float
        Minimum share of a class's mentions that the suite must cover; otherwise no estimate is made.
    allowance : float
        Standard error (log odds) of between-corpus differences not explained by features or chance.
    evidence : tuple of str
        Folders of runs of the same tagger on other annotated corpora, used as additional evidence.
    """

    standardise: Annotated[
        str,
        Option(
            "Composition (file or bundled name) of the corpus for which recall and precision are estimated.",
            ESTIMATES,
            metavar="NAME|FILE",
        ),
    ] = ""
    least_support: Annotated[
        float,
        Option(
            "Minimum share of a class's mentions that the suite must cover; otherwise no estimate is made.",
            ESTIMATES,
            label="minimum support",
            metavar="SHARE",
            minimum=0.0,
            maximum=1.0,
        ),
    ] = 0.5
    allowance: Annotated[
        float,
        Option(
            "Standard error (log odds) of between-corpus differences not explained by features or chance.",
            ESTIMATES,
            minimum=0.0,
            maximum=10.0,
        ),
    ] = 0.8
    evidence: Annotated[
        tuple[str, ...],
        Option(
            "Run of the same tagger on another annotated corpus, used as additional evidence (repeatable).",
            ESTIMATES,
            metavar="RUN",
        ),
    ] = ()


@dataclass(frozen=True)
class CalibrationOptions(Options):
    """Options of calibration, which combines a suite with annotated sentences.

    See ``docs/background/transfer.md``.

    Attributes
    ----------
    measure : str
        ``recall`` of gold mentions, ``precision`` of the tagger's mentions, or their harmonic mean ``f1``.
    composition : str
        Composition over which recall is averaged: a file or the name of a bundled composition. If empty,
        recall is averaged over the composition of the annotated mentions. Precision is averaged over the
        mentions in a run.
    """

    measure: Annotated[Literal["recall", "precision", "f1"], Option("Measure to estimate.", COMMON)] = (
        "recall"
    )
    composition: Annotated[
        str,
        Option(
            "Composition (file or bundled name) over which recall is averaged; by default, that of the "
            "annotated mentions.",
            COMMON,
            metavar="NAME|FILE",
        ),
    ] = ""
