"""From a suite's run and annotated sentences to calibrated estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text
from ....catalogues.core.tables import Format, render
from ....sentences.corpus import Corpus
from ..comparison.suite_predictions import classes_of
from ..options import ClassOptions, ScoringOptions, is_absent
from ..runs import Finished, score_runs
from .annotation import TableWithNotes, plan_sentences, pool_run, read_known, suite_model
from .calibration import Calibration, annotated_mentions, own_composition
from .composition import Composition, read_composition
from .estimates import notes_on
from .options import CalibrationOptions, TransferOptions
from .standardise import predicted_composition

WRITTEN = {".csv": Format.csv, ".json": Format.json, ".jsonl": Format.jsonl, ".md": Format.markdown}


def calibrate_runs(
    suite: Finished,
    known: Sequence[Finished | Corpus],
    options: ScoringOptions,
    calibration: CalibrationOptions,
    asked: ClassOptions | None = None,
    *,
    pool: Finished | Corpus = "",
    predicted: str | Corpus | pd.DataFrame = "",
    weights: Path | None = None,
    least_support: float = TransferOptions().least_support,
    plan_out: str = "",
    out: Path | None = None,
) -> TableWithNotes:
    """Calibrate a suite's estimates of classes with annotated sentences, or plan what to annotate.

    See ``docs/transfer.md``.

    Parameters
    ----------
    suite : Run or path
        A run over a suite.
    known : sequence of Run, path or Corpus
        Runs of the same tagger over annotated sentences; or one corpus of such, with `predicted`.
    options : ScoringOptions
    calibration : CalibrationOptions
    asked : ClassOptions, optional
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
    asked = asked or ClassOptions()
    if calibration.plan is not None:
        if out is not None or asked.by or asked.classes is not None:
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
            known=known,
            predicted=predicted,
            weights=weights,
            notion=asked.notion,
        )
    if plan_out:
        raise InputError("--plan-out needs --plan")
    if not is_absent(pool) and calibration.measure == "recall":
        raise InputError("--pool needs --plan, or --measure precision")
    if out is not None:
        form_of(out)  # refused before anything is computed
    if not known:
        raise InputError(
            "nothing is annotated", allowed="--annotated RUN, or --plan to choose what to annotate"
        )
    notion, measure = asked.notion, calibration.measure
    options = replace(options, notions=(notion,))
    over, proposer = _over(calibration, pool, options)
    base = score_runs([suite], options, classes=asked.named, by=asked.by)[0]
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
    if proposer and proposer != base.tagger_part:
        notes.append(f"the suite's run is of {base.tagger_part}, the pool's of {proposer}")
    model = suite_model(base, measure, notion, over.features if over else None)
    pairs = annotated_mentions(
        there.scores, chosen, model.model.features, masses, notion=notion, measure=measure
    )
    own = over or own_composition(pairs)
    table = Calibration(model, own, chosen).estimates(
        pairs, confidence=options.confidence, least_support=least_support
    )
    fit = table.attrs
    notes += notes_on({measure: model}, own, chosen)
    kind = "mentions" if measure == "recall" else "predicted mentions"
    notes.append(
        f"{len(pairs.right)} {kind} in {pairs.sentences} annotated sentences: level {fit['level']:+.2f} "
        f"and slope {fit['slope']:.2f} in log odds, strength of shrinkage {fit['strength']:.0f}"
    )
    if over is None:
        larger = "--composition names" if measure == "recall" else "--pool RUN has"
        notes.append(f"averaged over the annotated {kind} themselves; {larger} a larger mixture")
    table.attrs = {}
    if out is not None:
        write_table(table, out)
    return TableWithNotes(table, tuple(notes))


def _over(
    calibration: CalibrationOptions, pool: Finished | Corpus, options: ScoringOptions
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
    run = None if is_absent(pool) else pool_run(pool, calibration.measure)
    if run is None:
        return None, ""
    scores = score_runs([run], options)[0]
    if not len(scores.predicted):
        raise InputError("the tagger proposed nothing in the pool", found=run.name, allowed="a larger pool")
    return predicted_composition(scores), scores.tagger_part


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
