"""Scores of ABGene's recorded output equal published totals and classes, and known verdicts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.sentences.formats.registry import read_corpus, read_predictions

CLASSES = (Class.from_query("1", r"data ~ /^\d+-/"), Class.from_query("4", r"data ~ /^\S{3}$/"))


def scored(folder: Path, **options: Any) -> Any:
    gold = read_corpus(f"genetag:{folder}")
    return score(gold, read_predictions(f"genetag:{folder}/Test.format", gold), **options)


@pytest.mark.parametrize(
    ("part", "name", "expected", "why"),
    [
        ("train", "all", (6047, 3293, 2888), "Cohen et al. 2004: P .65, R .68"),
        ("train", "1", (12, 57, 17), "Cohen et al. 2004, table 1, row 1"),
        ("train", "4", (556, 278, 525), "table 1, row 4, which prints 512 for 525"),
        ("test", "all", (1953, 1117, 1034), "the last lines of eval.out"),
    ],
)
def test_published_totals(
    shared_data: Path, part: str, name: str, expected: tuple[int, int, int], why: str
) -> None:
    table = scored(shared_data / "genetag" / part, alternatives="published", classes=CLASSES).table
    row = table.set_index("class").loc[name]
    assert tuple(row[["tp", "fp", "fn"]]) == expected, why
    assert row["gold"] == row["tp"] + row["fn"]
    assert row["predicted"] == row["tp"] + row["fp"]


def test_every_verdict_of_the_corpus_s_own_program(shared_data: Path) -> None:
    folder = shared_data / "genetag" / "test"
    theirs: Counter[tuple[str, ...]] = Counter()
    served: Counter[tuple[str, ...]] = Counter()
    for line in (folder / "abgene" / "eval.out").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"(\**)TP\|(\d+)\|.*?\|(\d+ \d+)\|.*\|(\d+ \d+)$", line):
            theirs["TP", match[2], match[3]] += 1
            served[match[2], match[4]] += 1
        elif match := re.match(r"(FN|FP)\|(\d+)\|(\d+ \d+)\|", line):
            theirs[match[1], match[2], match[3]] += 1

    found = scored(folder, alternatives="published")
    texts = found.corpus.texts.set_index("text_id")["text"]

    def tokens(frame: Any) -> list[tuple[str, str]]:
        places = []
        for text_id, start, end in zip(frame["text_id"], frame["start"], frame["end"], strict=True):
            first = texts[text_id].count(" ", 0, start)
            last = texts[text_id].count(" ", 0, end)
            places.append((text_id.removeprefix("@@"), f"{first} {last}"))
        return places

    gold, predicted = tokens(found.gold), tokens(found.predicted)
    tally = found.tallies["strict"]
    ours: Counter[tuple[str, ...]] = Counter()
    for place, verdict in zip(gold, tally.get_verdicts("gold"), strict=True):
        ours["TP" if verdict else "FN", *place] += 1
    for place, verdict in zip(predicted, tally.get_verdicts("predicted"), strict=True):
        if verdict == 0:
            ours["FP", *place] += 1
    # for each predicted mention, the number of gold mentions for which it is the first match
    times = zip(predicted, tally.predicted_matched.astype(int).tolist(), strict=True)
    assert {place: count for place, count in times if count} == served
    assert sum(theirs.values()) == 1953 + 1117 + 1034
    assert ours == theirs


def test_optimal_alternatives_lie_between_none_and_published(shared_data: Path) -> None:
    folder = shared_data / "genetag" / "test"
    none, optimal, published = (
        scored(folder, alternatives=how, notions=["strict"]).table.iloc[0]
        for how in ("none", "optimal", "published")
    )
    # only in the published counting, one predicted mention can match several gold mentions
    assert none["tp"] < optimal["tp"] <= published["tp"]
    assert optimal["tp"] + optimal["fp"] == optimal["predicted"] == none["predicted"]
