"""Measure how fast corpora are read: `python benchmarks/parse.py [DATA] [--repeat N]`.

For each corpus under DATA (default: TAGSUITE_DATA or ../shared/data), prints the best of N runs in seconds
and the texts per second, without imports; then the same for inline tags on invented lines.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from measuring import DATA, best, options_of

from tagsuite.sentences.formats import read_corpus, read_predictions
from tagsuite.sentences.formats.inline import parse_inline


def main() -> None:
    """Run and print the measurements."""
    parser = options_of(__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
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
        seconds, corpus = best(partial(read_corpus, place), given.repeat)
        rate = len(corpus.texts) / seconds
        counts = f"{len(corpus.texts):7} texts {len(corpus.mentions):7} mentions"
        print(f"{spec:30} {counts} {seconds:7.3f} s {rate:10.0f} texts/s")
    gold = read_corpus(f"genetag:{given.data / 'genetag/train'}")
    recorded = f"genetag:{given.data / 'genetag/train/Test.format'}"
    seconds, _ = best(lambda: read_predictions(recorded, gold), given.repeat)
    print(f"{'predictions, genetag/train':30} {'':45} {seconds:7.3f} s")
    line = "Loss of <gp>Trp53</gp> in the <gp>Brca1</gp> mutant did not change its expression.\n"
    content = line * given.lines
    seconds, _ = best(lambda: parse_inline(content, ("gp",)), given.repeat)
    counts = f"{given.lines:7} lines {2 * given.lines:7} mentions"
    print(f"{'inline tags':30} {counts} {seconds:7.3f} s {given.lines / seconds:10.0f} lines/s")


if __name__ == "__main__":
    main()
