"""Calibrated estimates from a run on a suite and annotated sentences of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ....catalogues.core.errors import InputError
from ....sentences.corpus import Corpus
from ....sentences.formats.registry import parse_spec
from ...running.folder.runs import Run, is_run, read_run
from ..classes import Class
from ..comparison.suite_predictions import list_classes
from ..options import ClassOptions, ScoringOptions, is_absent
from ..score_runs import RunSource, score_predictions, score_runs
from ..scores import Scores
from ..statistics.sums import MEASURES, Measure
from .calibration import calibrate_classes, join_measures
from .composition import Composition, read_composition_for
from .estimates import describe_models, score_evidence
from .evidence import collect_annotated_mentions, list_features, make_annotated_composition
from .options import CalibrationOptions, TransferOptions
from .standardise import fit_evidence, make_predicted_composition


def calibrate_runs(
    suite: RunSource,
    annotated: Sequence[RunSource | Corpus],
    options: ScoringOptions,
    calibration: CalibrationOptions,
    class_options: ClassOptions | None = None,
    *,
    pool: RunSource = "",
    predicted: str | Corpus | pd.DataFrame = "",
    transfer: TransferOptions | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Calibrate estimates of classes with annotated sentences.

    See ``docs/background/transfer.md``.

    Parameters
    ----------
    suite : Run or path
        Run on a suite.
    annotated : sequence of Run, path or Corpus
        Runs of the same tagger on annotated sentences, or one annotated corpus with `predicted`.
    options : ScoringOptions
    calibration : CalibrationOptions
    class_options : ClassOptions, optional
        Classes and notion of correctness.
    pool : Run or path, optional
        For precision only: a run of the same tagger on raw sentences of the corpus. Estimates are averaged
        over its predicted mentions.
    predicted : str, Corpus or DataFrame
        Recorded output of the tagger on the annotated corpus.
    transfer : TransferOptions, optional
        Further runs to use as evidence, and the minimum support of a class.

    Returns
    -------
    table : DataFrame
        Estimates per class, with ``all`` first (columns: `transfer.calibration.COLUMNS`).
    notes : tuple of str

    Raises
    ------
    InputError
        If there are no annotated sentences, or if options exclude each other.
    """
    class_options, transfer = class_options or ClassOptions(), transfer or TransferOptions()
    _refuse_unused(calibration, pool)
    if not annotated:
        raise InputError("give annotated sentences (--annotated RUN)")
    options = replace(options, notions=(class_options.notion,))
    pool_composition, proposer = _read_pool(pool, options)
    base = score_runs([suite], options, classes=class_options.class_list, by=class_options.by)[0]
    composition = calibration.composition
    over = {
        "recall": read_composition_for(composition, base.tagger_part) if composition else None,
        "precision": pool_composition,
    }
    chosen = list_classes(base)
    scorings = _score_annotated(annotated, predicted, options, chosen)
    sources = {"annotated sentences": {s.tagger_part for s in scorings}, "the pool": {proposer}}
    notes = [
        f"different taggers: {base.tagger_part} on the suite, {', '.join(others)} on {what}"
        for what, taggers in sources.items()
        if (others := sorted(taggers - {base.tagger_part, ""}))
    ]
    corpora = score_evidence(transfer.evidence, options, [base])
    measures = MEASURES if calibration.measure == "f1" else (calibration.measure,)
    tables = []
    for measure in measures:
        table, measure_notes = _calibrate_measure(
            [base, *corpora], scorings, chosen, over[measure], measure, options, transfer
        )
        tables.append(table)
        notes += measure_notes
    table = tables[0] if len(tables) == 1 else join_measures(*tables, confidence=options.confidence)
    return table, tuple(notes)


def _calibrate_measure(
    evidence: Sequence[Scores],
    scorings: Sequence[Scores],
    classes: Sequence[Class],
    over: Composition | None,
    measure: Measure,
    options: ScoringOptions,
    transfer: TransferOptions,
) -> tuple[pd.DataFrame, list[str]]:
    """Calibrate recall or precision; return the table and notes.

    `evidence` contains the scores of the suite and of other annotated corpora, and `scorings` those of the
    annotated sentences. Without `over`, estimates are averaged over the annotated mentions.
    """
    (notion,), known_columns = options.notions, over.features if over else None
    features = list_features(measure, known_columns)
    pairs = collect_annotated_mentions(scorings, classes, features, notion=notion, measure=measure)
    averaged = over or make_annotated_composition(pairs)
    alone, fitted = (
        fit_evidence(
            evidence[0], evidence[1:], mentions, measure=measure, notion=notion, known_columns=known_columns
        )
        for mentions in (None, pairs)
    )
    table = calibrate_classes(
        alone,
        fitted,
        averaged,
        classes,
        pairs,
        confidence=options.confidence,
        least_support=transfer.least_support,
    )
    notes = describe_models({measure: fitted}, averaged, classes)
    kind = "mentions" if measure == "recall" else "predicted mentions"
    notes.append(f"{len(pairs.is_right)} {kind} in {pairs.sentences} annotated sentences")
    if over is None:
        option = "--composition" if measure == "recall" else "--pool RUN"
        notes.append(f"averaged over the annotated {kind}; use {option} to average over a larger sample")
    return table, notes


def _score_annotated(
    annotated: Sequence[RunSource | Corpus],
    predicted: str | Corpus | pd.DataFrame,
    options: ScoringOptions,
    classes: Sequence[Class],
) -> list[Scores]:
    """Read and score annotated sentences."""
    if is_absent(predicted):
        return score_runs([_read_annotated_run(source) for source in annotated], options, classes=classes)
    if len(annotated) > 1 or isinstance(annotated[0], Run):
        raise InputError("--predicted requires exactly one annotated corpus (--annotated FORMAT:PATH)")
    gold = annotated[0] if isinstance(annotated[0], Corpus) else str(annotated[0])
    return [score_predictions(gold, predicted, options, classes=classes)]


def _read_annotated_run(source: RunSource | Corpus) -> Run:
    if isinstance(source, Corpus) or (isinstance(source, str) and parse_spec(source)[0] != "suite"):
        raise InputError(
            "the output of the tagger on the annotated sentences is missing; give a run on them "
            "(tagsuite run) or --predicted FORMAT:PATH",
            found=source.name if isinstance(source, Corpus) else source,
        )
    return read_run(source)


def _refuse_unused(calibration: CalibrationOptions, pool: RunSource) -> None:
    """Raise InputError if a composition or pool is given that the measure does not use."""
    if calibration.measure == "recall" and not is_absent(pool):
        raise InputError("--pool requires --measure precision or f1")
    if calibration.measure == "precision" and calibration.composition:
        raise InputError(
            "--composition describes gold mentions and cannot be used for precision; give --pool RUN, "
            "a run of the tagger on raw sentences of the corpus",
            found=f"--composition {calibration.composition}",
        )


def _read_pool(pool: RunSource, options: ScoringOptions) -> tuple[Composition | None, str]:
    """Return the composition of the mentions in a pool, or None, and the tagger that predicted them."""
    if is_absent(pool):
        return None, ""
    if not isinstance(pool, Run) and not is_run(pool):
        raise InputError("--pool requires a run of the tagger on raw sentences (tagsuite run)", found=pool)
    run = read_run(pool)
    scores = score_runs([run], options)[0]
    if not len(scores.predicted):
        raise InputError("the tagger predicted no mention in the pool; give a larger pool", found=run.name)
    return make_predicted_composition(scores), scores.tagger_part
