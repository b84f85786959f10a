"""Predicted strings that do not occur in their text match nothing, in every figure and table."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.run import run
from tagsuite.harness.scoring.acceptance.accept_runs import accept_runs
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.comparison.compare_runs import ComparisonOptions, compare_runs
from tagsuite.harness.scoring.discovery.discover import discover_run
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.notions import NOTIONS
from tagsuite.harness.scoring.options import ClassOptions, ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs
from tagsuite.harness.scoring.search_options import DiscoverOptions
from tagsuite.harness.scoring.views.breakdown import ERROR_KINDS, count_error_kinds, list_invented
from tagsuite.harness.scoring.views.errors import list_errors
from tagsuite.harness.scoring.views.registry import VIEWS, build_view
from tagsuite.reports.build import build_report
from tagsuite.reports.files import render_report
from tagsuite.reports.sections.findings import Findings, score_folders

# text, gold mentions, answer (None: not JSON)
MATERIAL: list[tuple[str, list[str], list[str] | None]] = [
    ("IL-2 binds p53.", ["IL-2", "p53"], ["IL-2", "p53", "ZYX-9"]),
    ("nothing is here", [], ["zyxin"]),
    ("nothing at all", [], []),
    ("the IL-4 receptor is", ["IL-4 receptor"], ["IL-4"]),
    ("a gene and a gene", [], ["gene"]),
    ("CD4 is lost", ["CD4"], None),
    ("STAT3 and RAD51", ["STAT3", "RAD51"], ["RAD51", "is"]),
]
OPTIONS = ScoringOptions(intervals="wilson")
CLASSES = [Class.from_query("upper", "case = upper"), Class.from_query("single", "list_position = single")]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("invented")
    rows = []
    for number, (text, gold, _) in enumerate(MATERIAL):
        spans = [(text.index(name), text.index(name) + len(name)) for name in gold]
        mentions = [{"start": start, "end": end, "type": "gp"} for start, end in sorted(spans)]
        rows.append({"text_id": number, "text": text, "mentions": mentions})
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = {text: "none" if answer is None else json.dumps(answer) for text, _, answer in MATERIAL}
    (folder / "t.py").write_text(
        f"import sys\nfor line in sys.stdin:\n    print({answers!r}[line.strip()])\n", encoding="utf-8"
    )
    (folder / "t.toml").write_text(
        'format = 1\nname = "t"\ncommand = ["{python}", "-S", "{here}/t.py"]\n[output]\nform = "names"\n',
        encoding="utf-8",
    )
    return run(f"jsonl:{folder / 'c.jsonl'}", folder / "t.toml", folder / "out", cache=False)


def row(table: pd.DataFrame, name: str, notion: str) -> dict[str, int]:
    found = table[(table["class"] == name) & (table["notion"] == notion)].iloc[0]
    return {key: int(found[key]) for key in ("gold", "predicted", "tp", "fp", "invented")}


def test_an_invented_string_is_a_false_positive_of_everything_and_of_classes_of_its_form(done: Run) -> None:
    table = score_runs([done], OPTIONS, classes=CLASSES)[0].table
    assert list(table.columns)[-1] == "invented"
    assert row(table, "all", "strict") == {"gold": 6, "predicted": 8, "tp": 3, "fp": 5, "invented": 3}
    # ZYX-9 is in upper case; zyxin and "is" are not
    assert row(table, "upper", "strict")["invented"] == 1
    assert row(table, "single", "strict")["invented"] == 0


def test_no_notion_of_mentions_matches_it(done: Run) -> None:
    scores = score_runs([done], OPTIONS)[0]
    assert scores.is_unplaced is not None
    without = scores.predicted[~scores.is_unplaced].drop(columns="invented")
    placed = score(scores.corpus, without, OPTIONS)
    for notion in NOTIONS:
        ours, theirs = (s.get_tally(notion.name) for s in (scores, placed))
        assert ours.predicted_matched[scores.is_unplaced].sum() == 0, notion.name
        assert ours.gold_matched.sum() == theirs.gold_matched.sum(), notion.name
        more = ours.predicted_units.sum() - theirs.predicted_units.sum()
        assert more == (3 if notion.unit == "mention" else more), notion.name
        if notion.unit == "mention":
            assert ours.predicted_units[scores.is_unplaced].tolist() == [1, 1, 1], notion.name


def test_errors_list_it_and_false_alarms_count_it(done: Run) -> None:
    scores = score_runs([done], ScoringOptions(notions=("strict",)), by=["case"])[0]
    listed = list_errors(scores)
    rows = listed[listed["error"] == "invented"]
    assert rows["data"].tolist() == ["ZYX-9", "zyxin", "is"]
    assert rows["predicted"].tolist()[1] == "nothing is here"
    assert set(rows["start"]) == {-1}
    alarms = build_view("false-alarms", [scores])
    assert alarms[["cases", "false_alarms"]].iloc[0].tolist() == [3, 2]
    assert "zyxin" in build_view("alarm-tokens", [scores])["data"].tolist()
    for name in set(VIEWS) - {"thresholds", "confusions", "identifiers"}:
        assert len(build_view(name, [scores], costs=[done.costs]))


def test_every_error_is_of_one_kind(done: Run) -> None:
    scores = score_runs([done], OPTIONS, classes=CLASSES)[0]
    outcomes = done.outcomes
    unread = outcomes.index[outcomes["outcome"].astype("str") == "garbage"].to_numpy()
    found = count_error_kinds(scores, unread_texts=unread)
    assert dict(zip(found["error"], found["count"], strict=True)) == dict(
        zip(ERROR_KINDS, (1, 3, 1, 1, 1, 0), strict=True)
    )
    assert list_invented(scores)["data"].tolist() == ["ZYX-9", "is", "zyxin"]
    assert list_invented(scores, "upper")["data"].tolist() == ["ZYX-9"]


def test_what_is_made_of_scores_takes_it(done: Run, tmp_path: Path) -> None:
    strict, by_case = ScoringOptions(notions=("strict",)), ClassOptions(by=("case",))
    assert len(compare_runs([done], strict, by_case, ComparisonOptions(against=done)).table)
    assert len(compare_runs([done], strict, by_case, ComparisonOptions(suite=done)).table)
    discover_run(done, strict, DiscoverOptions(features=("case", "contains_hyphen"), least=2))
    criteria = tmp_path / "c.toml"
    criteria.write_text(
        'format = 1\n[[class]]\nname = "everything"\nquery = "all"\n'
        "min_precision = 0.5\nmax_false_alarms = 0.5\n",
        encoding="utf-8",
    )
    judged = accept_runs(criteria, [done.folder], ScoringOptions(), max_cases=9).table
    # 3 of 8 predictions are right; 2 of 3 texts without gold mentions have a false alarm
    assert judged["observed"].round(3).tolist() == [0.375, 0.667]
    page = render_report(
        build_report(Findings(score_folders([done.folder], classes=ClassOptions(CLASSES)))), "markdown"
    )
    assert "Invented strings, which do not occur in the text" in page
    assert "| all | ZYX-9 | gp | 1 |" in page
