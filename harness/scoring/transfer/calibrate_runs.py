"""From a suite's run and annotated sentences to calibrated estimates."""

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
from .annotation import TransferResult, fit_suite_model, get_pool_run, plan_sentences, read_annotated
from .calibration import Calibration, collect_annotated_mentions, make_annotated_composition
from .composition import Composition, read_composition
from .estimates import describe_models
from .options import CalibrationOptions, TransferOptions
from .standardise import make_predicted_composition

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
    """Calibrate a suite's estimates of classes with annotated sentences, or plan what to annotate.

    See ``docs/background/transfer.md``.

    Parameters
    ----------
    suite : Run or path
        A run over a suite.
    annotated : sequence of Run, path or Corpus
        Runs of the same tagger over annotated sentences; or one corpus of such, with `predicted`.
    options : ScoringOptions
    calibration : CalibrationOptions
    class_options : ClassOptions, optional
        Classes, and the notion of recall and precision.
    pool : Run or path, optional
        For precision: a run of the same tagger over raw sentences of the corpus, over whose mentions the
        estimates are averaged.
    predicted
        The tagger's output over the annotated sentences, recorded elsewhere.
    weights : Path, optional
        The file of weights of all that is annotated; those beside the corpora where it is not named.
    least_support : float
        Of a class of which the suite covers less there is no figure.
    plan_out : str
        With a plan: ``FORMAT:PATH`` of the chosen sentences; see `plan_sentences`.
    out : Path, optional
        Where the estimates are written too.

    Raises
    ------
    InputError
        When nothing is annotated, the choices contradict each other, or a file is not what it should be.
    """
    class_options = class_options or ClassOptions()
    if calibration.plan is not None:
        if out is not None or class_options.by or class_options.classes is not None:
            raise InputError(
                "--plan chooses sentences: it stands alone",
                allowed="--pool, --plan-out, --notion, and what was --annotated before",
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
        raise InputError("--plan-out needs --plan")
    if not is_absent(pool) and calibration.measure == "recall":
        raise InputError("--pool needs --plan, or --measure precision")
    if out is not None:
        find_format(out)  # refused before anything is computed
    if not annotated:
        raise InputError(
            "nothing is annotated", allowed="--annotated RUN, or --plan to choose what to annotate"
        )
    notion, measure = class_options.notion, calibration.measure
    options = replace(options, notions=(notion,))
    over, proposer = _choose_composition(calibration, pool, options)
    base = score_runs([suite], options, classes=class_options.class_list, by=class_options.by)[0]
    chosen = list_classes(base)
    there = read_annotated(annotated, predicted, weights, options, chosen)
    masses = there.sentence_weights()
    notes = [
        f"{plan.path}: weights of {sum(len(masses[i]) for i in members)} sentences, as they were planned"
        for plan, members in there.plans
    ]
    others = sorted({s.tagger_part for s in there.scores if s.tagger_part} - {base.tagger_part})
    if there.scores[0].tagger_part and others:
        notes.append(
            f"the suite's run is of {base.tagger_part}, the annotated sentences' of {', '.join(others)}"
        )
    if proposer and proposer != base.tagger_part:
        notes.append(f"the suite's run is of {base.tagger_part}, the pool's of {proposer}")
    model = fit_suite_model(base, measure, notion, over.features if over else None)
    pairs = collect_annotated_mentions(
        there.scores, chosen, model.model.features, masses, notion=notion, measure=measure
    )
    own = over or make_annotated_composition(pairs)
    table = Calibration(model, own, chosen).estimate_classes(
        pairs, confidence=options.confidence, least_support=least_support
    )
    fit = table.attrs
    notes += describe_models({measure: model}, own, chosen)
    kind = "mentions" if measure == "recall" else "predicted mentions"
    notes.append(
        f"{len(pairs.is_right)} {kind} in {pairs.sentences} annotated sentences: level {fit['level']:+.2f} "
        f"and slope {fit['slope']:.2f} in log odds, strength of shrinkage {fit['strength']:.0f}"
    )
    if over is None:
        larger = "--composition names" if measure == "recall" else "--pool RUN has"
        notes.append(f"averaged over the annotated {kind} themselves; {larger} a larger mixture")
    table.attrs = {}
    if out is not None:
        write_table(table, out)
    return TransferResult(table, tuple(notes))


def _choose_composition(
    calibration: CalibrationOptions, pool: RunSource | Corpus, options: ScoringOptions
) -> tuple[Composition | None, str]:
    """What is averaged over, where it is named, and the tagger that proposed it."""
    if calibration.measure == "recall":
        return (read_composition(calibration.composition) if calibration.composition else None), ""
    if calibration.composition:
        raise InputError(
            "a composition is of gold mentions, and precision is of what the tagger proposes",
            found=f"--composition {calibration.composition}",
            allowed="--pool RUN, a run of the tagger over raw sentences of the corpus",
        )
    run = None if is_absent(pool) else get_pool_run(pool, calibration.measure)
    if run is None:
        return None, ""
    scores = score_runs([run], options)[0]
    if not len(scores.predicted):
        raise InputError("the tagger proposed nothing in the pool", found=run.name, allowed="a larger pool")
    return make_predicted_composition(scores), scores.tagger_part


def find_format(path: Path) -> OutputFormat:
    """The form that a file's name asks for.

    Raises
    ------
    InputError
        When it asks for none.
    """
    form = FORMAT_BY_SUFFIX.get(path.suffix.lower())
    if form is None:
        raise InputError(
            "unknown kind of file", file=path, found=path.suffix, allowed=", ".join(FORMAT_BY_SUFFIX)
        )
    return form


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table in the form that the file's name asks for."""
    form = find_format(path)
    with atomic_text(path) as stream:
        stream.write(format_frame(table, form, key="classes"))
