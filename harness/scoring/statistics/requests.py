"""From places on the command line to scored runs with given classes: what compare and accept start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ....sentences.formats.registry import read_corpus, read_predictions
from ..classes import Class
from ..engine import Alternatives, Counting, score
from ..layout import Layout
from ..matching import Pairing
from ..scores import Scores

if TYPE_CHECKING:
    from ....sentences.corpus import Corpus


@dataclass(frozen=True)
class How:
    """How to score; `score` refuses wrong words by name."""

    pairing: Pairing = "any"
    alternatives: Alternatives = "none"
    counting: Counting = "text"
    ignore_types: bool = False
    confidence: float = 0.95


def scored_runs(
    folders: Sequence[Path],
    classes: Sequence[Class],
    how: How,
    *,
    notions: Sequence[str] | None = None,
    by: Sequence[str] = (),
    gold: str = "",
) -> list[Scores]:
    """Score runs with these classes; corpora are read once."""
    from ...running.runs import read_run

    corpora: dict[str, tuple[Corpus, Layout]] = {}
    found = []
    for folder in folders:
        run = read_run(folder)
        place = gold or run.input
        if place not in corpora:
            corpus = read_corpus(gold) if gold else run.corpus()
            corpora[place] = (corpus, Layout.of(corpus.texts))
        corpus, layout = corpora[place]
        found.append(
            score(
                corpus,
                run.predictions,
                notions=notions,
                classes=classes,
                by=by,
                pairing=how.pairing,
                alternatives=how.alternatives,
                counting=how.counting,
                ignore_types=how.ignore_types,
                confidence=how.confidence,
                run=run.name,
                tagger=f"tagger:{run.tagger}",
                layout=layout,
            )
        )
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
    """Score predictions recorded elsewhere with these classes; both places are ``FORMAT:PATH``."""
    corpus = read_corpus(gold)
    guesses = read_predictions(predicted, corpus)
    return score(
        corpus,
        guesses,
        notions=notions,
        classes=classes,
        by=by,
        pairing=how.pairing,
        alternatives=how.alternatives,
        counting=how.counting,
        ignore_types=how.ignore_types,
        confidence=how.confidence,
        run=guesses.name,
    )
