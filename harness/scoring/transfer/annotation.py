"""Annotated sentences, the plans for which they were drawn, and the choice of further sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """Annotated sentences, and the plans for which they were drawn.

    Attributes
    ----------
    scores : list of Scores
        Scores of each corpus of annotated sentences.
    places : list of Path or None
        File or folder of each corpus; None for a corpus in memory.
    plans : list of (AnnotationPlan, list of int)
        Each plan, with the positions (in `scores`) of the corpora whose sentences were drawn for it.
    """

    scores: list[Scores]
    places: list[Path | None]
    plans: list[tuple[AnnotationPlan, list[int]]]

    @property
    def corpora(self) -> list[Corpus]:
        """Corpora of annotated sentences, in the order of `scores`."""
        return [scores.corpus for scores in self.scores]

    def sentence_weights(self) -> list[Numbers]:
        """Return the weights of the sentences in each corpus; 1 if they were not drawn for a plan."""
        sentence_weights = [np.ones(len(corpus.texts)) for corpus in self.corpora]
        for plan, members in self.plans:
            for i, weights in zip(
                members, plan.compute_weights([self.corpora[i] for i in members]), strict=True
            ):
                sentence_weights[i] = weights
        return sentence_weights

    def join_plans(self) -> AnnotationPlan:
        """Return the plan for which all sentences were drawn, limited to the annotated sentences.

        Raises
        ------
        InputError
            If a corpus has no plan, or the corpora have different plans.
        """
        numbers = {i for _, members in self.plans for i in members}
        if len(numbers) < len(self.scores):
            unplanned = next(i for i in range(len(self.scores)) if i not in numbers)
            raise InputError(
                "another round of --plan requires the file of weights that --plan wrote with the annotated "
                "sentences; put it into their folder, or give it with --weights",
                found=self.scores[unplanned].run or self.corpora[unplanned].name,
            )
        if len(self.plans) > 1:
            raise InputError(
                "all annotated sentences must come from the same plan",
                found=", ".join(str(plan.path) for plan, _ in self.plans),
            )
        plan = self.plans[0][0]
        self.sentence_weights()  # raises an error if sentences are missing
        return plan.take_first(sum(len(corpus.texts) for corpus in self.corpora))


@dataclass(frozen=True)
class TransferResult:
    """Result of planning or calibration.

    Attributes
    ----------
    table : DataFrame
        After planning, the sentences drawn in all rounds (columns: `transfer.planning.COLUMNS`). After
        calibration, the estimates per class, with ``all`` first (columns: `transfer.calibration.COLUMNS`).
    notes : tuple of str
        Notes for the reader.
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
    """Read and score annotated sentences; see `calibrate_runs` for the parameters.

    Raises
    ------
    InputError
        If the output of the tagger is missing, or a file has an invalid format.
    """
    if not is_absent(predicted):
        if len(annotated) > 1 or isinstance(annotated[0], Run):
            raise InputError("--predicted requires exactly one annotated corpus (--annotated FORMAT:PATH)")
        gold = annotated[0] if isinstance(annotated[0], Corpus) else str(annotated[0])
        scores = [score_predictions(gold, predicted, options, classes=classes)]
        places = [None if isinstance(gold, Corpus) else parse_spec(gold)[1]]
    else:
        runs = [_read_annotated_run(source) for source in annotated]
        scores = score_runs(runs, options, classes=classes)
        places = [parse_spec(run.input)[1] for run in runs]
    paths = [weights or (make_weights_path(place) if place is not None else None) for place in places]
    plans = [None if p is None or not (weights or p.is_file()) else read_plan(p) for p in paths]
    return AnnotatedCorpora(scores, places, join_plans(plans, [s.corpus for s in scores]))


