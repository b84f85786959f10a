"""Measure how well entity features agree with the columns of a nomenclature and with hand-judged names.

python benchmarks/features_accuracy.py [--data DIR] > docs/development/features-accuracy.md

DIR contains hgnc/.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from pathlib import Path

import pandas as pd
from measuring import DATA, options_of

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
ROMAN = JUDGED.with_name("judged_roman_numerals.tsv")
JUDGEMENTS = {
    "past_participles": "contains_past_participle",
    "present_participles": "contains_present_participle",
    "plurals": "contains_plural",
    "Arabic_numeral": "contains_Arabic_numeral",
    "Roman_numerals": "contains_Roman_numeral",
}
HEAD = """# Feature accuracy

`python benchmarks/features_accuracy.py > docs/development/features-accuracy.md` writes this page.
`tests/catalogues/test_judged_names.py` fails if the errors change.

## Names and symbols, compared with HGNC

The table shows how often `name_vs_symbol`, computed from the form alone, agrees with the column of HGNC
(complete set of 2024-10-17) that contains the form. Catalogues use the column instead of this rule.
"""
REMARK = """
The errors are words used as symbols (*Lobe*, *hemojuvelin*) and short forms listed as names
(*KIAA1210*, *U3 snoRNA B-1*).
"""
ERRORS_HEAD = (
    "",
    "Errors:",
    "",
    "| sample | feature | name | computed | judged |",
    "| --- | --- | --- | --- | --- |",
)
JUDGED_HEAD = """
## Participles, plurals and numerals, compared with judgements

One person judged two random samples of 200 HGNC names without seeing the computed values: A from approved
names, and B from alias and previous names (`tests/catalogues/judged_hgnc_names.tsv`). Two words that the
judge had overlooked were added afterwards. Arabic numerals were found by a program. The rules were developed
beforehand, with other names.
"""


def agreement(folder: Path) -> str:
    """Return a table of the agreement with the name and symbol columns of HGNC."""
    path = folder / "hgnc" / "hgnc_complete_set_2024-10-17.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    lines = [
        "| column | distinct forms | same as column | share |",
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
    """Return a table of the agreement with hand-judged names, and the list of errors."""
    frame = pd.read_csv(JUDGED, sep="\t", comment="#", dtype=str, keep_default_na=False)
    found = entity_features(frame["name"])
    lines = [
        "| sample | feature | judged true | computed true | wrong | missed | precision | recall |",
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
                f"| {sample} | {feature} | {name} | {computed} | {judged} |"
                for computed, judged, mask in (
                    ("true", "false", does & ~should),
                    ("false", "true", should & ~does),
                )
                for name in frame["name"][mask]
            ]
        symbols = (found["name_vs_symbol"] == "symbol").to_numpy() & here
        number, missed = int(here.sum()), int(symbols.sum())
        counts = f"{number} | {number - missed} | 0 | {missed} | 1.000 | {1 - missed / number:.3f}"
        lines.append(f"| {sample} | name_vs_symbol = name | {counts} |")
        errors += [
            f"| {sample} | name_vs_symbol | {frame['name'].iloc[i]} | symbol | name |"
            for i in symbols.nonzero()[0]
        ]
    return "\n".join([*lines, *ERRORS_HEAD, *errors])


ROMAN_HEAD = """
## Roman numerals in difficult names

Both samples were drawn from the 9,643 HGNC names that contain a possible Roman numeral
(`tests/catalogues/judged_roman_numerals.tsv`). The rules were developed with sample C. Sample D was drawn
later and judged without seeing the computed values.
"""


def roman() -> str:
    """Return a table of the agreement on Roman numerals, and the list of errors."""
    frame = pd.read_csv(ROMAN, sep="\t", comment="#", dtype=str, keep_default_na=False)
    does = entity_features(frame["name"])["contains_Roman_numeral"].to_numpy(dtype=bool)
    should = (frame["Roman_numerals"] != "").to_numpy()
    lines = [
        "| sample | names | judged true | computed true | wrong | missed | precision | recall |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for sample in ("C", "D"):
        here = (frame["sample"] == sample).to_numpy()
        right, wrong, missed = (
            int((m & here).sum()) for m in (should & does, does & ~should, should & ~does)
        )
        counts = f"{here.sum()} | {right + missed} | {right + wrong} | {wrong} | {missed}"
        lines.append(
            f"| {sample} | {counts} | {right / (right + wrong):.3f} | {right / (right + missed):.3f} |"
        )
    errors = [
        f"| {frame['sample'].iloc[i]} | contains_Roman_numeral | {frame['name'].iloc[i]} "
        f"| {str(does[i]).lower()} | {str(should[i]).lower()} |"
        for i in (should != does).nonzero()[0]
    ]
    return "\n".join([*lines, *ERRORS_HEAD, *errors])


SPEECH_HEAD = """
## Parts of speech, compared with GENETAG

