"""Options of estimates for a corpus, and of their calibration, each declared once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ....catalogues.core.options import Option, Options

if TYPE_CHECKING:
    from ....sentences.corpus import Corpus
    from ..classes import Class

    ClassesSource = Mapping[str, str] | Sequence[Class] | str | os.PathLike[str] | None
    GoldSource = Corpus | str | os.PathLike[str] | None


@dataclass(frozen=True)
class TransferOptions(Options):
    """How a suite's results are carried over to a corpus; see ``docs/background/transfer.md``.

    Attributes
    ----------
    standardise : str
        A composition file, or the name of a bundled composition; nothing is standardised where empty.
    least_support : float
        The share of a class's composition that the suite must cover for a figure to be given.
    allowance : float
        The standard error, on the scale of log odds, of what no suite can know: by how much corpora differ
        from suites beyond what features and chance explain.
    """

    standardise: Annotated[
        str, Option("Recall and precision to expect in a corpus of this composition: a file or bundled name.")
    ] = ""
    least_support: Annotated[
        float,
        Option(
            "Share of a class's composition that the suite must cover for an estimate.",
            label="least support",
            minimum=0.0,
            maximum=1.0,
        ),
    ] = 0.5
    allowance: Annotated[
        float,
        Option(
            "Standard error, in log odds, of what corpora differ in beyond features and chance.",
            minimum=0.0,
            maximum=10.0,
        ),
    ] = 0.8


@dataclass(frozen=True)
class CalibrationOptions(Options):
    """How a suite and annotated sentences are put together; see ``docs/background/transfer.md``.

    Attributes
    ----------
    measure : str
        ``recall``, of gold mentions; or ``precision``, of what the tagger proposes.
    composition : str
        A composition file, or the name of a bundled composition; that of the annotated mentions where empty.
        Of recall only: what a tagger proposes is of a run, the pool.
    plan : int, optional
        How many sentences to choose for annotation; none where it is not said.
    seed : int
        Of the choice.
    """

    measure: Annotated[
        Literal["recall", "precision"],
        Option("recall (of gold mentions) or precision (of what the tagger proposes)."),
    ] = "recall"
    composition: Annotated[
        str,
        Option(
            "Average over this composition, a file or bundled name; by default over the annotated mentions. "
            "Of recall; for precision see --pool."
        ),
    ] = ""
    plan: Annotated[
        int | None,
        Option(
            "Choose so many sentences of --pool to annotate next.",
            label="number of sentences to annotate",
            minimum=1,
            maximum=1_000_000,
        ),
    ] = None
    seed: Annotated[int, Option("With --plan: of the choice.", minimum=0)] = 0
