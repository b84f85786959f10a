"""Scoring of runs, and of predictions recorded elsewhere, against a gold that is read once.

Commands, notebook, report and study all score through these functions, so that figures and warnings agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TypeAlias

import numpy as np
import pandas as pd

from ...catalogues.core.messages import say
from ...sentences.corpus import Corpus
from ...sentences.formats.registry import parse_spec, read_corpus, read_predictions
from ...sentences.suite_file import read_suite_meta
from ..running.folder.run_file import MAX_TYPES, list_training_notes
from ..running.folder.runs import Run, read_run
from .classes import Class
from .engine import score
from .notions import NOTIONS
from .options import ClassOptions, ScoringOptions
from .pairing.axes import TextAxes
from .scores import Scores

RunSource: TypeAlias = Run | str | PathLike[str]
"""A run, or its folder."""


@dataclass(frozen=True)
class GoldCorpus:
    """A corpus that is scored against, laid out once for all runs over it.

    Attributes
    ----------
    corpus : Corpus
    axes : Axes
        Its texts.
    signature_part : str or None
        Its part of signatures: made from its digest when empty, as the run has it when None.
    """

    corpus: Corpus
    axes: TextAxes
    signature_part: str | None = None

    @classmethod
    def from_corpus(cls, corpus: Corpus, part: str | None = None) -> GoldCorpus:
        """Lay a corpus out."""
        return cls(corpus, TextAxes.from_texts(corpus.texts), part)

    @classmethod
    def from_source(cls, place: str | Corpus) -> GoldCorpus:
        """Read ``FORMAT:PATH`` or a suite folder; a corpus is taken as it is."""
        if isinstance(place, Corpus):
            return cls.from_corpus(place, "")
        name, path, _ = parse_spec(place)
        # a suite has its own signature; other corpora are named by their digest
        part = str(read_suite_meta(path).get("suite", {}).get("signature", "")) if name == "suite" else ""
        return cls.from_corpus(read_corpus(place), part)


def score_run(
    run: Run,
    gold: GoldCorpus,
    options: ScoringOptions,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
    name: str = "",
) -> Scores:
    """Score one run; `name` stands in the tables in place of its folder's."""
    return score(
        gold.corpus,
        run.make_predicted_corpus(gold.corpus),
        options,
        classes=classes,
        by=by,
        run=name or run.name,
        tagger=run.tagger_part,
        gold_part=run.gold_part if gold.signature_part is None else gold.signature_part,
        axes=gold.axes,
    )


def score_with_available_alternatives(
    score_run_with: Callable[[ScoringOptions], Scores], gold: GoldCorpus, options: ScoringOptions
) -> tuple[Scores, Scores]:
    """Score one of several runs whose golds may differ in having alternatives.

    Parameters
    ----------
    score_run_with : callable
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
    scores = score_run_with(options)
    if options.alternatives != "published":
        return scores, scores
    return scores, score_run_with(replace(options, alternatives="none"))


def score_runs(
    runs: Sequence[RunSource],
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
    golds: dict[str, GoldCorpus] = {}
    found = []
    for one in runs:
        run = read_run(one)
        # another gold is the same for all runs
        place = run.input if gold == "" else ""
        if place not in golds:
            golds[place] = (
                GoldCorpus.from_corpus(run.load_corpus()) if gold == "" else GoldCorpus.from_source(gold)
            )
        for line in run.describe_failures():
            say(f"{run.name}: {line}")
        for line in list_training_notes(run.meta) if gold == "" else ():
            say(f"{run.name}: {line}")
        scores = score_run(run, golds[place], options, classes=classes, by=by)
        _report_ignored(scores, options)
        found.append(scores)
    return found


def score_one_notion(
    runs: Sequence[RunSource], options: ScoringOptions, class_options: ClassOptions
) -> list[Scores]:
    """Score runs under the one notion that is asked, with its classes and against its gold."""
    options = replace(options, notions=(class_options.notion,))
    return score_runs(
        runs, options, classes=class_options.class_list, by=class_options.by, gold=class_options.chosen_gold
    )


def read_costs(runs: Sequence[RunSource]) -> list[pd.DataFrame | None]:
    """What the cases of each run cost; None of one that does not know it."""
    return [read_run(one).costs for one in runs]


def score_predictions(
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
    known = GoldCorpus.from_source(gold)
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
        gold_part=known.signature_part or "",
        axes=known.axes,
    )
    _report_ignored(scores, options)
    return scores


def report_differences(scorings: Sequence[Scores]) -> None:
    """Say in what runs that are shown together differ besides the tagger."""
    first, *others = scorings
    for other in others:
        unlike = first.list_differences(other)
        if unlike:
            say(f"{other.run} is not comparable with {first.run}: {'; '.join(unlike)}")


def _report_ignored(scores: Scores, asked: ScoringOptions) -> None:
    """Say which notions are left out, and which predictions can match nothing because of their type.

    And which types of the map no mention has: mostly a misspelt one.
    """
    left_out = [] if asked.notions else [n.name for n in NOTIONS if n.name not in scores.tallies]
    if left_out:
        say(f"not counted under --alternatives {asked.alternatives}: {', '.join(left_out)}")
    if scores.unused_types:
        known = ", ".join(kind or "(none)" for kind in scores.types) or "no types"
        say(f"no mention has the type {' or '.join(scores.unused_types)} of --type-map; there are {known}")
    unknown = describe_unknown_types(scores)
    if unknown:
        say(unknown)


def describe_unknown_types(scores: Scores) -> str:
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
        further = [f"{len(there) - MAX_TYPES} more types"] if len(there) > MAX_TYPES else []
        names.append(", ".join([*(scores.types[i] or "(none)" for i in there[:MAX_TYPES]), *further]))
    hint = "--type-map OLD=NEW or --ignore-types lets them match"
    if len(unknown) == np.count_nonzero(predicted):
        return f"no type in common: gold has {names[0]}, predictions have {names[1]}; {hint}"
    listed = ", ".join(f"{predicted[i]} of type {scores.types[i]!r}" for i in unknown[:MAX_TYPES])
    more = f" and {len(unknown) - MAX_TYPES} more types" if len(unknown) > MAX_TYPES else ""
    return (
        f"predicted mentions whose type no gold mention has, so that they match nothing: {listed}{more}; "
        f"gold has {names[0]}; {hint}"
    )
