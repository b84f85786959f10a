"""What a report finds by itself: faults, thresholds, evaluations in words; word lists; LaTeX compiled."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.options import DiscoverOptions
from tagsuite.harness.tasks.section import SectionResult
from tagsuite.reports.build import build_report
from tagsuite.reports.latex import escape, render_latex, render_table
from tagsuite.reports.model import Chart, Column, Report, Table, Words
from tagsuite.reports.options import ReportOptions
from tagsuite.reports.reporting import report_of
from tagsuite.reports.saving import content
from tagsuite.reports.sections.entries import Entry
from tagsuite.reports.sections.evaluations import evaluation_chart
from tagsuite.reports.sections.faults import discover_entries
from tagsuite.reports.sections.figures import worst_classes
from tagsuite.reports.sections.tables import worst_tables
from tagsuite.reports.sections.thresholds import has_confidences, thresholds_section
from tagsuite.reports.study_tables import differences
from tagsuite.sentences.corpus import Corpus

SIZE = 240


def corpus() -> Corpus:
    """Sentences with a symbol each: every other one in small letters."""
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
    """Mentions that begin after the first word."""
    frame = pd.DataFrame({"text_id": list(rows), "start": 4, "end": list(ends)}).astype("int64")
    frame.insert(0, "mention_id", np.arange(len(frame)))
    return frame.assign(side=side, type="gp", score=scores).astype({"side": "str", "type": "str"})


def entry(*, scores: Any = np.nan, lists: dict[str, frozenset[str]] | None = None, **how: Any) -> Entry:
    """A tagger that knows only what is in capitals."""
    gold = corpus()
    found = gold.mentions[gold.mentions["text_id"] % 2 == 1]
    predicted = mentions(found["text_id"], found["end"], "predicted", scores)
    done = score(gold, predicted, run="capitals", lists=lists or {}, **how)
    return Entry("capitals", "made", False, None, done, done)


@pytest.fixture(scope="module")
def searched() -> Report:
    one = entry()
    return build_report(
        [one], discovered=discover_entries([one], DiscoverOptions(depth=1, measures=("recall",)))
    )


def test_a_planted_fault_is_found_and_said(searched: Report) -> None:
    section = next(s for s in searched.sections if s.id == "discovered")
    said = [line for b in section.blocks if isinstance(b, Words) for line in b.lines]
    assert any(line.startswith("On made, capitals misses") and "recall .00" in line for line in said)
    assert any(line.startswith("Discovered on made: capitals misses") for line in searched.verdict)


def test_a_discovered_fault_leads_to_its_cases(searched: Report) -> None:
    section = next(s for s in searched.sections if s.id == "discovered")
    table = next(b for b in section.blocks if isinstance(b, Table))
    query = str(table.frame["query"].iloc[0])
    inside = searched.sources[0].gold.classes[query]
    # half of the mentions are in small letters; no other feature tells the halves apart
    assert inside.sum() == SIZE // 2
    assert (searched.sources[0].answers[0].gold[inside] == 0).all()
    assert "verdict=fn" in table.frame["link"].iloc[0]


def test_a_report_without_a_fault_says_so() -> None:
    gold = corpus()
    done = score(gold, gold.mentions.assign(side="predicted"), run="perfect")
    perfect = Entry("perfect", "made", False, None, done, done)
    report = build_report([perfect], discovered=discover_entries([perfect], DiscoverOptions(depth=1)))
    section = next(s for s in report.sections if s.id == "discovered")
    assert section.blocks == (Words(("perfect on made: no fault was found that chance does not explain.",)),)


@pytest.mark.parametrize(
    ("least", "classes", "why"),
    [
        (1, ["small letters", "one name"], "the largest difference first; where there is none, by name"),
        (2, ["small letters"], "one mention is too few"),
        (SIZE, [], "half of the mentions too"),
    ],
)
def test_classes_on_which_two_taggers_differ(least: int, classes: list[str], why: str) -> None:
    asked = [
        Class.of("small letters", "case = lower"),
        Class.of("one name", "data = ABC1"),
        Class.of("everything", "all"),
    ]
    gold = corpus()
    done = score(gold, gold.mentions.assign(side="predicted"), run="perfect", classes=asked)
    perfect = Entry("perfect", "made", False, None, done, done)
    found = differences([entry(classes=asked), perfect], least=least)
    assert found["class"].tolist() == classes, why
    expected = {"small letters": -1.0, "one name": 0.0}
    assert found["difference"].tolist() == [expected[name] for name in classes]
    assert set(found["one"]) <= {"capitals"}
    assert set(found["other"]) <= {"perfect"}


def test_word_lists_reach_classes_and_cases() -> None:
    listed = frozenset({"ABC1", "ABC3"})
    one = entry(lists={"training": listed}, classes=[Class.of("known", "in_list.training")])
    report = build_report([one], least=1)
    assert report.sources[0].gold.classes["known"].sum() == 2
    assert report.sources[0].values["in_list.training"] == ["false", "true"]
    assert "lists:training=" in str(report.scores["signature"].iloc[-1] if report.scores is not None else "")


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
    assert bool(thresholds_section([one]).blocks) is expected


def test_the_best_threshold_is_the_one_that_wins() -> None:
    gold = corpus()
    half = gold.mentions[gold.mentions["text_id"] < SIZE // 2]
    wrong = gold.mentions[gold.mentions["text_id"] >= SIZE // 2]
    # right ones have more confidence; wrong ones end a letter too soon
    predicted = mentions(
        [*half["text_id"], *wrong["text_id"]],
        [*half["end"], *(wrong["end"] - 1)],
        "predicted",
        [0.8] * len(half) + [0.3] * len(wrong),
    )
    done = score(gold, predicted, run="unsure")
    section = thresholds_section([Entry("unsure", "made", False, None, done, done)])
    chart, table = section.blocks
    assert isinstance(chart, Chart)
    assert isinstance(table, Table)
    row = table.frame.iloc[0]
    assert (row["threshold"], row["precision"], row["recall"]) == (0.8, 1.0, 0.5)
    assert (row["all_precision"], row["all_recall"]) == (0.5, 0.5)
    assert chart.frame["marked"].tolist() == [True, False]


def test_what_is_found_in_part_and_exactly_is_no_more_than_all() -> None:
    gold = corpus()
    # half of the tagger's mentions are alternatives of the gold, a letter shorter; the others only touch it
    short = gold.mentions.assign(end=gold.mentions["end"] - 1)
    allowed = short[short["text_id"] % 2 == 0]
    alternatives = allowed[["mention_id", "text_id", "start", "end", "type"]].reset_index(drop=True)
    gold = replace(gold, alternatives=alternatives)
    predicted = short.assign(side="predicted")
    done = score(gold, predicted, run="short", alternatives="published")
    plain = score(gold, predicted, run="short")
    report = build_report([Entry("short", "made", False, None, done, plain)])
    assert report.verdict[0].startswith("On made, short finds 50.0\u00a0%")
    assert "exactly, another 50.0\u00a0% with a wrong boundary" in report.verdict[0]


@pytest.mark.parametrize(
    ("predicted", "told"),
    [(0, "short proposes nothing"), (3, "short proposes 3 mentions, all of them wrong")],
)
def test_a_corpus_without_mentions_has_nothing_to_find(predicted: int, told: str) -> None:
    whole = corpus()
    bare = replace(whole, mentions=whole.mentions.iloc[:0])
    guesses = whole.mentions.iloc[:predicted].assign(side="predicted")
    done = score(bare, guesses, run="short")
    report = build_report([Entry("short", "made", False, None, done, done)])
    assert report.verdict[0] == f"made has no mention to find; {told}."
    assert "notions" not in {s.id for s in report.sections if not s.blocks}
    assert "undefined" not in content(report, "markdown")


BASE = {"run": "a", "corpus": "c", "type": None, "class": "all", "notion": "strict", "unit": "mention"}
FIGURES = {"gold": 40, "precision": 0.5, "recall": 0.25, "f1": 1 / 3}
BIOID = [
    {**BASE, **FIGURES, "type": t, "notion": n, "f1": f, "norm_fmeasure_micro": 0.5}
    for t, f in (("gene", 0.4), ("tissue", 0.8))
    for n in ("strict", "overlap")
]
EVALUATIONS = {
    "BioID": (
        BIOID,
        "a on c, 80 mentions of 2 types",
        "best at tissue (F 80.0\u00a0%), worst at gene (F 40.0\u00a0%)",
        {"F, strict", "F, overlap", "F of normalisation"},
    ),
    "Index terms": (
        [
            {**BASE, **FIGURES, "notion": n, "unit": "term", "dice": 0.3, "similarity": 0.6}
            for n in ("exact", "lin")
        ],
        "a on c, 40 terms",
        "Dice 0.300 and similarity 0.600",
        {"exact", "lin", "mean over documents"},
    ),
    "Bacteria Biotope": (
        [{**BASE, **FIGURES, "class": k, "notion": "main", "ser": 0.7} for k in ("Main", "Habitats")],
        "a on c, 40 mentions",
        "Main: precision 50.0\u00a0%, recall 25.0\u00a0%, F 33.3\u00a0% and slot error rate 0.700",
        {"precision", "recall", "F"},
    ),
    "two runs": (
        [{**BASE, **FIGURES, "run": r} for r in ("a", "b")],
        "a and b on c, 40 mentions",
        "precision 50.0\u00a0%, recall 25.0\u00a0% and F 33.3\u00a0%",
        {"a", "b"},
    ),
}


@pytest.mark.parametrize("title", list(EVALUATIONS))
def test_an_evaluation_says_what_it_came_to(title: str) -> None:
    rows, tested, found, series = EVALUATIONS[title]
    result = SectionResult(title, pd.DataFrame(rows), (), ())
    report = build_report(evaluations=[result])
    assert report.tested == (f"{title}: {tested}.",)
    assert found in report.verdict[0]
    chart = evaluation_chart(result, "x")
    assert chart is not None
    assert set(chart.frame["series"]) == series
    assert "<svg" in content(report, "html")


def test_an_evaluation_without_figures_has_no_chart() -> None:
    empty = pd.DataFrame([{**BASE, "gold": 0, "precision": None, "recall": None, "f1": None}])
    result = SectionResult("nothing", empty.astype({"f1": "float64"}), (), ())
    assert evaluation_chart(result, "x") is None
    assert build_report(evaluations=[result]).verdict == ("nothing, a: no figure is defined.",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 % of A_b", r"50 \% of A\_b"),
        ("TGF-β", r"TGF-\ensuremath{\beta}"),
        ("Δς", r"\ensuremath{\Delta}\ensuremath{\varsigma}"),
        ("ο", "o"),  # omicron, for which TeX has no command
        ("é", "é"),
        ("א\U0001f9ec", r"\texttt{U+05D0}\texttt{U+1F9EC}"),
        ("a\tb\x00c", "a bc"),
    ],
)
def test_what_latex_cannot_set_is_told(text: str, expected: str) -> None:
    assert escape(text) == expected


@pytest.mark.parametrize("form", ["classes", "plain"])
@pytest.mark.parametrize("rows", [1, 60])
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("[1pt] x", "{}[1pt] x &"),
        ("*starred", "{}*starred &"),
        ("a [b] *c", "a [b] *c &"),
        ("  [x]", "{}[x] &"),
    ],
)
def test_a_name_is_not_taken_for_an_option_of_the_row_before(
    form: Any, rows: int, name: str, line: str
) -> None:
    frame = pd.DataFrame([{**BASE, **FIGURES, "class": name} for _ in range(rows)])
    frame["class"] += [" " * i for i in range(rows)]  # the same in LaTeX, but a class each
    columns = (Column("class", "[first]"), Column("tp", "TP", "count"))
    content = render_table(Table("t", "[caption]", frame, columns, form=form))
    assert content.count("\n" + line) == rows
    assert not [row for row in content.splitlines() if row.startswith(("[", "*"))]


def test_latex_compiles(hostile_report: Report, searched: Report, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("no pdflatex: apt-get install texlive-latex-base texlive-latex-recommended")
    long = [{**BASE, **FIGURES, "class": f"{'[*'[i % 2]}1pt] c_{i} & \u03b1"} for i in range(120)]
    many = build_report(evaluations=[SectionResult("many classes", pd.DataFrame(long), (), ())])
    content = "\n".join(render_latex(report) for report in (hostile_report, searched, many))
    (tmp_path / "report.tex").write_text(
        "\\documentclass[a4paper]{article}\n\\usepackage{booktabs,longtable}\n\\usepackage[T1]{fontenc}\n"
        "\\usepackage[margin=2cm]{geometry}\n\\extrafloats{500}\n\\begin{document}\n"
        f"{content}\\end{{document}}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("title", "shown"),
    [("BioID", "norm_fmeasure_micro"), ("Index terms", "similarity"), ("Bacteria Biotope", "ser")],
)
def test_a_score_file_shows_what_matters_to_its_evaluation(tmp_path: Path, title: str, shown: str) -> None:
    file = tmp_path / "scores.csv"
    rows = [{**row, "tp": 1, "fp": 2, "fn": 3, "refclash": 0} for row in EVALUATIONS[title][0]]
    pd.DataFrame(rows).to_csv(file, index=False)
    report = report_of(options=ReportOptions(scores=(file,)))
    section = next(s for s in report.sections if s.id == "evaluations")
    table = next(b for b in section.blocks if isinstance(b, Table))
    names = [c.name for c in table.columns]
    assert shown in names
    assert "refclash" not in names
    assert "run" not in names  # it is the same in every row


def test_classes_are_ranked_by_recall_and_uncertain_ones_apart() -> None:
    rows = [
        # class, gold, recall, its interval
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
    ranked, unsure = worst_tables(worst_classes(figures, "kex", "s", least=10), "kex", "s", 5)
    assert ranked.frame["class"].tolist() == ["none of 175", "lower and more certain", "low"]
    assert unsure.frame["class"].tolist() == ["low and uncertain"]
