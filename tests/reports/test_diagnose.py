"""The diagnosis: one command from a tagger to an answer of a few lines, and a study that repeats it."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

import tagsuite as package
from tagsuite.catalogues.core.errors import InputError
from tagsuite.reports.diagnosis import options
from tagsuite.reports.diagnosis.answer import MAX_LINES, Diagnosis, format_estimate, shorten_example
from tagsuite.reports.diagnosis.facts import FINDING_COLUMNS
from tagsuite.reports.diagnosis.suspicions import Suspicion

TAGGERS = """
import re

def capitals(text):
    return [match.group() for match in re.finditer(r"\\b[A-Z]+[0-9]+\\b", text)]

def nothing(text):
    return []

def nonsense(text):
    return 42

def sometimes(text):
    if "mutation" in text:
        raise ValueError("no mutations")
    return capitals(text)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with taggers in a module, and we stand in it; a quick diagnosis is smaller than usual."""
    monkeypatch.setattr(options, "QUICK", options.Effort(200, 1, 20, 120, 0, 1, 1))
    (tmp_path / "mine.py").write_text(TAGGERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_bundled_tagger_is_diagnosed_in_at_most_fifteen_lines(
    place: Path, tagsuite: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "QUICK", options.Effort(700, 2, 60, 120, 0, 1, 1))
    done = tagsuite("diagnose", "kex", "--quick")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= MAX_LINES
    estimate = r"\.\d\d \[\.\d\d–\.\d\d\]"
    recall, precision = (rf"{what} {estimate} of [\d,]+" for what in ("recall", "precision"))
    assert re.fullmatch(rf"kex: {recall} names, {precision} predictions \(\d+ sentences\)", lines[0])
    assert "found with a wrong boundary, which counts as an error; false alarms in" in lines[1]
    assert re.match(r"1\. kex misses ", lines[2])
    assert any(line.startswith("   - ") and "⟦" in line for line in lines)
    assert lines[-1] == "report: diagnosis-kex/report.html"
    assert (place / "diagnosis-kex" / "report.html").is_file()


@pytest.mark.parametrize(
    ("tagger", "status", "told"),
    [
        ("python:mine:capitals", 0, "mine.capitals: recall"),
        ("python:mine:nothing", 0, "mine.nothing found nothing: no prediction in "),
        ("python:mine:nonsense", 3, "mine.nonsense failed on all "),
        ("python:mine:sometimes", 3, "mine.sometimes failed on "),
    ],
)
def test_the_first_line_says_how_good_or_why_not(
    place: Path, tagsuite: Call, tagger: str, status: int, told: str
) -> None:
    done = tagsuite("diagnose", tagger, "--quick", "--quiet")
    assert done.returncode == status, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith(told)
    if "capitals" not in tagger:
        assert f"`tagsuite taggers check {tagger}`" in first


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["kexx"], "did you mean kex"),
        (["python:mine:absent"], "the function mine:absent cannot be used"),
        (["kex", "--suspect", "contains_hypen"], "    contains_hypen\n    ^^^^^^^^^^^^^^\n"),
        (["kex", "--suspect", "all"], "the suspicion must not select everything"),
        (["kex", "--suspect", "characters >= 1"], "selects all names"),
        (["kex", "--suspect", "characters >= 5000"], "selects nothing"),
        (["kex", "--suspect", "case = lower or position = initial"], "must be joined by `and`"),
        (["kex", "--quick", "--thorough"], "either quick or thorough"),
        (["kex", "--composition", "nowhere"], "nowhere"),
        (["kex", "--annotated", "nope:x"], "unknown format"),
        (["kex", "--option", "colour=red"], "colour"),
        (["kex", "-o", "full"], "is not empty and has no marker"),
        (["kex", "-o", "mine.py"], "a file, not a folder"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    place: Path, tagsuite: Call, words: list[str], told: str
) -> None:
    (place / "full").mkdir()
    (place / "full" / "notes.txt").write_text("mine", encoding="utf-8")
    before = sorted(p.relative_to(place) for p in place.rglob("*") if "__pycache__" not in p.parts)
    done = tagsuite("diagnose", *words)
    assert done.returncode == 2, done.stdout
    assert told in done.stderr
    after = sorted(p.relative_to(place) for p in place.rglob("*") if "__pycache__" not in p.parts)
    assert after == before


def test_a_suspicion_is_confirmed_or_not_with_both_figures(place: Path, tagsuite: Call) -> None:
    words = ["--suspect", "contains_hyphen", "--suspect", "position = initial"]
    done = tagsuite("diagnose", "python:mine:capitals", "--quick", *words, "-o", "out", "--format", "json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)["diagnosis"]
    by_query = {(one["query"], one["measure"]): one for one in facts["suspicions"]}
    hyphen = by_query["contains_hyphen", "recall"]
    # letters and digits only: a hyphen is never inside
    assert (hyphen["verdict"], hyphen["value"]) == ("confirmed", 0.0)
    assert hyphen["elsewhere"] > 0
    assert by_query["position = initial", "recall"]["verdict"] in ("undecided", "confirmed", "refuted")
    assert hyphen["mentions"] == 120 == by_query["position = initial", "recall"]["mentions"]
    again = tagsuite("diagnose", "python:mine:capitals", "--quick", *words, "-o", "out")
    assert "suspicion contains_hyphen: confirmed for mine.capitals: recall .00 [" in again.stdout
    assert len(again.stdout.splitlines()) <= MAX_LINES


@pytest.mark.parametrize(
    ("query", "names", "sentences"),
    [
        ("contains_hyphen", "contains_hyphen", ""),
        ("case = lower and contains_hyphen", "(case = lower) and (contains_hyphen)", ""),
        ("position = initial", "", "position = initial"),
        ("case = lower and position = initial", "case = lower", "position = initial"),
        ("case = lower or contains_hyphen", "case = lower or contains_hyphen", ""),
    ],
)
def test_a_suspicion_is_about_names_and_sentences(query: str, names: str, sentences: str) -> None:
    found = Suspicion.from_query(query)
    assert (found.about_names, found.about_sentences) == tuple(
        f"({text})" if text and " and " not in text else text for text in (names, sentences)
    )


def test_compared_names_are_of_the_same_kinds() -> None:
    selected, others = Suspicion.from_query("contains_hyphen").make_parts(100)
    assert (selected.size, others.size) == (100, 100)
    assert others.entities == "not contains_hyphen"
    assert others.stratify == ("name_vs_symbol", "case")
    assert sum(share.weight for share in others.shares) > 1000
    # the query decides the case: only kinds of names agree
    assert Suspicion.from_query("case = lower").make_parts(10)[1].stratify == ("name_vs_symbol",)
    # one name has fewer cases than are asked for
    assert (Suspicion.from_query("data = p53").make_parts(5000)[0].size or 0) in range(100, 5000)
    both = Suspicion.from_query("case = lower and position = initial").make_parts(100)
    assert [(part.name, part.size) for part in both] == [
        ("suspected", 100),
        ("other names", 50),
        ("other sentences", 50),
    ]


def test_faults_are_tested_on_new_cases_and_the_study_repeats_them(
    place: Path, tagsuite: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "USUAL", options.Effort(500, 2, 30, 100, 20, 500, 4))
    done = tagsuite("diagnose", "kex", "-o", "out", "--format", "json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)["diagnosis"]
    assert facts["new_cases"] > 0
    evidence = {(fault["measure"], fault["evidence"]) for fault in facts["faults"]}
    assert ("recall", "new cases") in evidence
    assert ("precision", "new cases") not in evidence
    assert len({fault["query"] for fault in facts["faults"]}) == len(facts["faults"])
    assert (place / "out" / "confirmations" / "kex--suite" / "round-1" / "run" / "run.toml").is_file()
    repeated = tagsuite("study", "out/study.toml", "--out", "again", "--format", "json")
    assert repeated.returncode == 0, repeated.stderr
    assert repeated.stderr.splitlines()[-1] == "report: again/report.html"
    rows = json.loads(repeated.stdout)["tables"]["discovered-kex-on-suite"]["rows"]
    figures = ("query", "measure", "value", "value_low", "value_high", "evidence")
    assert [[row[k] for k in figures] for row in rows] == [
        [fault[k] for k in figures] for fault in facts["faults"]
    ]
    for name in ("scores.csv", "discovered/kex--suite.toml"):
        assert (place / "again" / name).read_bytes() == (place / "out" / name).read_bytes()


def test_what_to_expect_in_a_corpus(place: Path, tagsuite: Call) -> None:
    words = ["diagnose", "kex", "--quick", "--quiet"]
    alone = tagsuite(*words, "--composition", "bc2gm-train")
    assert re.search(r"expected in a corpus like bc2gm-train: recall \.\d\d \[", alone.stdout), alone.stdout
    demo = resources.files("tagsuite.sentences").joinpath("demo_corpus", "demo.sgml")
    (place / "c.sgml").write_text(demo.read_text(encoding="utf-8"), encoding="utf-8")
    annotated = tagsuite(*words, "--annotated", "sgml:c.sgml", "-o", "annotated")
    assert re.search(r"like sgml:c.sgml: recall .* \(from 266 annotated names\)", annotated.stdout)
    expected = pd.read_csv(place / "annotated" / "calibrated.csv").set_index("class").loc["all"]
    assert expected["calibrated_low"] < expected["calibrated"] < expected["calibrated_high"]
    run = tagsuite(*words, "--annotated", "annotated/runs/kex--annotated", "-o", "from-run")
    assert "(from 266 annotated names)" in run.stdout


def test_a_folder_is_continued_or_replaced_only_on_demand(place: Path, tagsuite: Call) -> None:
    words = ["diagnose", "python:mine:capitals", "--quick", "-o", "out"]
    first = tagsuite(*words)
    assert tagsuite(*words).stdout == first.stdout
    other = tagsuite("diagnose", "python:mine:nothing", "--quick", "-o", "out")
    assert other.returncode == 2
    assert "another tagger or with other options" in other.stderr
    assert tagsuite("diagnose", "python:mine:nothing", "--quick", "-o", "out", "--force").returncode == 0
    study = tagsuite("study", "out/study.toml", "--out", "out", "--force")
    assert study.returncode == 2
    assert "diagnosis" in study.stderr


@pytest.mark.parametrize(("form", "holds"), [("csv", "kind,source,measure"), ("markdown", "| kind")])
def test_other_forms_have_the_findings_and_say_where_the_report_is(
    place: Path, tagsuite: Call, form: str, holds: str
) -> None:
    done = tagsuite("diagnose", "python:mine:capitals", "--quick", "--format", form)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(holds)
    assert done.stderr.splitlines()[-1] == "report: diagnosis-mine.capitals/report.html"


def test_the_same_from_python(place: Path) -> None:
    import mine  # type: ignore[import-not-found]

    found = package.diagnose(mine.capitals, "out", quick=True, suspect="contains_hyphen")
    assert isinstance(found, Diagnosis)
    assert repr(found) == "\n".join(found.describe())
    assert list(found.findings.columns) == list(FINDING_COLUMNS)
    assert found.suspicions["verdict"].tolist()[0] == "confirmed"
    assert found.report.is_file()
    assert 'tagger = "python:mine:capitals"' in found.study.read_text(encoding="utf-8")
    assert "<table" in found._repr_html_()
    assert "recall" in found.scores.table
    with pytest.raises(InputError, match="overwrite=True"):
        package.diagnose(mine.capitals, "out", quick=True)
    again = package.diagnose(lambda text: [], "out", quick=True, overwrite=True)
    assert "found nothing" in repr(again)
    assert "memory:" in again.study.read_text(encoding="utf-8")


def make_diagnosis(faults: int, suspicions: int, examples: int) -> Diagnosis:
    """An answer with so many findings, each with so many examples."""
    row = {
        "source": "suite",
        "measure": "recall",
        "query": "q",
        "words": "t misses names: recall .25, elsewhere .74 (150 names)",
        "verdict": "confirmed",
        "value": 0.25,
        "value_low": 0.2,
        "value_high": 0.3,
        "elsewhere": 0.74,
        "mentions": 150,
        "detectable": None,
        "evidence": "new cases",
        "examples": ["A ⟦name⟧."] * examples,
    }
    kinds = ["suspicion"] * suspicions + ["fault"] * faults
    rows = [{"kind": kind, **row} for kind in kinds]
    names = ("recall", "precision")
    figures = {f"{name}{end}": 0.5 for name in names for end in ("", "_low", "_high")}
    summary = {"source": "suite", "cases": 9, "gold": 9, "predicted": 9, "failed": 0, "without_names": 0}
    return Diagnosis(
        "t",
        "t",
        "t@1",
        Path("out"),
        0,
        [{**summary, **figures}],
        pd.DataFrame(rows, columns=list(FINDING_COLUMNS)),
        pd.DataFrame({"corpus": ["c"], "basis": ["the suite"], "value": [0.5], "low": [0.4], "high": [0.6]}),
        7,
        None,  # type: ignore[arg-type]  # not read
    )


@pytest.mark.parametrize(
    ("faults", "suspicions", "examples", "lines", "shown"),
    [
        (0, 0, 0, 4, 0),  # figures, no fault, what to expect, report
        (1, 0, 3, 8, 3),  # three examples
        (5, 0, 3, 15, 6),  # six lines are left for examples
        (9, 0, 3, 15, 6),  # no more than five faults
        (2, 12, 3, 15, 0),  # many suspicions: no room for examples
        (0, 20, 3, 15, 0),
    ],
)
def test_an_answer_never_has_more_than_fifteen_lines(
    faults: int, suspicions: int, examples: int, lines: int, shown: int
) -> None:
    answer = make_diagnosis(faults, suspicions, examples).describe()
    assert len(answer) == lines, answer
    assert sum(line.startswith("   - ") for line in answer) == shown
    assert answer[-1] == "report: out/report.html"


def test_a_fault_is_said_with_its_interval() -> None:
    answer = make_diagnosis(1, 0, 0).describe()
    assert answer[1] == "1. t misses names: recall .25 [.20–.30], elsewhere .74 (150 names)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((0.474, 0.42, 0.53), ".47 [.42–.53]"),
        ((1.0, 0.9, 1.0), "1.00 [.90–1.00]"),
        ((None, None, None), "undefined"),
        ((0.5, None, None), ".50"),
    ],
)
def test_estimates(value: tuple[float | None, float | None, float | None], expected: str) -> None:
    assert format_estimate(*value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The ⟦p53⟧ gene.", "The ⟦p53⟧ gene."),
        ("two\n lines", "two lines"),
        ("a" * 30 + " ⟦p53⟧", "…aaaaaaaaaaaaa ⟦p53⟧"),
        ("⟦p53⟧ " + "a" * 30, "⟦p53⟧ aaaaaaaaaaaaa…"),
        ("b" * 30 + "⟦p53⟧" + "a" * 30, "…bbbbbbb⟦p53⟧aaaaaa…"),
    ],
)
def test_examples_fit_a_line_and_keep_the_name(text: str, expected: str) -> None:
    assert shorten_example(text, 20) == expected
