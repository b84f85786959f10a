"""From a suite's run and annotated sentences to calibrated estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.core.tables import Format, render
from ..sentences.corpus import Corpus
from .annotating import Noted, read_known
from .evaluation import Finished, score_runs
from .scoring.classes import read_classes
from .scoring.comparison.from_suite import classes_of
from .scoring.options import ScoringOptions
from .scoring.transfer.annotated import annotated, own_composition
from .scoring.transfer.calibrate import Calibration
from .scoring.transfer.carried import notes_on
from .scoring.transfer.composition import read_composition
from .scoring.transfer.options import CalibrationOptions, TransferOptions
from .scoring.transfer.standardise import fitted

WRITTEN = {".csv": Format.csv, ".json": Format.json, ".jsonl": Format.jsonl, ".md": Format.markdown}


def calibrate_runs(
    suite: Finished,
    known: Sequence[Finished | Corpus],
    options: ScoringOptions,
    calibration: CalibrationOptions,
    *,
    predicted: str | Corpus | pd.DataFrame = "",
    weights: Path | None = None,
    classes: Path | None = None,
    by: Sequence[str] = (),
    notion: str = "strict",
    least_support: float = TransferOptions().least_support,
) -> Noted:
    """Calibrate a suite's estimates of classes with annotated sentences; see ``docs/transfer.md``.

    Parameters
    ----------
    suite : Run or path
        A run over a suite.
    known : sequence of Run, path or Corpus
        Runs of the same tagger over annotated sentences; or one corpus of such, with `predicted`.
    options : ScoringOptions
    calibration : CalibrationOptions
    predicted
        The tagger's output over the annotated sentences, recorded elsewhere.
    weights : Path, optional
        The file of weights of all that is annotated; those beside the corpora where it is not named.
    classes, by, notion
        As `compare` has them.
    least_support : float
        Of a class of which the suite covers less there is no figure.

    Raises
    ------
    InputError
        When nothing is annotated, the choices contradict each other, or a file is not what it should be.
    """
    if not known:
        raise InputError(
            "nothing is annotated", allowed="--annotated RUN, or --plan to choose what to annotate"
        )
    options = replace(options, notions=(notion,))
    named = read_classes(classes) if classes else []
    base = score_runs([suite], options, classes=named, by=by)[0]
    chosen = classes_of(base)
    there = read_known(known, predicted, weights, options, chosen)
    masses = there.masses()
    notes = [
        f"{plan.path}: weights of {sum(len(masses[i]) for i in members)} sentences, as they were planned"
        for plan, members in there.plans
    ]
    others = sorted({s.tagger_part for s in there.scores if s.tagger_part} - {base.tagger_part})
    if there.scores[0].tagger_part and others:
        notes.append(
            f"the suite's run is of {base.tagger_part}, the annotated sentences' of {', '.join(others)}"
        )
    over = read_composition(calibration.composition) if calibration.composition else None
    model = fitted(base, "recall", notion, over.features if over else None)
    pairs = annotated(there.scores, chosen, model.model.features, masses, notion=notion)
    own = over or own_composition(pairs)
    table = Calibration(model, own, chosen).estimates(
        pairs, confidence=options.confidence, least_support=least_support
    )
    fit = table.attrs
    notes += notes_on({"recall": model}, own, chosen)
    notes.append(
        f"{len(pairs.right)} mentions in {pairs.sentences} annotated sentences: level {fit['level']:+.2f} "
        f"and slope {fit['slope']:.2f} in log odds, strength of shrinkage {fit['strength']:.0f}"
    )
    if over is None:
        notes.append("averaged over the annotated mentions themselves; --composition names a larger mixture")
    table.attrs = {}
    return Noted(table, tuple(notes))


def form_of(path: Path) -> Format:
    """The form that a file's name asks for.

    Raises
    ------
    InputError
        When it asks for none.
    """
    form = WRITTEN.get(path.suffix.lower())
    if form is None:
        raise InputError("unknown kind of file", file=path, found=path.suffix, allowed=", ".join(WRITTEN))
    return form


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table in the form that the file's name asks for."""
    form = form_of(path)
    with atomic_text(path) as stream:
        stream.write(render(table, form, key="classes"))
