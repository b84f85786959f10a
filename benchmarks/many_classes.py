"""Measure time and memory of `tagsuite score` with ten thousand classes.

    tagsuite generate --combine sample --size 1000 --seed 1 --out suite
    tagsuite run suite --tagger kex --out run
    python benchmarks/many_classes.py run
    python benchmarks/many_classes.py run --classes 300 --repeat 5

It scores once with classes of which many have the same mentions, as is typical of generated classes, and once
with classes of which hardly any two do. If other programs are running, use the processor time.
"""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measuring import options_of, tagsuite, taken


def alike() -> Iterator[str]:
    """Return queries of two or three conditions, of which about ten each select the same mentions."""
    for i in itertools.count():
        if i % 2:
            last = i % 23 + 2 + i // 23 % 40
            yield f"length >= {i % 23 + 1} and length < {last} and characters >= {i // 1000}"
        else:
            yield f"data contains '{chr(97 + i % 26)}' and not length = {i // 26 % 60}"


def unlike() -> Iterator[str]:
    """Return queries of three conditions (at most 14,800), in an order that does not group them."""
    ranges = [(low, high) for low in range(1, 30) for high in range(low + 2, 42, 2)]
    queries = [
        f"characters >= {low} and characters < {high} {word} data contains {letter}"
        for (low, high), letter, word in itertools.product(ranges, "abcdefghiklmnoprstuv", ("and", "or"))
    ]
    random.Random(1).shuffle(queries)
    yield from queries


def main() -> None:
    """Score both files of classes and print time and memory."""
    parser = options_of(__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--classes", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in (alike, unlike):
            queries = itertools.islice(kind(), options.classes)
            rows = (f'[[class]]\nname = "class {i}"\nquery = "{q}"\n' for i, q in enumerate(queries))
            file = folder / f"{kind.__name__}.toml"
            file.write_text("format = 1\n" + "".join(rows), encoding="utf-8")
            words = ["score", str(options.run), "--classes", str(file), "--format", "csv"]
            found = [taken(tagsuite(*words)) for _ in range(options.repeat)]
            used, clock = min(t.processor for t in found), min(t.clock for t in found)
            peak = min(t.peak for t in found)
            print(f"{kind.__name__:8} {used:6.1f} s processor {clock:6.1f} s clock {peak:6,.0f} MiB")


if __name__ == "__main__":
    main()
