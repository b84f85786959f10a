"""From places on the command line to scores: corpora, predictions and run folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...sentences.formats.registry import read_corpus, read_predictions
from .classes import read_classes
from .engine import Alternatives, Counting, score
from .layout import Layout
from .matching import Pairing
from .scores import Scores

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
    beta: float = 1.0
    confidence: float = 0.95

    def score(
        self,
        gold: Corpus,
        predictions: Corpus | pd.DataFrame,
        *,
        run: str,
        tagger: str = "",
        layout: Layout | None = None,
    ) -> Scores:
        """Score predictions as requested; wrong choices are refused by name."""
        return score(
            gold,
            predictions,
            notions=self.notions or None,
            classes=read_classes(self.classes) if self.classes is not None else (),
            by=self.by,
            pairing=_as_pairing(self.pairing),
            alternatives=_as_alternatives(self.alternatives),
            counting=_as_counting(self.counting),
            ignore_types=self.ignore_types,
            beta=self.beta,
            confidence=self.confidence,
            run=run,
            tagger=tagger,
            layout=layout,
        )


def score_files(gold: str, predicted: str, request: Request) -> Scores:
    """Score predictions recorded elsewhere; both places are ``FORMAT:PATH``."""
    corpus = read_corpus(gold)
    guesses = read_predictions(predicted, corpus)
    return request.score(corpus, guesses, run=guesses.name)


def score_runs(folders: Sequence[Path], request: Request, gold: str = "") -> list[Scores]:
    """Score runs against their own input, or against another gold of the same texts."""
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
        tagger = f"tagger:{run.tagger}"
        found.append(request.score(corpus, run.predictions, run=run.name, tagger=tagger, layout=layout))
    return found


def _as_pairing(value: str) -> Pairing:
    return value  # type: ignore[return-value]  # `score` refuses others


def _as_alternatives(value: str) -> Alternatives:
    return value  # type: ignore[return-value]


def _as_counting(value: str) -> Counting:
    return value  # type: ignore[return-value]
