"""From places on the command line to scores: corpora, predictions and run folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.tables import say
from ...sentences.corpus import Corpus
from ...sentences.formats.registry import parse_spec, read_corpus, read_predictions
from ...sentences.suites import read_suite_meta
from .axes import Axes
from .classes import Class
from .how import How
from .notions import NOTIONS
from .scores import Scores
from .signature import differences

if TYPE_CHECKING:
    import pandas as pd

    from ..running.runs import Run


MOST_TYPES = 20
"""Types that are named one by one."""


def scored_runs(
    runs: Sequence[Path | Run],
    classes: Sequence[Class],
    how: How,
    *,
    notions: Sequence[str] | None = None,
    by: Sequence[str] = (),
    gold: str | Corpus = "",
) -> list[Scores]:
    """Score runs against their own input, or against another gold of the same texts; corpora are read once.

    A text on which the tagger failed counts as one without predictions, and a mention that could not be
    placed as not predicted; how many there are is said.
    """
    from ..running.runs import Run, read_run

    corpora: dict[str, tuple[Corpus, Axes]] = {}
    found = []
    for one in runs:
        run = one if isinstance(one, Run) else read_run(one)
        # another gold is the same for all runs
        place = run.input if gold == "" else ""
        if place not in corpora:
            corpus = run.corpus() if gold == "" else _read(gold)
            corpora[place] = (corpus, Axes.of(corpus.texts))
        corpus, axes = corpora[place]
        for line in run.failures_in_words():
            say(f"{run.name}: {line}")
        scores = how.score(
            corpus,
            run.predicted(corpus),
            notions=notions,
            classes=classes,
            by=by,
            run=run.name,
            tagger=run.tagger_part,
            gold_part=run.gold_part if gold == "" else _suite_part(gold),
            axes=axes,
        )
        _say_what_is_not_told(scores, notions)
        found.append(scores)
    return found


def scored_files(
    gold: str | Corpus,
    predicted: str | Corpus | pd.DataFrame,
    classes: Sequence[Class],
    how: How,
    *,
    notions: Sequence[str] | None = None,
    by: Sequence[str] = (),
) -> Scores:
    """Score predictions recorded elsewhere.

    Places are ``FORMAT:PATH``, the gold's may be a suite folder; corpora and frames are taken as they are.
    """
    corpus = _read(gold)
    guesses = read_predictions(predicted, corpus) if isinstance(predicted, str) else predicted
    for read, place in ((corpus, gold), (guesses, predicted)):
        # the notes of what was read before are its reader's
        if isinstance(place, str) and isinstance(read, Corpus):
            for note in read.notes:
                say(note)
    scores = how.score(
        corpus,
        guesses,
        notions=notions,
        classes=classes,
        by=by,
        run=guesses.name if isinstance(guesses, Corpus) else "",
        gold_part=_suite_part(gold),
    )
    _say_what_is_not_told(scores, notions)
    return scores


def _read(gold: str | Corpus) -> Corpus:
    return read_corpus(gold) if isinstance(gold, str) else gold


def parse_type_map(given: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Read ``OLD=NEW`` pairs, or a mapping of these.

    Raises
    ------
    InputError
        When one has another form, or a type stands for two.
    """
    pairs = [f"{old}={new}" for old, new in given.items()] if isinstance(given, Mapping) else given
    found: dict[str, str] = {}
    for pair in pairs:
        old, equals, new = pair.partition("=")
        if not (old and equals and new):
            raise InputError("not a pair of types", found=pair, allowed="OLD=NEW")
        if found.setdefault(old, new) != new:
            raise InputError("a type stands for two others", found=f"{old}={found[old]}, {pair}")
    return found


def say_differences(found: Sequence[Scores]) -> None:
    """Say in what runs that are shown together differ besides the tagger."""
    first, *others = found
    for other in others:
        unlike = differences(first.whole_signature, other.whole_signature)
        if unlike:
            say(f"{other.settings.run} is not comparable with {first.settings.run}: {'; '.join(unlike)}")


def _say_what_is_not_told(scores: Scores, asked: Sequence[str] | None) -> None:
    """Say which notions are left out, and which predictions can match nothing because of their type."""
    left_out = [] if asked else [n.name for n in NOTIONS if n.name not in scores.tallies]
    if left_out:
        say(f"not counted under --alternatives {scores.settings.alternatives}: {', '.join(left_out)}")
    unknown = unknown_types(scores)
    if unknown:
        say(unknown)


def unknown_types(scores: Scores) -> str:
    """Say which predicted types no gold mention has, where there are any and types count."""
    if scores.settings.ignore_types or not len(scores.gold) or not len(scores.predicted):
        return ""
    size = len(scores.types)
    gold, predicted = (np.bincount(k, minlength=size) for k in (scores.gold_type, scores.predicted_type))
    unknown = np.flatnonzero((predicted > 0) & (gold == 0))
    if not len(unknown):
        return ""
    names = [", ".join(scores.types[i] or "(none)" for i in np.flatnonzero(n)) for n in (gold, predicted)]
    hint = "--type-map OLD=NEW or --ignore-types lets them match"
    if len(unknown) == np.count_nonzero(predicted):
        return f"no type in common: gold has {names[0]}, predictions have {names[1]}; {hint}"
    told = ", ".join(f"{predicted[i]} of type {scores.types[i]!r}" for i in unknown[:MOST_TYPES])
    more = f" and {len(unknown) - MOST_TYPES} more types" if len(unknown) > MOST_TYPES else ""
    return (
        f"predicted mentions whose type no gold mention has, so that they match nothing: {told}{more}; "
        f"gold has {names[0]}; {hint}"
    )


def _suite_part(gold: str | Corpus) -> str:
    """A suite's own signature; empty for other corpora, whose digest stands for them."""
    if isinstance(gold, Corpus):
        return ""
    name, path, _ = parse_spec(gold)
    if name != "suite":
        return ""
    return str(read_suite_meta(path).get("suite", {}).get("signature", ""))
