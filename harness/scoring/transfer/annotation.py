"""Annotated sentences with the plans that they were drawn by, and the plan of what to annotate next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....sentences.corpus import Corpus
from ....sentences.formats.registry import get_format, parse_spec, read_corpus, writable, write_corpus
from ...running.folder.runs import Run, is_run, read_run
from ..arrays import Numbers
from ..classes import Class
from ..options import ScoringOptions, is_absent
from ..runs import Finished, score_files, score_runs
from ..scores import Scores
from ..statistics.sums import SIDES, Measure
from .calibration import Calibration, annotated_mentions, own_composition, telling
from .model import probability
from .options import CalibrationOptions
from .planning import (
    Plan,
    candidates,
    draw,
    expected_losses,
    join_plans,
    new_plan,
    read_plan,
    take_sentences,
    weights_path,
    write_plan,
)
from .standardise import Fitted, fitted


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
    plans: list[tuple[Plan, list[int]]]

    @property
    def corpora(self) -> list[Corpus]:
        """The sentences of each."""
        return [scores.corpus for scores in self.scores]

    def masses(self) -> list[Numbers]:
        """The weights of the sentences of each: one where nothing was planned."""
        found = [np.ones(len(corpus.texts)) for corpus in self.corpora]
        for plan, members in self.plans:
            for i, weights in zip(members, plan.weights([self.corpora[i] for i in members]), strict=True):
                found[i] = weights
        return found

    def planned(self) -> Plan:
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
        self.masses()  # refused where some are left out
        return plan.first(sum(len(corpus.texts) for corpus in self.corpora))


@dataclass(frozen=True)
class TableWithNotes:
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


def read_known(
    known: Sequence[Finished | Corpus],
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
    scores, places = _scored(known, predicted, options, classes)
    paths = [weights or (weights_path(place) if place is not None else None) for place in places]
    plans = [None if p is None or not (weights or p.is_file()) else read_plan(p) for p in paths]
    return AnnotatedCorpora(scores, places, join_plans(plans, [one.corpus for one in scores]))


def _scored(
    known: Sequence[Finished | Corpus],
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
        return [score_files(gold, predicted, options, classes=classes)], [place]
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
    suite: Finished,
    pool: Finished | Corpus,
    out: str,
    options: ScoringOptions,
    calibration: CalibrationOptions,
    *,
    known: Sequence[Finished | Corpus] = (),
    predicted: str | Corpus | pd.DataFrame = "",
    weights: Path | None = None,
    notion: str = "strict",
) -> TableWithNotes:
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
        raise InputError("the format is only read", found=form, allowed=", ".join(writable()))
    corpus, places = _pool(pool, calibration.measure)
    options = replace(options, notions=(notion,))
    there = read_known(known, predicted, weights, options, ()) if known else None
    if there is None and not (weights is None and is_absent(predicted)):
        raise InputError("nothing is annotated that output or weights could be of", allowed="--annotated RUN")
    plan = there.planned() if there else new_plan(len(corpus.texts), weights_path(path))
    before = plan.rows(corpus)
    if calibration.plan > len(corpus.texts) - len(before):
        raise InputError(
            f"--plan: the pool has fewer sentences{' that are not annotated' if there else ''}",
            file=corpus.name if isinstance(pool, (Run, Corpus)) else pool,
            found=calibration.plan,
            allowed=f"1 to {len(corpus.texts) - len(before)}" if len(corpus.texts) > len(before) else "none",
        )
    if there and (
        path.resolve() in {p.resolve() for p in there.places if p}
        or weights_path(path).resolve() == plan.path.resolve()
    ):
        raise InputError(
            "--plan-out would replace sentences that are annotated", found=out, allowed="another place"
        )
    base = score_runs([suite], options)[0]
    model = suite_model(base, calibration.measure, notion)
    losses = expected_losses(_foreseen(model, there, notion), model.model.features, corpus, places)
    rows, chances = draw(losses, calibration.plan, calibration.seed, before)
    chosen = take_sentences(corpus, rows)
    lost = write_corpus(chosen, out)
    plan = replace(plan.longer(chosen, chances), path=weights_path(path))
    write_plan(plan)
    after = f", after {len(before)} that are annotated" if there else ""
    notes = [
        *lost,
        f"{out}: {len(rows)} of {len(corpus.texts)} sentences to annotate, drawn in this order{after}",
        f"{plan.path}: their weights; calibrate --annotated reads them where they stand",
    ]
    return TableWithNotes(plan.table, tuple(notes))


def suite_model(suite: Scores, measure: Measure, notion: str, known: Collection[str] | None = None) -> Fitted:
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
    return fitted(suite, measure, notion, known)


def pool_run(pool: Finished | Corpus, measure: Measure) -> Run | None:
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


def _pool(pool: Finished | Corpus, measure: Measure) -> tuple[Corpus, pd.DataFrame]:
    """The sentences to choose from, and where their mentions may be."""
    run = pool_run(pool, measure)
    corpus = run.corpus() if run is not None else pool if isinstance(pool, Corpus) else read_corpus(str(pool))
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
    return corpus, candidates(corpus, proposed)


def _foreseen(
    model: Fitted, known: AnnotatedCorpora | None, notion: str
) -> Callable[[pd.DataFrame], Numbers]:
    """With what probability a mention is right: as the suite says, recalibrated where there are mentions."""
    if known is None or not telling(known.scores, model.measure):
        return lambda frame: probability(model.model.design(model.model.columns(frame)), model.model.weights)
    pairs = annotated_mentions(
        known.scores, (), model.model.features, known.masses(), notion=notion, measure=model.measure
    )
    tool = Calibration(model, own_composition(pairs), ())
    bent, _ = tool.fit(pairs, tool.design(pairs.frame))
    return lambda frame: tool.foreseen(bent, tool.design(frame))
