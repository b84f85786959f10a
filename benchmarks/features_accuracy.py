"""How well computed entity features agree with a nomenclature's columns and with names judged by hand.

Run: ``python benchmarks/features_accuracy.py [--data DIR] > docs/features-accuracy.md`` (DIR holds hgnc/).
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

import pandas as pd
from tagsuite.catalogues.entity_features import entity_features

ROOT = Path(__file__).resolve().parents[1]
JUDGED = ROOT / "tests" / "catalogues" / "judged_hgnc_names.tsv"
FIELDS = {
    "symbol": "symbol",
    "alias_symbol": "symbol",
    "prev_symbol": "symbol",
    "name": "name",
    "alias_name": "name",
    "prev_name": "name",
}
JUDGEMENTS = {
    "past_participles": "contains_past_participle",
    "present_participles": "contains_present_participle",
    "plurals": "contains_plural",
    "Arabic_numeral": "contains_Arabic_numeral",
    "Roman_numerals": "contains_Roman_numeral",
}
HEAD = """# How well the computed features agree

Written by `python benchmarks/features_accuracy.py > docs/features-accuracy.md`;
`tests/catalogues/test_judged_names.py` fails when an error is added or goes away.

## Name or symbol, against HGNC's own columns

HGNC complete set of 2024-10-17, every distinct value of each column. `name_vs_symbol` is computed from the
form alone; in catalogues the column decides, in a corpus the computed value is all there is.
"""
REMARK = """
What disagrees: words used as symbols (*Lobe*, *hemojuvelin*, *Septin-4* in the column of alias symbols) and
short forms that stand in a column of names (*tRNA-Ala (AGC) 8-1*, *KIAA1210*, *U3 snoRNA B-1*).
"""
JUDGED_HEAD = """
## Participles, plurals, numerals, against judgement

Two samples of 200 names, drawn with a seed: A from the approved names, B from alias and previous names
(`tests/catalogues/judged_hgnc_names.tsv` says how). One judge read each name, before looking at any computed
value for it; two words that the judge had overlooked, found by the comparison, were added to the judgement
and are named in the file. Whether a name has an Arabic numeral was read off by a program: a digit stands in
it or not. Rules and lists of exceptions were made with other HGNC names in view, and were not changed after
the comparison. Many approved names are those of pseudogenes and RNA genes, so that A has few inflected words.
"""


def agreement(folder: Path) -> str:
    """The table of name and symbol columns."""
    path = folder / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    lines = [
        "| column | distinct forms | computed as the column says | share |",
        "| --- | ---: | ---: | ---: |",
    ]
    totals: dict[str, list[int]] = {}
    for column, expected in FIELDS.items():
        forms = list(dict.fromkeys(form for row in rows for form in row[column].split("|") if form))
        found = entity_features(pd.Series(forms), columns=["name_vs_symbol"])["name_vs_symbol"]
        right = int((found == expected).sum())
        lines.append(f"| {column} | {len(forms)} | {right} | {right / len(forms):.4f} |")
        total = totals.setdefault(expected, [0, 0])
        total[0] += len(forms)
        total[1] += right
    for expected, (number, right) in totals.items():
        lines.append(f"| all {expected} columns | {number} | {right} | {right / number:.4f} |")
    return "\n".join(lines)


def judged() -> str:
    """The table and the errors of the judged samples."""
    frame = pd.read_csv(JUDGED, sep="\t", comment="#", dtype=str, keep_default_na=False)
    found = entity_features(frame["name"])
    lines = [
        "| sample | feature | judged to have it | found | found in error | missed | precision | recall |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    errors = []
    for sample in ("A", "B"):
        here = (frame["sample"] == sample).to_numpy()
        for column, feature in JUDGEMENTS.items():
            should = (
                frame[column] == "yes" if column == "Arabic_numeral" else frame[column] != ""
            ).to_numpy() & here
            does = found[feature].to_numpy() & here
            right, wrong, missed = (
                int((should & does).sum()),
                int((does & ~should).sum()),
                int((should & ~does).sum()),
            )
            precision = f"{right / (right + wrong):.3f}" if right + wrong else ""
            recall = f"{right / (right + missed):.3f}" if right + missed else ""
            counts = f"{int(should.sum())} | {int(does.sum())} | {wrong} | {missed}"
            lines.append(f"| {sample} | {feature} | {counts} | {precision} | {recall} |")
            errors += [
                f"* {sample}, `{feature}` {verdict}: {name}"
                for verdict, mask in (("found in error", does & ~should), ("missed", should & ~does))
                for name in frame["name"][mask]
            ]
        symbols = (found["name_vs_symbol"] == "symbol").to_numpy() & here
        number, missed = int(here.sum()), int(symbols.sum())
        counts = f"{number} | {number - missed} | 0 | {missed} | 1.000 | {1 - missed / number:.3f}"
        lines.append(f"| {sample} | name_vs_symbol = name | {counts} |")
        errors += [f"* {sample}, computed as a symbol: {frame['name'].iloc[i]}" for i in symbols.nonzero()[0]]
    return "\n".join(lines) + "\n\nEvery error:\n\n" + "\n".join(errors)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args()
    print("\n".join([HEAD, agreement(options.data), REMARK, JUDGED_HEAD, judged()]))


if __name__ == "__main__":
    main()
