"""Scoring of runs and of predictions from files; the gold corpus is read once for all runs.

Commands, notebooks, reports and studies all use these functions, so that their figures and warnings agree.
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
"""A run, or the path of its folder."""


@dataclass(frozen=True)
class GoldCorpus:
    """Gold corpus, prepared for scoring any number of runs.

    Attributes
    ----------
    corpus : Corpus
    axes : TextAxes
        Positions of texts and tokens, which pairing uses.
    signature_part : str or None
        Part of signatures that identifies the gold corpus. If it is empty, it is made from the checksum of
        the corpus; if None, it is taken from the run.
    """

    corpus: Corpus
    axes: TextAxes
    signature_part: str | None = None

    @classmethod
    def from_corpus(cls, corpus: Corpus, part: str | None = None) -> GoldCorpus:
        """Prepare a `Corpus` as the gold corpus."""
        return cls(corpus, TextAxes.from_texts(corpus.texts), part)

    @classmethod
    def from_source(cls, place: str | Corpus) -> GoldCorpus:
        """Return the gold corpus from a string ``FORMAT:PATH``, a suite folder or a `Corpus`."""
        if isinstance(place, Corpus):
            return cls.from_corpus(place, "")
        name, path, _ = parse_spec(place)
        # a suite file contains the signature; the signature of other corpora is their checksum
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
    """Score one run; `name` is its name in tables, by default the name of its folder."""
    predicted = run.make_predicted_corpus(gold.corpus)
    return score(
        gold.corpus,
        predicted,
        resolve_types(options, gold.corpus.mentions, predicted.mentions),
        classes=classes,
        by=by,
        run=name or run.name,
        tagger=run.tagger_part,
        gold_part=run.gold_part if gold.signature_part is None else gold.signature_part,
        axes=gold.axes,
    )


def resolve_types(options: ScoringOptions, gold: pd.DataFrame, predicted: pd.DataFrame) -> ScoringOptions:
    """Return options that ignore types if gold and predicted mentions have no type in common.

    The options do not change if they contain a type map, or if there are no gold or no predicted mentions.
    """
    types = [set(mentions["type"].unique()) for mentions in (gold, predicted)]
    if options.type_map or not all(types) or types[0] & types[1]:
        return options
    return replace(options, ignore_types=True)


def score_with_available_alternatives(
    score_run_with: Callable[[ScoringOptions], Scores], gold: GoldCorpus, options: ScoringOptions
) -> tuple[Scores, Scores]:
    """Score a run, using alternatives if they are requested and its gold corpus has them.

    Parameters
    ----------
    score_run_with : callable
        Function that takes scoring options and returns the scores of the run.
    gold : GoldCorpus
    options : ScoringOptions
        The options that the user chose.

    Returns
    -------
    scores : Scores
        Scores under the chosen options; without alternatives if the gold corpus has none.
    notions : Scores
        Scores under all notions: the same object as `scores`, except with ``--alternatives published``,
        which supports only one notion. In that case, they are computed without alternatives.
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
    """Score runs against their own input, or against another gold standard for the same texts.

    A text on which the tagger failed counts as a text without predictions. A mention whose position in the
    text could not be determined counts as not predicted. Messages report how many texts and mentions are
    affected.
    """
    golds: dict[str, GoldCorpus] = {}
    found = []
    for source in runs:
        run = read_run(source)
        # `gold`, if given, applies to all runs
        place = run.input if gold == "" else ""
        if place not in golds:
            golds[place] = (
                GoldCorpus.from_corpus(run.load_corpus()) if gold == "" else GoldCorpus.from_source(gold)
            )
        for line in run.describe_failures():
            say(f"{run.name}: {line}")
        texts = golds[place].corpus.texts
        # the texts of a suite are never a complete corpus
        known = () if "context_id" in texts else texts["text"]
        for line in list_training_notes(run.meta, known) if gold == "" else ():
            say(f"{run.name}: {line}")
        scores = score_run(run, golds[place], options, classes=classes, by=by)
        _report_ignored(scores, options)
        found.append(scores)
    return found


def score_one_notion(
    runs: Sequence[RunSource], options: ScoringOptions, class_options: ClassOptions
) -> list[Scores]:
    """Score runs under one notion, with the classes and the gold corpus that are set in the options."""
    options = replace(options, notions=(class_options.notion,))
    return score_runs(
        runs, options, classes=class_options.class_list, by=class_options.by, gold=class_options.chosen_gold
    )


