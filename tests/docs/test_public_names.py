"""The public names: loaded when first used, typed, and shown in notebooks without harm."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import assert_type

import pandas as pd
import pytest

import tagsuite
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.variants import Variant
from tagsuite.reports.api import Suite
from tagsuite.reports.build import make_report
from tagsuite.sentences.corpus import mark_spans
from tagsuite.sentences.formats.draft import Draft, assemble_corpus

ROOT = Path(__file__).parents[2]


def test_every_public_name_is_there_and_documented() -> None:
    assert len(tagsuite.__all__) == 19
    for name in tagsuite.__all__:
        assert callable(getattr(tagsuite, name)), name
        assert f"`{name}`" in str(tagsuite.__doc__)
        assert getattr(tagsuite, name).__doc__
    assert set(tagsuite.__all__) <= set(dir(tagsuite))
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        tagsuite.scores  # type: ignore[attr-defined]  # noqa: B018


def test_the_import_loads_nothing_but_the_version() -> None:
    version = ["tagsuite.catalogues", "tagsuite.catalogues.core", "tagsuite.catalogues.core.version"]
    heavy = ("tagsuite.", "pandas", "numpy")
    code = f"import sys, tagsuite; print(*sorted(n for n in sys.modules if n.startswith({heavy})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == version


def typed() -> None:
    """Say what a type checker should see; never called."""
    assert_type(tagsuite.score("runs/kex").table, pd.DataFrame)
    assert_type(tagsuite.run("suite", "kex", "out", times=2).failed, int)
    assert_type(tagsuite.run("suite", "kex", "out", vary={"a": [1, 2]}), list[Variant])
    assert_type(tagsuite.invariance("suite", "kex", "out").changes, pd.DataFrame)
    assert_type(tagsuite.generate("suite"), Suite)
    assert_type(tagsuite.report("runs/kex"), Path)
    tagsuite.nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("p53 binds", [(0, 3)], "<mark>p53</mark> binds"),
        ("<script>", [(1, 7)], "&lt;<mark>script</mark>&gt;"),
        ("a<b>c", [(1, 4)], "a<mark>&lt;b&gt;</mark>c"),
        ("abcdef", [(0, 3), (2, 5)], "<mark>abcde</mark>f"),
        ("abcdef", [(3, 5), (0, 2)], "<mark>ab</mark>c<mark>de</mark>f"),
    ],
)
def test_marked(text: str, spans: list[tuple[int, int]], expected: str) -> None:
    assert mark_spans(text, spans) == expected


def test_a_corpus_shows_itself_and_executes_nothing() -> None:
    hostile = "<script>alert('x')</script> p53"
    draft = Draft(["<b>"], [hostile], None, [0], [28], [31], ["gp"])
    shown = assemble_corpus(draft, name="<i>name</i>", digest="")._repr_html_()
    assert "<script" not in shown
    assert "<b><" not in shown.replace("<b>&lt;", "")
    assert "<mark>p53</mark>" in shown
    assert "1 texts, 1 mentions" in shown


def test_the_main_job_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = tagsuite.generate("suite", "all", "total_number_of_names = 1", combine="sample", size=200)
    assert len(suite) == 200 == len(suite.cases) == len(suite.mentions)
    done = tagsuite.run(suite, "kex", "runs/kex")
    assert done.failed == 0
    assert "kex@" in done._repr_html_()
    scores = tagsuite.score(
        done, classes={"digits": "contains_Arabic_numeral"}, by="length", notions=["strict"]
    )
    assert "digits" in set(scores.table["class"])
    assert "digits" in scores._repr_html_()
    # the same through corpora instead of a run
    again = tagsuite.score(gold="suite", predicted=done.predictions, notions=["strict"])
    assert again.table["tp"].tolist()[:1] == scores.table["tp"].tolist()[:1]
    found = tagsuite.discover(scores, least=5, depth=2)
    assert "query" in found.columns
    compared = tagsuite.compare(done, suite=done, by="name_vs_symbol")
    assert {"confirmed"} <= set(compared["verdict"].dropna())
    assert tagsuite.report(done, "report.md", by="case").read_text(encoding="utf-8").startswith("#")
    (tmp_path / "known.txt").write_text("ABC1\n", encoding="utf-8")
    out = tagsuite.report(done, "more.md", discover=True, lists={"known": "known.txt"}, by="in_list.known")
    written = out.read_text(encoding="utf-8")
    assert "## Discovered faults" in written
    assert "--discover --list known=known.txt" in written


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: tagsuite.score(), "either a run, or both gold and predicted"),
        (lambda: tagsuite.score("nowhere"), "no such run folder"),
        (lambda: tagsuite.read_corpus("nope:x"), "unknown format"),
        (lambda: tagsuite.invariance("nowhere", "kex", "x", perturb="grek"), "greek"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: object, told: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert callable(wrong)
    with pytest.raises(InputError, match=told):
        wrong()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: tagsuite.compare("r", gold="x"),
            r"a run on a suite \(`suite`\) or another run \(`against`\)",
        ),
        (lambda: tagsuite.calibrate("s", "r", pool="p"), "`pool` requires `measure` precision"),
    ],
)
def test_errors_name_keywords_not_options(call: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        call()
    assert "--" not in str(caught.value)


def test_an_unknown_keyword_is_refused_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'combin'; did you mean 'combine'\?"):
        tagsuite.generate("x", combin="sample")


def test_results_print_a_few_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = tagsuite.generate("numerals", r"data ~ /^\d+-/", "total_number_of_names = 1", size=20)
    run = tagsuite.run(suite, "kex", "runs/kex")
    scores = tagsuite.score(run, notions=["strict"])
    for shown, first in (
        (suite, "Suite numerals: 20 cases, 20 mentions"),
        (run, "Run kex: kex@0.3 on numerals"),
        (scores, "Scores of kex on numerals: 20 gold mentions, "),
        (make_report([run.folder]), "Report 'kex on numerals': "),
    ):
        lines = repr(shown).splitlines()
        assert len(lines) == 3
        assert lines[0].startswith(first)
        assert "<" in shown._repr_html_()
    strict = {"name": "numerals", "min_recall": 1.0}
    accepted = tagsuite.accept([strict], run, cases=1)
    assert not accepted.passed
    assert repr(accepted).startswith("Acceptance: 1 failed\nkex: numerals: recall ")
    assert "numerals" in accepted._repr_html_()
    assert tagsuite.accept([{**strict, "min_recall": 0.0}], [run]).passed


def test_the_old_keyword_force_works_with_a_warning(tmp_path: Path) -> None:
    tagsuite.generate(tmp_path / "s", size=5)
    with pytest.raises(InputError, match="overwrite=True"):
        tagsuite.generate(tmp_path / "s", size=5)
    with pytest.warns(DeprecationWarning, match="overwrite"):
        tagsuite.generate(tmp_path / "s", size=6, force=True)
    assert len(tagsuite.generate(tmp_path / "s", size=7, overwrite=True)) == 7


def test_a_function_that_fails_is_told(tmp_path: Path) -> None:
    def sometimes(text: str) -> list[str]:
        if "e" in text[:9]:
            raise ValueError("an e")
        return []

    def number(text: str) -> int:
        return 42

    suite = tagsuite.generate(tmp_path / "s", size=20)
    with pytest.warns(UserWarning, match=r"sometimes@.* failed on \d+ of 20 cases \(.*an e"):
        assert tagsuite.run(suite, sometimes, tmp_path / "r").failed
    with pytest.raises(InputError, match=r"number returned no mentions .*found int 42.*the first text"):
        tagsuite.run(suite, number, tmp_path / "n")
