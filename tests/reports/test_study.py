"""Studies and the demo write tables and runs; errors in study files name the key."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.reports.study.study_file import StudyPaths, read_study

GOOD = """format = 1
title = "t"
[[corpus]]
name = "c"
gold = "sgml:c.sgml"
[[tagger]]
name = "k"
tagger = "kex"
"""


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "format"),
        (GOOD.replace("[[tagger]]", "[[tager]]"), "tager: unknown key"),
        (GOOD.partition("[[corpus]]")[0], "at least one [[suite]] or [[corpus]]"),
        (GOOD.partition("[[tagger]]")[0], "at least one [[tagger]] or [[recorded]]"),
        (GOOD + 'on = ["d"]\n', "no suite or corpus named d"),
        (GOOD + '[[suite]]\nname = "c"\nrecipe = "s.toml"\n', "have the same name: c"),
        (GOOD + '[[suite]]\nname = "s"\n', "needs either recipe"),
        (GOOD + '[[recorded]]\nname = "k"\non = "c"\npredicted = "sgml:p"\n', "duplicate run: k on c"),
        (
            GOOD.replace("[[tagger]]", "[[recorded]]\non = 'c'\npredicted = 'sgml:p'").replace(
                'tagger = "kex"\n', "[invariance]\n"
            ),
            "invariance needs at least one [[tagger]]",
        ),
        (GOOD + '[discover]\non = ["d"]\n', "discover: no suite or corpus named d"),
        (GOOD + "[discover]\nconfirm = -1\n", "discover.confirm"),
        (GOOD + "[discover]\nfolder = 'f'\n", "discover.folder: unknown key"),
        (GOOD + "[calibrate]\n", "calibrate needs at least one [[suite]]"),
    ],
)
def test_wrong_study_files_are_refused_by_key(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_study(file)
    assert str(file) in str(refused.value)
    assert told in str(refused.value)


def test_a_study_tells_what_a_report_of_its_runs_tells(tmp_path: Path, tagsuite: Call) -> None:
    corpus = tmp_path / "c"
    corpus.mkdir()
    (corpus / "1.txt").write_text("We saw p53 here.", encoding="utf-8")
    (corpus / "1.ann").write_text("T1\tGENE 7 10\tp53\nA1\tNegated T1\n", encoding="utf-8")
    file = tmp_path / "study.toml"
    study = GOOD.replace("sgml:c.sgml", "brat:c") + "[score]\nignore_types = false\n"
    file.write_text(study, encoding="utf-8")
    done = tagsuite("study", file, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    again = tagsuite("report", tmp_path / "out" / "runs" / "k--c", "--out", tmp_path / "again.md")
    for name, stderr, page in (
        ("k on c", done.stderr, tmp_path / "out" / "report.md"),
        ("kex on c", again.stderr, tmp_path / "again.md"),
    ):
        told = f"{name}: no type in common: gold has GENE, predictions have gp"
        assert told in stderr
        text = page.read_text(encoding="utf-8")
        assert told in text
        assert "- 1 attributes (A) were dropped" in text.replace("\\", "")


def test_a_place_in_the_data_folder_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAGSUITE_DATA", raising=False)
    places = StudyPaths.from_file(tmp_path / "study.toml", tmp_path / "out", None)
    with pytest.raises(InputError, match="--data or TAGSUITE_DATA"):
        places.resolve_spec("bc2gm:{data}/x")


def contents(folder: Path) -> dict[str, str]:
    """Return the checksums of all files, except for recorded times."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in ("timings.json", "costs.parquet")
    }


def test_the_demo_prints_and_writes_its_results(demo: tuple[Path, str]) -> None:
    folder, text = demo
    for part in (
        "kex F",
        "dictionary F",
        "numeral, then hyphen",
        "✓ confirmed",
        "Difference in recall on targeted: kex minus dictionary",
    ):
        assert part in text
    assert "Recall and precision by class" not in text, "long tables are left to the report"
    rows = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["scores"]
    whole = [r for r in rows if r["class"] == "all" and r["type"] == "all" and r["notion"] == "strict"]
    runs = {(r["run"], r["corpus"]) for r in whole}
    assert runs == {(t, c) for t in ("kex", "dictionary") for c in ("targeted", "demo-corpus")}
    for row in whole:
        assert (row["tp"] + row["fn"], row["tp"] + row["fp"]) == (row["gold"], row["predicted"])


@pytest.mark.parametrize("form", ["json", "markdown", "csv"])
def test_a_study_is_printed_in_every_form(tagsuite: Call, tmp_path: Path, form: str) -> None:
    (tmp_path / "c.sgml").write_text("<gp>ATM</gp> is a kinase.\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(GOOD, encoding="utf-8")
    done = tagsuite("study", "study.toml", "--out", "out", "--format", form, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if form == "json":
        assert json.loads(done.stdout)["title"] == "t"
    else:
        name = {"markdown": "report.md", "csv": "scores.csv"}[form]
        assert done.stdout == (tmp_path / "out" / name).read_text(encoding="utf-8")


def test_the_demo_again_gives_the_same_bytes(
    demo: tuple[Path, str], tagsuite_process: Callable[..., object]
) -> None:
    folder, text = demo
    before = contents(folder)
    # next to the first folder, because run.toml has a relative path of the input
    again = folder.parent.with_name("the-demo-again")
    shutil.copytree(folder, again / "demo")
    done = tagsuite_process("demo", "--out", "demo", "--force", "--jobs", 2, cwd=again)
    assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
    assert contents(again / "demo") == before
    assert done.stdout == text  # type: ignore[attr-defined]


def test_a_published_evaluation_is_a_part_of_a_study(
    shared_data: Path, tmp_path: Path, tagsuite: Callable[..., object]
) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        'format = 1\ntitle = "t"\n[[evaluation]]\nevaluate = "bioid"\n'
        'reference = "{data}/bioid/reference_case/in/gold"\n'
        'runs = ["sys:{data}/bioid/reference_case/in/run"]\n',
        encoding="utf-8",
    )
    done = tagsuite("study", file, "--data", shared_data, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
    assert "BioID" in done.stdout  # type: ignore[attr-defined]
    rows = json.loads((tmp_path / "out" / "evaluation-1.json").read_text(encoding="utf-8"))["scores"]
    assert {"gene_or_protein", "small_molecule"} <= {r["type"] for r in rows}
