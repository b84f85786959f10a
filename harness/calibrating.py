"""From a suite's run and annotated sentences to calibrated estimates, and the plan of what to annotate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.core.tables import Format, render
from ..sentences.corpus import Corpus
from ..sentences.formats.registry import get_format, parse_spec, read_corpus, writable, write_corpus
from .evaluation import score_files, score_runs
from .running.folder.runs import Run, read_run
from .scoring.classes import Class, read_classes
from .scoring.comparison.from_suite import classes_of
from .scoring.options import ScoringOptions
from .scoring.scores import Scores
from .scoring.transfer.annotated import annotated, own_composition
from .scoring.transfer.calibrate import Calibration
from .scoring.transfer.carried import notes_on
from .scoring.transfer.composition import modelled_features, read_composition
from .scoring.transfer.options import CalibrationOptions, TransferOptions
from .scoring.transfer.planning import drawn, expected_losses, planned
from .scoring.transfer.standardise import fitted
from .scoring.transfer.weights import read_weights, weights_path, write_weights

WRITTEN = {".csv": Format.csv, ".json": Format.json, ".jsonl": Format.jsonl, ".md": Format.markdown}


@dataclass(frozen=True)
class Calibrated:
    """What a calibration found.

    Attributes
    ----------
    table : DataFrame
        The columns of `transfer.calibrate.COLUMNS`, the whole first.
    notes : tuple of str
        Remarks for the reader.
    """

    table: pd.DataFrame
    notes: tuple[str, ...] = ()


def calibrate_runs(
    suite: Path | Run,
    known: Sequence[str | Path | Run],
    options: ScoringOptions,
    calibration: CalibrationOptions,
    *,
    predicted: str | Corpus | pd.DataFrame = "",
    weights: Path | None = None,
    classes: Path | None = None,
    by: Sequence[str] = (),
    notion: str = "strict",
    least_support: float = TransferOptions().least_support,
) -> Calibrated:
    """Calibrate a suite's estimates of classes with annotated sentences; see ``docs/transfer.md``.

    Parameters
    ----------
    suite : Path or Run
        A run over a suite.
    known : sequence of str, Path or Run
        Runs of the same tagger over annotated sentences; or one corpus of such, with `predicted`.
    options : ScoringOptions
    calibration : CalibrationOptions
    predicted
        The tagger's output over the annotated sentences, recorded elsewhere.
    weights : Path, optional
        The file of weights of the only annotated corpus; those beside the corpora where there are any.
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
    if weights is not None and len(known) > 1:
        raise InputError("--weights is of one annotated corpus", found=f"{len(known)} of them")
    options = replace(options, notions=(notion,))
    named = read_classes(classes) if classes else []
    base = score_runs([suite], options, classes=named, by=by)[0]
    chosen = classes_of(base)
    found, places = _scored(known, predicted, options, chosen)
    masses, notes = [], []
    for scores, place in zip(found, places, strict=True):
        path = weights or (weights_path(place) if weights_path(place).is_file() else None)
        masses.append(_ones(scores) if path is None else read_weights(path, scores.corpus))
        if path is not None:
            notes.append(f"{path}: weights of {len(masses[-1])} sentences, as they were planned")
    if found[0].tagger_part and any(s.tagger_part != base.tagger_part for s in found if s.tagger_part):
        others = sorted({s.tagger_part for s in found} - {base.tagger_part})
        notes.append(
            f"the suite's run is of {base.tagger_part}, the annotated sentences' of {', '.join(others)}"
        )
    over = read_composition(calibration.composition) if calibration.composition else None
    model = fitted(base, "recall", notion, over.features if over else None)
    pairs = annotated(found, chosen, model.model.features, masses, notion=notion)
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
    return Calibrated(table, tuple(notes))


def _scored(
    known: Sequence[str | Path | Run],
    predicted: str | Corpus | pd.DataFrame,
    options: ScoringOptions,
    classes: Sequence[Class],
) -> tuple[list[Scores], list[Path]]:
    """The annotated sentences, scored, and where they stand."""
    if not (isinstance(predicted, str) and not predicted):
        if len(known) > 1 or isinstance(known[0], Run):
            raise InputError(
                "--predicted is of one annotated corpus", allowed="--annotated FORMAT:PATH, once"
            )
        place = str(known[0])
        return [score_files(place, predicted, options, classes=classes)], [parse_spec(place)[1]]
    runs = []
    for one in known:
        if isinstance(one, str) and parse_spec(one)[0] != "suite":
            raise InputError(
                "annotated sentences without the tagger's output",
                found=one,
                allowed="a run over them (tagsuite run), or --predicted FORMAT:PATH",
            )
        runs.append(read_run(one))
    return score_runs(runs, options, classes=classes), [parse_spec(run.input)[1] for run in runs]


def _ones(scores: Scores) -> NDArray[np.float64]:
    return np.ones(len(scores.corpus.texts))


def plan_sentences(
    suite: Path | Run,
    pool: str | Run,
    out: str,
    options: ScoringOptions,
    calibration: CalibrationOptions,
    *,
    notion: str = "strict",
) -> list[str]:
    """Choose sentences to annotate and write them, with their weights beside them; notes for the reader.

    Parameters
    ----------
    suite : Path or Run
        A run over a suite.
    pool : str or Run
        Raw sentences, ``FORMAT:PATH``, or a run of the tagger over them.
    out : str
        ``FORMAT:PATH``.
    options : ScoringOptions
    calibration : CalibrationOptions
    notion : str

    Raises
    ------
    InputError
        When number, pool or output is not named, or the pool has fewer sentences.
    """
    if calibration.plan is None:
        raise InputError("how many sentences to choose is not said", allowed="--plan N")
    if not pool or not out:
        raise InputError(f"--plan needs {'--plan-out' if pool else '--pool'}", allowed="FORMAT:PATH")
    form, path, _ = parse_spec(out)
    if get_format(form).write is None:
        raise InputError("the format is only read", found=form, allowed=", ".join(writable()))
    run = pool if isinstance(pool, Run) else read_run(pool) if (Path(pool) / "run.toml").is_file() else None
    corpus = read_corpus(str(pool)) if run is None else run.corpus()
    if calibration.plan > len(corpus.texts):
        raise InputError(
            "--plan: the pool has fewer sentences",
            file=corpus.name if isinstance(pool, Run) else pool,
            found=calibration.plan,
            allowed=f"1 to {len(corpus.texts)}" if len(corpus.texts) else "a pool with sentences",
        )
    # what stands nowhere is no place to annotate
    proposed = None if run is None else run.predictions
    base = score_runs([suite], replace(options, notions=(notion,)))[0]
    names = {f.column for f in modelled_features()}
    model = fitted(base, "recall", notion, names)
    rows, chances = drawn(expected_losses(model, corpus, proposed), calibration.plan, calibration.seed)
    chosen = planned(corpus, rows)
    lost = write_corpus(chosen, out)
    write_weights(chosen, chances, len(corpus.texts), weights_path(path))
    return [
        *lost,
        f"{out}: {len(rows)} of {len(corpus.texts)} sentences to annotate, drawn in this order",
        f"{weights_path(path)}: their weights; calibrate --annotated reads them where they stand",
    ]


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
