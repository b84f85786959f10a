"""Annotated sentences with the plans that they were drawn by, and the plan of what to annotate next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....sentences.corpus import Corpus
from ....sentences.formats.registry import (
    get_format,
    list_writable_formats,
    parse_spec,
    read_corpus,
    write_corpus,
)
from ...running.folder.runs import Run, is_run, read_run
from ..arrays import Numbers
from ..classes import Class
from ..options import ScoringOptions, is_absent
from ..score_runs import RunSource, score_predictions, score_runs
from ..scores import Scores
from ..statistics.sums import SIDES, Measure
from .calibration import Calibration, collect_annotated_mentions, has_verdicts, make_annotated_composition
from .model import compute_probabilities
from .options import CalibrationOptions
from .planning import (
    AnnotationPlan,
    compute_expected_losses,
    draw_sentences,
    find_candidates,
    join_plans,
    make_empty_plan,
    make_weights_path,
    read_plan,
    take_sentences,
    write_plan,
)
from .standardise import FittedModel, fit_suite


@dataclass(frozen=True)
class AnnotatedCorpora:
    """Annotated sentences as they were named.

    Attributes
    ----------
    scores : list of Scores
        Scored, a corpus of sentences each.
    places : list of Path
        Where each stands; None where it is in memory.
    plans : list of pairs of Plan and list of int
        The plans that they were drawn by, with the numbers of the corpora that each weighs.
    """

    scores: list[Scores]
    places: list[Path | None]
    plans: list[tuple[AnnotationPlan, list[int]]]

    @property
    def corpora(self) -> list[Corpus]:
        """The sentences of each."""
        return [scores.corpus for scores in self.scores]

    def sentence_weights(self) -> list[Numbers]:
        """The weights of the sentences of each: one where nothing was planned."""
        found = [np.ones(len(corpus.texts)) for corpus in self.corpora]
        for plan, members in self.plans:
            for i, weights in zip(
                members, plan.compute_weights([self.corpora[i] for i in members]), strict=True
            ):
                found[i] = weights
        return found

    def join_plans(self) -> AnnotationPlan:
        """The plan that all of them were drawn by, as far as they are annotated.

        Raises
        ------
        InputError
            When there is none, or more than one.
        """
        numbers = {i for _, members in self.plans for i in members}
        if len(numbers) < len(self.scores):
            stray = next(i for i in range(len(self.scores)) if i not in numbers)
            raise InputError(
                "only sentences that were planned can be followed by a further round",
                found=self.scores[stray].run or self.corpora[stray].name,
                allowed="those that --plan chose, their file of weights beside them or with --weights",
            )
        if len(self.plans) > 1:
            raise InputError(
                "the annotated sentences are of more than one plan",
                found=", ".join(str(plan.path) for plan, _ in self.plans),
                allowed="all rounds of one",
            )
        plan = self.plans[0][0]
        self.sentence_weights()  # refused where some are left out
        return plan.take_first(sum(len(corpus.texts) for corpus in self.corpora))


@dataclass(frozen=True)
class TransferResult:
    """What was planned, or calibrated.

    Attributes
    ----------
    table : DataFrame
        The draws of all rounds (columns: `transfer.planning.COLUMNS`), or the estimates, that of the whole
        first (`transfer.calibration.COLUMNS`).
    notes : tuple of str
        Remarks for the reader.
    """

    table: pd.DataFrame
    notes: tuple[str, ...] = ()


def read_annotated(
    annotated: Sequence[RunSource | Corpus],
    predicted: str | Corpus | pd.DataFrame,
    weights: Path | None,
    options: ScoringOptions,
    classes: Sequence[Class],
) -> AnnotatedCorpora:
    """Read and score annotated sentences; see `calibrating.calibrate_runs` for what may be given.

    Raises
    ------
    InputError
        When the tagger's output is not there, or a file is not what it should be.
    """
    scores, places = _score_annotated(annotated, predicted, options, classes)
    paths = [weights or (make_weights_path(place) if place is not None else None) for place in places]
    plans = [None if p is None or not (weights or p.is_file()) else read_plan(p) for p in paths]
    return AnnotatedCorpora(scores, places, join_plans(plans, [one.corpus for one in scores]))


def _score_annotated(
    known: Sequence[RunSource | Corpus],
    predicted: str | Corpus | pd.DataFrame,
    options: ScoringOptions,
    classes: Sequence[Class],
) -> tuple[list[Scores], list[Path | None]]:
    """The annotated sentences, scored, and where they stand."""
    if not is_absent(predicted):
        if len(known) > 1 or isinstance(known[0], Run):
            raise InputError(
                "--predicted is of one annotated corpus", allowed="--annotated FORMAT:PATH, once"
            )
        gold = known[0] if isinstance(known[0], Corpus) else str(known[0])
        place = None if isinstance(gold, Corpus) else parse_spec(gold)[1]
        return [score_predictions(gold, predicted, options, classes=classes)], [place]
    runs = []
    for one in known:
        if isinstance(one, Corpus) or (isinstance(one, str) and parse_spec(one)[0] != "suite"):
            raise InputError(
                "annotated sentences without the tagger's output",
                found=one.name if isinstance(one, Corpus) else one,
                allowed="a run over them (tagsuite run), or --predicted FORMAT:PATH",
            )
        runs.append(read_run(one))
    return score_runs(runs, options, classes=classes), [parse_spec(run.input)[1] for run in runs]


def plan_sentences(
    suite: RunSource,
    pool: RunSource | Corpus,
    out: str,
    options: ScoringOptions,
    calibration: CalibrationOptions,
    *,
    annotated: Sequence[RunSource | Corpus] = (),
    predicted: str | Corpus | pd.DataFrame = "",
    weights: Path | None = None,
    notion: str = "strict",
) -> TransferResult:
    """Choose sentences to annotate and write them, with their weights beside them.

    Parameters
    ----------
    suite : Run or path
        A run over a suite.
    pool : Run, path, str or Corpus
        Raw sentences, ``FORMAT:PATH``, or a run of the tagger over them.
    out : str
        ``FORMAT:PATH``.
    options : ScoringOptions
    calibration : CalibrationOptions
    known, predicted, weights
        What earlier rounds chose of the same pool, annotated, as `calibrate_runs` has it: it is not chosen
        again, and tells the model how good the tagger is there.
    notion : str

    Returns
    -------
    TableWithNotes

    Raises
    ------
    InputError
        When number, pool or output is not named, the pool has fewer sentences, or what is annotated was
        not drawn from it.
    """
    if calibration.plan is None:
        raise InputError("how many sentences to choose is not said", allowed="--plan N")
    if is_absent(pool) or not out:
        raise InputError(f"--plan needs {'--plan-out' if pool else '--pool'}", allowed="FORMAT:PATH")
    form, path, _ = parse_spec(out)
    if get_format(form).write is None:
        raise InputError("the format is only read", found=form, allowed=", ".join(list_writable_formats()))
    corpus, places = _read_pool(pool, calibration.measure)
    options = replace(options, notions=(notion,))
    there = read_annotated(annotated, predicted, weights, options, ()) if annotated else None
    if there is None and not (weights is None and is_absent(predicted)):
        raise InputError("nothing is annotated that output or weights could be of", allowed="--annotated RUN")
    plan = there.join_plans() if there else make_empty_plan(len(corpus.texts), make_weights_path(path))
    before = plan.find_pool_rows(corpus)
    if calibration.plan > len(corpus.texts) - len(before):
        raise InputError(
            f"--plan: the pool has fewer sentences{' that are not annotated' if there else ''}",
            file=corpus.name if isinstance(pool, (Run, Corpus)) else pool,
            found=calibration.plan,
            allowed=f"1 to {len(corpus.texts) - len(before)}" if len(corpus.texts) > len(before) else "none",
        )
    if there and (
        path.resolve() in {p.resolve() for p in there.places if p}
        or make_weights_path(path).resolve() == plan.path.resolve()
    ):
        raise InputError(
            "--plan-out would replace sentences that are annotated", found=out, allowed="another place"
        )
    base = score_runs([suite], options)[0]
    model = fit_suite_model(base, calibration.measure, notion)
    losses = compute_expected_losses(
        _make_forecast(model, there, notion), model.model.features, corpus, places
    )
    rows, chances = draw_sentences(losses, calibration.plan, calibration.seed, before)
    chosen = take_sentences(corpus, rows)
    lost = write_corpus(chosen, out)
    plan = replace(plan.extend(chosen, chances), path=make_weights_path(path))
    write_plan(plan)
    after = f", after {len(before)} that are annotated" if there else ""
    notes = [
        *lost,
        f"{out}: {len(rows)} of {len(corpus.texts)} sentences to annotate, drawn in this order{after}",
        f"{plan.path}: their weights; calibrate --annotated reads them where they stand",
    ]
    return TransferResult(plan.table, tuple(notes))


def fit_suite_model(
    suite: Scores, measure: Measure, notion: str, known_columns: Collection[str] | None = None
) -> FittedModel:
    """The model of a suite's verdicts; see `fitted`.

    Raises
    ------
    InputError
        When the suite has no mention that the measure is a share of.
    """
    if not len(getattr(suite, SIDES[measure])):
        raise InputError(
            f"the suite's run says nothing of {measure}",
            found=f"{suite.run} without a {SIDES[measure]} mention",
        )
    return fit_suite(suite, measure, notion, known_columns)


def get_pool_run(pool: RunSource | Corpus, measure: Measure) -> Run | None:
    """The run that a pool is; None where it is sentences alone.

    Raises
    ------
    InputError
        When it is these, and the measure is of what the tagger proposed.
    """
    if isinstance(pool, Run) or (not isinstance(pool, Corpus) and is_run(pool)):
        return read_run(pool)
    if SIDES[measure] == "predicted":
        raise InputError(
            f"{measure} is of what the tagger proposes, and the pool is sentences alone",
            found=pool.name if isinstance(pool, Corpus) else pool,
            allowed="a run over them (tagsuite run)",
        )
    return None


def _read_pool(pool: RunSource | Corpus, measure: Measure) -> tuple[Corpus, pd.DataFrame]:
    """The sentences to choose from, and where their mentions may be."""
    run = get_pool_run(pool, measure)
    corpus = (
        run.load_corpus() if run is not None else pool if isinstance(pool, Corpus) else read_corpus(str(pool))
    )
    if not corpus.texts["text"].str.strip().astype(bool).any():
        raise InputError(
            "the pool has no text",
            file=pool if isinstance(pool, str) else corpus.name,
            allowed="a pool with sentences",
        )
    # what stands nowhere is no place to annotate
    proposed = run.predictions if run is not None else None
    if proposed is not None and SIDES[measure] == "predicted":
        return corpus, proposed
    return corpus, find_candidates(corpus, proposed)


def _make_forecast(
    model: FittedModel, known: AnnotatedCorpora | None, notion: str
) -> Callable[[pd.DataFrame], Numbers]:
    """With what probability a mention is right: as the suite says, recalibrated where there are mentions."""
    if known is None or not has_verdicts(known.scores, model.measure):
        return lambda frame: compute_probabilities(
            model.model.make_design_matrix(model.model.make_columns(frame)), model.model.weights
        )
    pairs = collect_annotated_mentions(
        known.scores, (), model.model.features, known.sentence_weights(), notion=notion, measure=model.measure
    )
    tool = Calibration(model, make_annotated_composition(pairs), ())
    bent, _ = tool.fit_recalibration(pairs, tool.design_matrix(pairs.frame))
    return lambda frame: tool.predict_mentions(bent, tool.design_matrix(frame))
