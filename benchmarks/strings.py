"""Compare how tagsuite and other programs locate strings without offsets (see docs/reference/strings.md).

``python benchmarks/strings.py [--langextract PYTHON]``: PYTHON is an interpreter with LangExtract.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from measuring import options_of

from tagsuite.harness.running.run import run
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs

CASES, SEED, EVERY = 1000, 7, 10
BASES = ("IL-2", "p53", "NF-kappa B", "Sp1", "interleukin-6", "TGF-beta 1", "c-fos", "CD4", "RAD51", "STAT3")
AROUND = ("{} receptor", "{} receptor alpha", "anti-{}", "{}0", "pro-{}", "{} binding protein")
FILLERS = (" binds ", " and ", ", ", " but not ", " (as shown), ", " activates ")
Answer = list[str]
Case = tuple[str, list[tuple[int, int]]]

ANSWERER = """import json, sys
answers = json.load(open(sys.argv[1]))
for number, line in enumerate(sys.stdin):
    print(json.dumps(answers[number]))
"""
LANGEXTRACT = """import json, sys
import absl.logging
absl.logging.set_verbosity("error")
from langextract.core.data import Extraction
from langextract.resolver import Resolver
made = []
for text, answer in json.load(sys.stdin):
    asked = [Extraction("gene", string) for string in answer]
    found = Resolver().align(asked, text, 0, 0) if asked else []
    spots = [one.char_interval for one in found]
    made.append([(s.start_pos, s.end_pos) if s and s.start_pos is not None else None for s in spots])
json.dump(made, sys.stdout)
"""


def cases() -> list[Case]:
    """Return texts with gold mentions: repeated, nested and re-cased names, prefixes and affixes."""
    chance = random.Random(SEED)
    made = []
    for _ in range(CASES):
        base = chance.choice(BASES)
        names = [base, chance.choice(AROUND).format(base), chance.choice(AROUND).format(base)]
        names += [base.upper() if chance.random() < 0.5 else base.capitalize(), base]
        names += chance.sample(BASES, 1)
        chance.shuffle(names)
        text, gold = "Here ", set()
        nested = chance.random() < 0.5
        for name in names:
            start = len(text)
            gold.add((start, start + len(name)))
            inner = name.find(base)
            edge = inner + len(base)
            if nested and inner >= 0 and name != base and not name[edge : edge + 1].isalnum():
                gold.add((start + inner, start + edge))
            text += name + chance.choice(FILLERS)
        made.append((text + "more.", sorted(gold)))
    return made


def perfect(material: list[Case]) -> list[Answer]:
    """Return the gold mentions as strings, in the order of the text."""
    return [[text[start:end] for start, end in gold] for text, gold in material]


def inventing(answers: list[Answer]) -> tuple[list[Answer], int]:
    """Return the gold strings with additional strings that do not occur in the text, one in ten of all."""
    made: list[Answer] = []
    count = number = 0
    for answer in answers:
        own: Answer = []
        for string in answer:
            own.append(string)
            number += 1
            if number % (EVERY - 1) == 0:
                own.append(f"Zyx-{number}q")
                count += 1
        made.append(own)
    return made, count


def by_tagsuite(material: list[Case], answers: list[Answer], occurrences: str) -> tuple[int, int, int, int]:
    """Return the numbers of gold, predicted, correct and invented mentions, from a run and its score."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            {
                "text_id": i,
                "text": text,
                "mentions": [{"start": start, "end": end, "type": "gp"} for start, end in gold],
            }
            for i, (text, gold) in enumerate(material)
        ]
        (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
        (folder / "t.py").write_text(ANSWERER, encoding="utf-8")
        (folder / "t.toml").write_text(
            f'format = 1\nname = "t"\nbatch_size = {CASES}\n'
            'command = ["{python}", "{here}/t.py", "{here}/answers.json"]\n'
            f'[output]\nform = "names"\noccurrences = "{occurrences}"\n',
            encoding="utf-8",
        )
        done = run(f"jsonl:{folder / 'c.jsonl'}", folder / "t.toml", folder / "out", cache=False)
        options = ScoringOptions(notions=("strict",), intervals="wilson")
        row = score_runs([done], options)[0].table.iloc[0]
        return int(row["gold"]), int(row["predicted"]), int(row["tp"]), int(row["invented"])


def by_find(material: list[Case], answers: list[Answer]) -> list[list[tuple[int, int] | None]]:
    """Locate each string at its first occurrence."""
    made = []
    for (text, _), answer in zip(material, answers, strict=True):
        at = [text.find(string) for string in answer]
        made.append([(a, a + len(s)) if a >= 0 else None for a, s in zip(at, answer, strict=True)])
    return made


def by_langextract(python: str) -> Callable[[list[Case], list[Answer]], list[list[tuple[int, int] | None]]]:
    """Locate the strings with LangExtract's resolver."""

    def placed(material: list[Case], answers: list[Answer]) -> list[list[tuple[int, int] | None]]:
        asked = json.dumps([(text, answer) for (text, _), answer in zip(material, answers, strict=True)])
        command = [python, "-c", LANGEXTRACT]
        done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
        return [[tuple(s) if s else None for s in spots] for spots in json.loads(done.stdout)]

    return placed


def counted(material: list[Case], spots: list[list[tuple[int, int] | None]]) -> tuple[int, int, int, int]:
    """Return the numbers of gold, predicted, correct and unlocated mentions, each place counted once."""
    gold = sum(len(own) for _, own in material)
    nowhere = sum(spot is None for own in spots for spot in own)
    found = [{spot for spot in own if spot} for own in spots]
    right = sum(len(own & set(truth)) for own, (_, truth) in zip(found, material, strict=True))
    return gold, sum(map(len, found)) + nowhere, right, nowhere


def main() -> None:
    """Print the table."""
    parser = options_of(__doc__)
    parser.add_argument("--langextract", metavar="PYTHON", default="")
    chosen = parser.parse_args()
    material = cases()
    truth = perfect(material)
    invents, planted = inventing(truth)
    rows = []
    for name, answers in (("perfect", truth), (f"{planted} invented", invents)):
        found = {
            f'tagsuite, "{way}"': by_tagsuite(material, answers, way) for way in ("each", "all", "first")
        }
        found["text.find"] = counted(material, by_find(material, answers))
        if chosen.langextract:
            spots = by_langextract(chosen.langextract)(material, answers)
            found["LangExtract"] = counted(material, spots)
        for placing, (gold, predicted, right, nowhere) in found.items():
            score = 2 * right / (gold + predicted)
            rows.append((name, placing, gold, predicted, right, predicted - right, nowhere, f"{score:.3f}"))
    heads = ("answer", "placed by", "gold", "predicted", "right", "fp", "invented", "F")
    print(pd.DataFrame(rows, columns=heads).to_string(index=False))


if __name__ == "__main__":
    main()
