"""Calibrated estimates from a run on a suite and annotated sentences of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text
from ....catalogues.core.tables import OutputFormat, format_frame
from ....sentences.corpus import Corpus
from ..comparison.suite_predictions import list_classes
from ..options import ClassOptions, ScoringOptions, is_absent
from ..score_runs import RunSource, score_runs
from .annotation import TransferResult, get_pool_run, plan_sentences, read_annotated
from .calibration import Calibration, collect_annotated_mentions, make_annotated_composition
from .composition import Composition, read_composition
from .estimates import describe_models
from .options import CalibrationOptions, TransferOptions
from .standardise import fit_suite, make_predicted_composition

FORMAT_BY_SUFFIX = {
    ".csv": OutputFormat.csv,
    ".json": OutputFormat.json,
    ".jsonl": OutputFormat.jsonl,
    ".md": OutputFormat.markdown,
}


def calibrate_runs(
    suite: RunSource,
    annotated: Sequence[RunSource | Corpus],
    options: ScoringOptions,
    calibration: CalibrationOptions,
    class_options: ClassOptions | None = None,
    *,
    pool: RunSource | Corpus = "",
    predicted: str | Corpus | pd.DataFrame = "",
    weights: Path | None = None,
    least_support: float = TransferOptions().least_support,
    plan_out: str = "",
    out: Path | None = None,
) -> TransferResult:
    """Calibrate estimates of classes with annotated sentences, or choose sentences to annotate.

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
        If sentences are to be chosen, the sentences from which to choose. Otherwise, and for precision only,
        a run of the same tagger on raw sentences of the corpus; estimates are averaged over its predicted
        mentions.
    predicted : str, Corpus or DataFrame
        Recorded output of the tagger on the annotated corpus.
    weights : Path, optional
        File of weights for all annotated sentences; by default, the file of weights in the folder of each
        corpus.
    least_support : float
        Minimum share of a class that must be similar to mentions in the suite; otherwise the class gets no
        estimate.
    plan_out : str
        File for the chosen sentences, as ``FORMAT:PATH``; see `plan_sentences`.
    out : Path, optional
        File to which the estimates are written.

    Raises
    ------
    InputError
        If there are no annotated sentences, if options exclude each other, or if a file has an invalid
        format.
    """
    class_options = class_options or ClassOptions()
    if calibration.plan is not None:
        if out is not None or class_options.by or class_options.classes is not None:
            raise InputError(
                "--plan cannot be combined with --out, --by or --classes, because it makes no estimates"
            )
        return plan_sentences(
            suite,
            pool,
            plan_out,
            options,
            calibration,
            annotated=annotated,
            predicted=predicted,
            weights=weights,
            notion=class_options.notion,
        )
    if plan_out:
        raise InputError("--plan-out requires --plan")
    if not is_absent(pool) and calibration.measure == "recall":
        raise InputError("--pool requires --plan or --measure precision")
    if out is not None:
        find_format(out)  # raises an error before the computation
    if not annotated:
        raise InputError(
            "give annotated sentences (--annotated RUN), or choose sentences to annotate (--plan N)"
        )
    notion, measure = class_options.notion, calibration.measure
    options = replace(options, notions=(notion,))
    over, proposer = _choose_composition(calibration, pool, options)
    base = score_runs([suite], options, classes=class_options.class_list, by=class_options.by)[0]
    chosen = list_classes(base)
    annotated_corpora = read_annotated(annotated, predicted, weights, options, chosen)
    sentence_weights = annotated_corpora.sentence_weights()
    notes = [
        f"{plan.path}: weights of {sum(len(sentence_weights[i]) for i in members)} planned sentences"
        for plan, members in annotated_corpora.plans
    ]
    others = sorted({s.tagger_part for s in annotated_corpora.scores if s.tagger_part} - {base.tagger_part})
    if annotated_corpora.scores[0].tagger_part and others:
        notes.append(
            f"different taggers: {base.tagger_part} on the suite, {', '.join(others)} on annotated sentences"
        )
    if proposer and proposer != base.tagger_part:
        notes.append(f"different taggers: {base.tagger_part} on the suite, {proposer} on the pool")
    model = fit_suite(base, measure, notion, over.features if over else None)
    pairs = collect_annotated_mentions(
        annotated_corpora.scores,
        chosen,
        model.model.features,
        sentence_weights,
        notion=notion,
        measure=measure,
    )
    averaged = over or make_annotated_composition(pairs)
    table = Calibration(model, averaged, chosen).estimate_classes(
        pairs, confidence=options.confidence, least_support=least_support
    )
    fit = table.attrs
    notes += describe_models({measure: model}, averaged, chosen)
    kind = "mentions" if measure == "recall" else "predicted mentions"
    notes.append(
        f"{len(pairs.is_right)} {kind} in {pairs.sentences} annotated sentences: level {fit['level']:+.2f} "
        f"and slope {fit['slope']:.2f} in log odds, strength of shrinkage {fit['strength']:.0f}"
    )
    if over is None:
        option = "--composition" if measure == "recall" else "--pool RUN"
        notes.append(f"averaged over the annotated {kind}; {option} averages over a larger sample")
    table.attrs = {}
    if out is not None:
        write_table(table, out)
    return TransferResult(table, tuple(notes))


def _choose_composition(
    calibration: CalibrationOptions, pool: RunSource | Corpus, options: ScoringOptions
) -> tuple[Composition | None, str]:
    """Return the composition to average over, or None, and the tagger whose mentions it describes."""
    if calibration.measure == "recall":
        return (read_composition(calibration.composition) if calibration.composition else None), ""
    if calibration.composition:
        raise InputError(
            "--composition describes gold mentions and cannot be used for precision; give --pool RUN, "
            "a run of the tagger on raw sentences of the corpus",
            found=f"--composition {calibration.composition}",
        )
    run = None if is_absent(pool) else get_pool_run(pool, calibration.measure)
    if run is None:
        return None, ""
    scores = score_runs([run], options)[0]
    if not len(scores.predicted):
        raise InputError("the tagger predicted no mention in the pool; give a larger pool", found=run.name)
    return make_predicted_composition(scores), scores.tagger_part


def find_format(path: Path) -> OutputFormat:
    """Return the table format that belongs to the suffix of a file name.

    Raises
    ------
    InputError
        If the suffix is unknown.
    """
    form = FORMAT_BY_SUFFIX.get(path.suffix.lower())
    if form is None:
        raise InputError(
            "unknown table format", file=path, found=path.suffix, allowed=", ".join(FORMAT_BY_SUFFIX)
        )
    return form


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table to a file, in the format given by the suffix of its name."""
    form = find_format(path)
    with atomic_text(path) as stream:
        stream.write(format_frame(table, form, key="classes"))
