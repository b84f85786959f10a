"""The one way from runs, corpora and files to scores, comparisons, findings and verdicts.

Commands, notebook, report and study all come through here, so that their figures and warnings are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import numpy as np
import pandas as pd

from ..catalogues.core.files import atomic_text
from ..catalogues.core.tables import Format, render, say
from ..sentences.corpus import Corpus
from ..sentences.formats.registry import read_predictions
from ..sentences.suite_file import META, read_suite_meta
from .gold import Gold, score_run
from .running.folder.notes import MOST_TYPES
from .running.folder.runs import Run, read_run, seen_notes
from .scoring.classes import Class, join_classes
from .scoring.comparison.compare import adjusted, compare
from .scoring.comparison.compared import (
    Compared,
    absent,
    check_choices,
    paired_differences,
    unlike_notes,
)
from .scoring.comparison.correlation import rank_correlation
from .scoring.comparison.predictions import read_predictions_file, read_signature
from .scoring.comparison.specificity import Reference, beside_reference
from .scoring.comparison.suite_predictions import classes_of, points_of, predictions_from
from .scoring.discovery.conditions import column_of
from .scoring.discovery.discover import Discovery, check_show, discover_scores
from .scoring.engine import score
from .scoring.notions import NOTIONS
from .scoring.options import ClassOptions, DiscoverOptions, ScoringOptions
from .scoring.scores import Scores
from .scoring.transfer import estimates
from .scoring.transfer.options import TransferOptions

if TYPE_CHECKING:
    from .reference import Given

Finished: TypeAlias = Run | str | PathLike[str]
"""A run, or its folder."""


def score_as_possible(
    scored: Callable[[ScoringOptions], Scores], gold: Gold, options: ScoringOptions
) -> tuple[Scores, Scores]:
    """Score one of several runs whose golds may differ in having alternatives.

    Parameters
    ----------
    scored : callable
        Scores the run with the options that it is given.
    gold : Gold
    options : ScoringOptions
        As asked.

    Returns
    -------
    scores : Scores
        As asked, but without alternatives where the gold has none.
    notions : Scores
        Under all notions: the same scores, or others where the published counting of alternatives, which
        has but one notion, was asked for.
    """
    if gold.corpus.alternatives is None:
        options = replace(options, alternatives="none")
    scores = scored(options)
    if options.alternatives != "published":
        return scores, scores
    return scores, scored(replace(options, alternatives="none"))


def score_runs(
    runs: Sequence[Finished],
    options: ScoringOptions,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
    gold: str | Corpus = "",
) -> list[Scores]:
    """Score runs against their own input, or against another gold of the same texts; corpora are read once.

    A text on which the tagger failed counts as one without predictions, and a mention that could not be
    placed as not predicted; how many there are is said.
    """
    golds: dict[str, Gold] = {}
    found = []
    for one in runs:
        run = read_run(one)
        # another gold is the same for all runs
        place = run.input if gold == "" else ""
        if place not in golds:
            golds[place] = Gold.of(run.corpus()) if gold == "" else Gold.read(gold)
        for line in run.failures_in_words():
            say(f"{run.name}: {line}")
        for line in seen_notes(run.meta) if gold == "" else ():
            say(f"{run.name}: {line}")
        scores = score_run(run, golds[place], options, classes=classes, by=by)
        _warn(scores, options)
        found.append(scores)
    return found


def score_asked(runs: Sequence[Finished], options: ScoringOptions, asked: ClassOptions) -> list[Scores]:
    """Score runs under the one notion that is asked, with its classes and against its gold."""
    options = replace(options, notions=(asked.notion,))
    return score_runs(runs, options, classes=asked.named, by=asked.by, gold=asked.chosen_gold)


def costs_of(runs: Sequence[Finished]) -> list[pd.DataFrame | None]:
    """What the cases of each run cost; None of one that does not know it."""
    return [read_run(one).costs for one in runs]


def score_files(
    gold: str | Corpus,
    predicted: str | Corpus | pd.DataFrame,
    options: ScoringOptions,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
) -> Scores:
    """Score predictions recorded elsewhere.

    Places are ``FORMAT:PATH``, the gold's may be a suite folder; corpora and frames are taken as they are.
    """
    known = Gold.read(gold)
    guesses = read_predictions(predicted, known.corpus) if isinstance(predicted, str) else predicted
    for read, place in ((known.corpus, gold), (guesses, predicted)):
        # the notes of what was read before are its reader's
        if isinstance(place, str) and isinstance(read, Corpus):
            for note in read.notes:
                say(note)
    scores = score(
        known.corpus,
        guesses,
        options,
        classes=classes,
        by=by,
        run=guesses.name if isinstance(guesses, Corpus) else "",
        gold_part=known.part or "",
        axes=known.axes,
    )
    _warn(scores, options)
    return scores


def say_differences(found: Sequence[Scores]) -> None:
    """Say in what runs that are shown together differ besides the tagger."""
    first, *others = found
    for other in others:
        unlike = first.unlike(other)
        if unlike:
            say(f"{other.run} is not comparable with {first.run}: {'; '.join(unlike)}")


def _warn(scores: Scores, asked: ScoringOptions) -> None:
    """Say which notions are left out, and which predictions can match nothing because of their type.

    And which types of the map no mention has: mostly a misspelt one.
    """
    left_out = [] if asked.notions else [n.name for n in NOTIONS if n.name not in scores.tallies]
    if left_out:
        say(f"not counted under --alternatives {asked.alternatives}: {', '.join(left_out)}")
    if scores.idle_types:
        known = ", ".join(kind or "(none)" for kind in scores.types) or "no types"
        say(f"no mention has the type {' or '.join(scores.idle_types)} of --type-map; there are {known}")
    unknown = unknown_types(scores)
    if unknown:
        say(unknown)


def unknown_types(scores: Scores) -> str:
    """Say which predicted types no gold mention has, where there are any and types count."""
    if scores.options.ignore_types or not len(scores.gold) or not len(scores.predicted):
        return ""
    size = len(scores.types)
    # mentions of each type, by side
    gold, predicted = (np.bincount(k, minlength=size) for k in (scores.gold_type, scores.predicted_type))
    unknown = np.flatnonzero((predicted > 0) & (gold == 0))
    if not len(unknown):
        return ""
    names = []
    for count in (gold, predicted):
        there = np.flatnonzero(count)
        further = [f"{len(there) - MOST_TYPES} more types"] if len(there) > MOST_TYPES else []
        names.append(", ".join([*(scores.types[i] or "(none)" for i in there[:MOST_TYPES]), *further]))
    hint = "--type-map OLD=NEW or --ignore-types lets them match"
    if len(unknown) == np.count_nonzero(predicted):
        return f"no type in common: gold has {names[0]}, predictions have {names[1]}; {hint}"
    listed = ", ".join(f"{predicted[i]} of type {scores.types[i]!r}" for i in unknown[:MOST_TYPES])
    more = f" and {len(unknown) - MOST_TYPES} more types" if len(unknown) > MOST_TYPES else ""
    return (
        f"predicted mentions whose type no gold mention has, so that they match nothing: {listed}{more}; "
        f"gold has {names[0]}; {hint}"
    )


class _Choices(TypedDict):
    notion: str
    confidence: float


def compare_runs(
    runs: Sequence[Finished],
    options: ScoringOptions,
    asked: ClassOptions | None = None,
    *,
    predictions: Path | None = None,
    suite: Finished | None = None,
    against: Finished | None = None,
    predicted: str | Corpus | pd.DataFrame = "",
    scatter: Path | None = None,
    transfer: TransferOptions | None = None,
    reference: Sequence[Given] = (),
) -> Compared:
    """Compare runs, or predictions recorded elsewhere: with a predictions file, a suite, or another run.

    With a suite, each class's figures on suite and corpus are written to `scatter`, and `transfer` may ask
    what the suite lets expect in a corpus of some composition; then there need be no runs. A `reference`
    (runs of another tagger, or its name) tells what holds for any tagger from what is peculiar to this one.

    Raises
    ------
    InputError
        When the choices contradict each other, or a class stands in two files with different queries.
    """
    asked = asked or ClassOptions()
    check_choices(
        asked,
        runs=runs,
        predictions=predictions,
        suite=suite,
        against=against,
        predicted=predicted,
        scatter=scatter,
        standardise=transfer.standardise if transfer else "",
        reference=reference,
    )
    notion, by, gold = asked.notion, asked.by, asked.chosen_gold
    options = replace(options, notions=(notion,))
    named = asked.named
    if against is not None:
        base, *others = score_runs([against, *runs], options, classes=named, by=by, gold=gold)
        return paired_differences(others, base, notion)
    expected = read_predictions_file(predictions) if predictions else []
    named = _joined(expected, named)
    confidence, notes = options.confidence, []
    chosen: _Choices = {"notion": notion, "confidence": confidence}
    sources: Sequence[Run | str | Corpus]
    judged = [read_run(r) for r in runs]
    if suite is not None:
        suite = read_run(suite)
        base = score_runs([suite], options, classes=named, by=by)[0]
        in_suite = classes_of(base)
        if transfer and transfer.standardise and not runs and absent(predicted):
            table, said = estimates.alone(base, in_suite, transfer, notion=notion)
            return Compared(table, notes=said)
        known = {p.name for p in expected}
        free = [c for c in in_suite if c.name not in known]
        own = predictions_from(base, free, **chosen)
        notes.append(
            f"{base.run}: {len(own)} of {len(free)} classes differ from the rest of the suite; "
            "these are the predictions"
        )
        expected = [*expected, *own]
        named = _joined(named, in_suite)
    if not expected:
        notes.append("nothing is predicted: 0 classes, and the table has the whole alone")
    if judged:
        found = score_runs(judged, options, classes=named, gold=gold)
        sources = judged
    else:
        sources = [gold]
        found = [score_files(gold, predicted, options, classes=named)]
    origin = read_signature(predictions) if predictions else ""
    if predictions and origin:
        notes += unlike_notes(Path(predictions).name, origin, found)
    tables = [compare(s, expected, **chosen) for s in found]
    if reference:
        # the machinery that runs taggers is loaded by those who need it
        from .reference import Target, reference_scores

        targets = [Target.of(s, source) for s, source in zip(found, sources, strict=True)]
        if suite is not None:
            targets.append(Target.of(base, suite, in_suite))
        name, others = reference_scores(reference, targets)
        foreseen = () if suite is None else predictions_from(others.pop(), in_suite, **chosen)
        beside = Reference(name, others, tuple(foreseen))
        tables, said = beside_reference(tables, found, expected, beside, **chosen)
        notes += said
    table = adjusted(pd.concat(tables, ignore_index=True))
    if suite is None:
        return Compared(table, notes=tuple(notes))
    notes += unlike_notes(base.run, base.whole_signature, found)
    if transfer and transfer.standardise:
        table, said = estimates.beside(table, base, found, named, transfer, notion=notion)
        notes += said
    points = pd.concat([points_of(base, s, in_suite, notion=notion) for s in found], ignore_index=True)
    if scatter is not None:
        with atomic_text(scatter) as stream:
            stream.write(render(points, Format.csv))
    return Compared(table, points, rank_correlation(points, confidence), tuple(notes))


def discover_run(
    run: Finished,
    scoring: ScoringOptions,
    search: DiscoverOptions,
    *,
    show: str = "faults",
    out: Path | None = None,
    gold: str | Corpus = "",
) -> Discovery:
    """Discover the faults of one run, or the costs of features; see `discover_scores`.

    The costs are of the features that are searched, or of those that the run's suite was made to contrast.
    """
    check_show(show, out)
    one = read_run(run)
    scores = score_runs([one], replace(scoring, notions=(search.notion,)), gold=gold)[0]
    recipe = contrasted(one) if show == "costs" else ()
    return discover_scores(scores, search, show=show, out=out, confidence=scoring.confidence, recipe=recipe)


def contrasted(run: Run) -> tuple[str, ...]:
    """The columns of the features that the recipe of a run's suite contrasts; none where none is named."""
    suite = Path(run.input)
    if not (suite / META).is_file():
        return ()
    names = [name for part in read_suite_meta(suite).get("part", []) for name in part.get("contrast", [])]
    return tuple(dict.fromkeys(map(column_of, names)))


def _joined(*sources: Sequence[Class]) -> list[Class]:
    """Classes of several sources that have no file, each name once."""
    return list(join_classes((None, one) for source in sources for one in source).values())