No corpus has judged tags for the words of gene names. `parts_of_speech` was therefore compared with the tags
of other noun phrases in the second half of GENETAG. Most of these tags come from a tagger. A phrase is a
sequence of two or more adjectives, nouns, participles or numerals that ends in a noun or numeral. Proper
nouns count as nouns, and words without a letter are ignored.
"""
PENN = {
    **dict.fromkeys(("JJ", "JJR", "JJS"), "ADJ"),
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS"), "NOUN"),
    **dict.fromkeys(("VBN", "VBG"), "VERB"),
    "CD": "NUM",
}
ENDS = ("NOUN", "NUM")


def speech(folder: Path) -> str:
    """Return a table of the agreement on parts of speech."""
    told: dict[str, list[str]] = {}
    text = (folder / "genetag" / "test" / "TAGGED_GENE_CORPUS").read_text(encoding="utf-8")
    for line in text.splitlines():
        run: list[tuple[str, str]] = []
        for token in [*line.split()[1:], "./."]:
            word, _, tag = token.rpartition("/")
            if tag in PENN:
                run.append((word, PENN[tag]))
                continue
            while run and run[-1][1] not in ENDS:
                run.pop()
            if len(run) > 1:
                told.setdefault(" ".join(w for w, _ in run), [t for _, t in run])
            run = []
    found = entity_features(pd.Series(list(told), dtype="str"), columns=["parts_of_speech"])
    pairs: Counter[tuple[str, str]] = Counter()
    participles = 0
    for (form, expected), tags in zip(told.items(), found["parts_of_speech"], strict=True):
        ours = ["NOUN" if t == "PROPN" else t for t in str(tags).split()]
        for word, tag, own in zip(form.split(), expected, ours, strict=True):
            if any(c.isalpha() for c in word):
                pairs[tag, own] += 1
                participles += (tag, own) == ("ADJ", "VERB") and word.endswith(("ed", "ing"))
    total = pairs.total()
    same = sum(n for (tag, own), n in pairs.items() if tag == own)
    lines = ["| GENETAG's tag | words | tagged the same | share | most often instead |"]
    lines.append("| --- | ---: | ---: | ---: | --- |")
    for tag in ("ADJ", "NOUN", "VERB", "NUM"):
        number = sum(n for (t, _), n in pairs.items() if t == tag)
        others = [(n, own) for (t, own), n in pairs.items() if t == tag and own != tag]
        instead = ", ".join(f"{own} ({n})" for n, own in sorted(others, reverse=True)[:2])
        lines.append(f"| {tag} | {number} | {pairs[tag, tag]} | {pairs[tag, tag] / number:.3f} | {instead} |")
    lines.append(f"| all, of {len(told)} phrases | {total} | {same} | {same / total:.3f} | |")
    lines += [
        "",
        f"{participles} words that end in *-ed* or *-ing* are adjectives in GENETAG, but verbs by our",
        f"definition. Without this difference, the share would be {(same + participles) / total:.3f}.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the page."""
    parser = options_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    parts = [HEAD, agreement(options.data), REMARK.rstrip(), JUDGED_HEAD, judged(), ROMAN_HEAD, roman()]
    text = "\n".join([*parts, SPEECH_HEAD, speech(options.data)])
    print("\n".join(re.sub(r" ?\| ?", "|", line) for line in text.split("\n")))


if __name__ == "__main__":
    main()
