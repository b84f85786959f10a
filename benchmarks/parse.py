"""How fast corpora are read: `python benchmarks/parse.py [DATA] [--repeat N]`.

Prints, for the real corpora under DATA (default: TAGSUITE_DATA or ../shared/data), the best of N runs in
seconds and the texts a second, imports apart; then inline tags on made-up lines.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from tagsuite.sentences.formats import read_corpus, read_predictions
from tagsuite.sentences.formats.inline import parse_inline


def best(repeat: int, job: Callable[[], object]) -> float:
    """Shortest time of `repeat` runs, in seconds."""
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        job()
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("TAGSUITE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("data", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--lines", type=int, default=1_000_000)
    given = parser.parse_args()
    for spec in (
        "bc2gm:bc2gm/train",
        "bc2gm:bc2gm/test",
        "genetag:genetag/train",
        "conll:bc2gm/conll/test.tsv",
    ):
        name, _, path = spec.partition(":")
        place = f"{name}:{given.data / path}"
        corpus = read_corpus(place)
        seconds = best(given.repeat, lambda place=place: read_corpus(place))  # type: ignore[misc]
        rate = len(corpus.texts) / seconds
        counts = f"{len(corpus.texts):7} texts {len(corpus.mentions):7} mentions"
        print(f"{spec:30} {counts} {seconds:7.3f} s {rate:10.0f} texts/s")
    gold = read_corpus(f"genetag:{given.data / 'genetag/train'}")
    recorded = f"genetag:{given.data / 'genetag/train/Test.format'}"
    seconds = best(given.repeat, lambda: read_predictions(recorded, gold))
    print(f"{'predictions, genetag/train':30} {'':45} {seconds:7.3f} s")
    line = b"Loss of <gp>Trp53</gp> in the <gp>Brca1</gp> mutant did not change its expression.\n"
    content = line * given.lines
    seconds = best(given.repeat, lambda: parse_inline(content, ("gp",)))
    counts = f"{given.lines:7} lines {2 * given.lines:7} mentions"
    print(f"{'inline tags':30} {counts} {seconds:7.3f} s {given.lines / seconds:10.0f} lines/s")


if __name__ == "__main__":
    main()
