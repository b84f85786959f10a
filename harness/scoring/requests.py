"""From places on the command line to scores: corpora, predictions and run folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...catalogues.plumbing.errors import InputError
from ...catalogues.plumbing.tables import say
from ...sentences.corpus import Corpus
from ...sentences.formats.registry import parse_spec, read_corpus, read_predictions
from ...sentences.suites import read_suite_meta
from .classes import Class
from .how import How
from .layout import Layout
from .notions import NOTIONS
from .scores import Scores
from .signature import differences


def scored_runs(
    folders: Sequence[Path],
    classes: Sequence[Class],
    how: How,
    *,
    notions: Sequence[str] | None = None,
    by: Sequence[str] = (),
    gold: str = "",
) -> list[Scores]:
    """Score runs against their own input, or against another gold of the same texts; corpora are read once.

    A text on which the tagger failed counts as one without predictions, and a mention that could not be
    placed as not predicted; how many there are is said.
    """
    from ..running.runs import read_run

    corpora: dict[str, tuple[Corpus, Layout]] = {}
    found = []
    for folder in folders:
        run = read_run(folder)
        place = gold or run.input
        if place not in corpora:
            corpus = read_corpus(gold) if gold else run.corpus()
            corpora[place] = (corpus, Layout.of(corpus.texts))
        corpus, layout = corpora[place]
        for line in run.failures_in_words():
            say(f"{run.name}: {line}")
        scores = how.score(
            corpus,
            run.predicted(corpus),
            notions=notions,
            classes=classes,
            by=by,
            run=run.name,
            tagger=f"tagger:{run.tagger}",
            gold_part=_suite_part(gold) if gold else run.signature.partition("|")[0],
            layout=layout,
        )
        _say_what_is_not_told(scores, notions)
        found.append(scores)
    return found


def scored_files(
    gold: str,
    predicted: str,
    classes: Sequence[Class],
    how: How,
    *,
    notions: Sequence[str] | None = None,
    by: Sequence[str] = (),
) -> Scores:
    """Score predictions recorded elsewhere; places are ``FORMAT:PATH``, the gold's may be a suite folder."""
    corpus = read_corpus(gold)
    guesses = read_predictions(predicted, corpus)
    for note in (*corpus.notes, *guesses.notes):
        say(note)
    scores = how.score(
        corpus,
        guesses,
        notions=notions,
        classes=classes,
        by=by,
        run=guesses.name,
        gold_part=_suite_part(gold),
    )
    _say_what_is_not_told(scores, notions)
    return scores


def parse_type_map(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``OLD=NEW`` pairs.

    Raises
    ------
    InputError
        When one has another form, or a type stands for two.
    """
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
    """Say which notions are left out, and when nothing can match because the types have different names."""
    left_out = [] if asked else [n.name for n in NOTIONS if n.name not in scores.tallies]
    if left_out:
        say(f"not counted under --alternatives {scores.settings.alternatives}: {', '.join(left_out)}")
    if scores.settings.ignore_types or not len(scores.gold) or not len(scores.predicted):
        return
    gold, predicted = np.unique(scores.gold_type), np.unique(scores.predicted_type)
    if not len(np.intersect1d(gold, predicted)):
        names = [", ".join(scores.types[i] or "(none)" for i in side) for side in (gold, predicted)]
        hint = "--type-map OLD=NEW or --ignore-types lets them match"
        say(f"no type in common: gold has {names[0]}, predictions have {names[1]}; {hint}")


def _suite_part(spec: str) -> str:
    """A suite's own signature; empty for other corpora, whose digest stands for them."""
    name, path, _ = parse_spec(spec)
    if name != "suite":
        return ""
    return str(read_suite_meta(path).get("suite", {}).get("signature", ""))
