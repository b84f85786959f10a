"""The file of weights beside planned sentences: with what probability each was drawn.

Whatever a tool for annotation does to identifiers and order, the text stays: its digest names it. What
is read are probabilities, not weights: these depend on how many sentences were annotated in the end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....catalogues.core.csv_tables import read_csv_frame
from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text, digest_bytes
from ....catalogues.core.tables import Format, render
from ....sentences.corpus import Corpus
from .planning import lure

Numbers = NDArray[np.float64]

COLUMNS = ("turn", "text_id", "text_sha256", "probability", "pool", "weight")
"""Those of the file; the weight is that where all sentences are annotated."""
SUFFIX = ".weights.csv"


def weights_path(place: Path) -> Path:
    """Where the weights of planned sentences stand: beside them."""
    return place.with_name(place.name + SUFFIX)


def write_weights(corpus: Corpus, probabilities: Numbers, pool: int, path: Path) -> None:
    """Write the probabilities of planned sentences, in the order in which they were drawn."""
    table = pd.DataFrame(
        {
            "turn": np.arange(1, len(probabilities) + 1),
            "text_id": corpus.texts["text_id"].to_numpy(),
            "text_sha256": _digests(corpus),
            "probability": probabilities,
            "pool": pool,
            "weight": lure(probabilities, pool),
        }
    )
    with atomic_text(path) as stream:
        stream.write(render(table, Format.csv, spreadsheet=False))


def read_weights(path: Path, corpus: Corpus) -> Numbers:
    """The weights of annotated sentences, the first ones of a plan or all.

    Raises
    ------
    InputError
        When the file is none that was written for a plan, an annotated sentence is not in it, or one that was
        drawn before others is not annotated.
    """
    allowed = "what tagsuite calibrate --plan wrote"
    table = read_csv_frame(
        path,
        COLUMNS[:-1],
        f"{allowed}, with {', '.join(COLUMNS)}",
        dtype={"text_sha256": "str", "text_id": "str"},
    )
    numbers = table[["turn", "probability", "pool"]].apply(pd.to_numeric, errors="coerce")
    turn, chance, pool = (numbers[c].to_numpy(dtype=np.float64) for c in numbers)
    right = (turn == np.arange(1, len(table) + 1)) & (chance > 0) & (chance <= 1) & (pool >= len(table))
    right &= pool == pool[:1]
    if not right.all():
        at = int(np.argmin(right))
        found = ", ".join(f"{c} {table[c].iloc[at]}" for c in numbers)
        raise InputError("not a row of a plan", file=path, line=at + 2, found=found, allowed=allowed)
    # the same text may stand in a pool more than once: the first is the first
    keys, asked = (
        list(zip(s, pd.Series(s).groupby(s).cumcount(), strict=True))
        for s in (table["text_sha256"].tolist(), _digests(corpus))
    )
    place = {key: i for i, key in enumerate(keys)}
    at_turn = np.array([place.get(key, -1) for key in asked], dtype=np.int64)
    names = corpus.texts["text_id"].tolist()
    if (at_turn < 0).any():
        stray = names[int(np.argmin(at_turn))]
        raise InputError(
            "an annotated sentence is not in the plan",
            file=path,
            found=f"text {stray}",
            allowed="the sentences of the plan, their text unchanged",
        )
    missing = np.setdiff1d(np.arange(len(at_turn)), at_turn)
    if len(missing):
        raise InputError(
            "a sentence that was drawn before others is not annotated",
            file=path,
            line=int(missing[0]) + 2,
            found=f"text {table['text_id'].iloc[int(missing[0])]} of turn {missing[0] + 1}",
            allowed="the first sentences of the plan, without gaps",
        )
    return lure(chance[: len(at_turn)], int(pool[0]))[at_turn] if len(at_turn) else np.zeros(0)


def _digests(corpus: Corpus) -> list[str]:
    return [digest_bytes(" ".join(text.split()).encode()) for text in corpus.texts["text"].tolist()]
