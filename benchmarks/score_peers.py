"""Score mentions with nervaluate, seqeval or spaCy and print JSON; run by score.py in their environment.

The inputs of each program (labels, dictionaries, Doc objects) are prepared before timing starts.
"""

from __future__ import annotations

import json
import random
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np
from measuring import peak_memory

TOKENS, TYPES = 60, ("cell", "chemical", "disease", "gene", "species")


def documents(table: np.ndarray) -> list[list[tuple[int, int, str]]]:
    """Return mentions by document: (first token, last token, type)."""
    found: list[list[tuple[int, int, str]]] = [[] for _ in range(int(table[:, 0].max()) + 1)]
    for document, first, last, kind in table.tolist():
        found[document].append((first, last - 1, TYPES[kind]))
    return found


def run_nervaluate(gold: Any, guess: Any, shuffled: bool) -> tuple[float, dict[str, Any]]:
    """Time nervaluate on dictionaries, optionally with the predictions of each document shuffled."""
    evaluator = import_module("nervaluate.evaluator").Evaluator

    if shuffled:
        draw = random.Random(7)
        for document in guess:
            draw.shuffle(document)
    sides = [[[{"label": k, "start": a, "end": b} for a, b, k in d] for d in side] for side in (gold, guess)]
    begin = time.process_time()
    results = evaluator(*sides, tags=list(TYPES), loader="dict").evaluate()
    seconds = time.process_time() - begin
    return seconds, {
        name: {k: getattr(found, k) for k in ("correct", "incorrect", "partial", "missed", "spurious")}
        for name, found in results["overall"].items()
    }


def run_seqeval(gold: Any, guess: Any) -> tuple[float, dict[str, Any]]:
    """Time seqeval with strict IOB2."""
    measure = import_module("seqeval.metrics.v1").precision_recall_fscore_support
    scheme = import_module("seqeval.scheme").IOB2

    def labels(side: Any) -> list[list[str]]:
        rows = []
        for document in side:
            row = ["O"] * TOKENS
            for first, last, kind in document:
                row[first : last + 1] = [f"B-{kind}"] + [f"I-{kind}"] * (last - first)
            rows.append(row)
        return rows

    true, predicted = labels(gold), labels(guess)
    begin = time.process_time()
    p, _, _, support = measure(true, predicted, average="micro", scheme=scheme)
    seconds = time.process_time() - begin
    total = sum(map(len, guess))
    return seconds, {"correct": round(float(p) * total), "support": int(support)}


def run_spacy(gold: Any, guess: Any) -> tuple[float, dict[str, Any]]:
    """Time spaCy's Scorer.score_spans, which allows overlapping spans."""
    tokens = import_module("spacy.tokens")
    example = import_module("spacy.training").Example
    vocab = import_module("spacy").blank("en").vocab
    words = ["ab"] * TOKENS

    def doc(document: Any) -> Any:
        made = tokens.Doc(vocab, words=words)
        made.spans["sc"] = [tokens.Span(made, a, b + 1, label=k) for a, b, k in document]
        return made

    pairs = [example(doc(p), doc(g)) for g, p in zip(gold, guess, strict=True)]
    scorer = import_module("spacy.scorer").Scorer
    begin = time.process_time()
    found = scorer.score_spans(
        pairs,
        attr="spans_sc",
        getter=lambda document, _: document.spans["sc"],
        allow_overlap=True,
        has_annotation=lambda _: True,
    )
    seconds = time.process_time() - begin
    return seconds, {"correct": round(found["spans_sc_p"] * sum(map(len, guess)))}


def main() -> None:
    """Run one program."""
    name, path = sys.argv[1:]
    with np.load(path) as stored:
        gold, guess = documents(stored["gold"]), documents(stored["guess"])
    if name.startswith("nervaluate"):
        seconds, counts = run_nervaluate(gold, guess, name.endswith("shuffled"))
    else:
        seconds, counts = {"seqeval": run_seqeval, "spacy": run_spacy}[name](gold, guess)
    memory = peak_memory()
    print(json.dumps({"seconds": seconds, "counts": counts, "memory": memory}))


if __name__ == "__main__":
    main()
