"""Sections that a report adds by itself: faults, thresholds, evaluations; word lists; valid LaTeX."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tagsuite
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.search_options import DiscoverOptions
from tagsuite.harness.tasks.section import SectionResult
from tagsuite.reports.build import build_report
from tagsuite.reports.files import render_report
from tagsuite.reports.model import Chart, Report, Table, TextBlock
from tagsuite.reports.sections.classes import find_worst_classes, make_worst_tables
from tagsuite.reports.sections.differences import differences_section
from tagsuite.reports.sections.discovery import discover_entries
from tagsuite.reports.sections.findings import Findings, ScoredRun
from tagsuite.reports.sections.thresholds import has_confidences, thresholds_section
from tagsuite.sentences.corpus import Corpus

SIZE = 240


def corpus() -> Corpus:
    """Return sentences with one symbol each; every second one is in lower case."""
    names = [f"ABC{i}" if i % 2 else f"abc{i}" for i in range(SIZE)]
    texts = pd.DataFrame(
        {
            "text_id": np.arange(SIZE),
            "document_id": "",
            "text": [f"The {name} gene is here." for name in names],
        }
    ).astype({"document_id": "str", "text": "str"})
    return Corpus("made", texts, mentions(range(SIZE), [4 + len(n) for n in names], "gold"))


def mentions(rows: Any, ends: Any, side: str, scores: Any = np.nan) -> pd.DataFrame:
    """Return mentions that begin after the first word."""
    frame = pd.DataFrame({"text_id": list(rows), "start": 4, "end": list(ends)}).astype("int64")
    frame.insert(0, "mention_id", np.arange(len(frame)))
    return frame.assign(side=side, type="gp", score=scores).astype({"side": "str", "type": "str"})


def entry(*, scores: Any = np.nan, lists: dict[str, frozenset[str]] | None = None, **how: Any) -> ScoredRun:
    """Return a tagger that finds only symbols in capitals."""
    gold = corpus()
    found = gold.mentions[gold.mentions["text_id"] % 2 == 1]
    predicted = mentions(found["text_id"], found["end"], "predicted", scores)
    return scored(gold, predicted, "capitals", lists=lists or {}, **how)


def scored(gold: Corpus, predicted: pd.DataFrame, name: str, **how: Any) -> ScoredRun:
    """Return a scored run with some predictions."""
    done = score(gold, predicted.assign(side="predicted"), run=name, **how)
    return ScoredRun(name, "made", False, None, done, done)


@pytest.fixture(scope="module")
def searched() -> Report:
    one = entry()
    search = DiscoverOptions(depth=1, measures=("recall",))
    return build_report(Findings([one], faults=discover_entries([one], search)))


def test_a_planted_fault_is_found_and_said(searched: Report) -> None:
    section = next(s for s in searched.sections if s.id == "discovered")
    said = [line for b in section.blocks if isinstance(b, TextBlock) for line in b.lines]
    assert any(line.startswith("On made, capitals misses") and "recall .00" in line for line in said)
    assert any("discovered on made: capitals misses" in line for line in searched.verdict)


def test_a_discovered_fault_leads_to_its_cases(searched: Report) -> None:
    section = next(s for s in searched.sections if s.id == "discovered")
    table = next(b for b in section.blocks if isinstance(b, Table))
    query = str(table.frame["query"].iloc[0])
    source = searched.sources[0]
    inside = source.classes[query][source.gold.kind].astype(bool)
    # half of the mentions are in lower case; no other feature separates the halves
    assert inside.sum() == SIZE // 2
    assert (source.answers[0].gold[inside] == 0).all()
    assert "verdict=fn" in table.frame["link"].iloc[0]


def test_a_report_without_a_fault_says_so() -> None:
    gold = corpus()
    perfect = scored(gold, gold.mentions, "perfect")
    discovered = discover_entries([perfect], DiscoverOptions(depth=1))
    report = build_report(Findings([perfect], faults=discovered))
    section = next(s for s in report.sections if s.id == "discovered")
    assert section.blocks == (TextBlock(("perfect on made: no significant fault was found.",)),)


def test_classes_on_which_two_taggers_differ() -> None:
    asked = [
        Class.from_query("small letters", "case = lower"),
        Class.from_query("capitals", "case = upper"),
        Class.from_query("one name", "data = ABC1"),
        Class.from_query("everything", "all"),
    ]
    gold = corpus()
    perfect = scored(gold, gold.mentions, "perfect", classes=asked)
    (table,) = differences_section(Findings([entry(classes=asked), perfect], min_mentions=2)).blocks
    assert isinstance(table, Table)
    found = table.frame.set_index("class")
    assert set(found.index) == {"small letters", "capitals"}, "one mention is too few; the whole is no class"
    assert found["difference"].to_dict() == {"small letters": -1.0, "capitals": 0.0}
    assert found["judged"].to_dict() == {"small letters": "different", "capitals": "may be chance"}


@pytest.mark.parametrize(
    ("scores", "how", "expected"),
    [
        (np.linspace(0.1, 0.9, SIZE // 2), {}, True),
        (np.nan, {}, False),  # no confidences
        (0.5, {}, False),  # one for all: no threshold tells them apart
        (np.where(np.arange(SIZE // 2) == 0, np.nan, 0.5), {}, False),  # one is missing
        (np.linspace(0.1, 0.9, SIZE // 2), {"pairing": "one-to-one"}, False),  # no curve is defined
    ],
)
def test_thresholds_are_shown_where_they_can_be(scores: Any, how: dict[str, Any], expected: bool) -> None:
    one = entry(scores=scores, **how)
    assert has_confidences(one) is expected
    assert bool(thresholds_section(Findings([one])).blocks) is expected


def test_the_best_threshold_is_the_one_that_wins() -> None:
    gold = corpus()
    half = gold.mentions[gold.mentions["text_id"] < SIZE // 2]
    wrong = gold.mentions[gold.mentions["text_id"] >= SIZE // 2]
    # right mentions have higher confidence; wrong ones end one letter too early
    predicted = mentions(
        [*half["text_id"], *wrong["text_id"]],
        [*half["end"], *(wrong["end"] - 1)],
        "predicted",
        [0.8] * len(half) + [0.3] * len(wrong),
    )
    section = thresholds_section(Findings([scored(gold, predicted, "unsure")]))
    chart, table = section.blocks
    assert isinstance(chart, Chart)
    assert isinstance(table, Table)
    row = table.frame.iloc[0]
    assert (row["threshold"], row["precision"], row["recall"]) == (0.8, 1.0, 0.5)
    assert (row["all_precision"], row["all_recall"]) == (0.5, 0.5)
    assert chart.frame["marked"].tolist() == [True, False]


def test_what_is_found_in_part_and_exactly_is_no_more_than_all() -> None:
    gold = corpus()
    # half of the predicted mentions equal alternatives, one letter shorter; the others only overlap the gold
    short = gold.mentions.assign(end=gold.mentions["end"] - 1)
    allowed = short[short["text_id"] % 2 == 0]
    alternatives = allowed[["mention_id", "text_id", "start", "end", "type"]].reset_index(drop=True)
    gold = replace(gold, alternatives=alternatives)
    predicted = short.assign(side="predicted")
    done = score(gold, predicted, run="short", alternatives="published")
    plain = score(gold, predicted, run="short")
    report = build_report(Findings([ScoredRun("short", "made", False, None, done, plain)]))
    assert report.verdict[0].startswith("On made, short finds 50.0\u00a0%")
    assert "exactly, and another 50.0\u00a0% with a wrong boundary" in report.verdict[0]


@pytest.mark.parametrize(
    ("predicted", "told"),
    [(0, "short predicts none"), (3, "short predicts 3 mentions, all wrong")],
)
def test_a_corpus_without_mentions_has_nothing_to_find(predicted: int, told: str) -> None:
    whole = corpus()
    bare = replace(whole, mentions=whole.mentions.iloc[:0])
    report = build_report(Findings([scored(bare, whole.mentions.iloc[:predicted], "short")]))
    assert report.verdict[0] == f"made has no gold mentions; {told}."
    assert "notions" not in {s.id for s in report.sections if not s.blocks}
    assert "undefined" not in render_report(report, "markdown")


ROW: dict[str, Any] = {"run": "a", "corpus": "c", "type": None, "class": "all", "unit": "mention"}
ROW |= {"notion": "strict", "gold": 40, "precision": 0.5, "recall": 0.25, "f1": 1 / 3}


@pytest.mark.parametrize(
    ("rows", "shown", "columns"),
    [
        ([{**ROW, "type": t} for t in "xy"], ("run", "type", "f1"), ["type", "f1"]),
        ([{**ROW, "run": r, "dice": 0.3} for r in "xy"], (),
         ["run", "class", "gold", "precision", "recall", "f1", "dice"]),
        ([{**ROW, "f1": None}], (), ["class", "gold", "precision", "recall", "f1"]),
    ],
)  # fmt: skip
def test_an_evaluation_is_shown_as_its_score_table(
    rows: list[dict[str, Any]], shown: tuple[str, ...], columns: list[str]
) -> None:
    """By default, the table has differing columns, counts, measures and additional columns."""
    findings = Findings(evaluations=[SectionResult("BioID", pd.DataFrame(rows), shown, ("a note",))])
    report = build_report(findings)
    assert report.title == "BioID"
    (table,) = (t for t in report.tables() if t.id == "evaluation-1-BioID")
    assert [c.name for c in table.columns] == columns
    assert "a note" in render_report(report, "markdown")


def test_classes_are_ranked_by_recall_and_uncertain_ones_apart() -> None:
    rows = [
        # class, gold, recall, interval
        ("all", 500, 0.8, 0.7, 0.9),
        ("none of 175", 175, 0.0, 0.0, 0.02),
        ("low", 40, 0.3, 0.2, 0.4),
        ("low and uncertain", 12, 0.1, 0.0, 0.5),
        ("lower and more certain", 60, 0.2, 0.05, 0.34),
        ("above the whole", 60, 0.9, 0.8, 1.0),
    ]
    figures = pd.DataFrame(rows, columns=["class", "gold", "recall", "recall_low", "recall_high"])
    counts = {name: range(len(rows)) for name in ("predicted", "gold_matched", "predicted_matched")}
    figures = figures.assign(tagger="kex", source="s", **counts)
    ranked, unsure = make_worst_tables(
        find_worst_classes(figures, "kex", "s", min_mentions=10), "kex", "s", 5
    )
    assert ranked.frame["class"].tolist() == ["none of 175", "lower and more certain", "low"]
    assert unsure.frame["class"].tolist() == ["low and uncertain"]


def test_a_report_counts_the_contexts_of_the_suite_not_of_the_catalogue(tmp_path: Path) -> None:
    suite = tagsuite.generate(tmp_path / "suite", size=20, stratify=["case"])
    run = tagsuite.run(suite, "kex", tmp_path / "run")
    report = tagsuite.report(run, tmp_path / "report.md").read_text(encoding="utf-8")
    number = tagsuite.read_corpus(str(tmp_path / "suite")).texts["context_id"].astype("object").nunique()
    assert f" in {number} contexts; " in report
