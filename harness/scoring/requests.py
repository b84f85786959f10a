"""From places on the command line to scores: corpora, predictions and run folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...catalogues.plumbing.errors import InputError
from ...catalogues.plumbing.tables import say
from ...catalogues.word_lists import read_lists
from ...sentences.formats.registry import parse_spec, read_corpus, read_predictions
from ...sentences.suites import read_suite_meta
from .classes import read_classes
from .engine import Alternatives, Counting, score
from .layout import Layout
from .matching import Pairing
from .scores import Scores
from .signature import differences

if TYPE_CHECKING:
    import pandas as pd

    from ...sentences.corpus import Corpus


@dataclass(frozen=True)
class Request:
    """How to score, as it stands on the command line."""

    notions: tuple[str, ...] = ()
    classes: Path | None = None
    by: tuple[str, ...] = ()
    pairing: str = "any"
    alternatives: str = "none"
    counting: str = "text"
    ignore_types: bool = False
    type_map: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    beta: float = 1.0
    confidence: float = 0.95

    def score(
        self,
        gold: Corpus,
        predictions: Corpus | pd.DataFrame,
        *,
        run: str,
        tagger: str = "",
        gold_part: str = "",
        layout: Layout | None = None,
    ) -> Scores:
        """Score predictions as requested; wrong choices are refused by name."""
        found = score(
            gold,
            predictions,
            notions=self.notions or None,
            classes=read_classes(self.classes) if self.classes is not None else (),
            by=self.by,
            pairing=_as_pairing(self.pairing),
            alternatives=_as_alternatives(self.alternatives),
            counting=_as_counting(self.counting),
            ignore_types=self.ignore_types,
            type_map=parse_type_map(self.type_map),
            lists=read_lists(self.lists),
            beta=self.beta,
            confidence=self.confidence,
            run=run,
            tagger=tagger,
            gold_part=gold_part,
            layout=layout,
        )
        _say_types(found)
        return found


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
    notion = next(iter(first.tallies.values())).notion
    for other in others:
        unlike = differences(first.signature(notion), other.signature(notion))
        if unlike:
            say(f"{other.settings.run} is not comparable with {first.settings.run}: {'; '.join(unlike)}")


def _say_types(scores: Scores) -> None:
    """Say when nothing can match because the two sides name their types differently."""
    if scores.settings.ignore_types or not len(scores.gold) or not len(scores.predicted):
        return
    gold, predicted = np.unique(scores.gold_type), np.unique(scores.predicted_type)
    if not len(np.intersect1d(gold, predicted)):
        names = [", ".join(scores.types[i] or "(none)" for i in side) for side in (gold, predicted)]
        hint = "--type-map OLD=NEW or --ignore-types lets them match"
        say(f"no type in common: gold has {names[0]}, predictions have {names[1]}; {hint}")


def score_files(gold: str, predicted: str, request: Request) -> Scores:
    """Score predictions recorded elsewhere; places are ``FORMAT:PATH``, the gold's may be a suite folder."""
    corpus = read_corpus(gold)
    guesses = read_predictions(predicted, corpus)
    for note in (*corpus.notes, *guesses.notes):
        say(note)
    return request.score(corpus, guesses, run=guesses.name, gold_part=_suite_part(gold))


def score_runs(folders: Sequence[Path], request: Request, gold: str = "") -> list[Scores]:
    """Score runs against their own input, or against another gold of the same texts.

    A text on which the tagger failed counts as one without predictions; how many there are is said.
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
        if run.failed:
            kinds = ", ".join(f"{n} {name}" for name, n in run.outcome_counts.items() if name != "ok")
            total = sum(run.outcome_counts.values())
            failed = f"the tagger failed on {run.failed} of {total} texts ({kinds})"
            say(f"{run.name}: {failed}, which count as texts without predictions")
        scores = request.score(
            corpus,
            run.predictions,
            run=run.name,
            tagger=f"tagger:{run.tagger}",
            gold_part=_suite_part(gold) if gold else run.signature.partition("|")[0],
            layout=layout,
        )
        found.append(scores)
    return found


def _suite_part(spec: str) -> str:
    """A suite's own signature; empty for other corpora, whose digest stands for them."""
    name, path, _ = parse_spec(spec)
    if name != "suite":
        return ""
    return str(read_suite_meta(path).get("suite", {}).get("signature", ""))


def _as_pairing(value: str) -> Pairing:
    return value  # type: ignore[return-value]  # `score` refuses others


def _as_alternatives(value: str) -> Alternatives:
    return value  # type: ignore[return-value]


def _as_counting(value: str) -> Counting:
    return value  # type: ignore[return-value]
