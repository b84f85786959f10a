"""Measure how many mentions per second get context and slot features, on one core.

    python benchmarks/annotate.py [FORMAT:PATH] [COPIES]

Without a corpus, the sentences of the bundled contexts are used, filled with invented symbols. Reading and
loading of the lexicons are not included in the time.
"""

from __future__ import annotations

import sys
import time

import pandas as pd

from tagsuite.sentences.context_features import CONTEXT_COLUMNS, SLOT_COLUMNS, compute_slot_features
from tagsuite.sentences.contexts import fill_templates, read_contexts
from tagsuite.sentences.formats import read_corpus


def material(spec: str | None, copies: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return texts and mentions, repeated with new text ids."""
    if spec is None:
        texts, mentions = fill_templates(read_contexts().entries)
    else:
        corpus = read_corpus(spec)
        texts, mentions = corpus.texts[["text_id", "text"]], corpus.mentions[["text_id", "start", "end"]]
    pieces = [
        tuple(f.assign(text_id=f["text_id"].astype("str") + f"#{n}") for f in (texts, mentions))
        for n in range(copies)
    ]
    return pd.concat([t for t, _ in pieces], ignore_index=True), pd.concat(
        [m for _, m in pieces], ignore_index=True
    )


def main() -> None:
    """Print the number of mentions per second."""
    spec = sys.argv[1] if len(sys.argv) > 1 and ":" in sys.argv[1] else None
    copies = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 50
    compute_slot_features(*material(spec, 1), material(spec, 1)[1])
    texts, mentions = material(spec, copies)
    start = time.perf_counter()
    frame = compute_slot_features(texts, mentions, mentions, (*SLOT_COLUMNS, *CONTEXT_COLUMNS))
    seconds = time.perf_counter() - start
    rate = len(frame) / seconds
    print(
        f"{len(texts)} texts, {len(frame)} mentions, {frame.shape[1]} features: {seconds:.2f} s, "
        f"{rate:,.0f} mentions/s"
    )


if __name__ == "__main__":
    main()