def _read_annotated_run(source: RunSource | Corpus) -> Run:
    if isinstance(source, Corpus) or (isinstance(source, str) and parse_spec(source)[0] != "suite"):
        raise InputError(
            "the output of the tagger on the annotated sentences is missing; give a run on them "
            "(tagsuite run) or --predicted FORMAT:PATH",
            found=source.name if isinstance(source, Corpus) else source,
        )
    return read_run(source)


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
    """Choose sentences to annotate; write them to a file, and their weights to a file in the same folder.

    Parameters
    ----------
    suite : Run or path
        Run on a suite.
    pool : Run, path, str or Corpus
        Raw sentences (``FORMAT:PATH`` or a corpus), or a run of the tagger on them.
    out : str
        Format and path of the file for the chosen sentences, as ``FORMAT:PATH``.
    options : ScoringOptions
    calibration : CalibrationOptions
    annotated, predicted, weights
        Annotated sentences that were chosen from the same pool in earlier rounds; see `calibrate_runs`. They
        are not chosen again, and the model is recalibrated on them.
    notion : str

    Returns
    -------
    TransferResult

    Raises
    ------
    InputError
        If the number of sentences, `pool` or `out` is missing, the pool has too few sentences, or annotated
        sentences were not drawn from it.
    """
    if calibration.plan is None:
        raise InputError("give the number of sentences to choose (--plan N)")
    if is_absent(pool) or not out:
        raise InputError(f"--plan requires {'--plan-out' if pool else '--pool'} FORMAT:PATH")
    form, path, _ = parse_spec(out)
    if get_format(form).write is None:
        raise InputError(
            "--plan-out requires a format that tagsuite can write",
            found=form,
            allowed=", ".join(list_writable_formats()),
        )
    corpus, places = _read_pool(pool, calibration.measure)
    options = replace(options, notions=(notion,))
    earlier = read_annotated(annotated, predicted, weights, options, ()) if annotated else None
    if earlier is None and not (weights is None and is_absent(predicted)):
        raise InputError("--predicted and --weights require --annotated")
    plan = earlier.join_plans() if earlier else make_empty_plan(len(corpus.texts), make_weights_path(path))
    before = plan.find_pool_rows(corpus)
    if calibration.plan > len(corpus.texts) - len(before):
        raise InputError(
            f"--plan: the pool has too few sentences{' that are not annotated' if earlier else ''}",
            file=corpus.name if isinstance(pool, (Run, Corpus)) else pool,
            found=calibration.plan,
            allowed=f"1 to {len(corpus.texts) - len(before)}" if len(corpus.texts) > len(before) else "none",
        )
    if earlier and (
        path.resolve() in {p.resolve() for p in earlier.places if p}
        or make_weights_path(path).resolve() == plan.path.resolve()
    ):
        raise InputError("--plan-out would overwrite annotated sentences; give another path", found=out)
    base = score_runs([suite], options)[0]
    model = fit_suite(base, calibration.measure, notion)
    losses = compute_expected_losses(
        _make_forecast(model, earlier, notion), model.model.features, corpus, places
    )
    rows, chances = draw_sentences(losses, calibration.plan, calibration.seed, before)
    chosen = take_sentences(corpus, rows)
    format_notes = write_corpus(chosen, out)
    plan = replace(plan.extend(chosen, chances), path=make_weights_path(path))
    write_plan(plan)
    after = f", after {len(before)} annotated ones" if earlier else ""
    notes = [
        *format_notes,
        f"{out}: {len(rows)} of {len(corpus.texts)} sentences to annotate, in the order of drawing{after}",
        f"{plan.path}: their weights, which calibrate --annotated reads; keep both in the same folder",
    ]
    return TransferResult(plan.table, tuple(notes))


def get_pool_run(pool: RunSource | Corpus, measure: Measure) -> Run | None:
    """Return the tagger's run on a pool, or None if the pool consists of sentences only.

    Raises
    ------
    InputError
        If the pool consists of sentences only and the measure is precision.
    """
    if isinstance(pool, Run) or (not isinstance(pool, Corpus) and is_run(pool)):
        return read_run(pool)
    if SIDES[measure] == "predicted":
        raise InputError(
            f"{measure} requires a run of the tagger on the pool (tagsuite run), not only its sentences",
            found=pool.name if isinstance(pool, Corpus) else pool,
        )
    return None


def _read_pool(pool: RunSource | Corpus, measure: Measure) -> tuple[Corpus, pd.DataFrame]:
    """Return the sentences of a pool, and the possible mentions in them."""
    run = get_pool_run(pool, measure)
    corpus = (
        run.load_corpus() if run is not None else pool if isinstance(pool, Corpus) else read_corpus(str(pool))
    )
    if not corpus.texts["text"].str.strip().astype(bool).any():
        raise InputError(
            "the pool contains no text",
            file=pool if isinstance(pool, str) else corpus.name,
        )
    proposed = run.predictions if run is not None else None
    if proposed is not None and SIDES[measure] == "predicted":
        return corpus, proposed
    return corpus, find_candidates(corpus, proposed)


def _make_forecast(
    model: FittedModel, annotated: AnnotatedCorpora | None, notion: str
) -> Callable[[pd.DataFrame], Numbers]:
    """Return a function that predicts the probability that mentions are right.

    The model is recalibrated on annotated sentences, if there are any.
    """
    if annotated is None or not has_verdicts(annotated.scores, model.measure):
        return lambda frame: compute_probabilities(
            model.model.make_design_matrix(model.model.make_columns(frame)), model.model.weights
        )
    pairs = collect_annotated_mentions(
        annotated.scores,
        (),
        model.model.features,
        annotated.sentence_weights(),
        notion=notion,
        measure=model.measure,
    )
    calibration = Calibration(model, make_annotated_composition(pairs), ())
    recalibration, _ = calibration.fit_recalibration(pairs, calibration.design_matrix(pairs.frame))
    return lambda frame: calibration.predict_mentions(recalibration, calibration.design_matrix(frame))
