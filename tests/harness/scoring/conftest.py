"""Small corpora made by hand, and by hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from tagsuite.sentences.corpus import Corpus

Span = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Made:
    """One mention: its text, its parts, its type."""

    text: int
    parts: Span
    type: str = "gp"
    score: float = float("nan")

    @property
    def hull(self) -> tuple[int, int]:
        return self.parts[0][0], self.parts[-1][1]


def make_corpus(
    texts: Sequence[str],
    mentions: Sequence[Made],
    side: str = "gold",
    alternatives: Sequence[Made] | None = None,
) -> Corpus:
    """A corpus of these texts and mentions; the mentions stand in the order given."""
    ids = [f"t{i}" for i in range(len(texts))]
    frame = pd.DataFrame(
        {
            "mention_id": np.arange(len(mentions)),
            "text_id": pd.array([ids[m.text] for m in mentions], dtype="str"),
            "side": pd.array([side] * len(mentions), dtype="str"),
            "start": np.array([m.hull[0] for m in mentions], dtype=np.int64),
            "end": np.array([m.hull[1] for m in mentions], dtype=np.int64),
            "type": pd.array([m.type for m in mentions], dtype="str"),
            "score": np.array([m.score for m in mentions], dtype=np.float64),
        }
    )
    parts = [(i, a, b) for i, m in enumerate(mentions) if len(m.parts) > 1 for a, b in m.parts]
    others = None
    if alternatives is not None:
        others = pd.DataFrame(
            {
                "text_id": pd.array([ids[m.text] for m in alternatives], dtype="str"),
                "start": np.array([m.hull[0] for m in alternatives], dtype=np.int64),
                "end": np.array([m.hull[1] for m in alternatives], dtype=np.int64),
                "type": pd.array([m.type for m in alternatives], dtype="str"),
            }
        )
    return Corpus(
        name="made",
        texts=pd.DataFrame(
            {
                "text_id": pd.array(ids, dtype="str"),
                "document_id": pd.array([f"d{i // 2}" for i in range(len(texts))], dtype="str"),
                "text": pd.array(list(texts), dtype="str"),
            }
        ),
        mentions=frame,
        fragments=pd.DataFrame(parts, columns=["mention_id", "start", "end"], dtype="int64")
        if parts
        else None,
        alternatives=others,
        digest="0123456789abcdef",
    )


def make_pair(
    texts: Sequence[str], gold: Sequence[Made], predicted: Sequence[Made], **options: object
) -> tuple[Corpus, Corpus]:
    """Gold and predictions over the same texts."""
    corpus = make_corpus(texts, gold, **options)  # type: ignore[arg-type]
    guesses = make_corpus(texts, predicted, side="predicted")
    return corpus, replace(guesses, digest="fedcba9876543210")


@pytest.fixture(scope="session")
def made() -> Callable[..., tuple[Corpus, Corpus]]:
    """`make_pair`."""
    return make_pair


@pytest.fixture(scope="session")
def mention() -> type[Made]:
    """`SuiteRecord`."""
    return Made