def read_costs(runs: Sequence[RunSource]) -> list[pd.DataFrame | None]:
    """Return the costs per case of each run; None for a run without recorded costs."""
    return [read_run(source).costs for source in runs]


def score_predictions(
    gold: str | Corpus,
    predicted: str | Corpus | pd.DataFrame,
    options: ScoringOptions,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
) -> Scores:
    """Score predictions from a file, a corpus or a data frame against a gold corpus.

    A string has the form ``FORMAT:PATH``; for the gold corpus, it can also be the path of a suite folder.
    """
    gold_corpus = GoldCorpus.from_source(gold)
    guesses = read_predictions(predicted, gold_corpus.corpus) if isinstance(predicted, str) else predicted
    for read, place in ((gold_corpus.corpus, gold), (guesses, predicted)):
        # notes on a corpus that the caller read were reported when it was read
        if isinstance(place, str) and isinstance(read, Corpus):
            for note in read.notes:
                say(note)
    mentions = guesses.mentions if isinstance(guesses, Corpus) else guesses
    scores = score(
        gold_corpus.corpus,
        guesses,
        resolve_types(options, gold_corpus.corpus.mentions, mentions),
        classes=classes,
        by=by,
        run=guesses.name if isinstance(guesses, Corpus) else "",
        gold_part=gold_corpus.signature_part or "",
        axes=gold_corpus.axes,
    )
    _report_ignored(scores, options)
    return scores


def report_differences(scorings: Sequence[Scores]) -> None:
    """Warn if runs in the same table differ in the corpus or the scoring options, not only in the tagger."""
    first, *others = scorings
    for other in others:
        differences = first.list_differences(other)
        if differences:
            say(f"{other.run} is not comparable with {first.run}: {'; '.join(differences)}")


def _report_ignored(scores: Scores, options: ScoringOptions) -> None:
    """Warn about notions that were not counted, unused entries of the type map, and unknown types."""
    left_out = [] if options.notions else [n.name for n in NOTIONS if n.name not in scores.tallies]
    if left_out:
        say(f"--alternatives {options.alternatives} does not count these notions: {', '.join(left_out)}")
    if scores.unused_types:
        known = ", ".join(kind or "(none)" for kind in scores.types) or "none"
        say(f"--type-map: no mention has type {' or '.join(scores.unused_types)}; existing types: {known}")
    if remark := describe_types(scores):
        say(remark)


def describe_types(scores: Scores) -> str:
    """Return a remark on types and identifiers, or a warning about types that only predicted mentions have.

    If there is only one type, the remark does not mention it. If types were ignored, there is a warning only
    if the gold mentions have none of the predicted types.
    """
    ignored = scores.options.ignore_types
    with_identifiers = "identifiers are compared" if scores.options.identifiers else ""
    if not len(scores.gold) or not len(scores.predicted) or len(scores.types) == 1:
        return with_identifiers
    use = f"types are {'ignored' if ignored else 'compared'}: {', '.join(scores.types)}"
    use = f"{use}; {with_identifiers}" if with_identifiers else use
    size = len(scores.types)
    # number of mentions of each type, per side
    gold, predicted = (np.bincount(k, minlength=size) for k in (scores.gold_type, scores.predicted_type))
    unknown = np.flatnonzero((predicted > 0) & (gold == 0))
    if not len(unknown):
        return use
    names = []
    for count in (gold, predicted):
        present = np.flatnonzero(count)
        more_types = [f"{len(present) - MAX_TYPES} more types"] if len(present) > MAX_TYPES else []
        names.append(", ".join([*(scores.types[i] or "(none)" for i in present[:MAX_TYPES]), *more_types]))
    hint = "use --type-map OLD=NEW or --ignore-types to match them"
    if len(unknown) == np.count_nonzero(predicted):
        hint = "types are ignored; use --type-map OLD=NEW to compare them" if ignored else hint
        return f"no type in common: gold has {names[0]}, predictions have {names[1]}; {hint}"
    if ignored:
        return use
    listed = ", ".join(f"{predicted[i]} of type {scores.types[i]!r}" for i in unknown[:MAX_TYPES])
    more = f" and {len(unknown) - MAX_TYPES} more types" if len(unknown) > MAX_TYPES else ""
    return (
        f"some predicted mentions match nothing, because no gold mention has their type: {listed}{more}; "
        f"types in the gold: {names[0]}; {hint}"
    )
