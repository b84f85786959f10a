"""Measure how many surface forms per second get entity features, on one core.

Run: ``python benchmarks/features.py [--data DIR] [--repeat N]`` (DIR contains hgnc/ and bc2gm/). Prints one
line per case: forms, distinct forms, seconds of processor time, forms per second. "cold" is the first call in
the process, which reads the lexicon and looks up every word; "warm" are repeated calls.
"""

from __future__ import annotations

import csv
import gzip
import time
from pathlib import Path

import pandas as pd
from measuring import DATA, options_of

from tagsuite.catalogues.entity_features import entity_features

COLUMNS = ("symbol", "name", "alias_symbol", "alias_name", "prev_symbol", "prev_name")


def hgnc(folder: Path) -> list[str]:
    """Return all distinct symbols and names of HGNC."""
    path = folder / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return list(dict.fromkeys(form for row in rows for c in COLUMNS for form in row[c].split("|") if form))


def bc2gm(folder: Path) -> list[str]:
    """Return the surface forms of the gold mentions in BC2GM, repeated to one million."""
    lines = [
        line
        for part in ("train", "test")
        for line in (folder / "bc2gm" / part / "GENE.eval").read_text(encoding="utf-8").splitlines()
    ]
    forms = [line.split("|", 2)[2] for line in lines]
    return (forms * (1_000_000 // len(forms) + 1))[:1_000_000]


def measure(label: str, forms: list[str], repeat: int) -> None:
    """Print the rate of the first call and of the best later call."""
    data = pd.Series(forms, dtype="str")
    times = []
    for _ in range(repeat + 1):
        start = time.process_time()
        entity_features(data)
        times.append(time.process_time() - start)
    for what, seconds in (("cold", times[0]), ("warm", min(times[1:]))):
        forms_and_time = f"{len(forms):>9} forms  {data.nunique():>7} distinct  {seconds:7.2f} s"
        print(f"{label:28} {what}  {forms_and_time}  {len(forms) / seconds:>10,.0f} per second")


def main() -> None:
    """Run all cases."""
    parser = options_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    measure("HGNC, all distinct", hgnc(options.data), options.repeat)
    measure("BC2GM gold, repeated", bc2gm(options.data), options.repeat)


if __name__ == "__main__":
    main()
