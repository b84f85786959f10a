"""Measure time and memory of `tagsuite score` on one text with very many mentions, in several formats.

    python benchmarks/one_text.py                     # 1,000,000 mentions
    python benchmarks/one_text.py --mentions 100000

Of ten mentions, six are predicted exactly, two with another edge, one with another type, and one is missed.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from measuring import options_of, tagsuite, taken


def write_corpora(folder: Path, mentions: int) -> None:
    """Write the gold standard and the predictions as JSON lines."""
    generator = random.Random(1)
    words = [f"g{generator.randrange(10 ** generator.randrange(1, 7))}" for _ in range(mentions)]
    text = " ".join(words)
    gold, predicted, start = [], [], 0
    for word in words:
        end = start + len(word)
        gold.append((start, end, "gene"))
        chance = generator.random()
        if chance < 0.6:
            predicted.append((start, end, "gene"))
        elif chance < 0.8:
            predicted.append((start, end - 1 if chance < 0.7 else min(end + 3, len(text)), "gene"))
        elif chance < 0.9:
            predicted.append((start, end, "protein"))
        start = end + 1
    for name, spans in (("gold", gold), ("predicted", predicted)):
        listed = [{"id": i, "start": a, "end": b, "type": t} for i, (a, b, t) in enumerate(spans)]
        content = json.dumps({"text_id": "1", "text": text, "mentions": listed})
        (folder / f"{name}.jsonl").write_text(content + "\n", encoding="utf-8")


def main() -> None:
    """Score each format and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--mentions", type=int, default=1_000_000)
    mentions = parser.parse_args().mentions
    print("| format | seconds | processor | peak, MiB |", "|---|---|---|---|", sep="\n")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_corpora(folder, mentions)
        for form in ("jsonl", "parquet"):
            places = {side: f"{form}:{folder / side}" for side in ("gold", "predicted")}
            for side, place in places.items():
                if form == "jsonl":
                    places[side] = f"{place}.jsonl"
                else:
                    taken(tagsuite("sentences", "convert", f"jsonl:{folder / side}.jsonl", place))
            words = ["score", "--gold", places["gold"], "--predicted", places["predicted"], "--format", "csv"]
            took = taken(tagsuite(*words))
            print(f"| {form} | {took.clock:.1f} | {took.processor:.1f} | {took.peak:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
