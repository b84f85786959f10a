"""Formats of reports: counts, escaping, content of files; wrong input raises errors."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.run import run
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.reports.build import build_report
from tagsuite.reports.cells import make_cell, make_rows
from tagsuite.reports.files import read_discovered, read_scores, render_csv, render_report, save_report
from tagsuite.reports.html.page import pack_cases
from tagsuite.reports.latex import escape as latex
from tagsuite.reports.latex import render_latex
from tagsuite.reports.markdown import escape as markdown
from tagsuite.reports.model import Column, Report, Table
from tagsuite.reports.sections.acceptance import acceptance_tables
from tagsuite.reports.sections.cases import collect_case_sources, encode_values
from tagsuite.reports.sections.findings import Findings, ScoredRun, reading_notes, score_folders
from tagsuite.sentences.corpus import Corpus

from .conftest import HOSTILE
from .conftest import mentions as mentions_of


def unpack(packed: str) -> dict[str, Any]:
    """Unpack the cases as the script of the page does."""
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
    return found


def corpus_of(text: str, *spans: tuple[int, int]) -> Corpus:
    texts = pd.DataFrame({"text_id": ["t"], "document_id": [""], "text": [text]}).astype("str")
    return Corpus("c", texts, mentions(spans, "gold"))


def mentions(spans: tuple[tuple[int, int], ...], side: str) -> pd.DataFrame:
    return mentions_of([("t", *span) for span in spans], side)


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), st.data())
def test_spans_are_counted_as_scripts_count(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    scores = score(corpus_of(text, (start, end)), mentions(((start, end),), "predicted"))
    (source,) = collect_case_sources([ScoredRun("k", "c", False, None, scores, scores)])
    units = text.encode("utf-16-le")
    for side in (source.gold, source.answers[0].predicted):
        at, size = 2 * int(side.start[0]), 2 * int(side.length[0])
        assert units[at : at + size].decode("utf-16-le") == text[start:end]


def test_packed_cases_hold_what_was_scored(hostile_report: Report) -> None:
    (source,) = hostile_report.sources
    read = unpack(pack_cases(source))
    assert read["texts"] == list(HOSTILE)
    assert sum(read["gold"]["count"]) == 7
    assert [one["tagger"] for one in read["answers"]] == ["<u>exact", "half & half"]
    assert [one["gold"] for one in read["answers"]] == [[2] * 7, [1, 0, 1, 0, 1, 0, 1]]
    assert read["answers"][1]["verdict"] == [1, 1, 1, 1, 0]
    inside = read["classes"]["</script><b>first</b>"]
    assert [inside[kind] for kind in read["gold"]["kind"]] == [1, 1, 1, 0, 0, 0, 0]


def test_the_page_holds_no_place_to_fetch_from(hostile_report: Report) -> None:
    html = render_report(hostile_report, "html")
    assert html == render_report(hostile_report, "html")
    # only attributes can load files; texts are in the packed data or escaped
    places = re.findall(r"<[^>]*\s(?:src|href|action|srcset|poster)=\"([^\"]*)\"", html)
    assert [p for p in places if not p.startswith(("#", "data:,"))] == []
    assert len(re.findall(r"<script>", html)) == 1
    assert "<i>corpus" not in html
    assert "<u>exact" not in html


def test_markdown_is_escaped() -> None:
    assert markdown("a|b <script> name_vs_symbol [x](y)") == r"a\|b \<script\> name\_vs\_symbol \[x\](y)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 % & _x_", r"50 \% \& \_x\_"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x^2$ ~", r"\$x\textasciicircum{}2\$ \textasciitilde{}"),
        ("TGF-β, Δς", r"TGF-$\beta$, $\Delta$$\varsigma$"),
        ("א\U0001f9ec", r"\texttt{U+05D0}\texttt{U+1F9EC}"),
        ("a\tb\x00c", "a bc"),
        ("*starred", "{}*starred"),
    ],
)
def test_latex_is_escaped(text: str, expected: str) -> None:
    assert latex(text) == expected


@pytest.mark.parametrize(("size", "environment"), [(2, "tabular"), (60, "longtable")])
def test_a_table_in_latex(size: int, environment: str) -> None:
    frame = pd.DataFrame(
        {"class": "a_b", "recall": 0.5, "recall_low": 0.25, "recall_high": 0.75}, range(size)
    )
    columns = (Column("class", "class"), Column("recall", "%", "range"))
    text = render_latex(Report("t", worst=(Table("t", "A & B", frame, columns),)))
    assert rf"\begin{{{environment}}}{{lr}}" in text
    assert r"\caption{A \& B}" in text
    assert r"class & \% \\" in text
    assert text.count(r"a\_b & 50.0 (25.0–75.0) \\") == size


@pytest.mark.parametrize(
    ("kind", "row", "text", "between"),
    [
        ("text", {"x": "a", "why": "few", "to": "#a"}, "a", ""),
        ("range", {"x": 0.579, "l": 0.519, "h": 0.637}, "57.9", "51.9–63.7"),
        ("range", {"x": float("nan"), "l": 0.1, "h": 0.2}, "–", ""),
        ("difference", {"x": -0.125, "l": -0.2, "h": 0.05}, "−12.5", "−20.0 to +5.0"),
        ("count", {"x": 1400}, "1,400", ""),
    ],
)
def test_cells(kind: Any, row: dict[str, Any], text: str, between: str) -> None:
    found = make_cell(Column("x", "x", kind, "l", "h", link="to", under="why"), row)
    assert (found.text, found.between) == (text, between)
    assert (found.link, found.under) == (row.get("to", ""), row.get("why", ""))


@pytest.mark.parametrize(
    ("column", "sides", "expected"),
    [
        ("length", [["10", "9"], ["-1", "9"]], (["-1", "9", "10"], [[2, 1], [0, 1]])),
        ("case", [["lower"], ["upper"]], (["upper", "lower"], [[1], [0]])),
        ("known", [[True, None], [False, True]], (["false", "true"], [[1, 2], [0, 1]])),
        ("x", [["a", None], ["a"]], (["a"], [[0, 1], [0]])),
        ("x", [[None], [None]], None),
        ("x", [[str(i) for i in range(255)], []], None),
    ],
)
def test_values_to_choose_from_have_one_numbering(
    column: str, sides: list[list[Any]], expected: tuple[list[str], list[list[int]]] | None
) -> None:
    """Values are in the order of the taxonomy, then by number, then by letter; missing values come last."""
    kind = "boolean" if column == "known" else "str"
    found = encode_values(column, [pd.Series(side, dtype=kind) for side in sides])
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found[0], [part.tolist() for part in found[1]]) == expected


def test_the_whole_is_shown_once_whatever_it_is_called() -> None:
    gold = corpus_of("abcd efg hij", (0, 4), (5, 8))
    classes = [Class.from_query("everything", "all"), Class.from_query("a", "data = abcd")]
    scores = score(gold, mentions(((0, 4),), "predicted"), classes=classes)
    entries = [ScoredRun(name, "c", False, None, scores, scores) for name in ("one", "other")]
    report = build_report(Findings(entries, min_mentions=1))
    for table in report.tables():
        if "class" in table.frame and not table.id.startswith("differences"):
            assert "everything" not in set(table.frame["class"]), table.id
    forest = next(t for t in report.tables() if t.id == "forest-c")
    assert list(forest.frame["class"]) == ["all", "all", "a", "a"]


ACCEPTED = pd.DataFrame(
    {
        "run": "k", "corpus": "c", "class": ["high", "no mark", "mine"], "notion": "strict",
        "measure": ["recall", "false_alarms", "recall against other"],
        "required": [">= 0.5", "<= 0.75", ">= -0.02"], "limit": [0.5, 0.75, -0.02],
        "observed": [0.6, 0.5, 0.01], "low": [0.4, 0.3, -0.05], "high": [0.8, 0.7, 0.07],
        "bound": [0.4, 0.7, -0.04], "confidence": [np.nan, np.nan, 0.95], "cases": [10, 1, 10],
        "unit": ["mention", "case", "mention"],
        "verdict": ["passed, uncertain", "passed", "failed"], "reason": "", "basis": "",
        "shortage": "",
    }
)  # fmt: skip


def test_acceptance_is_in_the_unit_of_the_figures() -> None:
    shares, differences = acceptance_tables(ACCEPTED)
    first, second = make_rows(shares)
    shown = [c.text if not c.between else f"{c.text} {c.between}" for c in first]
    assert shown == [
        "k", "c", "high", "strict", "recall", "≥\u00a050.0", "60.0 40.0–80.0", "≥\u00a040.0",
        "10 mentions", "passed, uncertain",
    ]  # fmt: skip
    assert [c.text for c in second][5:] == ["≤\u00a075.0", "50.0", "≤\u00a070.0", "1 case", "passed"]
    (third,) = make_rows(differences)
    assert [c.text for c in third][5:] == [
        "≥\u00a0−2.0", "+1.0", "≥\u00a0−4.0", "95.0", "10 mentions", "failed",
    ]  # fmt: skip
    gold = corpus_of("abcd efg hij", (0, 4))
    scores = score(gold, mentions(((0, 4),), "predicted"))
    report = build_report(Findings([ScoredRun("k", "c", False, None, scores, scores)], acceptance=ACCEPTED))
    assert report.verdict[0].startswith(
        "Not accepted: 1 of 3 checks failed; 1 of the passed checks is uncertain"
    )
    assert '<td class="verdict v-passed-uncertain"' in render_report(report, "html")
    assert "? passed, uncertain" in render_report(report, "markdown")


def test_a_report_s_csv_is_harmless_and_its_scores_are_read_back(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"run": ["=cmd()", "k"], "class": ["all", "-ase"], "tp": [1, -2], "recall": [0.5, -0.5], "@x": "p53"}
    )
    report = Report("t", scores=frame)
    save_report(report, tmp_path / "scores.csv")
    text = (tmp_path / "scores.csv").read_text(encoding="utf-8")
    assert text == "run,class,tp,recall,'@x\n'=cmd(),all,1,0.5,p53\nk,'-ase,-2,-0.5,p53\n"
    assert read_scores(tmp_path / "scores.csv").equals(frame.astype({"run": "str", "class": "str"}))
    columns = tuple(Column(c, c) for c in frame.columns)
    assert render_csv(Table("t", "t", frame, columns)) == text


def test_a_folder_holds_every_form(hostile_report: Report, tmp_path: Path) -> None:
    out = tmp_path / "report"
    written = save_report(hostile_report, out)
    names = {
        "report.html",
        "report.md",
        "report.tex",
        "report.json",
        "scores.csv",
        "tables",
        ".tagsuite.toml",
    }
    assert {p.name for p in out.iterdir()} == names
    assert all(p.is_file() for p in written)
    document = json.loads((out / "report.json").read_text(encoding="utf-8"))
    scores = pd.read_csv(out / "scores.csv")
    assert hostile_report.scores is not None
    assert len(document["scores"]) == len(scores) == len(hostile_report.scores)
    forest = pd.read_csv(out / "tables" / "forest-i-corpus-i.csv")
    whole = forest[(forest["class"] == "all") & (forest["tagger"] == "half & half")].iloc[0]
    assert (whole["gold"], whole["tp"], whole["fn"]) == (7, 0, 7)
    assert "\\<script\\>" in (out / "report.md").read_text(encoding="utf-8")
    assert "<script>" not in (out / "report.md").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        save_report(hostile_report, out)
    with pytest.raises(InputError, match=r"\.html, \.htm, \.md"):
        save_report(hostile_report, tmp_path / "report.pdf")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("s.csv", "a,b\n1,2\n", "the column run is missing"),
        ("s.json", "{", "not JSON"),
        ("s.csv", "run,class,gold\na,b,1\nrun,class,gold\n", "column gold, row 2: found 'gold'"),
    ],
)
def test_wrong_score_files_are_refused(tmp_path: Path, name: str, content: str, told: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_scores(tmp_path / name)


def test_what_discover_writes_when_it_finds_nothing_is_read(tmp_path: Path) -> None:
    file = tmp_path / "found.toml"
    file.write_text("# This file has no classes.\nformat = 1\nclass = []\n", encoding="utf-8")
    assert read_discovered(file).empty
    file.write_text(
        'format = 1\n[[class]]\nname = "x"\nquery = "case = lower"\nrecall = "low"\nnote = "misses"\n',
        encoding="utf-8",
    )
    assert read_discovered(file).to_dict("records") == [{"query": "case = lower", "words": "misses"}]


def test_a_report_of_score_files_alone(
    tagsuite: Callable[..., Any], hostile_report: Report, tmp_path: Path
) -> None:
    save_report(hostile_report, tmp_path / "evaluation.csv")
    done = tagsuite("report", "--scores", tmp_path / "evaluation.csv", "--out", tmp_path / "report.md")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# evaluation\n")
    assert "half & half".replace("&", "\\&") in text
    done = tagsuite("report", "--out", tmp_path / "report.md")
    assert done.returncode == 2
    assert "--scores" in done.stderr


def test_failed_cases_are_shown_with_reason_and_reply(tmp_path: Path) -> None:
    (tmp_path / "c.sgml").write_text("a <gp>Wnt</gp>\nnone\n<gp>ABC</gp> is\n", encoding="utf-8")
    (tmp_path / "t.py").write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    print('<gp>' + line if 'ABC' in line else line, end='')\n"
        "    'none' in line and print('<GENE>none</GENE>', end='')\n",
        encoding="utf-8",
    )
    (tmp_path / "t.toml").write_text(
        'format = 1\nname = "t"\nmode = "document"\ncommand = ["{python}", "-S", "{here}/t.py"]\n'
        '[output]\ntags = ["gp"]\n',
        encoding="utf-8",
    )
    run(f"sgml:{tmp_path / 'c.sgml'}", tmp_path / "t.toml", tmp_path / "run")
    entries = score_folders([tmp_path / "run"])
    (source,) = collect_case_sources(entries)
    failures = unpack(pack_cases(source))["answers"][0]["failures"]
    assert sorted(failures) == ["1", "2"]
    assert failures["1"] == ["found <GENE> 1 time; output.tags does not list it", "none\n<GENE>none</GENE>"]
    assert failures["2"][0].startswith("<gp> is not closed on its line")
    assert any("found <GENE> 1 time" in note for note in reading_notes(entries))
